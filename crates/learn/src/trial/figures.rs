//! Figures of a generated motion, each from its definition.

use crate::figure::Figure;
use crate::random::Stream;

/// Frames over which a velocity is averaged.
pub(super) const VELOCITY_FRAMES: usize = 10;

/// Median of values; 0 of none.
pub(super) fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// The value below which a share of the values lies (the nearest rank); 0 of none.
pub(super) fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = libm::ceil(share * sorted.len() as f64).max(1.0) as usize;
    sorted.get(rank - 1).copied().unwrap_or(0.0)
}

/// Farthest that each contact of a site gets from where it began, cm. `places` and `contacts` are of each frame; contacts of a single frame do not count.
pub(super) fn slides_cm(places: &[Vec<[f64; 3]>], contacts: &[u32], sites: &[usize]) -> Vec<f64> {
    let mut slides = Vec::new();
    for &site in sites {
        let mut began: Option<(usize, f64)> = None;
        for frame in 0..=places.len() {
            let touches = frame < places.len() && contacts[frame] >> site & 1 == 1;
            began = match (began, touches) {
                (None, true) => Some((frame, 0.0)),
                (Some((first, farthest)), true) => {
                    let way = level_distance(places[frame][site], places[first][site]);
                    Some((first, f64::max(farthest, way)))
                }
                (Some((first, farthest)), false) => {
                    if frame - first > 1 {
                        slides.push(100.0 * farthest);
                    }
                    None
                }
                (None, false) => None,
            };
        }
    }
    slides
}

/// Mean over frames and sites of the level speed of low sites, `v·(2 − 2^(h/H))` for heights `0 ≤ h < H` of the site's lowest point, cm/s (Zhang et al. 2018,
/// *Mode-adaptive neural networks*, §7). It does not depend on what the generator calls a contact.
pub(super) fn skating_cm_per_sec(places: &[Vec<[f64; 3]>], sites: &[(usize, f64)], low_m: f64, rate_hz: f64) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    for pair in places.windows(2) {
        for &(site, radius) in sites {
            let height = (pair[1][site][2] - radius).max(0.0);
            count += 1;
            if height < low_m {
                let weight = 2.0 - libm::exp2(height / low_m);
                sum += 100.0 * rate_hz * weight * level_distance(pair[0][site], pair[1][site]);
            }
        }
    }
    if count == 0 { 0.0 } else { sum / f64::from(count) }
}

/// Largest change of a link's length, percent. `links` are pairs of places and their true distance, m.
pub(super) fn stretch_percent(places: &[Vec<[f64; 3]>], links: &[(usize, usize, f64)]) -> f64 {
    let mut worst = 0.0;
    for frame in places {
        for &(a, b, length) in links.iter().filter(|(_, _, length)| *length > 1e-6) {
            let square: f64 = (0..3).map(|k| (frame[a][k] - frame[b][k]) * (frame[a][k] - frame[b][k])).sum();
            worst = f64::max(worst, (square.sqrt() / length - 1.0).abs());
        }
    }
    100.0 * worst
}

/// Difference of two poses without root, degrees: root mean square over the joints' coordinates.
pub(super) fn pose_distance_deg(figure: &Figure, a: &[f64], b: &[f64]) -> f64 {
    let mut way = vec![0.0; figure.model().velocity_count()];
    figure.model().difference(a, b, &mut way);
    let joints = &way[6..];
    let square: f64 = joints.iter().map(|x| x * x).sum();
    (square / joints.len().max(1) as f64).sqrt().to_degrees()
}

/// Mean distance of poses from the nearest of others, degrees.
pub(super) fn distance_to_set_deg(figure: &Figure, poses: &[&[f64]], set: &[Vec<f64>]) -> f64 {
    let nearest =
        |pose: &&[f64]| set.iter().map(|other| pose_distance_deg(figure, pose, other)).fold(f64::INFINITY, f64::min);
    poses.iter().map(nearest).sum::<f64>() / poses.len().max(1) as f64
}

/// Mean distance of two poses that are drawn at random, degrees.
pub(super) fn diversity_deg(figure: &Figure, poses: &[&[f64]], seed: u64) -> f64 {
    const PAIRS: usize = 500;
    let mut stream = Stream::new(seed, "pairs of poses", 0);
    let mut any = || poses[stream.uniform(0.0, poses.len() as f64) as usize];
    (0..PAIRS).map(|_| pose_distance_deg(figure, any(), any())).sum::<f64>() / PAIRS as f64
}

/// Mean velocity along the ground over the frames before, m/s.
pub(super) fn velocity(roots: &[[f64; 2]], frame: usize, rate_hz: f64) -> [f64; 2] {
    let before = frame.saturating_sub(VELOCITY_FRAMES);
    let per_frame = rate_hz / (frame - before).max(1) as f64;
    [0, 1].map(|k| per_frame * (roots[frame][k] - roots[before][k]))
}

