//! Feet that touch the ground are kept from sliding after an edit.
//!
//! While a site touches, its place on the ground is one and the same: the mean of where the edit has it. Between two touches the difference to the edit goes over
//! from the one to the other as a cubic with the same slopes at both ends. Full-body inverse kinematics then leads the sites to these places, frame by frame,
//! through the character's own joints and limits. A touch that wanders too far to be one place is broken into several, with a lift between them.

use crate::contacts::runs;
use crate::edit::Motion;
use crate::error::LearnError;
use crate::figure::Figure;
use glam::{DVec2, DVec3};
use sinew_modeler::ik::{BodyPoint, PointIk, PointWeights};

/// Frames over which a difference fades out before the first touch and after the last.
const FADE: usize = 10;

/// Frames that a site is lifted for where it wanders.
const LIFT: usize = 5;

/// Plants the sites of a motion that touch the ground; where a touch wanders farther than `farthest_m`, it is lifted on the way.
///
/// # Errors
/// Where the character is not valid.
pub fn plant(figure: &Figure, motion: &mut Motion, farthest_m: f64) -> Result<(), LearnError> {
    let touching = motion.contacts.iter().fold(0, |all, bits| all | bits);
    let sites: Vec<usize> = (0..figure.sites().len()).filter(|site| touching >> site & 1 == 1).collect();
    if sites.is_empty() {
        return Ok(());
    }
    let point = |&site: &usize| {
        let site = &figure.sites()[site];
        BodyPoint { body: site.body.clone(), position: DVec3::from_array(site.center) }
    };
    let points: Vec<BodyPoint> = sites.iter().map(point).collect();
    let ik = PointIk::new(figure.character(), &points, &PointWeights::default())?;
    let nq = figure.model().position_count();
    let mut solver = ik.solver();
    let places: Vec<Vec<DVec3>> = (motion.positions.chunks(nq))
        .map(|row| {
            let mut places = Vec::new();
            solver.places(row, &mut places);
            places
        })
        .collect();
    let mut goals = places.clone();
    for (index, &site) in sites.iter().enumerate() {
        let path: Vec<DVec2> = places.iter().map(|frame| frame[index].truncate()).collect();
        let mut touches: Vec<bool> = motion.contacts.iter().map(|bits| bits >> site & 1 == 1).collect();
        lift(&path, &mut touches, farthest_m);
        for (bits, touches) in motion.contacts.iter_mut().zip(&touches) {
            *bits = if *touches { *bits } else { *bits & !(1 << site) };
        }
        for (frame, by) in differences(&path, &touches).into_iter().enumerate() {
            let goal = &mut goals[frame][index];
            *goal += by.extend(0.0);
            goal.z = goal.z.max(figure.sites()[site].radius);
        }
    }
    for (row, goals) in motion.positions.chunks_mut(nq).zip(&goals) {
        solver.solve(row, goals);
    }
    Ok(())
}

/// Breaks touches in which a site gets farther than `farthest` from where it was on the average since the last break.
fn lift(path: &[DVec2], touches: &mut [bool], farthest: f64) {
    for (first, end) in runs(path.len(), |frame| touches[frame]) {
        let (mut sum, mut count) = (DVec2::ZERO, 0.0);
        let mut frame = first;
        while frame < end {
            if count > 0.0 && path[frame].distance(sum / count) > farthest {
                let (from, to) = (frame.saturating_sub(LIFT / 2).max(first), (frame + LIFT.div_ceil(2)).min(end));
                touches[from..to].fill(false);
                (sum, count, frame) = (DVec2::ZERO, 0.0, to);
                continue;
            }
            (sum, count, frame) = (sum + path[frame], count + 1.0, frame + 1);
        }
    }
}

/// How a site has to be displaced in every frame.
fn differences(path: &[DVec2], touches: &[bool]) -> Vec<DVec2> {
    let n = path.len();
    let mut differences = vec![DVec2::ZERO; n];
    let spans = runs(n, |frame| touches[frame]);
    for &(first, end) in &spans {
        let mean = path[first..end].iter().sum::<DVec2>() / (end - first) as f64;
        (first..end).for_each(|frame| differences[frame] = mean - path[frame]);
    }
    // Displacement and its slope at a frame that touches, from the side of `inside`.
    let end_of = |differences: &[DVec2], frame: usize, inside: usize| {
        let slope = (differences[frame] - differences[inside]) * (frame as f64 - inside as f64);
        (differences[frame], slope)
    };
    for (index, &(first, end)) in spans.iter().enumerate() {
        let inner = |frame: usize, step: isize| frame.saturating_add_signed(step).clamp(first, end - 1);
        if index == 0 {
            let start = first.saturating_sub(FADE);
            let (value, slope) = end_of(&differences, first, inner(first, 1));
            fill(&mut differences, (start, DVec2::ZERO, DVec2::ZERO), (first, value, slope));
        }
        let (value, slope) = end_of(&differences, end - 1, inner(end - 1, -1));
        match spans.get(index + 1) {
            Some(&(next, next_end)) => {
                let (to, to_slope) = end_of(&differences, next, (next + 1).min(next_end - 1));
                fill(&mut differences, (end - 1, value, slope), (next, to, to_slope));
            }
            None => {
                fill(&mut differences, (end - 1, value, slope), ((end - 1 + FADE).min(n), DVec2::ZERO, DVec2::ZERO))
            }
        }
    }
    differences
}

