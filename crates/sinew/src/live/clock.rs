//! Time that this process has spent on its cores, so that figures of speed do not depend on what else the machine does.

/// CPU time of all threads of the process, s; where the system does not tell, the time of the wall.
#[cfg(unix)]
pub fn cpu_secs() -> f64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    now.tv_sec as f64 + 1e-9 * now.tv_nsec as f64
}

/// CPU time of all threads of the process, s; where the system does not tell, the time of the wall.
#[cfg(not(unix))]
pub fn cpu_secs() -> f64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    BEGAN.get_or_init(Instant::now).elapsed().as_secs_f64()
}
