//! Feet that touch the ground are kept from sliding after an edit.
//!
//! An edit moves every frame of a motion by a transform of the ground of its own. While a foot stands, from the first of its sites that touches to the last, one
//! transform counts for all of them, that of its middle frame: heel and toe keep their distance, and each stays where it was on the average of its touch. Between two touches the
//! difference to the edit goes over from the one to the other as a cubic with the same slopes at both ends. Full-body inverse kinematics then leads the sites to
//! these places, frame by frame, through the character's own joints and limits. A foot that wanders too far to stand in one place is lifted on the way.

use crate::contacts::runs;
use crate::edit::Motion;
use crate::error::LearnError;
use crate::figure::Figure;
use crate::ground_transform::GroundTransform;
use glam::{DVec2, DVec3};
use sinew_modeler::ik::{BodyPoint, PointIk, PointWeights};

/// Frames over which a difference fades out before the first touch and after the last.
const FADE: usize = 10;

/// Frames that a site is lifted for where it wanders.
const LIFT: usize = 5;

/// Where a motion comes from: what an edit made of it.
pub struct Unedited {
    /// Places of all contact sites before the edit, of every frame of the edited motion.
    pub places: Vec<Vec<[f64; 3]>>,
    /// What moves each frame's ground to where the edit has it.
    pub transforms: Vec<GroundTransform>,
}

/// Plants the sites of a motion that touch the ground; a foot that wanders farther than `farthest_m` is lifted on the way.
///
/// # Errors
/// Where the character is not valid.
pub fn plant(figure: &Figure, motion: &mut Motion, from: &Unedited, farthest_m: f64) -> Result<(), LearnError> {
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
    let mut goals: Vec<Vec<DVec3>> = (motion.positions.chunks(nq))
        .map(|row| {
            let mut places = Vec::new();
            solver.places(row, &mut places);
            places
        })
        .collect();
    let limb = |index: usize| figure.sites()[sites[index]].limb();
    for group in (0..sites.len()).collect::<Vec<_>>().chunk_by(|&a, &b| limb(a) == limb(b)) {
        let paths: Vec<Vec<DVec2>> =
            group.iter().map(|&index| goals.iter().map(|frame| frame[index].truncate()).collect()).collect();
        let own: Vec<usize> = group.iter().map(|&index| sites[index]).collect();
        let stands = stands(&paths, &own, motion, from, farthest_m);
        for ((&index, path), spans) in group.iter().zip(&paths).zip(&stands) {
            let radius = figure.sites()[sites[index]].radius;
            for (frame, by) in differences(path, spans).into_iter().enumerate() {
                let goal = &mut goals[frame][index];
                *goal += by.extend(0.0);
                goal.z = goal.z.max(radius);
            }
        }
    }
    for (row, goals) in motion.positions.chunks_mut(nq).zip(&goals) {
        solver.solve(row, goals);
    }
    Ok(())
}

/// A span of frames in which a site stands in one place.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Stand {
    first: usize,
    end: usize,
    goal: DVec2,
}

