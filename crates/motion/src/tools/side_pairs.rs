//! Which joints are each other's mirror image.

use super::name_match::words;
use crate::Skeleton;
use glam::DVec3;

/// Two joints mirror each other where one lies within this part of the height of the other's image.
const TOLERANCE: f64 = 0.03;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

/// The partner of each joint across the sagittal plane: itself for a joint in the middle, `None` for a joint to one side without a partner.
///
/// Names decide first: `Left`/`Right`, `L`/`R` as a word (`thigh.L`, `l_hand`, `LHip`, `Bip01 R Foot`), `FL`/`HR` and such, where the rest of the two
/// names is the same, or the same but for numbers at its end. The remaining joints are paired by the bind pose: with the plane `n · x = d` from the named
/// pairs (else across `y` or `x` through the root), joints `i` and `j` are partners where `|x_j − (x_i − 2 (n · x_i − d) n)|` is
/// below 3 % of the height and their parents are partners too.
pub fn side_pairs(skeleton: &Skeleton) -> Vec<Option<usize>> {
    let places: Vec<DVec3> = skeleton.bind_pose().iter().map(|p| p.position).collect();
    let mut partner = named_pairs(skeleton, &places);
    let tolerance = TOLERANCE * skeleton.height().max(1e-9);
    let mut plane = plane_of(&places, &partner);
    if partner.iter().all(Option::is_none) {
        // Nothing is named: across y, unless more joints have an image across x.
        let across_x = Plane { normal: DVec3::X, offset: places[0].x };
        if images(&across_x, &places, tolerance) > images(&plane, &places, tolerance) {
            plane = across_x;
        }
    }
    for joint in 0..places.len() {
        if partner[joint].is_some() {
            continue;
        }
        // The parent comes first, so its partner is known.
        let parent = skeleton.joints[joint].parent;
        let wanted_parent = parent.and_then(|p| partner[p]);
        let image = plane.reflect(places[joint]);
        let named = side_of(&skeleton.joints[joint].name).is_some();
        if plane.distance(places[joint]).abs() < 0.5 * tolerance && !named {
            partner[joint] = Some(joint);
            continue;
        }
        let free = |other: &usize| {
            partner[*other].is_none() && *other != joint && skeleton.joints[*other].parent == wanted_parent
        };
        let nearest = (0..places.len())
            .filter(free)
            .map(|other| (places[other].distance(image), other))
            .min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((_, other)) = nearest.filter(|(distance, _)| *distance < tolerance) {
            partner[joint] = Some(other);
            partner[other] = Some(joint);
        }
    }
    partner
}

/// Number of joints to one side of a plane whose image is a joint too.
fn images(plane: &Plane, places: &[DVec3], tolerance: f64) -> usize {
    let has_image = |x: &&DVec3| {
        plane.distance(**x) > tolerance && places.iter().any(|other| other.distance(plane.reflect(**x)) < tolerance)
    };
    places.iter().filter(has_image).count()
}

/// The sagittal plane of the bind pose, `n · x = d`, `n` horizontal.
pub(super) struct Plane {
    /// `n`, of unit length.
    pub normal: DVec3,
    /// `d`, m.
    pub offset: f64,
}

impl Plane {
    fn distance(&self, x: DVec3) -> f64 {
        self.normal.dot(x) - self.offset
    }

    fn reflect(&self, x: DVec3) -> DVec3 {
        x - 2.0 * self.distance(x) * self.normal
    }
}

/// The plane between the pairs: normal along the sum of `x_left − x_right`, through the mean of their midpoints.
pub(super) fn plane_of(places: &[DVec3], partner: &[Option<usize>]) -> Plane {
    let mut across = DVec3::ZERO;
    let mut middle = DVec3::ZERO;
    let mut count = 0.0;
    for (joint, other) in partner.iter().enumerate() {
        if let Some(other) = other.filter(|other| *other > joint) {
            let mut between = places[joint] - places[other];
            between.z = 0.0;
            // All pairs count in the same direction, whichever side comes first.
            across += if between.dot(across) < 0.0 { -between } else { between };
            middle += 0.5 * (places[joint] + places[other]);
            count += 1.0;
        }
    }
    let normal = across.try_normalize().unwrap_or(DVec3::Y);
    let normal = if normal.y < 0.0 { -normal } else { normal };
    let offset = if count > 0.0 { normal.dot(middle / count) } else { normal.dot(places[0]) };
    Plane { normal, offset }
}

