use super::*;
use crate::test_walks::{circles, stepping};
use crate::wrap_angle;

fn matching(walks: &[(f64, f64)]) -> MotionMatching {
    let (_, set) = circles(walks, 150);
    MotionMatching::new(&set, &MatchingConfig::default()).unwrap()
}

fn go(matching: &MotionMatching, state: &mut GeneratorState, objective: &Objective, frames: usize) {
    for _ in 0..frames {
        matching.step(state, objective);
    }
}

fn place(state: &GeneratorState) -> [f64; 2] {
    [state.qpos[0], state.qpos[1]]
}

fn heading(matching: &MotionMatching, state: &GeneratorState) -> f64 {
    matching.figure().heading(&state.qpos)
}

#[test]
fn a_character_starts_at_the_origin_and_looks_along_x() {
    let matching = matching(&[(1.0, 0.3)]);
    for seed in 0..3 {
        let state = matching.start(seed);
        let [x, y] = place(&state);
        assert!(x.abs() < 1e-9 && y.abs() < 1e-9 && heading(&matching, &state).abs() < 1e-6, "{seed}: {x} {y}");
    }
    assert_ne!(matching.start(0), matching.start(1));
}

#[test]
fn the_motion_that_leads_to_the_target_is_chosen() {
    let matching = matching(&[(1.0, 0.0), (1.0, 0.9), (1.0, -0.9)]);
    for side in [1.0, -1.0] {
        let mut state = matching.start(2);
        // A quarter circle away; the circle of 0.9 rad/s is the one that gets there.
        let radius = 1.0 / 0.9;
        let objective = Objective { actions: 1, target: Some([radius, side * radius]), ..Objective::default() };
        go(&matching, &mut state, &objective, 45);
        assert!(side * heading(&matching, &state) > 0.9, "{side}: {}", heading(&matching, &state));
    }
}

/// Stands for four seconds, then sets off and walks at 1.4 m/s.
fn standing_then_walking() -> MotionMatching {
    let (figure, mut set) = stepping(0.0, 240);
    let nq = figure.model().position_count();
    let mut x = 0.0;
    for frame in 0..240 {
        let speed = 1.4 * ((frame as f32 - 120.0) / 15.0).clamp(0.0, 1.0);
        x += speed / 30.0;
        set.sequences[0].positions[frame * nq] = x;
    }
    MotionMatching::new(&set, &MatchingConfig::default()).unwrap()
}

#[test]
fn who_stands_sets_off_after_a_target_that_leads() {
    let matching = standing_then_walking();
    for seed in 0..4 {
        let mut state = matching.start(seed);
        go(&matching, &mut state, &Objective { actions: 1, speed: Some(0.0), ..Objective::default() }, 60);
        let [from, _] = place(&state);
        go(&matching, &mut state, &Objective { actions: 1, speed: Some(0.0), ..Objective::default() }, 30);
        assert!((place(&state)[0] - from).abs() < 0.02, "{seed}: it stands");
        // A stick: always so far ahead.
        for _ in 0..90 {
            let ahead = Objective { actions: 1, target: Some([place(&state)[0] + 1.0, 0.0]), ..Objective::default() };
            matching.step(&mut state, &ahead);
        }
        assert!(place(&state)[0] - from > 1.0, "{seed}: {} m in 3 s", place(&state)[0] - from);
    }
}

#[test]
fn a_target_that_is_due_is_met_in_its_time() {
    let (_, set) = circles(&[(0.6, 0.0), (1.0, 0.0), (1.4, 0.0), (1.0, 0.7), (1.0, -0.7)], 150);
    // The target counts for more than going on smoothly.
    let config = MatchingConfig { target_weight: 3.0, ..MatchingConfig::default() };
    let matching = MotionMatching::new(&set, &config).unwrap();
    for target in [[1.2, 0.0], [0.8, 0.1], [0.95, -0.3]] {
        let mut state = matching.start(1);
        let objective = Objective::at(1, target, 1.0);
        go(&matching, &mut state, &objective, 30);
        let off = distance(place(&state), target);
        assert!(off < 0.06, "{target:?}: {off}");
    }
}

