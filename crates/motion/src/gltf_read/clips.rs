//! Animations, resampled at a constant rate.

use super::accessor::Source;
use super::document::Animation;
use super::node_tree::{LARGEST, NodeTree, unit};
use super::sampler::{Interpolation, Key, Keys, key_rate};
use crate::raw::{RawClip, RawTrack};
use glam::{DQuat, DVec3};
use std::collections::BTreeMap;

/// Most frames of one clip.
const MOST_FRAMES: f64 = 200_000.0;
/// Most values of all clips together after resampling, about 200 MB; files that bring more bytes may have more.
const MOST_VALUES: usize = 6_000_000;
/// Most clips times nodes.
const MOST_TRACKS: usize = 1_000_000;
/// A key counts as being on a frame when it is nearer than this part of a frame.
const SNAP: f64 = 0.02;

/// Reads all animations.
pub(crate) struct ClipReader<'a> {
    pub source: &'a Source<'a>,
    pub tree: &'a NodeTree,
    /// Index in the rig of each node of the file that is kept.
    pub kept: &'a [Option<usize>],
    /// The kept nodes of the file, parents first: the inverse of `kept`.
    pub kept_nodes: &'a [usize],
    values_left: usize,
    times: BTreeMap<usize, Vec<f64>>,
    pub notes: Vec<String>,
}

/// The three properties that a clip can move.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Property {
    Translation,
    Rotation,
    Scale,
}

/// A channel that moves a kept node.
struct UsedChannel {
    node: usize,
    track: usize,
    property: Property,
    input: usize,
    output: usize,
    interpolation: Interpolation,
}

impl<'a> ClipReader<'a> {
    pub(crate) fn new(
        source: &'a Source<'a>,
        tree: &'a NodeTree,
        kept: &'a [Option<usize>],
        kept_nodes: &'a [usize],
    ) -> Self {
        let (values_left, times) = (MOST_VALUES + source.byte_count / 4, BTreeMap::new());
        ClipReader { source, tree, kept, kept_nodes, values_left, times, notes: Vec::new() }
    }

    /// The clips that move a kept node, in file order.
    pub(crate) fn read(&mut self) -> Result<Vec<RawClip>, String> {
        let source = self.source;
        let animations = &source.document.animations;
        if animations.len().saturating_mul(self.kept_nodes.len()) > MOST_TRACKS {
            return Err("it has too many clips for its joints; split the file".into());
        }
        let mut clips = Vec::new();
        let (mut still, mut morphs, mut late): (Vec<String>, usize, Vec<(String, f64)>) = (vec![], 0, vec![]);
        for (index, animation) in animations.iter().enumerate() {
            let name = match &animation.name {
                Some(name) if !name.is_empty() => name.clone(),
                _ => format!("clip {index}"),
            };
            morphs += animation.channels.iter().filter(|c| c.target.path == "weights").count();
            let in_clip = |e: String| format!("clip `{name}`: {e}");
            let channels = self.used_channels(animation).map_err(in_clip)?;
            if channels.is_empty() {
                still.push(name);
                continue;
            }
            let (clip, start) = self.clip(&name, &channels).map_err(in_clip)?;
            if start.abs() > 1e-3 {
                late.push((name, start));
            }
            clips.push(clip);
        }
        if let Some((name, start)) = late.first() {
            let count = late.len();
            let what = if count == 1 { "1 clip starts".into() } else { format!("{count} clips start") };
            self.notes.push(format!("{what} late (`{name}` at {start:.3} s); time counts from the first key."));
        }
        if !still.is_empty() {
            self.notes.push(format!("Left out because they move no joint: {}.", still.join(", ")));
        }
        if morphs > 0 {
            self.notes.push(format!("{morphs} morph channels are left out."));
        }
        Ok(clips)
    }