/// Pairs by name alone; every other joint is left open.
fn named_pairs(skeleton: &Skeleton, places: &[DVec3]) -> Vec<Option<usize>> {
    let sides: Vec<Option<(Side, Vec<String>)>> = skeleton.joints.iter().map(|j| side_of(&j.name)).collect();
    let mut partner = vec![None; sides.len()];
    let without_numbers = |stem: &[String]| {
        let end = stem.iter().rposition(|w| !w.chars().all(|c| c.is_ascii_digit())).map_or(0, |last| last + 1);
        stem[..end].to_vec()
    };
    for loosely in [false, true] {
        for (joint, own) in sides.iter().enumerate() {
            let Some((Side::Left, stem)) = own else { continue };
            if partner[joint].is_some() {
                continue;
            }
            let fits = |(other, side): &(usize, &Option<(Side, Vec<String>)>)| match side {
                Some((Side::Right, other_stem)) if partner[*other].is_none() => {
                    other_stem == stem || loosely && without_numbers(other_stem) == without_numbers(stem)
                }
                _ => false,
            };
            // Of several, the one as high and as far from the parent's own partner.
            let parent_partner = skeleton.joints[joint].parent.and_then(|p| partner[p]);
            let mismatch = |other: usize| {
                let other_parent = skeleton.joints[other].parent;
                let hangs_elsewhere = parent_partner.is_some() && other_parent != parent_partner;
                (hangs_elsewhere, (places[joint].z - places[other].z).abs())
            };
            let best = sides.iter().enumerate().filter(fits).map(|(other, _)| other).min_by(|a, b| {
                let (a, b) = (mismatch(*a), mismatch(*b));
                a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
            });
            if let Some(other) = best {
                partner[joint] = Some(other);
                partner[other] = Some(joint);
            }
        }
    }
    partner
}

/// The side that a name says, and its other words.
fn side_of(name: &str) -> Option<(Side, Vec<String>)> {
    let words = words(name);
    for (index, word) in words.iter().enumerate() {
        let found = match word.as_str() {
            "left" | "l" | "lft" => Some((Side::Left, String::new())),
            "right" | "r" | "rgt" => Some((Side::Right, String::new())),
            "fl" | "lf" => Some((Side::Left, "front".into())),
            "fr" | "rf" => Some((Side::Right, "front".into())),
            "bl" | "hl" | "rl" | "lh" | "lb" => Some((Side::Left, "hind".into())),
            "br" | "hr" | "rr" | "rh" | "rb" => Some((Side::Right, "hind".into())),
            _ => {
                let glued = |side: Side, rest: &str| (side, rest.to_string());
                let left = word.strip_prefix("left").or(word.strip_suffix("left"));
                let right = word.strip_prefix("right").or(word.strip_suffix("right"));
                left.map(|rest| glued(Side::Left, rest)).or(right.map(|rest| glued(Side::Right, rest)))
            }
        };
        if let Some((side, rest)) = found {
            let mut stem = words.clone();
            stem[index] = rest;
            return Some((side, stem));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::walkers::{biped_walk, quadruped_walk};

    fn names_of_pairs(skeleton: &Skeleton) -> Vec<String> {
        let partner = side_pairs(skeleton);
        let name = |j: usize| &skeleton.joints[j].name;
        partner.iter().enumerate().map(|(j, p)| format!("{} {}", name(j), p.map_or("-", |p| name(p)))).collect()
    }

    #[test]
    fn sides_are_read_from_names() {
        for (left, right) in [
            ("LeftFoot", "RightFoot"),
            ("thigh.L", "thigh.R"),
            ("l_hand", "r_hand"),
            ("LHipJoint", "RHipJoint"),
            ("Bip01 L Thigh", "Bip01 R Thigh"),
            ("mixamorig:LeftArm", "mixamorig:RightArm"),
            ("leftfoot", "rightfoot"),
            ("FL_paw", "FR_paw"),
            ("lShldr", "rShldr"),
            ("ShoulderL", "ShoulderR"),
            ("UpperArm.L.001", "UpperArm.R.001"),
        ] {
            let (l, r) = (side_of(left).unwrap(), side_of(right).unwrap());
            assert_eq!((l.0, r.0), (Side::Left, Side::Right), "{left} {right}");
            assert_eq!(l.1, r.1, "{left} {right}");
        }
        for middle in ["LowerBack", "Root", "Rig", "Head", "Tail_Large", "Ribs"] {
            assert_eq!(side_of(middle), None, "{middle}");
        }
    }

    #[test]
    fn a_biped_pairs_by_name() {
        let pairs = names_of_pairs(&biped_walk().skeleton);
        for expected in ["Hips Hips", "Head Head", "LeftFoot RightFoot", "RightHand LeftHand"] {
            assert!(pairs.iter().any(|p| p == expected), "{expected}: {pairs:?}");
        }
    }

    #[test]
    fn numbers_after_the_names_do_not_matter() {
        let pairs = names_of_pairs(&quadruped_walk().skeleton);
        for expected in ["b_HindPaw_L_06 b_HindPaw_R_09", "b_ForeArm_R_13 b_ForeArm_L_10", "b_Tail_03 b_Tail_03"] {
            assert!(pairs.iter().any(|p| p == expected), "{expected}: {pairs:?}");
        }
    }

    #[test]
    fn without_names_the_bind_pose_decides() {
        let named = biped_walk().skeleton;
        let mut nameless = named.clone();
        for (index, joint) in nameless.joints.iter_mut().enumerate() {
            joint.name = format!("bone{index}");
        }
        assert_eq!(side_pairs(&nameless), side_pairs(&named));
        // A joint with nothing opposite.
        nameless.joints[4].offset *= 1.5;
        let partner = side_pairs(&nameless);
        assert_eq!((partner[4], partner[6], partner[3]), (None, None, Some(5)));
    }
}
