use super::*;
use crate::foresight::{Foresight, Outlook, Present};
use crate::input::Steer;
use crate::test_character::{ACTION_FRAMES, part, policy, standing};
use crate::wish::Wish;
use sinew_learn::Generator;
use sinew_track::{Driven, TrackedBody, time_step};

fn options(balls: Vec<BallKind>) -> PlayerOptions {
    PlayerOptions { seed: 1, balls, places: Vec::new(), foresight_secs: 0.0 }
}

fn alone(actions: &[&str]) -> Player {
    Player::new(&[part(actions)], &options(default_balls())).expect("a player")
}

fn still(count: usize) -> Vec<Input> {
    vec![Input::default(); count]
}

fn wait(player: &mut Player, frames: usize) {
    for _ in 0..frames {
        player.step(&still(player.character_count())).expect("a step");
    }
}

/// A blow that nobody stands.
fn blow() -> Input {
    let push = Push { body: 0, force: [0.0, 6000.0, 0.0], point: None, secs: 0.2 };
    Input { pushes: vec![push], ..Input::default() }
}

#[test]
fn alone_it_does_what_a_driven_character_does_with_or_without_balls() {
    let (saved, policy) = (standing(&[]), policy());
    let generator = saved.generator().unwrap();
    let body = TrackedBody::new(&policy.character, 0.0, time_step(&policy.config, 30.0)).unwrap();
    let driven = Driven::new(generator.as_ref(), &body, &policy).unwrap();
    let mut state = driven.start(1);
    let mut players = [Vec::new(), default_balls()].map(|balls| Player::new(&[part(&[])], &options(balls)).unwrap());
    assert!(players.iter().all(|player| player.position(0) == state.qpos));
    for frame in 0..25 {
        let objective = match frame {
            0..10 => Objective { actions: 1, ..Objective::default() },
            _ => Objective { actions: 1, target: Some([1.0, 0.5]), ..Objective::default() },
        };
        driven.step(&mut state, &objective);
        for player in &mut players {
            player.step(&[Input { steer: Steer::Objective(objective), ..Input::default() }]).unwrap();
            assert_eq!(player.position(0), state.qpos, "frame {frame}");
        }
    }
    let figures = players.map(|player| player.figures(0));
    assert_eq!((figures[0].falls, figures[0].feedbacks), (driven.figures().falls, driven.figures().feedbacks));
    assert_eq!(figures[0].mean_body_error_m, driven.figures().mean_body_error_m);
    assert_eq!(figures[0], figures[1]);
}

#[test]
fn who_chases_is_led_to_the_nearest_of_another_team_that_stands() {
    let mut player = Player::new(&vec![Part::shown(&standing(&[])).unwrap(); 3], &options(Vec::new())).unwrap();
    let chase = |teams| Input { steer: Steer::Chase(teams), ..Input::default() };
    let place = |player: &Player, character| [0, 1].map(|axis| player.position(character)[axis]);
    let places = [0, 1, 2].map(|character| place(&player, character));
    // Two teams: the first and the third are one, and go for the second.
    player.step(&[chase(2), Input::default(), chase(3)]).unwrap();
    assert_eq!([0, 1, 2].map(|character| player.objective(character).target), [Some(places[1]), None, Some(places[1])]);
    // Of those who lie, nobody is gone for.
    let mut simulated = Player::new(&vec![part(&[]); 2], &options(Vec::new())).unwrap();
    for _ in 0..30 {
        simulated.step(&[Input::default(), blow()]).unwrap();
        if simulated.is_limp(1) {
            break;
        }
    }
    assert!(simulated.is_limp(1));
    simulated.step(&[chase(2), Input::default()]).unwrap();
    let asked = simulated.objective(0);
    assert_eq!((asked.target, asked.speed), (None, Some(0.0)));
}

#[test]
fn a_generator_alone_is_where_its_motion_is_whatever_happens_to_it() {
    let shown = Part::shown(&standing(&["Wave"])).unwrap();
    let mut player = Player::new(&[shown], &PlayerOptions::default()).unwrap();
    for frame in 0..90 {
        let action = (frame == 10).then_some(1);
        let steer = Steer::Stick([0.5, 0.0]);
        player.step(&[Input { steer, action, ..blow() }]).unwrap();
        let motion = player.motion(0).qpos.clone();
        let off = player.position(0).iter().zip(&motion).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-6, "frame {frame}: {off}");
    }
    let figures = player.figures(0);
    assert_eq!((figures.falls, figures.stand_ups, figures.frames), (0, 0, 90));
    assert_eq!(player.action(0), None, "what it performs ends");
    // The same body under a policy that has learnt nothing falls.
    let mut simulated = alone(&["Wave"]);
    for _ in 0..30 {
        simulated.step(&[blow()]).unwrap();
    }
    assert!(simulated.figures(0).falls > 0);
}

