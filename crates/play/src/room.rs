//! Room for a character that is put onto its feet again, beside others.

use std::f64::consts::TAU;

/// Least distance of two roots, over the height of the figure: arms at rest do not touch.
const APART: f64 = 0.6;
/// Rings of places around the wanted one that are looked at, and places of a ring.
const RINGS: usize = 6;
const AROUND: usize = 8;

/// The place nearest to the wanted one where a figure of that height stands free of the others; the wanted one where none of those around is free.
pub(crate) fn free_place(wanted: [f64; 2], others: &[[f64; 2]], height_m: f64) -> [f64; 2] {
    let apart = APART * height_m;
    let is_free = |place: [f64; 2]| {
        others.iter().all(|other| {
            let [x, y] = [place[0] - other[0], place[1] - other[1]];
            // Who is nowhere, because the world was lost, is in nobody's way.
            let squared = x * x + y * y;
            squared.is_nan() || squared >= apart * apart
        })
    };
    let ring = |ring: usize| {
        let radius = 0.5 * apart * ring as f64;
        (0..AROUND).map(move |index| {
            let angle = TAU * index as f64 / AROUND as f64;
            [wanted[0] + radius * libm::cos(angle), wanted[1] + radius * libm::sin(angle)]
        })
    };
    (0..=RINGS).flat_map(ring).find(|place| is_free(*place)).unwrap_or(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
        (a[0] - b[0]).hypot(a[1] - b[1])
    }

    #[test]
    fn who_lies_among_others_stands_up_beside_them() {
        let wanted = [2.0, -1.0];
        assert_eq!(free_place(wanted, &[], 1.7), wanted);
        assert_eq!(free_place(wanted, &[[2.0, 0.1], [f64::NAN, 0.0]], 1.7), wanted);
        let others = [[2.3, -1.0], [1.6, -0.8]];
        let found = free_place(wanted, &others, 1.7);
        assert!(others.iter().all(|other| distance(found, *other) >= APART * 1.7), "{found:?}");
        assert!(distance(found, wanted) < 1.5, "{found:?}");
        // A small one finds room nearer.
        assert!(distance(free_place(wanted, &others, 0.8), wanted) < distance(found, wanted));
        // Where all is full, it stands where it lies.
        let crowd: Vec<[f64; 2]> =
            (0..400).map(|k| [(k % 20) as f64 * 0.5 - 3.0, (k / 20) as f64 * 0.5 - 6.0]).collect();
        assert_eq!(free_place(wanted, &crowd, 1.7), wanted);
    }
}
