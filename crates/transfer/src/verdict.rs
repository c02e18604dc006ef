//! What a person would say of a performance: faithful, loose or failed; and which figure says so.

use crate::fidelity::Fidelity;
use serde::{Deserialize, Serialize};
use sinew_settings::named;

named! {
    /// What a person would say of a performance.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Verdict, "verdict" {
        /// One would call it the motion that was drawn.
        #[default]
        Faithful = "faithful",
        /// One sees what it is meant to be, and that it is not quite that.
        Loose = "loose",
        /// It fell, or does something else.
        Failed = "failed",
    }
}

/// A figure by which a performance is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aspect {
    /// It fell.
    Fall,
    /// The pose, in the mean.
    Pose,
    /// The pose at its worst moment.
    WorstPose,
    /// Angles of the joints, in the mean.
    Joints,
    /// Tilt of the root at its worst moment.
    Tilt,
    /// Weight on bodies that are drawn off the ground.
    Leaning,
    /// Feet that slide.
    Skate,
    /// Bodies that sink into the ground.
    Depth,
    /// Time in the air.
    Air,
    /// The farthest limb at its worst moment.
    Limb,
    /// Where it looks, at the worst moment.
    Heading,
    /// Where it ends.
    Travel,
}

/// Above the first limit a performance is loose, above the second it has failed.
struct Limit {
    aspect: Aspect,
    loose: f64,
    failed: f64,
}

/// A figure that is no reason to call a motion failed.
const NEVER: f64 = f64::INFINITY;

/// Set by 180 film strips that people judged without knowing the figures: `docs/results/verdicts.md`.
const LIMITS: [Limit; 11] = [
    Limit { aspect: Aspect::Pose, loose: 10.0, failed: 15.0 },
    Limit { aspect: Aspect::WorstPose, loose: 25.0, failed: 40.0 },
    Limit { aspect: Aspect::Limb, loose: 40.0, failed: NEVER },
    Limit { aspect: Aspect::Joints, loose: 12.0, failed: 45.0 },
    Limit { aspect: Aspect::Heading, loose: 30.0, failed: NEVER },
    Limit { aspect: Aspect::Travel, loose: 10.0, failed: 40.0 },
    Limit { aspect: Aspect::Tilt, loose: 30.0, failed: 70.0 },
    Limit { aspect: Aspect::Leaning, loose: 20.0, failed: 60.0 },
    Limit { aspect: Aspect::Skate, loose: 5.0, failed: NEVER },
    Limit { aspect: Aspect::Depth, loose: 3.0, failed: NEVER },
    Limit { aspect: Aspect::Air, loose: 1.0, failed: NEVER },
];

/// Missing or unwanted time in the air is seen where it is more than this, s, or more than [`AIR_SHARE`] of what was drawn.
const AIR_SECS: f64 = 0.23;
const AIR_SHARE: f64 = 0.95;
/// Who travels far may end this share of the way elsewhere for every percent of its size that [`Aspect::Travel`] allows.
const WAY_SHARE: f64 = 0.003;

impl Aspect {
    /// What it is about, in words.
    pub fn words(self) -> &'static str {
        match self {
            Aspect::Fall => "its balance",
            Aspect::Pose | Aspect::WorstPose => "its pose",
            Aspect::Joints => "its joints",
            Aspect::Tilt => "its tilt",
            Aspect::Leaning => "what it leans on",
            Aspect::Skate => "feet that slide",
            Aspect::Depth => "its depth in the ground",
            Aspect::Air => "its time in the air",
            Aspect::Limb => "its limbs",
            Aspect::Heading => "where it looks",
            Aspect::Travel => "where it ends",
        }
    }

    /// The figure, in the unit of its limits.
    fn of(self, fidelity: &Fidelity) -> f64 {
        match self {
            Aspect::Fall => 0.0,
            Aspect::Pose => fidelity.pose_off_percent,
            Aspect::WorstPose => fidelity.worst.pose_off_percent,
            Aspect::Joints => fidelity.joints_off_deg,
            Aspect::Tilt => fidelity.worst.tilt_off_deg,
            Aspect::Leaning => fidelity.worst.leaning_percent,
            Aspect::Skate => fidelity.skate_percent,
            Aspect::Depth => fidelity.depth_percent,
            Aspect::Limb => fidelity.worst.limb_off_percent,
            Aspect::Heading => fidelity.worst.heading_off_deg,
            Aspect::Travel => fidelity.travel_off_percent / (WAY_SHARE * fidelity.drawn_way_percent).max(1.0),
            Aspect::Air => {
                let allowed = AIR_SECS.max(AIR_SHARE * fidelity.drawn_air_secs);
                (fidelity.air_secs - fidelity.drawn_air_secs).abs() / allowed
            }
        }
    }
}

/// A verdict with its reasons.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// What a person would say.
    pub verdict: Verdict,
    /// The figures that are beyond the limit of anything better, the worst first.
    pub because: Vec<Aspect>,
}

impl Judgement {
    /// Judges a performance.
    pub fn new(fidelity: &Fidelity, fell: bool) -> Judgement {
        // How far beyond a limit a figure is, where it is; what is not a number is beyond all.
        let beyond = |limit: &Limit, bound: f64| {
            let share = limit.aspect.of(fidelity) / bound;
            (share.is_nan() || share > 1.0).then_some((share, limit.aspect))
        };
        let all_beyond = |bound: &dyn Fn(&Limit) -> f64| {
            let mut found: Vec<(f64, Aspect)> = LIMITS.iter().filter_map(|limit| beyond(limit, bound(limit))).collect();
            found.sort_by(|a, b| b.0.total_cmp(&a.0));
            found.into_iter().map(|(_, aspect)| aspect).collect::<Vec<_>>()
        };
        let mut because = all_beyond(&|limit| limit.failed);
        if fell {
            because.insert(0, Aspect::Fall);
        }
        if !because.is_empty() {
            return Judgement { verdict: Verdict::Failed, because };
        }
        let because = all_beyond(&|limit| limit.loose);
        let verdict = if because.is_empty() { Verdict::Faithful } else { Verdict::Loose };
        Judgement { verdict, because }
    }

