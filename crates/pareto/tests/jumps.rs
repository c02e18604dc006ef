//! Jumps are what their controllers make them, whoever jumps beside them.

use sinew_optim::NormalStream;
use sinew_pareto::{Controller, Evaluator, Failure, Front, Phase, Repair, dial, repair};

const LANDING_BAND: Option<f64> = Some(0.15);

/// Controllers around the seed, some of which fall.
fn neighbours(count: u64, sigma: f64) -> Vec<Controller> {
    let seed = Controller::seed().scaled();
    let neighbour = |index| {
        let mut random = NormalStream::new(3, 1, index);
        let point: Vec<f64> = seed.iter().map(|x| x + sigma * random.normal()).collect();
        Controller::from_scaled(&point).expect("finite")
    };
    (0..count).map(neighbour).collect()
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads").install(work)
}

#[test]
fn the_seed_jumps_lands_and_stands() {
    let evaluator = Evaluator::new(LANDING_BAND);
    let recording = evaluator.perform(&Controller::seed()).expect("a world");
    let jump = &recording.jump;
    assert_eq!(jump.failure, None);
    assert!(jump.height > 1.7 && jump.flight_secs > 0.15 && jump.is_natural(), "{jump:?}");
    // Every phase in its order, and two seconds of standing after 1.2 s of landing.
    let mut phases: Vec<Phase> = recording.moments.iter().map(|moment| moment.phase).collect();
    phases.dedup();
    assert_eq!(phases, [Phase::Stand, Phase::Crouch, Phase::TakeOff, Phase::Rise, Phase::Fall, Phase::Land]);
    let landed = recording.moments.iter().filter(|moment| moment.phase == Phase::Land).count();
    assert!(landed as f64 * 0.005 >= 3.2);
    assert!(recording.moments.iter().all(|moment| moment.assist_newtons == 0.0));
}

#[test]
fn a_jump_does_not_depend_on_its_neighbours_or_on_threads() {
    let evaluator = Evaluator::new(LANDING_BAND);
    let controllers = neighbours(19, 0.05);
    let together = on_threads(2, || evaluator.evaluate(&controllers).expect("worlds"));
    assert_eq!(together, on_threads(1, || evaluator.evaluate(&controllers).expect("worlds")));
    assert!(together.iter().any(|jump| jump.failure.is_some()) && together.iter().any(|jump| jump.failure.is_none()));
    for index in [0, 7, 18] {
        assert_eq!(evaluator.perform(&controllers[index]).expect("a world").jump, together[index]);
        let backwards: Vec<Controller> = controllers.iter().rev().cloned().collect();
        assert_eq!(evaluator.evaluate(&backwards).expect("worlds")[18 - index], together[index]);
    }
}

#[test]
fn help_lifts_the_jump_and_is_paid_for() {
    let evaluator = Evaluator::new(None);
    let mut values = Controller::seed().values().to_vec();
    (values[32], values[33]) = (4.0, 0.3);
    let controllers = [Controller::seed(), Controller::new(&values).expect("finite")];
    let jumps = evaluator.evaluate(&controllers).expect("worlds");
    assert!(jumps[1].height > jumps[0].height + 0.01);
    // ∫ (m·a·(1 − t/T))² dt = m² a² T / 3 while the flight lasts; the first ticks count fully.
    let (force, flight) = (80.0 * 4.0, jumps[1].flight_secs.min(0.3));
    let exact = force * force * 0.3 / 3.0 * (1.0 - (1.0 - flight / 0.3).powi(3));
    assert!((jumps[1].assist / exact - 1.0).abs() < 0.06, "{} instead of {exact}", jumps[1].assist);
}

#[test]
fn a_jump_that_stays_on_the_ground_is_none() {
    let evaluator = Evaluator::new(LANDING_BAND);
    let mut values = Controller::seed().values().to_vec();
    (values[1], values[7], values[8]) = (0.2, 0.2, 0.0);
    let jump = evaluator.perform(&Controller::new(&values).expect("finite")).expect("a world").jump;
    assert_eq!(jump.failure, Some(Failure::NoFlight));
}

#[test]
fn a_jump_that_falls_is_repaired() {
    let evaluator = Evaluator::new(LANDING_BAND);
    let failing = neighbours(40, 0.12).into_iter().find(|controller| {
        let jump = evaluator.perform(controller).expect("a world").jump;
        jump.failure.is_some() && jump.flight_secs > 0.1
    });
    let settings = Repair { generations: 30, ..Repair::default() };
    let (_, jump) = repair(&evaluator, &failing.expect("one falls"), &settings).expect("searched");
    assert_eq!(jump.failure, None);
}

#[test]
fn the_embedded_front_lands_and_reaches_beyond_the_natural() {
    let front = Front::embedded();
    let evaluator = Evaluator::new(LANDING_BAND);
    let controllers: Vec<Controller> = front.points.iter().map(|point| point.controller().expect("valid")).collect();
    let texts: Vec<String> = controllers.iter().map(|controller| controller.to_toml(&[])).collect();
    let read: Vec<Controller> = texts.iter().map(|text| Controller::from_toml(text).expect("valid")).collect();
    for (point, jump) in front.points.iter().zip(evaluator.evaluate(&read).expect("worlds")) {
        assert_eq!(jump.failure, None, "{} m", point.height);
        assert_eq!(jump.height.to_bits(), point.height.to_bits());
        assert_eq!((1e-4 * jump.effort).to_bits(), point.effort.to_bits());
        assert_eq!(point.is_natural(), point.take_off_gravity == -9.81 && point.assist_secs == 0.0);
    }
    let natural = front.highest_natural().expect("some are natural");
    let (lowest, highest) = (front.points[0].height, front.points[front.points.len() - 1].height);
    assert!(lowest < 1.75 && highest >= 1.5 * natural, "{lowest} to {natural} to {highest} m");
    // Below the highest natural jump, all are.
    assert!(front.points.iter().all(|point| point.is_natural() || point.height > natural));
}

#[test]
fn the_dial_meets_heights_within_a_centimetre() {
    let front = Front::embedded();
    let evaluator = Evaluator::new(LANDING_BAND);
    let natural = front.highest_natural().expect("some are natural");
    // Blends of the natural part, of the helped part, and heights at which no blend lands.
    for height in [1.75, 1.98, 2.735, 3.21] {
        let dialled = dial(&evaluator, &front, height).expect("a jump");
        assert!((dialled.jump.height - height).abs() <= 0.01, "{height}: {:?}", dialled.source);
        let again = evaluator.perform(&dialled.controller).expect("a world").jump;
        assert_eq!((again.failure, &again), (None, &dialled.jump));
        assert!(again.is_natural() == (height < natural), "{height}: help of {}", again.assist);
    }
    let far = dial(&evaluator, &front, 1.98).expect("a jump");
    assert_eq!(far, dial(&evaluator, &front, 1.98).expect("the same jump"));
}

#[test]
fn the_dial_ends_where_the_front_does() {
    let front = Front::embedded();
    let evaluator = Evaluator::new(LANDING_BAND);
    let beyond = dial(&evaluator, &front, 10.0).expect("a jump");
    assert_eq!(beyond.jump.height, front.points[front.points.len() - 1].height);
    assert_eq!(dial(&evaluator, &front, 0.5).expect("a jump").jump.height, front.points[0].height);
    assert!(dial(&evaluator, &front, f64::NAN).is_err());
}