    /// Channels that move kept nodes, with every index checked.
    fn used_channels(&mut self, animation: &Animation) -> Result<Vec<UsedChannel>, String> {
        let mut channels = Vec::new();
        for (index, channel) in animation.channels.iter().enumerate() {
            let property = match channel.target.path.as_str() {
                "translation" => Property::Translation,
                "rotation" => Property::Rotation,
                "scale" => Property::Scale,
                _ => continue,
            };
            let Some(node) = channel.target.node else { continue };
            let Some(&kept) = self.kept.get(node) else {
                return Err(format!("channel {index} moves node {node}, which is not in the file; export it again"));
            };
            let Some(track) = kept else { continue };
            let missing = || format!("channel {index} names a sampler that is not there; export it again");
            let sampler = animation.samplers.get(channel.sampler).ok_or_else(missing)?;
            let interpolation = match sampler.interpolation.as_deref() {
                None | Some("LINEAR") => Interpolation::Linear,
                Some("STEP") => Interpolation::Step,
                Some("CUBICSPLINE") => Interpolation::CubicSpline,
                Some(other) => return Err(format!("channel {index} has the unknown interpolation `{other}`")),
            };
            let (input, output) = (sampler.input, sampler.output);
            if self.source.accessor(input)?.count == 0 {
                continue;
            }
            self.load_times(input)?;
            self.spend(self.source.accessor(output)?.count)?;
            channels.push(UsedChannel { node, track, property, input, output, interpolation });
        }
        Ok(channels)
    }

    fn load_times(&mut self, accessor: usize) -> Result<(), String> {
        if self.times.contains_key(&accessor) {
            return Ok(());
        }
        self.spend(self.source.accessor(accessor)?.count)?;
        let times: Vec<f64> = self.source.finite_values::<1>(accessor, "SCALAR")?.into_iter().map(|[t]| t).collect();
        if let Some(at) = times.windows(2).position(|w| w[1] < w[0]) {
            return Err(format!("accessor {accessor}: key {} comes before key {at}; export it again", at + 1));
        }
        self.times.insert(accessor, times);
        Ok(())
    }

    fn spend(&mut self, values: usize) -> Result<(), String> {
        let left = self.values_left.checked_sub(values);
        self.values_left = left.ok_or("the file's clips are too long to be held in memory; split the file")?;
        Ok(())
    }

    /// One clip and the time of its first key.
    fn clip(&mut self, name: &str, channels: &[UsedChannel]) -> Result<(RawClip, f64), String> {
        let mut inputs: Vec<usize> = channels.iter().map(|c| c.input).collect();
        inputs.sort_unstable();
        inputs.dedup();
        let mut key_times: Vec<f64> = inputs.iter().flat_map(|i| &self.times[i]).copied().collect();
        self.spend(key_times.len())?;
        key_times.sort_by(f64::total_cmp);
        key_times.dedup();
        let start = key_times.first().copied().unwrap_or(0.0);
        key_times.iter_mut().for_each(|t| *t -= start);
        let duration = key_times.last().copied().unwrap_or(0.0);
        let rate_hz = key_rate(&key_times, SNAP);
        let frames = (duration * rate_hz).round() + 1.0;
        if frames > MOST_FRAMES {
            return Err(format!("it lasts {duration:.0} s, {frames:.0} frames; shorten it below {MOST_FRAMES} frames"));
        }
        let frame_count = frames as usize;
        self.spend(frame_count.saturating_mul(channels.len()))?;

        let mut tracks = vec![RawTrack::default(); self.kept_nodes.len()];
        let mut grid = Grid { start, rate_hz, frame_count, zero_rotations: 0 };
        for channel in channels {
            let times = &self.times[&channel.input];
            let of_joint = |e: String| format!("joint `{}`: {e}", self.source.document.node_name(channel.node));
            let track = &mut tracks[channel.track];
            match channel.property {
                Property::Rotation => {
                    track.rotation = Some(grid.rotations(self.source, channel, times).map_err(of_joint)?)
                }
                Property::Translation => {
                    track.translation = Some(grid.vectors(self.source, channel, times).map_err(of_joint)?);
                }
                Property::Scale => track.scale = Some(grid.vectors(self.source, channel, times).map_err(of_joint)?),
            }
        }
        if grid.zero_rotations > 0 {
            let count = grid.zero_rotations;
            self.notes.push(format!("Clip `{name}` has {count} rotations of length 0; they are taken as none."));
        }
        self.check_scales(&tracks)?;
        Ok((RawClip { name: name.to_owned(), rate_hz, frame_count, tracks }, start))
    }

