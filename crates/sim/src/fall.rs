//! When a character counts as fallen.

/// Heights of a character, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heights {
    /// Of the root.
    pub root: f64,
    /// Of the centre of mass.
    pub center: f64,
    /// Of the end effector that is highest in the reference, such as the head; none where there are no end effectors.
    pub top: Option<f64>,
}

/// Limits below which a character has fallen. Each user states its own; a limit that is `None` is not looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FallRule {
    /// Least height of the root, as a share of the reference's.
    pub root: Option<f64>,
    /// Least height of the centre of mass, as a share of the reference's.
    pub center: Option<f64>,
    /// Least height of the highest end effector, as a share of the reference's.
    pub top: Option<f64>,
    /// Least cosine of the angle by which the root is tilted against the reference.
    pub tilt_cosine: Option<f64>,
}

impl FallRule {
    /// The rule by which nobody falls.
    pub const NONE: FallRule = FallRule { root: None, center: None, top: None, tilt_cosine: None };

    /// Returns true where a limit is passed: `h < share · h*`, or `cos θ` below its limit. A value that is not a number has passed it.
    pub fn has_fallen(&self, now: &Heights, reference: &Heights, tilt_cosine: f64) -> bool {
        let holds = |limit: Option<f64>, now: f64, reference: f64| limit.is_none_or(|share| now >= share * reference);
        let stands = holds(self.root, now.root, reference.root)
            && holds(self.tilt_cosine, tilt_cosine, 1.0)
            && holds(self.center, now.center, reference.center)
            && now.top.zip(reference.top).is_none_or(|(now, reference)| holds(self.top, now, reference));
        !stands
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_is_looked_at_alone() {
        let reference = Heights { root: 1.0, center: 0.9, top: Some(1.8) };
        let sunk = Heights { root: 0.49, ..reference };
        let bent = Heights { center: 0.53, ..reference };
        let bowed = Heights { top: Some(0.89), ..reference };
        let headless = Heights { top: None, ..reference };
        let rules = [
            FallRule { root: Some(0.5), ..FallRule::NONE },
            FallRule { center: Some(0.6), ..FallRule::NONE },
            FallRule { top: Some(0.5), ..FallRule::NONE },
            FallRule { tilt_cosine: Some(0.5), ..FallRule::NONE },
        ];
        let tries = [(sunk, 1.0), (bent, 1.0), (bowed, 1.0), (reference, 0.49)];
        for (i, rule) in rules.iter().enumerate() {
            for (j, (now, cosine)) in tries.iter().enumerate() {
                assert_eq!(rule.has_fallen(now, &reference, *cosine), i == j, "rule {i}, try {j}");
            }
            assert!(!rule.has_fallen(&headless, &reference, 1.0));
        }
        assert!(rules[0].has_fallen(&Heights { root: f64::NAN, ..reference }, &reference, 1.0));
        assert!(!FallRule::NONE.has_fallen(&Heights { root: f64::NAN, ..sunk }, &reference, f64::NAN));
    }
}
