//! Random numbers that depend on nothing but the seed, what they are for, and a count.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use sinew_files::fnv::fnv1a;

/// The stream of numbers for one purpose and index under a seed: the same whatever else was drawn before, on any thread.
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// Opens the stream keyed by (seed, purpose, index).
    pub fn new(seed: u64, purpose: &str, index: u64) -> Stream {
        // The index selects one of ChaCha's 2⁶⁴ independent streams.
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&fnv1a(purpose.bytes()).to_le_bytes());
        let mut rng = ChaCha8Rng::from_seed(key);
        rng.set_stream(index);
        Stream(rng)
    }

    /// Uniform in `low..high`.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        let unit = (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        low + (high - low) * unit
    }

    /// Returns an index of `weights`, which are not empty, with a probability in proportion to its weight; the last one if all are 0.
    pub fn weighted(&mut self, weights: &[f64]) -> usize {
        let mut left = self.uniform(0.0, weights.iter().sum());
        weights
            .iter()
            .position(|w| {
                left -= w;
                left < 0.0
            })
            .unwrap_or(weights.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::Stream;

    #[test]
    fn streams_are_repeatable_and_apart_and_weights_count() {
        let draw = |seed, purpose, index| Stream::new(seed, purpose, index).uniform(0.0, 1.0);
        assert_eq!(draw(1, "walk", 2), draw(1, "walk", 2));
        assert!([draw(2, "walk", 2), draw(1, "edit", 2), draw(1, "walk", 3)].iter().all(|&x| x != draw(1, "walk", 2)));
        let mut golden = Stream::new(1, "walk", 2);
        let drawn = [0.0, -2.0, 10.0].map(|low| golden.uniform(low, low + 4.0).to_bits());
        assert_eq!(
            drawn,
            [0x3fed_78ad_bb1c_7498, 0x3fe0_fb18_cce6_4e18, 0x4028_5f55_e402_3fc1],
            "{drawn:#x?}: results under a seed hang on these bits"
        );
        let mut stream = Stream::new(0, "weights", 0);
        let mut counts = [0; 3];
        (0..3000).for_each(|_| counts[stream.weighted(&[1.0, 0.0, 2.0])] += 1);
        assert!(counts[1] == 0 && (counts[2] as f64 / counts[0] as f64 - 2.0).abs() < 0.2, "{counts:?}");
    }
}