    /// Refuses scales that multiply beyond [`LARGEST`] along a branch.
    fn check_scales(&self, tracks: &[RawTrack]) -> Result<(), String> {
        let mut product = vec![1.0; tracks.len()];
        for (track, &node) in self.kept_nodes.iter().enumerate() {
            let largest = match &tracks[track].scale {
                Some(scales) => scales.iter().fold(0.0, |a: f64, s| a.max(s.abs().max_element())),
                None => self.tree.locals[node].scale.abs().max_element(),
            };
            let above = self.tree.parents[node].and_then(|p| self.kept[p]).map_or(1.0, |p| product[p]);
            product[track] = above * largest.max(1.0);
            if product[track] > LARGEST {
                let name = self.source.document.node_name(node);
                return Err(format!("joint `{name}` is scaled beyond {LARGEST:e}; export the character again"));
            }
        }
        Ok(())
    }
}

/// The times at which a clip is sampled.
struct Grid {
    start: f64,
    rate_hz: f64,
    frame_count: usize,
    zero_rotations: usize,
}

impl Grid {
    fn vectors(&self, source: &Source, channel: &UsedChannel, times: &[f64]) -> Result<Vec<DVec3>, String> {
        let values = outputs::<3>(source, channel, times, "VEC3")?;
        if values.iter().flatten().any(|v| v.abs() > LARGEST) {
            return Err(format!("a key lies beyond {LARGEST:e}; export the character again"));
        }
        Ok(self.sampled(times, values.into_iter().map(DVec3::from_array).collect(), channel.interpolation))
    }

    fn rotations(&mut self, source: &Source, channel: &UsedChannel, times: &[f64]) -> Result<Vec<DQuat>, String> {
        let values = outputs::<4>(source, channel, times, "VEC4")?;
        let is_spline = channel.interpolation == Interpolation::CubicSpline;
        let mut keys: Vec<DQuat> = values.into_iter().map(DQuat::from_array).collect();
        for (index, key) in keys.iter_mut().enumerate() {
            // Of a spline's three values only the middle one is a rotation.
            if !is_spline || index % 3 == 1 {
                *key = unit(*key).unwrap_or_else(|| {
                    self.zero_rotations += 1;
                    DQuat::IDENTITY
                });
            }
        }
        let mut samples = self.sampled(times, keys, channel.interpolation);
        for frame in 1..samples.len() {
            if samples[frame].dot(samples[frame - 1]) < 0.0 {
                samples[frame] = -samples[frame];
            }
        }
        Ok(samples)
    }

    fn sampled<T: Key>(&self, times: &[f64], values: Vec<T>, interpolation: Interpolation) -> Vec<T> {
        Keys { times, values, interpolation }.sample(self.start, self.rate_hz, self.frame_count, SNAP)
    }
}

/// The channel's values, as many as its keys need.
fn outputs<const N: usize>(
    source: &Source,
    channel: &UsedChannel,
    times: &[f64],
    kind: &str,
) -> Result<Vec<[f64; N]>, String> {
    let needed = if channel.interpolation == Interpolation::CubicSpline { 3 * times.len() } else { times.len() };
    let has = source.accessor(channel.output)?.count;
    if has < needed {
        return Err(format!(
            "{has} values for {needed} keys in accessor {}; export the character again",
            channel.output
        ));
    }
    let mut values = source.finite_values::<N>(channel.output, kind)?;
    values.truncate(needed);
    Ok(values)
}