    /// How far the figures are beyond the limits of a faithful performance: `Σ max(0, figure/limit − 1)`.
    pub fn excess(fidelity: &Fidelity) -> f64 {
        let beyond = |limit: &Limit| {
            let share = limit.aspect.of(fidelity) / limit.loose;
            if share.is_nan() { f64::INFINITY } else { (share - 1.0).max(0.0) }
        };
        LIMITS.iter().map(beyond).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A performance with one figure at a value.
    fn with(aspect: Aspect, value: f64) -> Fidelity {
        let mut found = Fidelity { drawn_air_secs: 1.0, air_secs: 1.0, ..Fidelity::default() };
        match aspect {
            Aspect::Fall => {}
            Aspect::Pose => found.pose_off_percent = value,
            Aspect::WorstPose => found.worst.pose_off_percent = value,
            Aspect::Joints => found.joints_off_deg = value,
            Aspect::Tilt => found.worst.tilt_off_deg = value,
            Aspect::Leaning => found.worst.leaning_percent = value,
            Aspect::Skate => found.skate_percent = value,
            Aspect::Depth => found.depth_percent = value,
            Aspect::Air => found.air_secs = 1.0 - value * 0.95,
            Aspect::Limb => found.worst.limb_off_percent = value,
            Aspect::Heading => found.worst.heading_off_deg = value,
            Aspect::Travel => found.travel_off_percent = value,
        }
        found
    }

    /// The limits as `docs/transfer.md` has them.
    const DOCUMENTED: [(Aspect, f64, Option<f64>); 11] = [
        (Aspect::Pose, 10.0, Some(15.0)),
        (Aspect::WorstPose, 25.0, Some(40.0)),
        (Aspect::Limb, 40.0, None),
        (Aspect::Joints, 12.0, Some(45.0)),
        (Aspect::Heading, 30.0, None),
        (Aspect::Travel, 10.0, Some(40.0)),
        (Aspect::Tilt, 30.0, Some(70.0)),
        (Aspect::Leaning, 20.0, Some(60.0)),
        (Aspect::Skate, 5.0, None),
        (Aspect::Depth, 3.0, None),
        (Aspect::Air, 1.0, None),
    ];

    #[test]
    fn each_figure_alone_makes_a_motion_loose_and_then_failed() {
        for (aspect, limit, failing) in DOCUMENTED {
            let verdict = |value: f64| Judgement::new(&with(aspect, value), false);
            assert_eq!(verdict(0.99 * limit).verdict, Verdict::Faithful, "{aspect:?}");
            let loose = verdict(1.01 * limit);
            assert_eq!((loose.verdict, loose.because), (Verdict::Loose, vec![aspect]));
            match failing {
                Some(limit) => {
                    let failed = verdict(1.01 * limit);
                    assert_eq!((failed.verdict, failed.because), (Verdict::Failed, vec![aspect]));
                    assert_eq!(verdict(0.99 * limit).verdict, Verdict::Loose);
                }
                None => assert_eq!(verdict(1.05 * limit).verdict, Verdict::Loose),
            }
        }
    }

    #[test]
    fn what_is_beyond_the_limits_adds_up() {
        let mut found = with(Aspect::Pose, 15.0);
        assert!((Judgement::excess(&found) - 0.5).abs() < 1e-12);
        found.worst.heading_off_deg = 33.0;
        found.skate_percent = 4.9;
        assert!((Judgement::excess(&found) - 0.6).abs() < 1e-12);
        found.skate_percent = f64::NAN;
        assert_eq!(Judgement::excess(&found), f64::INFINITY);
        assert_eq!(Judgement::excess(&with(Aspect::Fall, 0.0)), 0.0);
    }

    #[test]
    fn who_travels_far_may_end_a_little_elsewhere() {
        // 20 times its size: 3 % of the way are 60 % of the size.
        let far = |off: f64| Fidelity { travel_off_percent: off, drawn_way_percent: 2000.0, ..Fidelity::default() };
        assert_eq!(Judgement::new(&far(59.0), false).verdict, Verdict::Faithful);
        assert_eq!(Judgement::new(&far(61.0), false).verdict, Verdict::Loose);
    }

    #[test]
    fn a_fall_comes_first_and_the_worst_figure_next() {
        let mut far = with(Aspect::Pose, 30.0);
        far.worst.tilt_off_deg = 170.0;
        assert_eq!(Judgement::new(&far, true).because, [Aspect::Fall, Aspect::Tilt, Aspect::Pose]);
        assert_eq!(Judgement::new(&Fidelity::default(), true).verdict, Verdict::Failed);
        assert_eq!(Judgement::new(&Fidelity::default(), false), Judgement::default());
    }

    #[test]
    fn what_is_no_number_has_failed() {
        assert_eq!(Judgement::new(&with(Aspect::Joints, f64::NAN), false).verdict, Verdict::Failed);
    }

    #[test]
    fn a_short_hop_more_or_less_is_not_seen() {
        let hop = |air_secs: f64| Fidelity { air_secs, ..Fidelity::default() };
        assert_eq!(Judgement::new(&hop(0.22), false).verdict, Verdict::Faithful);
        assert_eq!(Judgement::new(&hop(0.24), false).verdict, Verdict::Loose);
    }
}
