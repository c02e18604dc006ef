//! A walk straight ahead, as a generator makes it: motion that is known beforehand, for what cannot ask a generator frame by frame.

use crate::input::Steer;
use crate::part::Part;
use crate::wish::Wish;
use sinew_track::Course;

/// Speed at which a person of 1.75 m walks, m/s; others go as much faster as their legs swing slower (Froude).
const WALK_SPEED: f64 = 1.2;
const PERSON_M: f64 = 1.75;

/// Speed at which a character walks, m/s.
pub(crate) fn walk_speed(part: &Part) -> f64 {
    WALK_SPEED * (part.pilot().body().height_m() / PERSON_M).sqrt()
}

/// So many rows of `qpos` of a motion under a stick ahead, along x; `seed` says in which moment it begins.
pub fn walk_ahead(part: &Part, seed: u64, rows: usize) -> Vec<Vec<f64>> {
    let generator = part.generator();
    let ahead = Wish { steer: Steer::Stick([walk_speed(part), 0.0]), ..Wish::FREE };
    let mut course = Course::start(generator, seed);
    let made = (0..rows).map(|frame| {
        let row = course.before().to_vec();
        let objective = ahead.objective(part, &course.motion, frame as u64);
        course.step(generator, &objective);
        row
    });
    made.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_character::part;

    #[test]
    fn a_walk_has_its_rows_and_is_the_same_again() {
        let part = part(&[]);
        let rows = walk_ahead(&part, 1, 40);
        assert_eq!((rows.len(), rows[0].len()), (40, part.pilot().body().model().position_count()));
        assert!(rows == walk_ahead(&part, 1, 40) && rows[..20] == walk_ahead(&part, 1, 20));
        // Frames follow each other.
        let course = Course::start(part.generator(), 1);
        assert_eq!([&rows[0][..], &rows[1][..]], [course.before(), &course.motion.qpos[..]]);
    }
}
