//! The instruction sets that networks can run on.

/// An instruction set. All of them give the same bits in f32; networks in f64 run one number at a time on every one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Isa {
    /// Any CPU, 4 lanes; emulates the fused multiply–add where the CPU's baseline lacks it, and is slow there.
    Portable,
    /// x86-64 with AVX2 and FMA, 8 lanes.
    Avx2,
    /// x86-64 with AVX-512F, 16 lanes.
    Avx512,
    /// AArch64, 4 lanes.
    Neon,
}

impl Isa {
    /// All of them, the fastest first.
    pub const ALL: [Isa; 4] = [Isa::Avx512, Isa::Avx2, Isa::Neon, Isa::Portable];

    /// Returns those that this CPU has, the fastest first.
    pub fn available() -> impl Iterator<Item = Isa> {
        Isa::ALL.into_iter().filter(|isa| isa.is_available())
    }

    /// Returns the fastest one that this CPU has.
    pub fn detect() -> Isa {
        Isa::available().next().unwrap_or(Isa::Portable)
    }

    /// Returns whether this CPU can run it.
    pub fn is_available(self) -> bool {
        match self {
            Isa::Portable => true,
            Isa::Neon => cfg!(target_arch = "aarch64"),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("fma"),
            #[cfg(not(target_arch = "x86_64"))]
            Isa::Avx2 | Isa::Avx512 => false,
        }
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Isa::Portable => "portable",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
            Isa::Neon => "neon",
        }
    }
}

impl std::str::FromStr for Isa {
    type Err = String;
    fn from_str(name: &str) -> Result<Isa, String> {
        let found = Isa::ALL.into_iter().find(|isa| isa.name() == name);
        found.ok_or_else(|| format!("\"{name}\" is no instruction set; choose portable, avx2, avx512 or neon"))
    }
}