/// Where the sites of one foot stand, site by site; takes contacts away where the foot is lifted.
fn stands(
    paths: &[Vec<DVec2>],
    sites: &[usize],
    motion: &mut Motion,
    from: &Unedited,
    farthest: f64,
) -> Vec<Vec<Stand>> {
    let frames = motion.contacts.len();
    let mask: u32 = sites.iter().map(|site| 1 << site).sum();
    for (path, &site) in paths.iter().zip(sites) {
        let mut touches: Vec<bool> = motion.contacts.iter().map(|bits| bits >> site & 1 == 1).collect();
        let before = touches.clone();
        lift(path, &mut touches, farthest);
        // The foot is lifted as a whole.
        (0..frames).filter(|&f| before[f] && !touches[f]).for_each(|f| motion.contacts[f] &= !mask);
    }
    let mut all = vec![Vec::new(); sites.len()];
    for (first, end) in runs(frames, |frame| motion.contacts[frame] & mask != 0) {
        let transform = from.transforms[first + (end - first) / 2];
        for (stands, &site) in all.iter_mut().zip(sites) {
            for (a, b) in runs(end - first, |frame| motion.contacts[first + frame] >> site & 1 == 1) {
                let (first, end) = (first + a, first + b);
                let sum: DVec2 =
                    (first..end).map(|f| DVec2::new(from.places[f][site][0], from.places[f][site][1])).sum();
                let goal = transform.point((sum / (end - first) as f64).to_array());
                stands.push(Stand { first, end, goal: DVec2::from_array(goal) });
            }
        }
    }
    all
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
fn differences(path: &[DVec2], spans: &[Stand]) -> Vec<DVec2> {
    let n = path.len();
    let mut differences = vec![DVec2::ZERO; n];
    for &Stand { first, end, goal } in spans {
        (first..end).for_each(|frame| differences[frame] = goal - path[frame]);
    }
    // Displacement and its slope at a frame that touches, from the side of `inside`.
    let end_of = |differences: &[DVec2], frame: usize, inside: usize| {
        let slope = (differences[frame] - differences[inside]) * (frame as f64 - inside as f64);
        (differences[frame], slope)
    };
    for (index, &Stand { first, end, .. }) in spans.iter().enumerate() {
        let inner = |frame: usize, step: isize| frame.saturating_add_signed(step).clamp(first, end - 1);
        if index == 0 {
            let start = first.saturating_sub(FADE);
            let (value, slope) = end_of(&differences, first, inner(first, 1));
            fill(&mut differences, (start, DVec2::ZERO, DVec2::ZERO), (first, value, slope));
        }
        let (value, slope) = end_of(&differences, end - 1, inner(end - 1, -1));
        match spans.get(index + 1) {
            Some(&Stand { first: next, end: next_end, .. }) => {
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
    use crate::motion_set::RATE_HZ;
    use sinew_sim::embedded;

    #[test]
    fn differences_stand_still_in_touches_and_are_smooth_between() {
        // A site that slides at 0.01 m a frame all along and touches in frames 10 to 19 and 30 to 39.
        let path: Vec<DVec2> = (0..60).map(|f| DVec2::new(0.01 * f64::from(f), 0.0)).collect();
        let stand = |first: usize, x: f64| Stand { first, end: first + 10, goal: DVec2::new(x, 0.0) };
        let found = differences(&path, &[stand(10, 0.145), stand(30, 0.345)]);
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
    fn heel_and_toe_keep_their_distance_under_the_transform_of_the_middle() {
        // A foot that stood still with its heel at 0 and its toe at 0.25 m; an edit moves frame f by 0.02 f along y.
        let frames = 20;
        let transforms: Vec<_> =
            (0..frames).map(|f| GroundTransform { x: 0.0, y: 0.02 * f as f64, yaw: 0.0 }).collect();
        let places = vec![vec![[0.0; 3], [0.25, 0.0, 0.0]]; frames];
        let path = |x: f64| (0..frames).map(|f| DVec2::new(x, 0.02 * f as f64)).collect::<Vec<_>>();
        // The heel touches in frames 2 to 9, the toe in 6 to 15.
        let bits = |f: usize| u32::from((2..10).contains(&f)) | u32::from((6..16).contains(&f)) << 1;
        let mut motion = Motion { contacts: (0..frames).map(bits).collect(), ..Motion::default() };
        let from = Unedited { places, transforms };
        let found = stands(&[path(0.0), path(0.25)], &[0, 1], &mut motion, &from, 1.0);
        assert_eq!(found[0], [Stand { first: 2, end: 10, goal: DVec2::new(0.0, 0.18) }]);
        assert_eq!(found[1], [Stand { first: 6, end: 16, goal: DVec2::new(0.25, 0.18) }]);
        // Too far for one place: both leave the ground together.
        stands(&[path(0.0), path(0.25)], &[0, 1], &mut motion, &from, 0.05);
        assert!((0..frames).any(|f| bits(f) == 3 && motion.contacts[f] == 0), "{:?}", motion.contacts);
        assert!((0..frames).all(|f| motion.contacts[f] == 0 || motion.contacts[f] == bits(f)));
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
        let from = Unedited {
            places: motion.positions.chunks(nq).map(|row| figure.site_places(row)).collect(),
            transforms: vec![GroundTransform::default(); 20],
        };
        plant(&figure, &mut motion, &from, 0.2).unwrap();
        let after = slide(&motion);
        assert!(before.max_cm > 6.0 && after.max_cm < 0.3, "{before:?} {after:?}");
        let moved = motion.positions.chunks(nq).zip(roots).map(|(row, x)| (row[0] - x).abs()).fold(0.0, f64::max);
        assert!(moved < 0.02, "the body goes on: {moved}");
        for (site, place) in figure.sites().iter().zip(figure.site_places(&motion.positions[..nq])).take(4) {
            assert!(place[2] - site.radius > -2e-3, "feet were lifted out of the ground");
        }
    }
}