/// Fills the frames between two with the cubic that has given values and slopes there.
fn fill(differences: &mut [DVec2], (a, x, u): (usize, DVec2, DVec2), (b, y, v): (usize, DVec2, DVec2)) {
    let length = (b - a) as f64;
    for frame in a + 1..b.min(differences.len()) {
        let t = (frame - a) as f64 / length;
        let (t2, t3) = (t * t, t * t * t);
        differences[frame] = x * (1.0 - 3.0 * t2 + 2.0 * t3)
            + y * (3.0 * t2 - 2.0 * t3)
            + u * length * (t - 2.0 * t2 + t3)
            + v * length * (t3 - t2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::foot_slide::FootSlide;
    use crate::ground_transform::GroundTransform;
    use crate::motion_set::RATE_HZ;
    use sinew_sim::embedded;

    #[test]
    fn differences_stand_still_in_touches_and_are_smooth_between() {
        // A site that slides at 0.01 m a frame all along and touches in frames 10 to 19 and 30 to 39.
        let path: Vec<DVec2> = (0..60).map(|f| DVec2::new(0.01 * f64::from(f), 0.0)).collect();
        let touches: Vec<bool> = (0..60).map(|f| (10..20).contains(&f) || (30..40).contains(&f)).collect();
        let found = differences(&path, &touches);
        let place = |f: usize| path[f].x + found[f].x;
        assert!(
            (10..20).all(|f| (place(f) - 0.145).abs() < 1e-12) && (30..40).all(|f| (place(f) - 0.345).abs() < 1e-12)
        );
        assert_eq!((found[0], found[59]), (DVec2::ZERO, DVec2::ZERO));
        // A cubic over Δ = 0.2 m in L = 11 frames, level at both ends, has accelerations up to 6 Δ/L² = 0.0099.
        let jump = (1..59).map(|f| (place(f + 1) - 2.0 * place(f) + place(f - 1)).abs()).fold(0.0, f64::max);
        assert!(jump < 0.0105, "{jump}");
    }

    #[test]
    fn a_touch_that_wanders_is_lifted_on_the_way() {
        let path: Vec<DVec2> = (0..60).map(|f| DVec2::new(0.005 * f64::from(f), 0.0)).collect();
        let mut touches = vec![true; 60];
        lift(&path, &mut touches, 0.08);
        // The mean of 0 … f − 1 is 0.005 (f − 1)/2 away by more than 0.08 at f = 32.
        assert_eq!(runs(60, |f| touches[f]), [(0, 30), (35, 60)]);
        let mut still = vec![true; 60];
        lift(&path, &mut still, 0.2);
        assert!(still.iter().all(|touches| *touches));
    }

    #[test]
    fn a_pushed_figure_keeps_its_feet() {
        let figure = Figure::new(&embedded::humanoid(), 0.0).unwrap();
        let nq = figure.model().position_count();
        let mut motion = Motion::default();
        for frame in 0..20 {
            let mut row = figure.model().rest_position().to_vec();
            GroundTransform { x: 0.004 * f64::from(frame), y: 0.0, yaw: 0.005 * f64::from(frame) }.move_root(&mut row);
            row[2] -= 0.02;
            motion.positions.extend(row);
            motion.contacts.push(0b1111);
            motion.labels.push(0);
        }
        let slide = |motion: &Motion| {
            let places: Vec<_> = motion.positions.chunks(nq).map(|row| figure.site_places(row)).collect();
            FootSlide::measure(&places, &motion.contacts, RATE_HZ)
        };
        let before = slide(&motion);
        let roots: Vec<f64> = motion.positions.chunks(nq).map(|row| row[0]).collect();
        plant(&figure, &mut motion, 0.2).unwrap();
        let after = slide(&motion);
        assert!(before.max_cm > 6.0 && after.max_cm < 0.3, "{before:?} {after:?}");
        let moved = motion.positions.chunks(nq).zip(roots).map(|(row, x)| (row[0] - x).abs()).fold(0.0, f64::max);
        assert!(moved < 0.02, "the body goes on: {moved}");
        for (site, place) in figure.sites().iter().zip(figure.site_places(&motion.positions[..nq])).take(4) {
            assert!(place[2] - site.radius > -2e-3, "feet were lifted out of the ground");
        }
    }
}
