//! Every constant that decides how a data set is made.

use serde::{Deserialize, Serialize};
use sinew_settings::documented;

documented! {
/// How a data set is made. The defaults are those of Park et al. 2019, §4, where the paper gives them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DataConfig {
    /// Minutes of augmented motion.
    pub minutes: f64,
    /// Length of an augmented sequence, s.
    pub sequence_secs: f64,
    /// Highest that a contact site may be, over the character's height.
    pub contact_height: f64,
    /// Fastest that a contact site may move, over √(g · height), the speed scale of walking.
    pub contact_speed: f64,
    /// A contact goes on up to this multiple of both limits.
    pub contact_release: f64,
    /// Contacts shorter than this are none, s.
    pub shortest_contact_secs: f64,
    /// A foot that wanders farther than this, over the character's height, while it stands after an edit, is lifted and set down again on the way.
    pub farthest_stand: f64,
    /// Most transitions of the motion graph for each minute of captured motion.
    pub transitions_per_minute: f64,
    /// Largest distance of a transition, in units of how far a pose moves in 0.1 s (the median over the clips).
    pub transition_distance: f64,
    /// Weight of velocities in that distance, s: a difference of 1 m/s counts as this many metres.
    pub velocity_secs: f64,
    /// Half the time over which two stretches of motion are compared and aligned, s.
    pub window_secs: f64,
    /// Time over which a transition is blended, s.
    pub blend_secs: f64,
    /// Shortest time between two transitions of the random walk, where there is a choice, s.
    pub least_walk_secs: f64,
    /// Shortest segment that is edited, s.
    pub shortest_segment_secs: f64,
    /// Longest segment that is edited, s.
    pub longest_segment_secs: f64,
    /// Least factor of a segment's length.
    pub least_stretch: f64,
    /// Largest factor of a segment's length.
    pub most_stretch: f64,
    /// Largest bend of a segment to either side, degrees.
    pub most_bend_deg: f64,
    /// Largest change of a segment's pace, as a share; flights keep theirs, because gravity does.
    pub most_time_change: f64,
    /// Weight of steps against that of their changes when a path is deformed: how soon a border between segments is forgotten.
    pub path_tension: f64,
    /// A segment is bent fully where the character travels at least this far, over its height.
    pub least_travel: f64,
}
}

impl Default for DataConfig {
    fn default() -> DataConfig {
        DataConfig {
            minutes: 10.0,
            sequence_secs: 60.0,
            contact_height: 0.03,
            contact_speed: 0.06,
            contact_release: 1.5,
            shortest_contact_secs: 0.1,
            farthest_stand: 0.05,
            transitions_per_minute: 120.0,
            transition_distance: 1.5,
            velocity_secs: 0.1,
            window_secs: 0.15,
            blend_secs: 0.4,
            least_walk_secs: 1.5,
            shortest_segment_secs: 2.0,
            longest_segment_secs: 5.0,
            least_stretch: 0.7,
            most_stretch: 1.3,
            most_bend_deg: 45.0,
            most_time_change: 0.2,
            path_tension: 0.02,
            least_travel: 0.5,
        }
    }
}

impl DataConfig {
    /// Name, value and range of the first field that is unusable.
    pub fn fault(&self) -> Option<(&'static str, f64, &'static str)> {
        let ranges: [(&str, f64, std::ops::RangeInclusive<f64>, &str); 19] = [
            ("minutes", self.minutes, 0.0..=10000.0, "from 0 to 10000"),
            ("sequence_secs", self.sequence_secs, 10.0..=600.0, "from 10 to 600"),
            ("contact_height", self.contact_height, 0.0..=1.0, "from 0 to 1"),
            ("contact_speed", self.contact_speed, 0.0..=10.0, "from 0 to 10"),
            ("contact_release", self.contact_release, 1.0..=10.0, "from 1 to 10"),
            ("shortest_contact_secs", self.shortest_contact_secs, 0.0..=10.0, "from 0 to 10"),
            ("farthest_stand", self.farthest_stand, 0.001..=10.0, "from 0.001 to 10"),
            ("transitions_per_minute", self.transitions_per_minute, 0.0..=1800.0, "from 0 to 1800"),
            ("transition_distance", self.transition_distance, 0.0..=100.0, "from 0 to 100"),
            ("velocity_secs", self.velocity_secs, 0.0..=10.0, "from 0 to 10"),
            ("window_secs", self.window_secs, 0.0..=1.0, "from 0 to 1"),
            ("blend_secs", self.blend_secs, 0.05..=2.0, "from 0.05 to 2"),
            ("least_walk_secs", self.least_walk_secs, 0.0..=60.0, "from 0 to 60"),
            ("shortest_segment_secs", self.shortest_segment_secs, 0.5..=60.0, "from 0.5 to 60"),
            ("least_stretch", self.least_stretch, 0.2..=1.0, "from 0.2 to 1"),
            ("most_stretch", self.most_stretch, 1.0..=3.0, "from 1 to 3"),
            ("most_bend_deg", self.most_bend_deg, 0.0..=180.0, "from 0 to 180"),
            ("most_time_change", self.most_time_change, 0.0..=0.5, "from 0 to 0.5"),
            ("path_tension", self.path_tension, 1e-6..=1e3, "from 0.000001 to 1000"),
        ];
        let longest = self.longest_segment_secs;
        if !(self.shortest_segment_secs..=600.0).contains(&longest) {
            return Some(("longest_segment_secs", longest, "from shortest_segment_secs to 600"));
        }
        if !(0.0..=100.0).contains(&self.least_travel) {
            return Some(("least_travel", self.least_travel, "from 0 to 100"));
        }
        let fault = ranges.into_iter().find(|(_, value, range, _)| !range.contains(value));
        fault.map(|(name, value, _, said)| (name, value, said))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edits_are_those_of_the_paper_and_faults_are_named() {
        let config = DataConfig::default();
        assert_eq!([config.shortest_segment_secs, config.longest_segment_secs], [2.0, 5.0]);
        assert_eq!([config.least_stretch, config.most_stretch, config.most_bend_deg], [0.7, 1.3, 45.0]);
        assert_eq!(config.fault(), None);
        assert_eq!(DataConfig { most_stretch: 0.5, ..config.clone() }.fault().unwrap().0, "most_stretch");
        assert_eq!(DataConfig { minutes: f64::NAN, ..config.clone() }.fault().unwrap().0, "minutes");
        assert_eq!(DataConfig { longest_segment_secs: 1.0, ..config }.fault().unwrap().0, "longest_segment_secs");
    }
}
