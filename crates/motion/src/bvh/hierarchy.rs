//! The `HIERARCHY` section of a BVH file: joints, their offsets and channels, and where bones end.

use super::text::Text;
use crate::ReadError;
use glam::DVec3;
use std::ops::Range;

/// Joints below one another, at most; no body comes near, and what follows may walk the tree recursively.
pub(super) const DEEPEST: usize = 512;

/// The tree as written.
#[derive(Default)]
pub(super) struct Hierarchy {
    /// Joints in file order, parents before children.
    pub joints: Vec<Joint>,
    /// All channels, in the order of the values on a motion line.
    pub channels: Vec<Channel>,
    /// Whether the word `MOTION` follows.
    pub motion_follows: bool,
}

/// A `ROOT` or `JOINT`.
pub(super) struct Joint {
    pub name: String,
    pub parent: Option<usize>,
    pub offset: DVec3,
    /// `End Site` offsets that have a length.
    pub tips: Vec<DVec3>,
    /// The joint's own among [`Hierarchy::channels`].
    pub channels: Range<usize>,
}

/// What a value of a motion line does; axes are 0, 1, 2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Channel {
    /// Position along an axis.
    Position(usize),
    /// Rotation about an axis, degrees.
    Rotation(usize),
    /// Scale along an axis: read over.
    Scale,
}

/// A block that is open: a joint or an end site.
enum Block {
    Joint { index: usize, has_offset: bool, has_channels: bool },
    EndSite { offset: Option<DVec3> },
}

impl Hierarchy {
    /// Reads from the start of the file up to and with `MOTION`, or to the end of the file.
    pub fn read(text: &mut Text, notes: &mut Vec<String>) -> Result<Hierarchy, ReadError> {
        if !text.take(b"HIERARCHY") {
            return Err(text.error("a BVH file starts with the word HIERARCHY; export the motion as BVH"));
        }
        let mut tree = Hierarchy::default();
        let mut open: Vec<Block> = Vec::new();
        let mut without_offset = Vec::new();
        while let Some(word) = text.word() {
            let keyword = word.to_ascii_uppercase();
            match (keyword.as_slice(), open.last_mut()) {
                (b"MOTION", None) => {
                    tree.motion_follows = true;
                    break;
                }
                (b"ROOT", None) => open.push(tree.open_joint(text, None)?),
                (b"JOINT", Some(Block::Joint { index, .. })) => {
                    let parent = *index;
                    open.push(tree.open_joint(text, Some(parent))?);
                }
                (b"END" | b"ENDSITE", Some(Block::Joint { .. })) => {
                    text.name();
                    open_brace(text, "End Site")?;
                    open.push(Block::EndSite { offset: None });
                }
                (b"OFFSET", Some(block)) => tree.read_offset(text, block)?,
                (b"CHANNELS", Some(Block::Joint { index, has_channels, .. })) => {
                    if std::mem::replace(has_channels, true) {
                        let name = tree.name_of(*index);
                        return Err(text.error(format!("joint '{name}' has two CHANNELS lines; keep one")));
                    }
                    let index = *index;
                    tree.read_channels(text, index)?;
                }
                (b"}", Some(_)) => {
                    if let Some(block) = open.pop() {
                        tree.close(block, open.last(), &mut without_offset);
                    }
                }
                (_, block) => return Err(tree.unexpected(text, word, block.as_deref())),
            }
            if open.len() > DEEPEST && matches!(open.last(), Some(Block::Joint { .. })) {
                return Err(
                    text.error(format!("more than {DEEPEST} joints hang below one another; is the file whole?"))
                );
            }
        }
        if let Some(Block::Joint { index, .. }) = open.first() {
            let joint = tree.name_of(*index);
            return Err(text.error(format!("the file ends inside joint '{joint}': a '}}' is missing; export it again")));
        }
        if tree.joints.is_empty() {
            return Err(text.error("the HIERARCHY has no ROOT; export a skeleton with at least one joint"));
        }
        if let Some(&first) = without_offset.first() {
            let (count, name) = (without_offset.len(), tree.name_of(first));
            notes.push(format!("joints with no OFFSET, '{name}' first ({count} in all), are placed at their parents"));
        }
        if tree.channels.contains(&Channel::Scale) {
            notes.push("scale channels are left out: bones keep their lengths".into());
        }
        Ok(tree)
    }