#[test]
fn a_straight_walk_is_bent_towards_a_target_and_no_more_than_allowed() {
    let matching = matching(&[(1.0, 0.0)]);
    let mut state = matching.start(1);
    let objective = Objective { actions: 1, target: Some([0.0, 50.0]), ..Objective::default() };
    go(&matching, &mut state, &objective, 30);
    // Half a radian for each of the metres that were walked.
    assert!((heading(&matching, &state) - 0.5).abs() < 0.03, "{}", heading(&matching, &state));
    let straight = Objective { target: None, speed: Some(1.0), ..objective };
    let mut state = matching.start(1);
    go(&matching, &mut state, &straight, 30);
    assert!(heading(&matching, &state).abs() < 1e-3);
}

#[test]
fn the_motion_never_ends_and_never_jumps() {
    let matching = matching(&[(0.8, 0.0), (1.2, 0.5)]);
    let mut state = matching.start(0);
    let objective = Objective { actions: 1, speed: Some(1.0), ..Objective::default() };
    let mut before = state.clone();
    for frame in 0..1000 {
        matching.step(&mut state, &objective);
        let way = distance(place(&state), place(&before));
        assert!(way > 0.01 && way < 0.06, "frame {frame}: {way}");
        let turn = wrap_angle(heading(&matching, &state) - heading(&matching, &before)).abs();
        assert!(turn < 0.05, "frame {frame}: {turn}");
        before = state.clone();
    }
}

#[test]
fn a_transition_keeps_pose_and_velocity() {
    let matching = matching(&[(0.5, 0.0), (1.5, 0.0)]);
    let mut state = matching.start(0);
    let objective = Objective { actions: 1, speed: Some(0.5), direction_rad: Some(0.0), ..Objective::default() };
    go(&matching, &mut state, &objective, 40);
    let memory = memory_of(&mut state);
    let slow = memory.frame < 150;
    let (pose, far) = (matching.pose(memory), if slow { 200 } else { 50 });
    let mut rate = matching.store.velocity(&matching.figure, memory.frame, &memory.anchor, 30.0);
    rate.iter_mut().zip(&memory.offset_rate).for_each(|(v, o)| *v += o);
    matching.go_to(memory, far);
    let after = matching.pose(memory);
    let worst = pose.iter().zip(&after).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-6, "{worst}");
    let mut rate_after = matching.store.velocity(&matching.figure, far, &memory.anchor, 30.0);
    let own = rate_after[0];
    rate_after.iter_mut().zip(&memory.offset_rate).for_each(|(v, o)| *v += o);
    assert!((own - rate[0]).abs() > 0.9, "the frames differ in speed: {own} {}", rate[0]);
    assert!(rate.iter().zip(&rate_after).all(|(a, b)| (a - b).abs() < 1e-6));
}

#[test]
fn reading_ahead_is_what_happens_and_changes_nothing() {
    let matching = matching(&[(0.6, 0.0), (1.0, 0.4), (1.4, -0.4)]);
    let mut state = matching.start(3);
    for number in 0..4 {
        let objective = Objective::at(1, [2.0 + f64::from(number), -1.0], 20.0);
        let kept = state.clone();
        let ahead = matching.predict(&state, &objective, &[1, 10, 25]);
        assert_eq!(state, kept);
        let mut rows = vec![state.qpos.clone()];
        for _ in 0..26 {
            matching.step(&mut state, &objective);
            rows.push(state.qpos.clone());
        }
        for prediction in ahead {
            assert_eq!(prediction.qpos, rows[prediction.offset]);
            let speed = 30.0 * (rows[prediction.offset + 1][0] - rows[prediction.offset][0]);
            assert!((prediction.qvel[0] - speed).abs() < 1e-9);
        }
    }
}

#[test]
fn many_characters_move_as_each_alone_on_any_number_of_threads() {
    let matching = matching(&[(0.6, 0.0), (1.0, 0.4), (1.4, -0.4)]);
    let objective = |index: usize| Objective::at(1, [1.0, 0.2 * index as f64 - 0.6], 1.0);
    let objectives: Vec<Objective> = (0..7).map(objective).collect();
    let start = || -> Vec<GeneratorState> { (0..7).map(|seed| matching.start(seed)).collect() };
    let mut alone = start();
    for (state, objective) in alone.iter_mut().zip(&objectives) {
        go(&matching, state, objective, 40);
    }
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut together = start();
        pool.install(|| (0..40).for_each(|_| assert_eq!(matching.step_all(&mut together, &objectives).len(), 7)));
        assert_eq!(together, alone);
    }
}

