use sinew_learn::{SavedGenerator, TrialOptions, run_trial};
use sinew_play::{Measured, Package, PlayerOptions};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let seconds: f64 = args[2].parse().unwrap();
    let foresight_secs: f64 = args[4].parse().unwrap();
    for seed in args[3].split(',').map(|s| s.parse::<u64>().unwrap()) {
        let package = Package::read(std::path::Path::new(&args[1])).unwrap();
        let part = package.part().unwrap();
        let SavedGenerator::Matching { set, .. } = &package.generator else { panic!() };
        let measured =
            Measured::new(&part, &PlayerOptions { seed, foresight_secs, ..PlayerOptions::default() }).unwrap();
        let (_, t) = run_trial(&measured, set, &TrialOptions { minutes: seconds / 60.0, seed }).unwrap();
        let player = measured.into_player();
        let f = player.figures(0);
        println!(
            "{} seed {seed} foresight {foresight_secs}: falls {} reached {:.2} any {:.2} turns {:.2} respond {:.2} err {:.2} slide {:.1} body {:.3} rt {:.1} p99 {:.0}ms",
            package.name,
            f.falls,
            t.reached_share,
            t.any_reached_share,
            t.responded_share,
            t.respond_secs,
            t.target_error_m,
            t.foot_slide_cm,
            f.mean_body_error_m,
            1e6 / (t.micros_per_frame * 30.0),
            t.micros_p99 / 1000.0
        );
    }
}