    fn open_joint(&mut self, text: &mut Text, parent: Option<usize>) -> Result<Block, ReadError> {
        let index = self.joints.len();
        let mut name = text.name();
        if name.is_empty() {
            name = format!("joint {index}");
        }
        open_brace(text, &shown(name.as_bytes()))?;
        let none = self.channels.len()..self.channels.len();
        self.joints.push(Joint { name, parent, offset: DVec3::ZERO, tips: Vec::new(), channels: none });
        Ok(Block::Joint { index, has_offset: false, has_channels: false })
    }

    fn read_offset(&mut self, text: &mut Text, block: &mut Block) -> Result<(), ReadError> {
        let mut offset = [0.0; 3];
        for value in &mut offset {
            *value = text.number("a coordinate of an OFFSET (three are needed)")?;
        }
        match block {
            Block::Joint { index, has_offset, .. } => {
                self.joints[*index].offset = offset.into();
                *has_offset = true;
            }
            Block::EndSite { offset: tip } => *tip = Some(offset.into()),
        }
        Ok(())
    }

    fn read_channels(&mut self, text: &mut Text, joint: usize) -> Result<(), ReadError> {
        let count = text.number("the number of CHANNELS")?;
        if count < 0.0 || count.fract() != 0.0 {
            let name = self.name_of(joint);
            return Err(
                text.error(format!("joint '{name}' should have a whole number of CHANNELS, not {count}; correct it"))
            );
        }
        let start = self.channels.len();
        // Each name takes bytes of the file, which bounds the loop whatever `count` says.
        while ((self.channels.len() - start) as f64) < count {
            let word = text.word().unwrap_or_default();
            let Some(channel) = Channel::from_name(word) else {
                let (name, word) = (self.name_of(joint), shown(word));
                return Err(text.error(format!(
                    "joint '{name}' should have {count} CHANNELS, but '{word}' is none; they are called Xposition … Zposition, Xrotation … Zrotation"
                )));
            };
            self.channels.push(channel);
        }
        self.joints[joint].channels = start..self.channels.len();
        Ok(())
    }

    fn close(&mut self, block: Block, parent: Option<&Block>, without_offset: &mut Vec<usize>) {
        match (block, parent) {
            (Block::Joint { index, has_offset: false, .. }, _) => without_offset.push(index),
            (Block::EndSite { offset: Some(tip) }, Some(Block::Joint { index, .. })) if tip != DVec3::ZERO => {
                self.joints[*index].tips.push(tip);
            }
            _ => {}
        }
    }

    /// A joint's name for a sentence.
    fn name_of(&self, joint: usize) -> String {
        shown(self.joints[joint].name.as_bytes())
    }

    fn unexpected(&self, text: &Text, word: &[u8], block: Option<&Block>) -> ReadError {
        let word = shown(word);
        text.error(match block {
            None => format!("'{word}' is out of place; here ROOT or MOTION should stand"),
            Some(Block::EndSite { .. }) => {
                format!("'{word}' is out of place in an End Site; here OFFSET or '}}' should stand")
            }
            Some(Block::Joint { index, .. }) => format!(
                "'{word}' is out of place in joint '{}'; here OFFSET, CHANNELS, JOINT, End Site or '}}' should stand",
                self.name_of(*index)
            ),
        })
    }
}

impl Channel {
    /// `Xposition`, `Yrotation`, … in either case.
    fn from_name(word: &[u8]) -> Option<Channel> {
        let (axis, kind) = word.split_first()?;
        let axis = match axis.to_ascii_uppercase() {
            axis @ b'X'..=b'Z' => usize::from(axis - b'X'),
            _ => return None,
        };
        match kind.to_ascii_lowercase().as_slice() {
            b"position" | b"translation" => Some(Channel::Position(axis)),
            b"rotation" => Some(Channel::Rotation(axis)),
            b"scale" => Some(Channel::Scale),
            _ => None,
        }
    }
}

fn open_brace(text: &mut Text, of: &str) -> Result<(), ReadError> {
    if text.take(b"{") { Ok(()) } else { Err(text.error(format!("after '{of}' a '{{' should stand; add it"))) }
}

fn shown(word: &[u8]) -> String {
    String::from_utf8_lossy(word).chars().take(40).collect()
}
