//! A clip's table: named poses, the timeline that calls them, and where the feet are planted; lengths in metres, times in seconds, angles in degrees.
//!
//! A pose names joints with angles `[bend, turn, tilt]` (bend: forward and down, legs and arms back; turn: to the left; tilt: left side up)
//! and `hips = [x, y, z, bend, turn, tilt]`, the offset from standing and the angles. A joint that a pose leaves out has no key there.

use crate::character::{Character, mirror_angles, side};
use crate::spline::Curve;
use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The numbers of each joint that a pose names.
type Pose = BTreeMap<String, Vec<f64>>;

/// The table as the file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Name of the clip.
    name: String,
    /// Length, s.
    duration: f64,
    /// Whether it repeats; a repeating clip's timeline covers [0, duration).
    #[serde(default)]
    cycle: bool,
    /// Distance that a cycle travels along z, m.
    #[serde(default)]
    travel: f64,
    /// Whether the second half is the first seen in the mirror.
    #[serde(default)]
    mirror: bool,
    /// Span of time in which the centre of mass flies as a thrown stone does.
    ballistic: Option<[f64; 2]>,
    /// Which pose at which time.
    timeline: Vec<(f64, String)>,
    /// Joint angles and hips of each pose.
    pose: BTreeMap<String, Pose>,
    /// Offset of the hips besides that of the poses: [time, x, y, z].
    #[serde(default)]
    path: Vec<[f64; 4]>,
    /// Seconds by which a joint lags behind the timeline.
    #[serde(default)]
    delay: BTreeMap<String, f64>,
    /// Keys of each leg's sole, relative to its place in the bind pose: [time, x, y, z, yaw, tip, roll, curl].
    #[serde(default)]
    sole: BTreeMap<String, Vec<[f64; 8]>>,
    /// Steps of a cycle, by the leg's name without side.
    #[serde(default)]
    step: BTreeMap<String, Step>,
}

/// A leg's step in a travelling cycle.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    /// Phase of the cycle at which the left and the right leg touch down.
    touch_down: [f64; 2],
    /// Distance of the sole ahead of its standing place under the body at touch-down, m.
    ahead: f64,
    /// Distance of the sole outward of its standing place, m.
    outward: f64,
    /// [phase since touch-down, way to the next plant (0 … 1), height m, tip, roll, curl].
    keys: Vec<[f64; 6]>,
}

/// Curves of a sole: place of the point below the toe joint, and the angles of the foot.
pub struct Sole {
    /// x, y and z relative to the bind pose, m.
    pub at: [Curve; 3],
    /// Turn to the left, degrees.
    pub yaw: Curve,
    /// Positive: toes up, about the heel; negative: heel up, about the tip of the toes; degrees.
    pub tip: Curve,
    /// Heel up about the ball while the toes stay flat, degrees.
    pub roll: Curve,
    /// Toes up, degrees.
    pub curl: Curve,
    /// Spans of time at which it is planted, s.
    pub plants: Vec<[f64; 2]>,
}

/// A clip's curves.
pub struct Table {
    /// Name of the clip.
    pub name: String,
    /// Length, s.
    pub duration: f64,
    /// Distance that it travels along z, m; a clip that does not repeat has 0 here and travels by its path.
    pub travel: f64,
    /// Span of time of ballistic flight.
    pub ballistic: Option<[f64; 2]>,
    /// Offset of the hips, m.
    pub hips: [Curve; 3],
    /// The path added to it, m.
    pub path: [Curve; 3],
    /// [bend, turn, tilt] of each joint, degrees.
    pub angles: Vec<[Curve; 3]>,
    /// One for each leg.
    pub soles: Vec<Sole>,
}

impl Table {
    /// Reads a table for a character.
    pub fn parse(text: &str, character: &Character) -> Result<Table> {
        let file: File = toml::from_str(text)?;
        let poses = file.poses_in_time()?;
        for name in poses.iter().flat_map(|(_, pose)| pose.keys()) {
            character.joint(name)?;
        }
        let mut angles = Vec::new();
        for joint in &character.joints {
            let lag = file.delay.get(&joint.name).copied().unwrap_or(0.0);
            let first = if joint.name == "hips" { 3 } else { 0 };
            angles.push([0, 1, 2].map(|i| file.channel(&poses, &joint.name, first + i, lag)));
        }
        let hips = [0, 1, 2].map(|i| file.channel(&poses, "hips", i, 0.0));
        let path = [1, 2, 3].map(|i| Curve::once(file.path.iter().map(|row| (row[0], row[i])).collect()));
        let mut soles = Vec::new();
        for leg in &character.legs {
            soles.push(file.sole_of(&leg.name).with_context(|| format!("leg {}", leg.name))?);
        }
        let File { name, duration, travel, ballistic, .. } = file;
        Ok(Table { name, duration, travel, ballistic, hips, path, angles, soles })
    }
}