#[test]
fn a_body_that_is_elsewhere_is_gone_on_from() {
    let matching = matching(&[(0.6, 0.0), (1.4, 0.0)]);
    let mut state = matching.start(0);
    let objective = Objective { actions: 1, ..Objective::default() };
    go(&matching, &mut state, &objective, 10);
    let (mut body, nv) = (state.qpos.clone(), matching.figure().model().velocity_count());
    GroundTransform { x: 3.0, y: 1.0, yaw: 0.8 }.move_root(&mut body);
    body[2] += 0.05;
    // At 1.4 m/s along where it looks.
    let look = heading(&matching, &state) + 0.8;
    let mut qvel = vec![0.0; nv];
    (qvel[0], qvel[1]) = (1.4 * libm::cos(look), 1.4 * libm::sin(look));
    matching.set_pose(&mut state, &body, &qvel);
    assert_eq!(state.qpos, body);
    matching.step(&mut state, &objective);
    let step = [state.qpos[0] - body[0], state.qpos[1] - body[1]];
    let along = step[0] * libm::cos(look) + step[1] * libm::sin(look);
    assert!((along - 1.4 / 30.0).abs() < 0.01, "{step:?}");
    assert!((state.qpos[2] - body[2]).abs() < 0.02, "the height returns slowly");
    assert!(memory_of(&mut state).frame >= 150, "the fast walk is the one that moves like the body");
    go(&matching, &mut state, &objective, 60);
    assert!((state.qpos[2] - matching.figure().model().rest_position()[2]).abs() < 1e-3);
}

#[test]
fn a_small_difference_keeps_the_place_in_the_motion() {
    let matching = matching(&[(0.6, 0.0), (1.4, 0.0)]);
    let mut state = matching.start(0);
    let objective = Objective { actions: 1, ..Objective::default() };
    go(&matching, &mut state, &objective, 4);
    let frame = memory_of(&mut state).frame;
    let qvel = matching.predict(&state, &objective, &[0])[0].qvel.clone();
    let mut body = state.qpos.clone();
    body[0] += 0.01;
    matching.set_pose(&mut state, &body, &qvel);
    assert_eq!(memory_of(&mut state).frame, frame);
    matching.step(&mut state, &objective);
    assert_eq!(memory_of(&mut state).frame, frame + 1);
}

/// How far the root and the first foot go in 8 frames of a glide at 0.3 m/s, whose feet the set calls standing, and the contacts at its end.
fn glide(config: &MatchingConfig) -> (f64, f64, u32) {
    let (figure, set) = stepping(0.3, 60);
    let matching = MotionMatching::new(&set, config).unwrap();
    let mut state = matching.start(5);
    let objective = Objective { actions: 1, ..Objective::default() };
    // A foot is known to be slow after two frames.
    go(&matching, &mut state, &objective, 2);
    let before = (figure.site_places(&state.qpos)[0], state.qpos[0]);
    go(&matching, &mut state, &objective, 8);
    let after = figure.site_places(&state.qpos)[0];
    (state.qpos[0] - before.1, distance([before.0[0], before.0[1]], [after[0], after[1]]), state.contacts)
}

#[test]
fn feet_that_stand_stay_until_they_are_carried_too_far() {
    let config = MatchingConfig { release_distance: 1.0, follow_halflife_secs: 100.0, ..MatchingConfig::default() };
    let (root, foot, contacts) = glide(&config);
    assert!(root > 0.05, "the body goes on: {root}");
    assert!(foot < 0.004 && contacts & 1 == 1, "{foot}");
    // On a short leash the foot is let go, and does not count as standing.
    let (_, foot, contacts) = glide(&MatchingConfig { release_distance: 0.01, ..config.clone() });
    assert!(foot > 0.02 && contacts == 0, "{foot}");
    // A foot that moves faster than the limit is not locked at all.
    let (root, foot, contacts) = glide(&MatchingConfig { lock_speed: 0.05, ..config });
    assert!((root - foot).abs() < 1e-3 && contacts == 0, "{root} {foot}");
}

#[test]
fn the_body_follows_feet_that_stand() {
    let config = MatchingConfig { release_distance: 1.0, follow_halflife_secs: 100.0, ..MatchingConfig::default() };
    let (free, _, _) = glide(&config);
    let (held, foot, _) = glide(&MatchingConfig { follow_halflife_secs: 0.05, ..config });
    assert!(held < 0.6 * free && foot < 0.004, "{held} {free} {foot}");
}

