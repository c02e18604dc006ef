//! Left and right: which names belong together, and the plane between them.

use glam::{DQuat, DVec3};

/// The name of the same part on the other side, among `names`: `LeftArm` and `RightArm`, `thigh_l` and `thigh_r`, `lfemur` and `rfemur`.
pub fn counterpart<'a>(name: &str, names: &[&'a str]) -> Option<&'a str> {
    let exact = swapped(name).into_iter().find_map(|other| names.iter().find(|n| **n == other).copied());
    // Exporters number joints: `b_LeftLeg01_015` belongs to `b_RightLeg01_019`.
    exact.or_else(|| {
        let stems: Vec<String> = swapped(name).iter().map(|other| stem(other).to_owned()).collect();
        let mut fitting = names.iter().filter(|n| stems.iter().any(|s| s == stem(n) && s.len() < n.len()));
        fitting.next().filter(|_| fitting.next().is_none()).copied()
    })
}

/// A name without the number that an exporter put behind a separator.
fn stem(name: &str) -> &str {
    let without = name.trim_end_matches(|c: char| c.is_ascii_digit());
    match without.strip_suffix(['_', '.', '-']) {
        Some(stem) if without.len() < name.len() => stem,
        _ => name,
    }
}

/// Whether a name says left (`true`) or right; `None` where it says neither.
pub(crate) fn is_left(name: &str) -> Option<bool> {
    let lower = name.to_lowercase();
    match (lower.contains("left"), lower.contains("right")) {
        (true, false) => return Some(true),
        (false, true) => return Some(false),
        _ => {}
    }
    let chars: Vec<char> = name.chars().collect();
    single_letters(&chars).first().map(|&i| chars[i].eq_ignore_ascii_case(&'l'))
}

/// All names that differ by one `left`/`right` or one lone `l`/`r`.
pub(crate) fn swapped(name: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (a, b) in [("left", "right"), ("Left", "Right"), ("LEFT", "RIGHT")] {
        for (from, to) in [(a, b), (b, a)] {
            if name.contains(from) {
                found.push(name.replacen(from, to, 1));
            }
        }
    }
    let chars: Vec<char> = name.chars().collect();
    for i in single_letters(&chars) {
        let mut other = chars.clone();
        other[i] = match chars[i] {
            'l' => 'r',
            'r' => 'l',
            'L' => 'R',
            _ => 'L',
        };
        found.push(other.into_iter().collect());
    }
    found
}

/// Places of an `l` or `r` that stands for a side: between separators, at a change of case, or first in the name.
fn single_letters(chars: &[char]) -> Vec<usize> {
    let is_side = |c: char| matches!(c, 'l' | 'r' | 'L' | 'R');
    let is_break = |c: Option<&char>| c.is_none_or(|c| !c.is_alphabetic());
    let mut alone = Vec::new();
    let mut weak = Vec::new();
    for (i, &c) in chars.iter().enumerate().filter(|(_, c)| is_side(**c)) {
        let before = if i == 0 { None } else { chars.get(i - 1) };
        let after = chars.get(i + 1);
        if is_break(before) && is_break(after) {
            alone.push(i);
        } else if is_break(before) && (c.is_lowercase() || after.is_some_and(|a| a.is_uppercase()))
            || c.is_uppercase() && before.is_some_and(|b| b.is_lowercase()) && is_break(after)
        {
            weak.push(i);
        }
    }
    alone.extend(weak);
    alone
}

/// The plane that divides a figure into left and right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mirror {
    /// Unit normal, pointing left.
    pub normal: DVec3,
    /// A point of the plane.
    pub point: DVec3,
}

impl Mirror {
    /// The plane between pairs of places, left and right; `None` without pairs or where the two fall together.
    pub fn between(pairs: &[(DVec3, DVec3)]) -> Option<Mirror> {
        let across: DVec3 = pairs.iter().map(|(l, r)| *l - *r).sum();
        let normal = across.try_normalize()?;
        // Rigs that mean an axis hit it within rounding.
        let snapped = [DVec3::X, DVec3::Y, DVec3::Z, -DVec3::X, -DVec3::Y, -DVec3::Z];
        let normal = snapped.into_iter().find(|axis| axis.dot(normal) > 0.9998).unwrap_or(normal);
        let point = pairs.iter().map(|(l, r)| 0.5 * (*l + *r)).sum::<DVec3>() / pairs.len() as f64;
        Some(Mirror { normal, point })
    }

    /// A place on the other side.
    pub fn place(&self, x: DVec3) -> DVec3 {
        x - 2.0 * (x - self.point).dot(self.normal) * self.normal
    }

    /// A direction on the other side.
    pub fn direction(&self, v: DVec3) -> DVec3 {
        v - 2.0 * v.dot(self.normal) * self.normal
    }

    /// An axis of rotation on the other side: it keeps its part along the normal and turns the rest round.
    pub fn axis(&self, v: DVec3) -> DVec3 {
        2.0 * v.dot(self.normal) * self.normal - v
    }

    /// A rotation on the other side.
    pub fn rotation(&self, q: DQuat) -> DQuat {
        let v = self.axis(DVec3::new(q.x, q.y, q.z));
        DQuat::from_xyzw(v.x, v.y, v.z, q.w)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_find_their_other_side() {
        let names = [
            "LeftArm",
            "RightArm",
            "thigh_l",
            "thigh_r",
            "lfemur",
            "rfemur",
            "Bip01 L Foot",
            "Bip01 R Foot",
            "hand.L",
            "hand.R",
            "LHipJoint",
            "RHipJoint",
            "armL",
            "armR",
            "pelvis",
            "lower_back",
            "root",
        ];
        for (a, b) in names[..14].chunks(2).map(|pair| (pair[0], pair[1])) {
            assert_eq!(counterpart(a, &names), Some(b), "{a}");
            assert_eq!(counterpart(b, &names), Some(a), "{b}");
            assert_eq!((is_left(a), is_left(b)), (Some(true), Some(false)), "{a}");
        }
        for name in &names[14..] {
            assert_eq!(counterpart(name, &names), None, "{name}");
        }
    }

    #[test]
    fn mirrored_rotations_turn_mirrored_points() {
        let mirror = Mirror { normal: DVec3::Y, point: DVec3::ZERO };
        let turn = DQuat::from_scaled_axis(DVec3::new(0.2, 0.7, -0.4));
        let x = DVec3::new(0.3, 0.5, -0.9);
        assert!((mirror.rotation(turn) * mirror.direction(x)).distance(mirror.direction(turn * x)) < 1e-14);
    }
}
