//! Random numbers that depend on nothing but what they are for.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use sinew_sim::fnv::fnv1a;

/// The stream of numbers for one purpose and index under a seed: the same whatever else was drawn before, on any thread.
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// Opens the stream keyed by (seed, purpose, index).
    pub fn new(seed: u64, purpose: &str, index: u64) -> Stream {
        // The index selects one of ChaCha's 2⁶⁴ independent streams.
        let hash = fnv1a(purpose.bytes());
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&hash.to_le_bytes());
        let mut rng = ChaCha8Rng::from_seed(key);
        rng.set_stream(index);
        Stream(rng)
    }

    /// Uniform in `low..high`.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        let unit = (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        low + (high - low) * unit
    }
}

#[cfg(test)]
mod tests {
    use super::Stream;

    #[test]
    fn streams_are_repeatable_and_apart() {
        let draw = |seed, purpose, index| Stream::new(seed, purpose, index).uniform(0.0, 1.0);
        assert_eq!(draw(1, "noise", 2), draw(1, "noise", 2));
        let others = [draw(2, "noise", 2), draw(1, "push", 2), draw(1, "noise", 3)];
        assert!(others.iter().all(|&x| x != draw(1, "noise", 2)));
    }
}
