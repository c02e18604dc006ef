//! Normal random numbers from a counter: sample `(seed, purpose, index)` is the same whoever asks for it, in whatever order.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// Standard normal numbers of one stream.
#[derive(Clone, Debug)]
pub struct NormalStream {
    random: ChaCha8Rng,
    spare: Option<f64>,
}

impl NormalStream {
    /// The stream of `(seed, purpose, index)`.
    pub fn new(seed: u64, purpose: u64, index: u64) -> NormalStream {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&purpose.to_le_bytes());
        key[16..24].copy_from_slice(&index.to_le_bytes());
        NormalStream { random: ChaCha8Rng::from_seed(key), spare: None }
    }

    /// Uniform in the open interval (0, 1).
    pub fn uniform(&mut self) -> f64 {
        ((self.random.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Standard normal, by the polar method (Marsaglia & Bray 1964).
    pub fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        loop {
            let (x, y) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                let scale = (-2.0 * libm::log(square) / square).sqrt();
                self.spare = Some(y * scale);
                return x * scale;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_the_normal_distribution() {
        let mut stream = NormalStream::new(1, 2, 3);
        let samples: Vec<f64> = (0..100_000).map(|_| stream.normal()).collect();
        let mean = |power: i32| samples.iter().map(|x| x.powi(power)).sum::<f64>() / samples.len() as f64;
        assert!(mean(1).abs() < 0.015 && (mean(2) - 1.0).abs() < 0.02);
        assert!(mean(3).abs() < 0.05 && (mean(4) - 3.0).abs() < 0.15);
    }

    #[test]
    fn streams_differ_and_repeat() {
        let first = |seed, purpose, index| NormalStream::new(seed, purpose, index).normal();
        assert_eq!(first(1, 2, 3), first(1, 2, 3));
        assert!([first(2, 2, 3), first(1, 3, 3), first(1, 2, 4)].iter().all(|x| *x != first(1, 2, 3)));
    }
}
