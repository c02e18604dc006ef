//! What frames are compared by: the path ahead, feet, root, and the moment to be achieved, all in the heading frame of the frame.

use super::config::MatchingConfig;
use crate::actions::{Action, Goal};
use crate::figure::Figure;
use crate::foot_lock::feet;
use crate::ground_transform::GroundTransform;
use crate::intent::{Control, Intent};
use crate::motion_set::Sequence;
use sinew_sim::rotation::up;
use std::ops::Range;

/// Times ahead at which the path is compared.
pub(super) const AHEAD: usize = 3;

/// The point above the root by which tilts are compared, over the character's height.
const ABOVE: f64 = 0.3;

/// Where each kind of feature stands in a row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layout {
    /// Frames ahead.
    pub ahead: [usize; AHEAD],
    /// Span over which the height ahead is averaged, frames.
    height_span: [usize; 2],
    /// Sites of each foot.
    pub feet: Vec<Vec<usize>>,
    /// Sites that are compared one by one: the ends of all other limbs.
    limbs: Vec<usize>,
    /// Place at each time ahead: forward and left, m.
    pub places: Range<usize>,
    /// Heading at each time ahead: cosine and sine.
    pub headings: Range<usize>,
    /// Place of each foot, m.
    pub foot_places: Range<usize>,
    /// Velocity of each foot, m/s.
    pub foot_velocities: Range<usize>,
    /// Place of the end of each other limb, m.
    pub limb_places: Range<usize>,
    /// Its velocity, m/s.
    pub limb_velocities: Range<usize>,
    /// Velocity of the root, m/s.
    pub root_velocity: Range<usize>,
    /// Height of the root, m.
    pub root_height: Range<usize>,
    /// The two level parts of the upward axis in the root's axes.
    pub tilt: Range<usize>,
    /// Place of the moment to be achieved: forward and left, m.
    pub moment_place: Range<usize>,
    /// Time until then, s.
    pub moment_time: Range<usize>,
    /// Mean height of the root ahead, m.
    pub height_ahead: Range<usize>,
}

impl Layout {
    pub fn new(figure: &Figure, config: &MatchingConfig, rate_hz: f64) -> Layout {
        let feet = feet(figure);
        let limbs: Vec<usize> = (0..figure.sites().len()).filter(|&site| !figure.sites()[site].is_foot).collect();
        let count = feet.len();
        let frames_in = |secs: f64| libm::round(secs * rate_hz).max(1.0) as usize;
        let mut end = 0;
        let mut next = |length: usize| {
            end += length;
            end - length..end
        };
        Layout {
            ahead: config.ahead_secs.map(frames_in),
            height_span: [frames_in(0.5), frames_in(1.0)],
            places: next(2 * AHEAD),
            headings: next(2 * AHEAD),
            foot_places: next(3 * count),
            foot_velocities: next(3 * count),
            limb_places: next(3 * limbs.len()),
            limb_velocities: next(3 * limbs.len()),
            root_velocity: next(3),
            root_height: next(1),
            tilt: next(2),
            moment_place: next(2),
            moment_time: next(1),
            height_ahead: next(1),
            feet,
            limbs,
        }
    }

    /// Features in a row.
    pub fn dims(&self) -> usize {
        self.height_ahead.end
    }

    /// The kinds, each with one deviation; places ahead have one for each time, since later ones scatter more.
    pub fn kinds(&self) -> Vec<Range<usize>> {
        let at = |k: usize| self.places.start + 2 * k..self.places.start + 2 * k + 2;
        let mut kinds: Vec<Range<usize>> = (0..AHEAD).map(at).collect();
        kinds.extend([
            self.headings.clone(),
            self.foot_places.clone(),
            self.foot_velocities.clone(),
            self.limb_places.clone(),
            self.limb_velocities.clone(),
            self.root_velocity.clone(),
            self.root_height.clone(),
            self.tilt.clone(),
            self.moment_place.clone(),
            self.moment_time.clone(),
            self.height_ahead.clone(),
        ]);
        kinds
    }

    /// Features of the pose alone: feet, ends of other limbs, root.
    pub fn pose(&self) -> Range<usize> {
        self.foot_places.start..self.tilt.end
    }