#[test]
fn the_same_inputs_give_the_same_hash_in_whole_frames_and_in_parts() {
    let inputs = |frame: usize| {
        let mut input = Input { steer: Steer::Stick([0.5, 0.0]), ..Input::default() };
        if frame == 4 {
            input.throws.push(Throw::At { mass_kg: None, speed: 6.0, from_deg: 90.0 });
            input.pushes.push(Push { body: 2, force: [30.0, 0.0, 0.0], point: None, secs: 0.1 });
        }
        vec![input]
    };
    let played = |parts: bool| {
        let mut player = alone(&[]);
        let mut hashes = Vec::new();
        for frame in 0..20 {
            if parts {
                player.decide(&inputs(frame)).unwrap();
                assert_eq!(player.simulate(3), 5);
                player.simulate(2);
                player.conclude().unwrap();
            } else {
                player.step(&inputs(frame)).unwrap();
            }
            hashes.push(player.hash());
        }
        hashes
    };
    assert_eq!(played(false), played(true));
    let mut other = alone(&[]);
    wait(&mut other, 20);
    assert_ne!(Some(&other.hash()), played(false).last());
}

#[test]
fn who_falls_is_limp_for_a_second_and_then_put_onto_its_motion_where_it_lies() {
    let mut player = alone(&[]);
    player.step(&[blow()]).unwrap();
    let (mut fell, mut placed) = (None, None);
    let effort = |player: &Player| player.world().torques().iter().map(|t| t.abs()).sum::<f64>();
    let (mut lay, mut strong, mut weak) = (Vec::new(), 0.0, Vec::new());
    for _ in 0..120 {
        lay = player.position(0);
        // Torques are those of the step before.
        match fell {
            Some(fell) if player.frame() > fell => weak.push(effort(&player)),
            _ => strong = effort(&player),
        }
        let events: Vec<Happening> = player.step(&still(1)).unwrap().iter().map(|event| event.what).collect();
        if events.contains(&Happening::Fell) {
            fell.get_or_insert(player.frame());
            assert!(player.is_limp(0));
        }
        if events.contains(&Happening::PlacedAnew) {
            placed = Some((player.frame(), player.position(0)));
            break;
        }
    }
    let (at, position) = placed.expect("it is put onto its motion");
    assert_eq!(at - fell.expect("it falls"), 30);
    let weak = weak.iter().sum::<f64>() / weak.len() as f64;
    assert!(weak < 0.3 * strong, "limp: {weak} N·m after {strong} N·m");
    let away = ((position[0] - lay[0]).powi(2) + (position[1] - lay[1]).powi(2)).sqrt();
    // It flies 20 m in that second, 0.6 m in its last frame.
    assert!(away < 1.0 && position[1] > 10.0, "it stands where it lay: {position:?}, {lay:?}");
    assert!(position[2] > 0.8, "it stands: {position:?}");
    assert!(!player.is_limp(0));
    let figures = player.figures(0);
    assert_eq!((figures.falls, figures.stand_ups), (1, 0));
    // It is as strong as before: it does not sink within a moment.
    wait(&mut player, 20);
    assert!(player.position(0)[2] > 0.8, "{}", player.position(0)[2]);
}

#[test]
fn who_knows_how_to_stand_up_does_so() {
    let mut player = alone(&["Stand_Up"]);
    player.step(&[blow()]).unwrap();
    let mut all = Vec::new();
    for _ in 0..120 {
        all.extend(player.step(&still(1)).unwrap().iter().map(|event| event.what));
    }
    let told = |what: Happening| all.iter().filter(|other| **other == what).count();
    // The motion only stands, so that who lies far from it is helped in the end: the same fall, counted once.
    assert_eq!(all[..3], [Happening::Fell, Happening::StandsUp, Happening::PlacedAnew], "{all:?}");
    assert_eq!(player.figures(0).falls as usize, told(Happening::Fell));
}