/// Whether a velocity points within 30° of a direction, and is none of standing.
pub(super) fn points_along(velocity: [f64; 2], direction: [f64; 2], least_speed: f64) -> bool {
    let length = |v: [f64; 2]| (v[0] * v[0] + v[1] * v[1]).sqrt();
    let dot = velocity[0] * direction[0] + velocity[1] * direction[1];
    length(velocity) > least_speed && dot >= 0.866_025_403_784_438_6 * length(velocity) * length(direction)
}

pub(super) fn level_distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    let (x, y) = (a[0] - b[0], a[1] - b[1]);
    (x * x + y * y).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_sim::embedded;

    #[test]
    fn quantiles_are_nearest_ranks() {
        let values = [5.0, 1.0, 4.0, 2.0, 3.0];
        assert_eq!((median(&values), quantile(&values, 0.9), quantile(&values, 0.2)), (3.0, 5.0, 1.0));
        assert_eq!(median(&[]), 0.0);
    }

    #[test]
    fn a_known_slide_is_measured_for_each_contact() {
        // Site 0 slides 1 cm a frame in frames 2 to 5, stands in 7 to 9, and touches for one frame in 11; site 1 is nobody's foot.
        let places: Vec<Vec<[f64; 3]>> =
            (0..12).map(|f: i32| vec![[0.01 * f64::from(f.min(5)), 0.02, 0.0], [f64::from(f), 0.0, 0.0]]).collect();
        let contacts = [2, 2, 3, 3, 3, 3, 2, 3, 3, 3, 2, 3];
        let slides = slides_cm(&places, &contacts, &[0]);
        assert_eq!(slides.len(), 2);
        assert!((slides[0] - 3.0).abs() < 1e-9 && slides[1].abs() < 1e-9, "{slides:?}");
    }

    #[test]
    fn skating_counts_low_sites_only_and_half_way_up_less() {
        let at = |height: f64| -> Vec<Vec<[f64; 3]>> {
            (0..4).map(|f| vec![[0.02 * f64::from(f), 0.0, 0.05 + height]]).collect()
        };
        let of = |height: f64| skating_cm_per_sec(&at(height), &[(0, 0.05)], 0.04, 30.0);
        assert!((of(0.0) - 60.0).abs() < 1e-9 && of(0.041) == 0.0);
        assert!((of(0.02) - 60.0 * (2.0 - 2f64.sqrt())).abs() < 1e-6);
    }

    #[test]
    fn a_stretched_link_is_found() {
        let places = vec![vec![[0.0; 3], [0.0, 0.3, 0.4]], vec![[0.0; 3], [0.0, 0.33, 0.44]]];
        assert!((stretch_percent(&places, &[(0, 1, 0.5)]) - 10.0).abs() < 1e-9);
        assert!(stretch_percent(&places[..1], &[(0, 1, 0.5)]) < 1e-9);
    }

    #[test]
    fn distances_of_poses_leave_out_the_root_and_are_angles() {
        let figure = Figure::new(&embedded::humanoid(), 0.0).unwrap();
        let rest = figure.model().rest_position().to_vec();
        let mut moved = rest.clone();
        moved[0] += 5.0;
        assert!(pose_distance_deg(&figure, &rest, &moved) < 1e-9);
        let nv = figure.model().velocity_count();
        let mut way = vec![0.0; nv];
        way[6..].fill(0.1);
        figure.model().displace(&rest, &way, 1.0, &mut moved);
        let found = pose_distance_deg(&figure, &rest, &moved);
        assert!((found - 0.1f64.to_degrees()).abs() < 1e-6, "{found}");
        let set = [rest.clone(), moved.clone()];
        assert!(distance_to_set_deg(&figure, &[&rest, &moved], &set) < 1e-6);
        assert!((distance_to_set_deg(&figure, &[&moved], &set[..1]) - found).abs() < 1e-9);
        // Of two poses, half of all pairs are apart.
        let diversity = diversity_deg(&figure, &[&rest, &moved], 1);
        assert!((diversity / found - 0.5).abs() < 0.07, "{diversity}");
        assert!(diversity_deg(&figure, &[&rest, &rest], 1) < 1e-9);
    }

    #[test]
    fn velocities_are_means_and_directions_have_thirty_degrees() {
        let roots: Vec<[f64; 2]> = (0..20).map(|f| [0.05 * f64::from(f), -0.01 * f64::from(f)]).collect();
        let v = velocity(&roots, 15, 30.0);
        assert!((v[0] - 1.5).abs() < 1e-9 && (v[1] + 0.3).abs() < 1e-9);
        assert_eq!(velocity(&roots, 0, 30.0), [0.0; 2]);
        let along = |degrees: f64| [degrees.to_radians().cos(), degrees.to_radians().sin()];
        assert!(points_along([1.0, 0.0], along(29.0), 0.1) && !points_along([1.0, 0.0], along(31.0), 0.1));
        assert!(!points_along([0.05, 0.0], along(0.0), 0.1));
    }
}