impl File {
    /// The poses that the timeline calls, with the mirrored half where asked for.
    fn poses_in_time(&self) -> Result<Vec<(f64, Pose)>> {
        let mut all = Vec::new();
        for (time, name) in &self.timeline {
            let pose = self.pose.get(name).with_context(|| format!("timeline: there is no pose called {name}"))?;
            for (joint, values) in pose {
                let count = if joint == "hips" { 6 } else { 3 };
                ensure!(values.len() == count, "pose {name}: {joint} needs {count} numbers");
            }
            all.push((*time, pose.clone()));
        }
        if self.mirror {
            let second: Vec<_> = all.iter().map(|(time, pose)| (time + 0.5 * self.duration, mirrored(pose))).collect();
            all.extend(second);
        }
        ensure!(all.is_sorted_by(|a, b| a.0 < b.0), "timeline: the times must rise");
        let end = all.last().map_or(0.0, |&(time, _)| time);
        ensure!(end < self.duration || !self.cycle && end <= self.duration, "timeline: {end} s lies beyond the end");
        Ok(all)
    }

    /// The curve of one number of one joint.
    fn channel(&self, poses: &[(f64, Pose)], joint: &str, number: usize, lag: f64) -> Curve {
        let keys: Vec<(f64, f64)> = poses
            .iter()
            .filter_map(|(time, pose)| pose.get(joint).map(|values| (time + lag, values[number])))
            .collect();
        if self.cycle { Curve::cycle(&keys, self.duration, 0.0) } else { Curve::once(keys) }
    }

    fn sole_of(&self, leg: &str) -> Result<Sole> {
        if let Some(rows) = self.sole.get(leg) {
            return Ok(keyed_sole(rows));
        }
        let Some((stem, letter)) = leg.rsplit_once('_') else { bail!("its name must end in _l or _r") };
        let step = self.step.get(stem).context("it has neither sole keys nor a step")?;
        Ok(self.stepping_sole(step, letter == "r"))
    }

    /// Each row of a step is keyed once a cycle; the place where the sole is planted moves on by `travel`.
    fn stepping_sole(&self, step: &Step, right: bool) -> Sole {
        let touch = step.touch_down[usize::from(right)];
        let curve = |column: usize, scale: f64, start: f64, gain: f64| {
            let key = |row: &[f64; 6]| {
                let rounds = libm::floor(touch + row[0]);
                ((touch + row[0] - rounds) * self.duration, start + scale * row[column] - rounds * gain)
            };
            let mut keys: Vec<(f64, f64)> = step.keys.iter().map(key).collect();
            keys.sort_by(|a, b| a.0.total_cmp(&b.0));
            Curve::cycle(&keys, self.duration, gain)
        };
        let outward = if right { -step.outward } else { step.outward };
        let still = |value: f64| Curve::once(vec![(0.0, value)]);
        let lift = step.keys.iter().rfind(|row| row[1] == 0.0).map_or(0.0, |row| row[0]);
        let plants = [-1.0, 0.0].map(|k| [touch + k, touch + k + lift].map(|p| p.clamp(0.0, 1.0) * self.duration));
        Sole {
            at: [
                still(outward),
                curve(2, 1.0, 0.0, 0.0),
                curve(1, self.travel, step.ahead + touch * self.travel, self.travel),
            ],
            yaw: still(0.0),
            tip: curve(3, 1.0, 0.0, 0.0),
            roll: curve(4, 1.0, 0.0, 0.0),
            curl: curve(5, 1.0, 0.0, 0.0),
            plants: plants.into_iter().filter(|p| p[1] > p[0]).collect(),
        }
    }
}

/// The curves of keyed rows; between two rows at the same place on the ground the sole is planted.
fn keyed_sole(rows: &[[f64; 8]]) -> Sole {
    let curve = |i: usize| Curve::once(rows.iter().map(|row| (row[0], row[i])).collect());
    let mut plants: Vec<[f64; 2]> = Vec::new();
    for pair in rows.windows(2) {
        if pair[0][1..5] == pair[1][1..5] && pair[0][2] == 0.0 {
            match plants.last_mut() {
                Some(last) if last[1] == pair[0][0] => last[1] = pair[1][0],
                _ => plants.push([pair[0][0], pair[1][0]]),
            }
        }
    }
    Sole { at: [curve(1), curve(2), curve(3)], yaw: curve(4), tip: curve(5), roll: curve(6), curl: curve(7), plants }
}

fn mirrored(pose: &Pose) -> Pose {
    let flip = |values: &Vec<f64>| match values[..] {
        [bend, turn, tilt] => mirror_angles([bend, turn, tilt]).to_vec(),
        [x, y, z, bend, turn, tilt] => vec![-x, y, z, bend, -turn, -tilt],
        _ => values.clone(),
    };
    pose.iter().map(|(joint, values)| (side(joint, true), flip(values))).collect()
}
