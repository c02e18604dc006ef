//! How much of the space of price and height a number of tried jumps leaves behind, and after how many jumps.

use crate::search::{REFERENCE, Sample};

/// Hypervolume below [`REFERENCE`] of all jumps in place that landed: `Σ (p* − pᵢ)·(hᵢ − hᵢ₋₁)` along the front, the highest first.
pub fn volume_of_samples(samples: &[Sample]) -> f64 {
    let place = |sample: &Sample| [libm::log(sample.effort + sample.assist), sample.height];
    let mut landed: Vec<[f64; 2]> = samples.iter().filter(|sample| !sample.failed).map(place).collect();
    landed.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let (mut volume, mut height) = (0.0, -REFERENCE[1]);
    for [price, reached] in landed {
        if price < REFERENCE[0] && reached > height {
            volume += (REFERENCE[0] - price) * (reached - height);
            height = reached;
        }
    }
    volume
}

/// After how many jumps their hypervolume was at least `volume`; none where it never was.
pub fn jumps_until(samples: &[Sample], volume: f64) -> Option<usize> {
    let counts: Vec<usize> = (0..=samples.len()).collect();
    let reached = counts.partition_point(|&count| volume_of_samples(&samples[..count]) < volume);
    (reached <= samples.len()).then_some(reached)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_optim::hypervolume::hypervolume;

    fn sample(price: f64, height: f64, failed: bool) -> Sample {
        Sample { height, effort: libm::exp(price), assist: 0.0, landing: 0.0, failed }
    }

    #[test]
    fn it_is_the_hypervolume_of_what_landed() {
        let places = [(3.0, 2.0), (1.0, 1.7), (2.0, 1.65), (14.0, 4.0), (0.5, 1.5), (3.5, 2.5), (3.0, 1.9)];
        let mut samples: Vec<Sample> = places.iter().map(|&(price, height)| sample(price, height, false)).collect();
        let points: Vec<Vec<f64>> = places.iter().map(|&(price, height)| vec![price, -height]).collect();
        let expected = hypervolume(&points, &REFERENCE[..2]).expect("two objectives");
        samples.push(sample(0.1, 3.0, true));
        assert!((volume_of_samples(&samples) - expected).abs() < 1e-12);
        assert_eq!(jumps_until(&samples, 0.0), Some(0));
        assert_eq!(jumps_until(&samples, 1.0), Some(1));
        assert_eq!(jumps_until(&samples, expected - 1e-9), Some(6));
        assert_eq!(jumps_until(&samples, expected + 1e-9), None);
    }
}
