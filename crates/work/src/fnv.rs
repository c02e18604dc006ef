//! FNV-1a: a hash of 64 bits that is the same on every machine.

/// FNV-1a (Fowler, Noll & Vo 1991): for each byte, `h ← (h ⊕ byte)·p` with the prime `p = 2⁴⁰ + 2⁸ + 0xb3`.
///
/// It recognises files and inputs; it keeps nobody from making two that collide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    /// The hash of some bytes.
    pub fn of(bytes: &[u8]) -> u64 {
        Fnv::default().bytes(bytes).finish()
    }

    /// Takes bytes in.
    #[must_use]
    pub fn bytes(self, bytes: &[u8]) -> Fnv {
        bytes.iter().fold(self, |hash, byte| hash.word(u64::from(*byte)))
    }

    /// Takes a whole number in at once, as if it were one byte: `h ← (h ⊕ word)·prime`.
    #[must_use]
    pub fn word(self, word: u64) -> Fnv {
        Fnv((self.0 ^ word).wrapping_mul(0x100_0000_01b3))
    }

    /// The hash of all that was taken in.
    pub fn finish(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_values() {
        // From the test vectors of the authors' reference implementation.
        for (text, hash) in
            [("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)]
        {
            assert_eq!(Fnv::of(text.as_bytes()), hash, "{text:?}");
        }
    }
}