#[test]
fn sets_and_constants_that_cannot_be_used_are_refused() {
    let (_, short) = circles(&[(1.0, 0.0)], 10);
    let error = MotionMatching::new(&short, &MatchingConfig::default()).unwrap_err();
    assert!(error.to_string().contains("0.50 s"), "{error}");
    let (_, set) = circles(&[(1.0, 0.0)], 60);
    let config = MatchingConfig { switch_below: 2.0, ..MatchingConfig::default() };
    let error = MotionMatching::new(&set, &config).unwrap_err();
    assert!(error.to_string().contains("switch_below"), "{error}");
}

#[test]
fn the_objective_is_projected_and_completed() {
    let matching = matching(&[(0.8, 0.0), (1.2, 0.0)]);
    let mut state = matching.start(0);
    let done = matching.step(&mut state, &Objective { actions: 1, speed: Some(9.0), ..Objective::default() });
    assert!((done.get(Control::Speed).unwrap() - 1.2).abs() < 1e-3, "{done:?}");
    assert_eq!(done.actions, 1);
}

#[test]
fn nothing_is_left_or_entered_in_the_middle_of_a_flight() {
    let (_, mut set) = stepping(1.0, 150);
    let nq = set.header.position_count;
    for frame in 60..80 {
        set.sequences[0].contacts[frame] = 0;
        set.sequences[0].positions[frame * nq + 2] += 0.2;
    }
    let matching = MotionMatching::new(&set, &MatchingConfig::default()).unwrap();
    assert!((0..150).all(|frame| !(60..80).contains(&frame) || !matching.index.may_find(frame)));
    let mut state = matching.start(1);
    let (mut flown, mut before) = (Vec::new(), 0);
    for number in 0..400 {
        // Something else is asked for in every frame.
        let objective = Objective { actions: 1, target: Some([5.0, 0.1 * f64::from(number)]), ..Objective::default() };
        matching.step(&mut state, &objective);
        let frame = memory_of(&mut state).frame;
        if (60..80).contains(&frame) {
            assert!(frame == before + 1, "{before} to {frame}");
            flown.push(frame);
        } else if (60..79).contains(&before) {
            panic!("left in the air: {before} to {frame}");
        }
        before = frame;
    }
    // Where it flies at all, it does so from the take-off to the landing.
    assert!(flown.len() % 20 == 0 || (60..80).contains(&before), "{flown:?}");
}

#[test]
fn a_motion_that_is_moved_goes_on_there_as_here() {
    let matching = matching(&[(0.6, 0.0), (1.2, 0.6)]);
    let by = GroundTransform { x: 3.0, y: -2.0, yaw: 2.3 };
    let objective = Objective { actions: 1, speed: Some(0.9), ..Objective::default() };
    let mut here = matching.start(2);
    go(&matching, &mut here, &objective, 20);
    let mut there = here.clone();
    matching.move_ground(&mut there, &by);
    for frame in 0..60 {
        let mut moved = here.qpos.clone();
        by.move_root(&mut moved);
        let off = moved.iter().zip(&there.qpos).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-6, "frame {frame}: {off}");
        matching.step(&mut here, &objective);
        matching.step(&mut there, &objective);
    }
}

#[test]
fn it_tells_the_actions_of_the_frame_that_it_shows() {
    let (_, mut set) = stepping(1.0, 150);
    set.header.actions.push(Action::new("Wave", Goal::Achieve));
    let sequence = &mut set.sequences[0];
    sequence.labels[80..100].fill(0b10);
    for frame in 0..150 {
        sequence.intents[frame].actions = sequence.labels[frame];
    }
    let matching = MotionMatching::new(&set, &MatchingConfig::default()).unwrap();
    let mut state = matching.start(1);
    let mut shown = 0;
    for _ in 0..200 {
        matching.step(&mut state, &Objective::default());
        let frame = memory_of(&mut state).frame;
        assert_eq!(matching.shown_actions(&state), if (80..100).contains(&frame) { 0b10 } else { 0b1 }, "{frame}");
        shown |= matching.shown_actions(&state);
    }
    assert_eq!(shown, 0b11);
}