    /// Weight of each feature of the pose, squared; 0 for others. With them a pose that is `D` away costs `(D/d₀)²`: D² is the mean over the root, the point
    /// above it, feet and ends of limbs of `|Δplace|² + (τ·|Δvelocity|)²`, d₀ the share `pose_distance` of the height and τ `velocity_secs`.
    pub fn pose_weights(&self, config: &MatchingConfig, height_m: f64, deviation: &[f32]) -> Vec<f32> {
        let mut weights = vec![0.0; self.dims()];
        let points = (2 + self.feet.len() + self.limbs.len()) as f64;
        let unit = 1.0 / (config.pose_distance * height_m) / points.sqrt();
        let mut fill = |range: &Range<usize>, scale: f64| {
            for d in range.clone() {
                let weight = unit * scale * f64::from(deviation[d]);
                weights[d] = (weight * weight) as f32;
            }
        };
        fill(&self.foot_places, 1.0);
        fill(&self.limb_places, 1.0);
        fill(&self.root_height, 1.0);
        // A level part of the upward axis moves the point above the root by so much.
        fill(&self.tilt, ABOVE * height_m);
        fill(&self.foot_velocities, config.velocity_secs);
        fill(&self.limb_velocities, config.velocity_secs);
        fill(&self.root_velocity, config.velocity_secs);
        weights
    }

    /// Features of all frames of a sequence, row after row.
    pub fn rows(&self, figure: &Figure, sequence: &Sequence, actions: &[Action], rate_hz: f64) -> Vec<f32> {
        let positions = sequence.positions_f64(figure);
        let poses: Vec<&[f64]> = positions.chunks(figure.model().position_count()).collect();
        let frames: Vec<GroundTransform> = poses.iter().map(|pose| figure.heading_frame(pose)).collect();
        let ends: Vec<Vec<[f64; 3]>> = poses.iter().map(|pose| self.end_points(&figure.site_places(pose))).collect();
        let mut rows = vec![0.0; poses.len() * self.dims()];
        for (frame, row) in rows.chunks_mut(self.dims()).enumerate() {
            let back = frames[frame].inverse();
            for (k, &ahead) in self.ahead.iter().enumerate() {
                let there = back.then_after(&ground_ahead(&frames, frame + ahead));
                let (sin, cos) = libm::sincos(there.yaw);
                write(&mut row[self.places.start + 2 * k..], &[there.x, there.y]);
                write(&mut row[self.headings.start + 2 * k..], &[cos, sin]);
            }
            let velocity = |of: &dyn Fn(usize) -> [f64; 3]| {
                let (a, b) = (frame.saturating_sub(1), (frame + 1).min(poses.len() - 1));
                let per_frame = rate_hz / (b - a).max(1) as f64;
                let (a, b) = (of(a), of(b));
                std::array::from_fn::<f64, 3, _>(|k| per_frame * (b[k] - a[k]))
            };
            let body = BodyFeatures {
                ends: ends[frame].clone(),
                end_velocities: (0..ends[frame].len()).map(|end| velocity(&|f| ends[f][end])).collect(),
                root_velocity: velocity(&|f| [poses[f][0], poses[f][1], poses[f][2]]),
            };
            self.write_pose(&body, poses[frame], &back, row);
            self.write_moment(&sequence.intents[frame], actions, row);
            let last = poses.len() - 1;
            let [from, to] = self.height_span.map(|ahead| (frame + ahead).min(last));
            let heights: f64 = poses[from..=to].iter().map(|pose| pose[2]).sum();
            row[self.height_ahead.start] = (heights / (to - from + 1) as f64) as f32;
        }
        rows
    }

    /// Features of a pose that is elsewhere; those of what lies ahead stay 0.
    pub fn of_pose(&self, figure: &Figure, qpos: &[f64], qvel: &[f64]) -> Vec<f32> {
        let before_secs = 1e-3;
        let mut before = qpos.to_vec();
        figure.model().displace(qpos, qvel, -before_secs, &mut before);
        let ends = self.end_points(&figure.site_places(qpos));
        let then = self.end_points(&figure.site_places(&before));
        let speed = |a: &[f64; 3], b: &[f64; 3]| std::array::from_fn(|k| (b[k] - a[k]) / before_secs);
        let body = BodyFeatures {
            end_velocities: then.iter().zip(&ends).map(|(a, b)| speed(a, b)).collect(),
            ends,
            root_velocity: [qvel[0], qvel[1], qvel[2]],
        };
        let mut row = vec![0.0; self.dims()];
        self.write_pose(&body, qpos, &figure.heading_frame(qpos).inverse(), &mut row);
        row
    }

