//! A recorded motion as bytes: a header in JSON, then frames as on the socket.

use super::{Frame, SceneBody, SceneJoint};
use bytes::{BufMut, Bytes, BytesMut};
use serde::{Deserialize, Serialize};

/// First bytes of a motion.
pub const MAGIC: &[u8; 4] = b"SNWM";

/// What comes before the frames.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MotionHeader {
    /// Headline.
    pub title: String,
    /// Frames a second.
    pub rate_hz: f64,
    /// Frames.
    pub frames: usize,
    /// Bodies in the order of the frames.
    pub bodies: Vec<SceneBody>,
    /// Joints in the order of the torques.
    pub joints: Vec<SceneJoint>,
    /// When the character fell, s.
    pub fell_at_secs: Option<f64>,
    /// Grows with the best motion of a job; 0 elsewhere.
    pub revision: u64,
}

/// `SNWM`, the length of the JSON as `u32`, the JSON padded with spaces to a multiple of eight with what is before it, then for each frame its
/// length as `u32`, four zero bytes, and the frame, padded to a multiple of eight.
pub fn encode_motion(header: &MotionHeader, frames: &[Frame]) -> Bytes {
    let mut json = serde_json::to_vec(header).unwrap_or_default();
    json.resize(json.len().next_multiple_of(8), b' ');
    let bytes: usize = frames.iter().map(|f| 8 + f.byte_count().next_multiple_of(8)).sum();
    let mut out = BytesMut::with_capacity(8 + json.len() + bytes);
    out.put_slice(MAGIC);
    out.put_u32_le(json.len() as u32);
    out.put_slice(&json);
    for frame in frames {
        let length = frame.byte_count();
        out.put_u32_le(length as u32);
        out.put_u32_le(0);
        frame.write(&mut out);
        out.put_bytes(0, length.next_multiple_of(8) - length);
    }
    out.freeze()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_follow_the_header_and_lie_at_multiples_of_eight() {
        let frame = |sequence: u32| Frame { sequence, torques: vec![1.0], ..Frame::default() };
        let header = MotionHeader {
            title: "a".into(),
            rate_hz: 60.0,
            frames: 2,
            bodies: vec![],
            joints: vec![],
            fell_at_secs: None,
            revision: 3,
        };
        let bytes = encode_motion(&header, &[frame(0), frame(1)]);
        let json = u32::from_le_bytes(bytes[4..8].try_into().expect("four")) as usize;
        assert_eq!((&bytes[..4], json % 8), (&MAGIC[..], 0));
        assert_eq!(serde_json::from_slice::<MotionHeader>(&bytes[8..8 + json]).expect("a header"), header);
        let second = 8 + json + 8 + 56;
        assert_eq!((bytes.len(), bytes[second], bytes[second + 8 + 8]), (second + 64, 52, 1));
    }
}