#[test]
fn actions_take_their_time_and_then_it_goes_on() {
    let mut player = alone(&["Jump"]);
    let timing = player.part(0).timing(1);
    assert_eq!((timing.lead_secs, timing.follow_secs), (20.0 / 30.0, 20.0 / 30.0));
    let begun = Input { action: Some(1), ..Input::default() };
    let events = player.step(&[begun]).unwrap().to_vec();
    assert_eq!(events, [Event { frame: 0, character: 0, what: Happening::Began(1) }]);
    let objective = player.objective(0);
    assert_eq!((objective.actions, objective.due_secs, player.action(0)), (2, Some(20.0 / 30.0), Some(1)));
    let mut achieved = None;
    for frame in 1..60 {
        let events = player.step(&still(1)).unwrap().to_vec();
        if events.iter().any(|event| event.what == Happening::Achieved(1)) {
            achieved = Some(frame + 1);
        }
        if frame == 30 {
            assert_eq!((player.objective(0).actions, player.objective(0).target), (2, None), "the rest of the motion");
        }
    }
    assert_eq!(achieved, Some(ACTION_FRAMES));
    assert_eq!((player.objective(0).actions, player.action(0)), (1, None));
    // An action that nobody knows is not begun.
    assert!(player.step(&[Input { action: Some(7), ..Input::default() }]).unwrap().is_empty());
}

#[test]
fn a_body_that_comes_away_takes_the_motion_with_it() {
    let mut player = alone(&[]);
    wait(&mut player, 2);
    assert_eq!(player.figures(0).feedbacks, 0);
    let mut position = player.world().position();
    position[1] += 0.3;
    player.batch.world_mut(0).set_position(&position);
    player.read();
    wait(&mut player, 1);
    assert_eq!(player.figures(0).feedbacks, 1);
    assert!((player.motion(0).qpos[1] - player.position(0)[1]).abs() < 1e-6);
}

#[test]
fn the_hash_is_of_all_that_moves() {
    let hash = |x: f64| {
        let mut player = alone(&[]);
        let throw = Throw::From { mass_kg: None, position: [x, 50.0, 5.0], velocity: [0.0; 3] };
        player.step(&[Input { throws: vec![throw], ..Input::default() }]).unwrap();
        (player.hash(), player.position(0))
    };
    let (first, second) = (hash(50.0), hash(51.0));
    assert_eq!(first.1, second.1, "nobody is touched");
    assert_ne!(first.0, second.0);
}

#[test]
fn a_thrown_ball_hits_and_others_wait() {
    let mut player = alone(&[]);
    let throw = Throw::At { mass_kg: Some(9.0), speed: 8.0, from_deg: 90.0 };
    player.step(&[Input { throws: vec![throw], ..Input::default() }]).unwrap();
    let places = player.balls();
    let flying: Vec<usize> = (0..places.len()).filter(|&ball| places[ball].is_some()).collect();
    assert_eq!(flying, [4], "the first of 10 kg");
    let mut hit = 0.0f64;
    for _ in 0..10 {
        player.step(&still(1)).unwrap();
        hit = hit.min(player.velocity(0)[1]);
    }
    assert!(hit < -0.2, "pushed to the right by a ball from the left: {hit} m/s");
}

#[test]
fn characters_do_not_disturb_each_other_from_afar() {
    let parts = [part(&[]), part(&[])];
    let places = vec![Placement::default(), Placement { place: [0.0, 30.0], heading_rad: 1.0 }];
    let mut both = Player::new(&parts, &PlayerOptions { places, ..options(Vec::new()) }).unwrap();
    let mut first = Player::new(&parts[..1], &options(Vec::new())).unwrap();
    assert!((both.position(1)[1] - 30.0).abs() < 0.2);
    let heading = both.part(1).generator().figure().heading(&both.position(1));
    assert!((heading - 1.0).abs() < 0.1, "{heading}");
    for frame in 0..50 {
        let inputs = [Input::default(), if frame == 0 { blow() } else { Input::default() }];
        both.step(&inputs).unwrap();
        first.step(&still(1)).unwrap();
        assert_eq!(both.position(0), first.position(0), "frame {frame}");
    }
    assert_eq!((both.figures(0).falls, both.figures(1).falls), (first.figures(0).falls, 1));
}

/// Where a player's first character is, for its foresight.
fn present(player: &Player) -> Present<'_> {
    let (actor, rows) = (&player.actors[0], &player.rows.seen[0]);
    Present { course: &actor.course, state: &actor.state, seen: rows.seen(), frame: player.frame }
}