    fn write_pose(&self, body: &BodyFeatures, qpos: &[f64], back: &GroundTransform, row: &mut [f32]) {
        let turned = |v: [f64; 3]| {
            let [x, y] = back.vector([v[0], v[1]]);
            [x, y, v[2]]
        };
        for (end, (place, velocity)) in body.ends.iter().zip(&body.end_velocities).enumerate() {
            let (places, velocities, at) = match end.checked_sub(self.feet.len()) {
                None => (&self.foot_places, &self.foot_velocities, end),
                Some(limb) => (&self.limb_places, &self.limb_velocities, limb),
            };
            write(&mut row[places.start + 3 * at..], &back.place(*place));
            write(&mut row[velocities.start + 3 * at..], &turned(*velocity));
        }
        write(&mut row[self.root_velocity.start..], &turned(body.root_velocity));
        row[self.root_height.start] = qpos[2] as f32;
        let [x, y, _] = up([qpos[3], qpos[4], qpos[5], qpos[6]]);
        write(&mut row[self.tilt.start..], &[x, y]);
    }

    fn write_moment(&self, intent: &Intent, actions: &[Action], row: &mut [f32]) {
        let achieves = actions.iter().enumerate().any(|(i, a)| a.goal == Goal::Achieve && intent.serves(i));
        if !achieves {
            return;
        }
        let get = |control| intent.get(control).unwrap_or(0.0);
        row[self.moment_place.start] = get(Control::TargetForward);
        row[self.moment_place.start + 1] = get(Control::TargetLeft);
        row[self.moment_time.start] = get(Control::TimeLeft);
    }

    /// Middle of the sites of each foot, then the ends of the other limbs.
    fn end_points(&self, sites: &[[f64; 3]]) -> Vec<[f64; 3]> {
        let middle = |own: &Vec<usize>| {
            let share = 1.0 / own.len() as f64;
            std::array::from_fn(|k| own.iter().map(|&s| share * sites[s][k]).sum())
        };
        self.feet.iter().map(middle).chain(self.limbs.iter().map(|&limb| sites[limb])).collect()
    }
}

struct BodyFeatures {
    ends: Vec<[f64; 3]>,
    end_velocities: Vec<[f64; 3]>,
    root_velocity: [f64; 3],
}

fn write(row: &mut [f32], values: &[f64]) {
    row.iter_mut().zip(values).for_each(|(x, &value)| *x = value as f32);
}

/// Where the character is in a frame; after the end of a sequence it goes on as in its last third of a second.
pub(super) fn ground_ahead(frames: &[GroundTransform], frame: usize) -> GroundTransform {
    let last = frames.len() - 1;
    if frame <= last {
        return frames[frame];
    }
    let before = last.saturating_sub(10);
    let share = (frame - last) as f64 / (last - before).max(1) as f64;
    let (end, start) = (frames[last], frames[before]);
    GroundTransform { x: end.x + share * (end.x - start.x), y: end.y + share * (end.y - start.y), yaw: end.yaw }
}

/// Mean and deviation by which features are standardised; one deviation for each kind.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Standard {
    pub mean: Vec<f32>,
    pub deviation: Vec<f32>,
}

impl Standard {
    pub fn of(rows: &[f32], layout: &Layout) -> Standard {
        let dims = layout.dims();
        let count = (rows.len() / dims).max(1) as f64;
        let mut mean = vec![0.0; dims];
        for row in rows.chunks(dims) {
            mean.iter_mut().zip(row).for_each(|(m, &x)| *m += f64::from(x) / count);
        }
        let mut square = vec![0.0; dims];
        for row in rows.chunks(dims) {
            for ((s, m), &x) in square.iter_mut().zip(&mean).zip(row) {
                *s += (f64::from(x) - m) * (f64::from(x) - m) / count;
            }
        }
        let mut deviation = vec![1.0f32; dims];
        for kind in layout.kinds() {
            let all: f64 = square[kind.clone()].iter().sum();
            // What never changes says nothing; keep its unit.
            let value = (all / kind.len().max(1) as f64).sqrt();
            deviation[kind].fill(if value > 1e-4 { value as f32 } else { 1.0 });
        }
        Standard { mean: mean.into_iter().map(|m| m as f32).collect(), deviation }
    }

