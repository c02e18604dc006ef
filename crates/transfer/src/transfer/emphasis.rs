//! What the polish weighs more where a motion is not what was drawn.
//!
//! The cost counts squared metres and radians; a person sees that a figure ends elsewhere, jumps too late or slides. So a motion that is not
//! faithful is polished again, from where it is, with more weight on the terms that its verdict names: `w' = w · sharpens^n` after the n-th time
//! that a term was named. Weights that follow what is judged are those of a penalty method (Nocedal & Wright 2006, §17.1).

use crate::Aspect;
use crate::config::{Config, Polish, Weights};
use serde::{Deserialize, Serialize};

/// Factors of the weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Emphasis {
    /// What was named, each once.
    because: Vec<Aspect>,
    height: f64,
    position: f64,
    orientation: f64,
    pose: f64,
    effectors: f64,
    /// The root's position at the end, beside its weight in every frame.
    end_position: f64,
    /// Velocity of the centre of mass.
    root_velocity: f64,
    /// Sliding, and the velocity of feet that stand.
    sliding: f64,
}

impl Emphasis {
    /// Weights as they are.
    pub const NONE: Emphasis = Emphasis {
        because: Vec::new(),
        height: 1.0,
        position: 1.0,
        orientation: 1.0,
        pose: 1.0,
        effectors: 1.0,
        end_position: 1.0,
        root_velocity: 1.0,
        sliding: 1.0,
    };

    /// What was weighed more.
    pub fn because(&self) -> impl Iterator<Item = Aspect> {
        self.because.iter().copied()
    }

    /// More weight, by a factor, on the terms that measure what is wrong; each term once. What no term measures changes nothing.
    pub fn on(self, because: &[Aspect], factor: f64) -> Emphasis {
        let named = |aspects: &[Aspect]| if because.iter().any(|a| aspects.contains(a)) { factor } else { 1.0 };
        let limbs = [Aspect::Pose, Aspect::WorstPose, Aspect::Limb];
        let mut all = self.because;
        let unmeasured = [Aspect::Fall, Aspect::Depth];
        for aspect in because.iter().filter(|aspect| !unmeasured.contains(aspect)) {
            if !all.contains(aspect) {
                all.push(*aspect);
            }
        }
        Emphasis {
            because: all,
            height: self.height * named(&[Aspect::Air, Aspect::Leaning]),
            position: self.position * named(&[Aspect::Travel]),
            orientation: self.orientation * named(&[Aspect::Tilt, Aspect::Heading]),
            pose: self.pose * named(&[&limbs[..], &[Aspect::Joints]].concat()),
            effectors: self.effectors * named(&[&limbs[..], &[Aspect::Leaning]].concat()),
            // One moment of many, and the one that is judged.
            end_position: self.end_position * named(&[Aspect::Travel]) * named(&[Aspect::Travel]),
            root_velocity: self.root_velocity * named(&[Aspect::Air]),
            sliding: self.sliding * named(&[Aspect::Skate]),
        }
    }

    /// The settings with these weights.
    pub fn applied(&self, config: &Config) -> Config {
        let w = config.weights;
        let weights = Weights {
            height: self.height * w.height,
            position: self.position * w.position,
            orientation: self.orientation * w.orientation,
            pose: self.pose * w.pose,
            effectors: self.effectors * w.effectors,
        };
        let polish = config.polish.map(|polish| Polish {
            end_position: self.end_position * polish.end_position,
            root_velocity: self.root_velocity * polish.root_velocity,
            sliding: self.sliding * polish.sliding,
            foot_velocity: self.sliding * polish.foot_velocity,
            ..polish
        });
        Config { weights, polish, ..config.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_aspect_weighs_its_own_terms() {
        let config = Config::standard();
        let row = |config: &Config| {
            let (w, polish) = (config.weights, config.polish.expect("a polish"));
            let weights = [w.height, w.position, w.orientation, w.pose, w.effectors];
            [&weights[..], &[polish.root_velocity, polish.sliding, polish.foot_velocity, polish.end_position]].concat()
        };
        let plain = row(&config);
        assert_eq!(row(&Emphasis::NONE.applied(&config)), plain);
        let factors = |because: &[Aspect]| -> Vec<f64> {
            let weighted = row(&Emphasis::NONE.on(because, 4.0).applied(&config));
            weighted.iter().zip(&plain).map(|(a, b)| a / b).collect()
        };
        let limbs = [1.0, 1.0, 1.0, 4.0, 4.0, 1.0, 1.0, 1.0, 1.0];
        let expected = [
            (Aspect::Pose, limbs),
            (Aspect::WorstPose, limbs),
            (Aspect::Limb, limbs),
            (Aspect::Joints, [1.0, 1.0, 1.0, 4.0, 1.0, 1.0, 1.0, 1.0, 1.0]),
            (Aspect::Tilt, [1.0, 1.0, 4.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]),
            (Aspect::Heading, [1.0, 1.0, 4.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]),
            (Aspect::Travel, [1.0, 4.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 16.0]),
            (Aspect::Leaning, [4.0, 1.0, 1.0, 1.0, 4.0, 1.0, 1.0, 1.0, 1.0]),
            (Aspect::Air, [4.0, 1.0, 1.0, 1.0, 1.0, 4.0, 1.0, 1.0, 1.0]),
            (Aspect::Skate, [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 4.0, 4.0, 1.0]),
            (Aspect::Depth, [1.0; 9]),
            (Aspect::Fall, [1.0; 9]),
        ];
        for (aspect, factor) in expected {
            assert_eq!(factors(&[aspect]), factor, "{aspect:?}");
        }
        // Two that weigh one term weigh it once; a second time weighs it more.
        assert_eq!(factors(&[Aspect::Pose, Aspect::Limb, Aspect::Joints]), limbs);
        let twice = Emphasis::NONE.on(&[Aspect::Travel], 4.0).on(&[Aspect::Travel], 4.0);
        assert_eq!(twice.applied(&config).weights.position, 16.0 * config.weights.position);
    }
}
