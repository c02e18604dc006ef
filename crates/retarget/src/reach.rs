//! Lowers the body where standing legs are too short for it.

use glam::DVec3;

/// Time over which the body is lowered before it must be, s.
const SOFT_SECS: f64 = 0.12;

/// A standing leg in one frame: where its hip and its goal are, and how far it reaches, m.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StandingLeg {
    pub hip: DVec3,
    pub goal: DVec3,
    pub reach: f64,
}

/// How far the body must come down in a frame so that a leg reaches its goal: `h = z_hip − z_goal − √(r² − d²)` with `d` the level distance; a leg that
/// cannot reach it at any height asks for none.
pub(crate) fn needed(leg: &StandingLeg) -> f64 {
    let between = leg.hip - leg.goal;
    let level = between.with_z(0.0).length_squared();
    let inside = leg.reach * leg.reach - level;
    if inside <= 0.0 || between.z <= 0.0 {
        return 0.0;
    }
    (between.z - inside.sqrt()).max(0.0)
}

/// Lowering of every frame, m: never less than needed, and smooth: the largest need within a window, averaged over that window.
pub(crate) fn lowerings(needs: &[f64], rate_hz: f64) -> Vec<f64> {
    let half = ((SOFT_SECS * rate_hz) as usize).max(1);
    let window = |values: &[f64], frame: usize| frame.saturating_sub(half)..(frame + half + 1).min(values.len());
    let most: Vec<f64> = (0..needs.len()).map(|f| window(needs, f).map(|k| needs[k]).fold(0.0, f64::max)).collect();
    let mean = |f: usize| {
        let range = window(&most, f);
        let count = range.len() as f64;
        range.map(|k| most[k]).sum::<f64>() / count
    };
    (0..needs.len()).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_comes_down_as_far_as_the_leg_needs() {
        let leg = StandingLeg { hip: DVec3::new(0.0, 0.0, 1.0), goal: DVec3::new(0.5, 0.0, 0.1), reach: 0.9 };
        let by = needed(&leg);
        let lowered = leg.hip - DVec3::new(0.0, 0.0, by);
        assert!((lowered.distance(leg.goal) - 0.9).abs() < 1e-12);
        assert_eq!(needed(&StandingLeg { goal: DVec3::new(0.1, 0.0, 0.2), ..leg }), 0.0);
        assert_eq!(needed(&StandingLeg { goal: DVec3::new(2.0, 0.0, 0.2), ..leg }), 0.0);
    }

    #[test]
    fn lowering_is_enough_and_smooth() {
        let mut needs = vec![0.0; 60];
        needs[30] = 0.1;
        let by = lowerings(&needs, 30.0);
        assert!(by.iter().zip(&needs).all(|(b, n)| *b >= n - 1e-12));
        assert!(by.windows(2).all(|w| (w[1] - w[0]).abs() < 0.02));
        assert_eq!(by[0], 0.0);
    }
}