    /// Standardises rows in place.
    pub fn apply(&self, rows: &mut [f32]) {
        for row in rows.chunks_mut(self.mean.len()) {
            for ((x, mean), deviation) in row.iter_mut().zip(&self.mean).zip(&self.deviation) {
                *x = (*x - mean) / deviation;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_walks::circles;

    #[test]
    fn features_of_a_circle_are_in_closed_form() {
        let (speed, turn) = (1.2, 0.6);
        let (figure, set) = circles(&[(speed, turn)], 80);
        let layout = Layout::new(&figure, &MatchingConfig::default(), 30.0);
        let rows = layout.rows(&figure, &set.sequences[0], &set.header.actions, 30.0);
        assert_eq!(layout.ahead, [10, 20, 30]);
        let row = &rows[20 * layout.dims()..21 * layout.dims()];
        for (k, secs) in [1.0 / 3.0, 2.0 / 3.0, 1.0].into_iter().enumerate() {
            let (sin, cos) = libm::sincos(turn * secs);
            let radius = speed / turn;
            let wanted = [radius * sin, radius * (1.0 - cos), cos, sin];
            let found = [row[2 * k], row[2 * k + 1], row[6 + 2 * k], row[7 + 2 * k]];
            assert!(found.iter().zip(wanted).all(|(a, b)| (f64::from(*a) - b).abs() < 1e-4), "{found:?} {wanted:?}");
        }
        assert_eq!(layout.feet.len(), 2);
        let velocity = &row[layout.root_velocity.clone()];
        assert!((velocity[0] - 1.2).abs() < 1e-3 && velocity[1].abs() < 1e-3, "{velocity:?}");
        assert!((f64::from(row[layout.root_height.start]) - figure.model().rest_position()[2]).abs() < 1e-5);
        // A rigid body's foot moves with v + ω × r.
        let (place, speed_of) = (&row[layout.foot_places.clone()], &row[layout.foot_velocities.clone()]);
        assert!((speed_of[0] - (1.2 - 0.6 * place[1])).abs() < 2e-3 && (speed_of[1] - 0.6 * place[0]).abs() < 2e-3);
    }

    #[test]
    fn a_pose_elsewhere_has_the_features_of_its_frame() {
        let (figure, set) = circles(&[(1.2, 0.6)], 80);
        let layout = Layout::new(&figure, &MatchingConfig::default(), 30.0);
        let rows = layout.rows(&figure, &set.sequences[0], &set.header.actions, 30.0);
        let (nq, nv) = (figure.model().position_count(), figure.model().velocity_count());
        let positions = set.sequences[0].positions_f64(&figure);
        let velocities = set.sequences[0].velocities(&figure, 30.0);
        let mut pose = positions[40 * nq..41 * nq].to_vec();
        let mut qvel = velocities[40 * nv..41 * nv].to_vec();
        // Elsewhere on the ground and turned, as a simulator may have it.
        let moved = GroundTransform { x: 7.0, y: -3.0, yaw: 1.9 };
        moved.move_root(&mut pose);
        let [x, y] = moved.vector([qvel[0], qvel[1]]);
        (qvel[0], qvel[1]) = (x, y);
        let found = layout.of_pose(&figure, &pose, &qvel);
        for d in layout.pose() {
            assert!(
                (found[d] - rows[40 * layout.dims() + d]).abs() < 5e-3,
                "{d}: {} {}",
                found[d],
                rows[40 * layout.dims() + d]
            );
        }
    }

    #[test]
    fn after_the_end_the_path_goes_on_straight() {
        let frames: Vec<GroundTransform> =
            (0..20).map(|f| GroundTransform { x: 0.1 * f as f64, y: 0.0, yaw: 0.2 }).collect();
        let ahead = ground_ahead(&frames, 25);
        assert!((ahead.x - 2.5).abs() < 1e-9 && ahead.yaw == 0.2);
        assert_eq!(ground_ahead(&frames, 7), frames[7]);
    }

    #[test]
    fn standardised_features_have_no_mean_and_unit_deviation_for_each_kind() {
        let (figure, set) = circles(&[(0.5, 0.0), (1.5, 0.4)], 60);
        let layout = Layout::new(&figure, &MatchingConfig::default(), 30.0);
        let mut rows = Vec::new();
        set.sequences.iter().for_each(|s| rows.extend(layout.rows(&figure, s, &set.header.actions, 30.0)));
        Standard::of(&rows, &layout).apply(&mut rows);
        let count = (rows.len() / layout.dims()) as f64;
        for kind in layout.kinds() {
            let values = |d: usize| rows.iter().skip(d).step_by(layout.dims()).map(|&x| f64::from(x));
            for d in kind.clone() {
                assert!((values(d).sum::<f64>() / count).abs() < 1e-3, "{d}");
            }
            let square: f64 = kind.clone().map(|d| values(d).map(|x| x * x).sum::<f64>() / count).sum();
            let mean = square / kind.len() as f64;
            assert!((mean - 1.0).abs() < 1e-2 || mean < 1e-6, "{kind:?}: {mean}");
        }
    }
}
