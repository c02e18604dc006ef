//! Every constant of motion matching.

use serde::{Deserialize, Serialize};
use sinew_settings::documented;

documented! {
/// How motion matching searches and blends. Weights multiply differences that were divided by the deviation of their kind over the set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MatchingConfig {
    /// Time between two searches under the same objective, s.
    pub search_secs: f64,
    /// A frame is found only where the sequence goes on for this long, s.
    pub least_ahead_secs: f64,
    /// Times ahead at which the path is compared, s; three of them, ascending.
    pub ahead_secs: [f64; 3],
    /// Weight of the root's place ahead, at the moment of the target.
    pub target_weight: f64,
    /// Weight of the root's place ahead, on the way.
    pub path_weight: f64,
    /// Weight of the heading ahead, where it is asked for.
    pub heading_weight: f64,
    /// A frame whose pose is so far from the present one costs 1: the root mean square over root, feet and ends of limbs, over the character's height.
    pub pose_distance: f64,
    /// Weight of velocities in that distance, s: a difference of 1 m/s counts as this many metres.
    pub velocity_secs: f64,
    /// Weight of place and time of a moment to be achieved.
    pub moment_weight: f64,
    /// Weight of the height that is asked for.
    pub height_weight: f64,
    /// A frame replaces the next one of the sequence only where its cost is below this share of it.
    pub switch_below: f64,
    /// Half-life of the spring by which the desired velocity is approached, s.
    pub response_halflife_secs: f64,
    /// Half-life of the spring by which differences decay after a transition, s.
    pub blend_halflife_secs: f64,
    /// Largest correction of the path towards the target, as a share of the way of each frame.
    pub steer_share: f64,
    /// Largest turn of the path towards the target, rad for each metre of the way.
    pub steer_turn_per_m: f64,
    /// A foot is locked when the motion moves it no faster than this, over √(g · height), the speed scale of walking.
    pub lock_speed: f64,
    /// Half-life in which the body follows feet that stand elsewhere than the motion has them, s.
    pub follow_halflife_secs: f64,
    /// A foot is let go when the motion carries it this far from where it stands, over the character's height.
    pub release_distance: f64,
    /// Half-life of the spring by which a foot that was let go returns to the motion, s.
    pub release_halflife_secs: f64,
    /// A body that is farther than this from the pose is a new place in the motion, in deviations of the pose's features (their root mean square).
    pub elsewhere: f64,
}
}

impl Default for MatchingConfig {
    fn default() -> MatchingConfig {
        MatchingConfig {
            search_secs: 0.2,
            least_ahead_secs: 0.5,
            ahead_secs: [1.0 / 3.0, 2.0 / 3.0, 1.0],
            target_weight: 2.0,
            path_weight: 0.7,
            heading_weight: 1.5,
            pose_distance: 0.05,
            velocity_secs: 0.1,
            moment_weight: 2.0,
            height_weight: 1.0,
            switch_below: 0.9,
            response_halflife_secs: 0.2,
            blend_halflife_secs: 0.2,
            steer_share: 0.2,
            steer_turn_per_m: 0.5,
            lock_speed: 0.1,
            follow_halflife_secs: 0.3,
            release_distance: 0.08,
            release_halflife_secs: 0.1,
            elsewhere: 1.0,
        }
    }
}

impl MatchingConfig {
    /// Name, value and range of the first field that is unusable.
    pub fn fault(&self) -> Option<(&'static str, f64, &'static str)> {
        let [first, second, third] = self.ahead_secs;
        if !(first > 0.0 && second > first && third > second && third <= 10.0) {
            return Some(("ahead_secs", first, "three times that ascend, above 0 and at most 10"));
        }
        let weights = [
            ("target_weight", self.target_weight),
            ("path_weight", self.path_weight),
            ("heading_weight", self.heading_weight),
            ("moment_weight", self.moment_weight),
            ("height_weight", self.height_weight),
        ];
        if let Some(&(name, value)) = weights.iter().find(|(_, w)| !(0.0..=1000.0).contains(w)) {
            return Some((name, value, "from 0 to 1000"));
        }
        let ranges: [(&str, f64, std::ops::RangeInclusive<f64>, &str); 14] = [
            ("pose_distance", self.pose_distance, 0.001..=100.0, "from 0.001 to 100"),
            ("velocity_secs", self.velocity_secs, 0.0..=10.0, "from 0 to 10"),
            ("search_secs", self.search_secs, 0.01..=10.0, "from 0.01 to 10"),
            ("least_ahead_secs", self.least_ahead_secs, 0.0..=10.0, "from 0 to 10"),
            ("switch_below", self.switch_below, 0.0..=1.0, "from 0 to 1"),
            ("response_halflife_secs", self.response_halflife_secs, 0.01..=10.0, "from 0.01 to 10"),
            ("blend_halflife_secs", self.blend_halflife_secs, 0.01..=10.0, "from 0.01 to 10"),
            ("steer_share", self.steer_share, 0.0..=1.0, "from 0 to 1"),
            ("steer_turn_per_m", self.steer_turn_per_m, 0.0..=10.0, "from 0 to 10"),
            ("lock_speed", self.lock_speed, 0.0..=10.0, "from 0 to 10"),
            ("follow_halflife_secs", self.follow_halflife_secs, 0.01..=100.0, "from 0.01 to 100"),
            ("release_distance", self.release_distance, 0.0..=1.0, "from 0 to 1"),
            ("release_halflife_secs", self.release_halflife_secs, 0.01..=10.0, "from 0.01 to 10"),
            ("elsewhere", self.elsewhere, 0.0..=100.0, "from 0 to 100"),
        ];
        ranges
            .into_iter()
            .find(|(_, value, range, _)| !range.contains(value))
            .map(|(name, value, _, told)| (name, value, told))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_has_a_range_that_the_default_is_in() {
        assert_eq!(MatchingConfig::default().fault(), None);
        let fields = toml::Table::try_from(MatchingConfig::default()).unwrap();
        for (name, value) in &fields {
            let mut broken = fields.clone();
            let bad = toml::Value::Float(-1.0);
            broken.insert(name.clone(), if value.is_array() { toml::Value::Array(vec![bad; 3]) } else { bad });
            let fault = broken.try_into::<MatchingConfig>().unwrap().fault();
            assert_eq!(fault.map(|(field, ..)| field), Some(name.as_str()));
        }
    }
}
