//! One moment of a simulation as bytes, little end first.

use bytes::{BufMut, Bytes, BytesMut};
use sinew_sim::Wrench;

/// Bytes before the bodies.
pub const HEADER_BYTES: usize = 48;
/// First byte of a frame on the socket.
pub const FRAME_KIND: u8 = 1;
/// Bytes of a contact.
pub const CONTACT_BYTES: usize = 32;
/// Bytes of help from outside.
pub const HELP_BYTES: usize = 24;
/// Most contacts in a frame; the strongest stay.
pub const MOST_CONTACTS: usize = 256;

/// The world's numbers left all reason; it stands still.
pub const DIVERGED: u16 = 1;
/// The simulation stands still.
pub const PAUSED: u16 = 2;
/// The character jumped to another place: do not blend with the frame before.
pub const JUMPED: u16 = 4;
/// The character has fallen.
pub const FALLEN: u16 = 8;

/// A moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Any of [`DIVERGED`], [`PAUSED`], [`JUMPED`], [`FALLEN`].
    pub flags: u16,
    /// Stream.
    pub stream: u32,
    /// Counts the frames of the stream.
    pub sequence: u32,
    /// Time simulated since the motion began, or was reset, s.
    pub time_secs: f64,
    /// The server's clock when the frame was made, ms since it started.
    pub clock_ms: f64,
    /// Centre of mass of the character, m.
    pub center_of_mass: [f64; 3],
    /// Position (m) and orientation `[w, x, y, z]` of each body.
    pub bodies: Vec<([f64; 3], [f64; 4])>,
    /// Size of each joint's torque, N·m.
    pub torques: Vec<f64>,
    /// What touches.
    pub contacts: Vec<ContactPoint>,
    /// Help from outside at the centre of mass, where there is any.
    pub help: Option<Wrench>,
}

/// A contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactPoint {
    /// Body.
    pub body: u32,
    /// −1: the ground; otherwise another body.
    pub other: i32,
    /// Place, m.
    pub point: [f64; 3],
    /// Force on the body, N.
    pub force: [f64; 3],
}

impl Frame {
    /// Length as bytes.
    pub fn byte_count(&self) -> usize {
        HEADER_BYTES
            + 28 * self.bodies.len()
            + 4 * self.torques.len()
            + CONTACT_BYTES * self.contacts.len().min(MOST_CONTACTS)
            + HELP_BYTES * usize::from(self.help.is_some())
    }

    /// The bytes; quaternions go `x, y, z, w`, as three.js has them.
    pub fn encode(&self) -> Bytes {
        let mut out = BytesMut::with_capacity(self.byte_count());
        self.write(&mut out);
        out.freeze()
    }

    /// Appends the bytes.
    pub fn write(&self, out: &mut BytesMut) {
        let contacts = self.contacts.len().min(MOST_CONTACTS);
        out.put_u8(FRAME_KIND);
        out.put_u8(super::PROTOCOL as u8);
        out.put_u16_le(self.flags);
        out.put_u32_le(self.stream);
        out.put_u32_le(self.sequence);
        out.put_u16_le(self.bodies.len() as u16);
        out.put_u16_le(self.torques.len() as u16);
        out.put_u16_le(contacts as u16);
        out.put_u16_le(u16::from(self.help.is_some()));
        self.center_of_mass.iter().for_each(|x| out.put_f32_le(*x as f32));
        out.put_f64_le(self.time_secs);
        out.put_f64_le(self.clock_ms);
        for (position, [w, x, y, z]) in &self.bodies {
            position.iter().chain(&[*x, *y, *z, *w]).for_each(|x| out.put_f32_le(*x as f32));
        }
        self.torques.iter().for_each(|x| out.put_f32_le(*x as f32));
        for contact in &self.contacts[..contacts] {
            out.put_u32_le(contact.body);
            out.put_i32_le(contact.other);
            contact.point.iter().chain(&contact.force).for_each(|x| out.put_f32_le(*x as f32));
        }
        if let Some(help) = &self.help {
            help.force.iter().chain(&help.torque).for_each(|x| out.put_f32_le(*x as f32));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_lies_where_the_protocol_says() {
        let frame = Frame {
            flags: JUMPED,
            stream: 7,
            sequence: 9,
            time_secs: 1.5,
            clock_ms: 2.5,
            center_of_mass: [1.0, 2.0, 3.0],
            bodies: vec![([4.0, 5.0, 6.0], [0.5, 0.25, 0.125, 0.0625])],
            torques: vec![8.0],
            contacts: vec![ContactPoint { body: 0, other: -1, point: [1.0, 2.0, 0.0], force: [0.0, 0.0, 90.0] }],
            help: Some(Wrench { force: [0.0, 0.0, 7.0], torque: [0.0, 3.0, 0.0] }),
        };
        let bytes = frame.encode();
        assert_eq!((bytes.len(), bytes.len()), (48 + 28 + 4 + 32 + 24, frame.byte_count()));
        let f32_at = |at: usize| f32::from_le_bytes(bytes[at..at + 4].try_into().expect("four"));
        let f64_at = |at: usize| f64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight"));
        assert_eq!((bytes[0], bytes[1], bytes[2], bytes[4], bytes[8]), (1, 1, 4, 7, 9));
        assert_eq!((bytes[12], bytes[14], bytes[16], bytes[18]), (1, 1, 1, 1));
        assert_eq!((f32_at(20), f32_at(28), f64_at(32), f64_at(40)), (1.0, 3.0, 1.5, 2.5));
        assert_eq!((f32_at(48), f32_at(60), f32_at(72)), (4.0, 0.25, 0.5));
        assert_eq!((f32_at(76), f32_at(80 + 28)), (8.0, 90.0));
        assert_eq!((f32_at(112 + 8), f32_at(112 + 16)), (7.0, 3.0));
        assert_eq!(i32::from_le_bytes(bytes[84..88].try_into().expect("four")), -1);
    }
}