/// The quadruped that comes with the program.
fn quadruped() -> Player {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/packages/quadruped");
    let package = crate::Package::read(folder.as_ref()).unwrap();
    Player::new(&[package.part().unwrap()], &options(Vec::new())).unwrap()
}

#[test]
fn what_is_foreseen_is_what_comes() {
    let mut player = quadruped();
    wait(&mut player, 20);
    let mut foresight = Foresight::new(player.part(0), 1.4).unwrap();
    // Due on the way: until then nobody knows what comes after that.
    let here = player.part(0).generator().figure().heading_frame(&player.position(0));
    let objective = Objective::at(1, here.point([0.5, 0.3]), 1.2);
    let asked = Steer::Objective(objective);
    assert_eq!(foresight.choose(&[Wish { steer: asked, ..Wish::FREE }], present(&player)).unwrap(), 0);
    let foreseen = foresight.foreseen();
    assert_eq!(foreseen.len(), 43);
    for (frame, foreseen) in foreseen.iter().enumerate() {
        let now: Vec<f32> = player.position(0).iter().map(|x| *x as f32).collect();
        assert_eq!(*foreseen, now, "{frame} frames later");
        let then = Steer::Objective(Objective { actions: 1, ..Objective::default() });
        let steer = if player.frame() <= 36 { asked } else { then };
        player.step(&[Input { steer, ..Input::default() }]).unwrap();
    }
    let way = [0, 1].map(|k| player.position(0)[k] - here.point([0.0; 2])[k]);
    assert!(way[0].hypot(way[1]) > 0.2 && player.figures(0).falls == 0, "it walks: {way:?}");
}

#[test]
fn a_plan_goes_on_ahead_until_the_body_goes_otherwise() {
    let mut player = alone(&[]);
    let mut foresight = Foresight::new(player.part(0), 0.4).unwrap();
    assert_eq!(foresight.go_on(present(&player).seen).unwrap(), Outlook::Unknown, "there is no plan");
    foresight.choose(&[Wish::FREE], present(&player)).unwrap();
    for _ in 0..4 {
        wait(&mut player, 1);
        assert_eq!(foresight.go_on(present(&player).seen).unwrap(), Outlook::Good);
        assert_eq!(foresight.foreseen().len(), 13);
    }
    player.step(&[blow()]).unwrap();
    assert_eq!(foresight.go_on(present(&player).seen).unwrap(), Outlook::Unknown);
}

/// A character that knows a leap which no body can follow: three metres up.
fn leaper(foresight_secs: f64) -> Player {
    let mut saved = standing(&["Leap"]);
    if let sinew_learn::SavedGenerator::Matching { set, .. } = &mut saved {
        let nq = set.header.position_count;
        let leap = &mut set.sequences[1];
        for frame in (0..leap.labels.len()).filter(|&frame| leap.labels[frame] == 2) {
            let share = (frame as f32 - 40.0) / ACTION_FRAMES as f32;
            leap.positions[frame * nq + 2] += 3.0 * (std::f32::consts::PI * share).sin();
        }
    }
    let part = Part::new(&saved, &policy()).unwrap();
    Player::new(&[part], &PlayerOptions { foresight_secs, ..options(Vec::new()) }).unwrap()
}

#[test]
fn who_would_fall_does_not_do_what_is_asked_and_waits_no_longer_than_patience() {
    let played = |foresight_secs: f64, action: Option<usize>| {
        let mut player = leaper(foresight_secs);
        let mut happened = Vec::new();
        for frame in 0..100 {
            let steer = match action {
                Some(_) => Steer::Stick([0.0; 2]),
                None => Steer::Objective(Objective { actions: 2, ..Objective::default() }),
            };
            let input = Input { steer, action: action.filter(|_| frame == 2), ..Input::default() };
            happened.extend(player.step(&[input]).unwrap().iter().map(|event| event.what));
            if happened.contains(&Happening::Fell) {
                break;
            }
        }
        // An action is given up at last; steering is not.
        assert_eq!(player.actors[0].waits(), foresight_secs > 0.0 && action.is_none());
        (player.figures(0).falls, happened)
    };
    for action in [Some(1), None] {
        assert_eq!(played(0.0, action).0, 1, "{action:?}");
        assert_eq!(played(1.5, action), (0, Vec::new()), "{action:?}");
    }
}
