//! Random skeletons and motions, written plainly as text and read back.

use super::read_bvh;
use glam::{DAffine3, DQuat, DVec3};
use proptest::prelude::*;
use std::fmt::Write;

/// A small generator (splitmix64) for damage to files, the same on every machine.
pub(crate) struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`; 0 for 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    /// Changes, inserts, deletes, repeats or cuts bytes somewhere.
    pub fn damage(&mut self, bytes: &mut Vec<u8>) {
        const PIECES: [&[u8]; 12] =
            [b"{", b"}", b"\n", b"\r", b" ", b"-", b"1e308", b"nan", b"JOINT a", b"MOTION", b"CHANNELS 9", b"\xff"];
        let at = self.below(bytes.len());
        let end = (at + 1 + self.below(12)).min(bytes.len());
        match self.below(7) {
            0 if !bytes.is_empty() => bytes[at] = self.next() as u8,
            1 => bytes.insert(at, self.next() as u8),
            2 => drop(bytes.drain(at..end)),
            3 => drop(bytes.splice(at..at, bytes[at..end].to_vec())),
            4 => bytes.truncate(at),
            _ => drop(bytes.splice(at..at, PIECES[self.below(PIECES.len())].iter().copied())),
        }
    }
}

/// A joint: where its parent stands before it, its offset, and its rotation axes in order.
#[derive(Clone, Debug)]
struct RandomJoint {
    parent: usize,
    offset: DVec3,
    axes: Vec<usize>,
    moves: bool,
}

fn vector(size: f64) -> impl Strategy<Value = DVec3> {
    [-size..size, -size..size, -size..size].prop_map(DVec3::from_array)
}

fn joints() -> impl Strategy<Value = Vec<RandomJoint>> {
    let axes = proptest::sample::subsequence(vec![0, 1, 2], 1..=3).prop_shuffle();
    let joint = (0usize..12, vector(3.0), axes, any::<bool>());
    proptest::collection::vec(joint, 1..=12).prop_map(|joints| {
        let place = |(index, (parent, offset, axes, moves)): (usize, (usize, DVec3, Vec<usize>, bool))| RandomJoint {
            parent: parent % index.max(1),
            offset: if index == 0 { DVec3::ZERO } else { offset },
            axes,
            moves: moves || index == 0,
        };
        joints.into_iter().enumerate().map(place).collect()
    })
}

/// Writes the joints below `joint`, depth first; gives back the order.
fn write_joint(joints: &[RandomJoint], joint: usize, text: &mut String, order: &mut Vec<usize>) {
    order.push(joint);
    let RandomJoint { offset, axes, moves, .. } = &joints[joint];
    let kind = if joint == 0 { "ROOT" } else { "JOINT" };
    let _ = writeln!(text, "{kind} j{joint}\n{{\nOFFSET {} {} {}", offset.x, offset.y, offset.z);
    let names = ["X", "Y", "Z"];
    let mut channels: Vec<String> = axes.iter().map(|&axis| format!("{}rotation", names[axis])).collect();
    if *moves {
        channels.extend(names.iter().map(|name| format!("{name}position")));
    }
    let _ = writeln!(text, "CHANNELS {} {}", channels.len(), channels.join(" "));
    for child in (joint + 1..joints.len()).filter(|&child| joints[child].parent == joint) {
        write_joint(joints, child, text, order);
    }
    text.push_str("}\n");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn joints_are_where_the_text_puts_them(
        joints in joints(),
        frames in proptest::collection::vec(proptest::collection::vec((vector(400.0), vector(0.05)), 12), 1..5),
    ) {
        let mut text = String::from("HIERARCHY\n");
        let mut order = Vec::new();
        write_joint(&joints, 0, &mut text, &mut order);
        let _ = writeln!(text, "MOTION\nFrames: {}\nFrame Time: 0.04", frames.len());
        let mut expected = Vec::new();
        for frame in &frames {
            let mut places = vec![DAffine3::IDENTITY; joints.len()];
            for &index in &order {
                let (joint, (degrees, shift)) = (&joints[index], frame[index]);
                // The format's definition, with rotation matrices: translation, then rotations in the order of the channels.
                let position = joint.offset + if joint.moves { shift } else { DVec3::ZERO };
                let mut local = DAffine3::from_translation(position);
                for &axis in &joint.axes {
                    local *= DAffine3::from_axis_angle(DVec3::AXES[axis], degrees[axis].to_radians());
                    let _ = write!(text, "{} ", degrees[axis]);
                }
                if joint.moves {
                    let _ = write!(text, "{} {} {} ", position.x, position.y, position.z);
                }
                places[index] = if index == 0 { local } else { places[joint.parent] * local };
            }
            text.push('\n');
            expected.push(places);
        }

        let rig = read_bvh(text.as_bytes(), "random.bvh").unwrap();
        prop_assert_eq!(rig.clips[0].frame_count, frames.len());
        for (frame, expected) in expected.iter().enumerate() {
            for (read, &index) in rig.world_at(&rig.clips[0], frame).iter().zip(&order) {
                prop_assert!(read.translation.distance(expected[index].translation) < 1e-6);
                let turn = DQuat::from_affine3(read).dot(DQuat::from_affine3(&expected[index])).abs();
                prop_assert!(turn > 1.0 - 1e-10);
            }
        }
    }
}
