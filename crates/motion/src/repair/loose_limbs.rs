//! Hangs feet and other limbs that lie loose below the ground's root, or have none, from the limb that they end.
//!
//! Animators hang a foot from the root, so that it stays on the ground while inverse kinematics bends the leg to it; a body needs it below the shin.

use super::names::{is_limb_end, is_origin, is_trunk, side};
use super::source::Source;
use super::tree::{Tree, size};
use crate::Report;

/// Re-attaches what is loose; returns the joints that got a new parent.
pub(super) fn reattach(tree: &mut Tree, source: &Source, report: &mut Report) -> Vec<usize> {
    let Some(main_root) = heaviest(tree, tree.roots()) else { return Vec::new() };
    let trunk = ground_trunk(tree, source, main_root);
    let body = tree.subtree(trunk.unwrap_or(main_root));

    // Loose: further roots, and what hangs beside the trunk from a root that only marks the ground.
    let mut loose: Vec<usize> = tree.roots().into_iter().filter(|&r| r != main_root).collect();
    if let Some(trunk) = trunk {
        loose.extend(tree.children(main_root).into_iter().filter(|&c| c != trunk));
    } else {
        loose.extend(loose_ends_of(tree, main_root));
    }
    loose.sort_unstable();

    let body: Vec<usize> = body.into_iter().filter(|j| !loose.contains(j)).collect();
    let (ends, others): (Vec<usize>, Vec<usize>) = loose.iter().partition(|&&j| is_limb_end(&tree.words[j]));
    let new_parents = assign_ends(tree, source, &ends, &body);
    for (&end, parent) in ends.iter().zip(new_parents) {
        hang(tree, end, parent, "the limb that it ends", report);
    }
    for &limb in &others {
        let cost = |j| cost(tree, source, limb, j, 0.0);
        let nearest = body.iter().copied().min_by(|&a, &b| cost(a).total_cmp(&cost(b)));
        if let Some(parent) = nearest {
            hang(tree, limb, parent, "the nearest part of the body", report);
        }
    }
    loose
}

fn hang(tree: &mut Tree, joint: usize, parent: usize, why: &str, report: &mut Report) {
    let (name, new) = (tree.names[joint].clone(), tree.names[parent].clone());
    let old = tree.parent[joint].map_or("nothing".into(), |p| format!("`{}`", tree.names[p]));
    report.repairs.push(format!("`{name}` hung from {old}; it now hangs from `{new}`, {why}."));
    report.reattached.push([name, new]);
    tree.parent[joint] = Some(parent);
}

/// The joint whose subtree has the most skin, then the most joints.
fn heaviest(tree: &Tree, joints: Vec<usize>) -> Option<usize> {
    joints.into_iter().rev().max_by_key(|&j| tree.weight(j))
}

/// The child of `root` that carries the body, where `root` itself only marks the ground: no skin follows it, it has no name of a trunk, and it
/// lies away from the body.
fn ground_trunk(tree: &Tree, source: &Source, root: usize) -> Option<usize> {
    let skinned = tree.has_skin();
    if !tree.skin[root].is_empty() || is_trunk(&tree.words[root]) || !(skinned || is_origin(&tree.words[root])) {
        return None;
    }
    let children = tree.children(root);
    let trunk = heaviest(tree, children.clone())?;
    let far = source.bind[root].position.distance(source.bind[trunk].position) > 0.1 * size(tree, source);
    // Without skin, hips named `root` would pass for a ground mark: feet must lie beside the trunk, too.
    let feet_beside = children.iter().any(|&c| c != trunk && is_limb_end(&tree.words[c]));
    (children.len() > 1 && (far && skinned || feet_beside)).then_some(trunk)
}

/// Feet and hands that hang from the root itself although limbs of their own end elsewhere.
fn loose_ends_of(tree: &Tree, root: usize) -> Vec<usize> {
    let children = tree.children(root);
    let ends: Vec<usize> = children.iter().copied().filter(|&c| is_limb_end(&tree.words[c])).collect();
    if ends.len() < children.len() && children.len() > 2 { ends } else { Vec::new() }
}

/// Gives each limb's end the limb that it ends: leaves of the body, each once, so that the sum of costs is least (pairwise exchange).
fn assign_ends(tree: &Tree, source: &Source, ends: &[usize], body: &[usize]) -> Vec<usize> {
    let has_child = |j: usize| body.iter().any(|&c| tree.parent[c] == Some(j));
    let depth = |j: usize| std::iter::successors(Some(j), |&k| tree.parent[k].filter(|p| body.contains(p))).count();
    let mut limbs: Vec<usize> = body.iter().copied().filter(|&j| !has_child(j) && depth(j) > 2).collect();
    if limbs.len() < ends.len() {
        limbs = body.to_vec();
    }
    let costs: Vec<Vec<f64>> =
        ends.iter().map(|&e| limbs.iter().map(|&l| cost(tree, source, e, l, 3.0)).collect()).collect();

    // Cheapest free limb first, then exchanges while they pay.
    let mut taken = vec![false; limbs.len()];
    let mut choice = Vec::with_capacity(ends.len());
    for row in &costs {
        let free = (0..limbs.len()).filter(|&l| !taken[l] || limbs.len() < ends.len());
        let best = free.min_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap_or(0);
        taken[best] = true;
        choice.push(best);
    }
    for _ in 0..ends.len() * ends.len() {
        let mut better = false;
        for a in 0..ends.len() {
            for l in 0..limbs.len() {
                let holder = choice.iter().position(|&c| c == l);
                let now = costs[a][choice[a]] + holder.map_or(0.0, |b| costs[b][l]);
                let then = costs[a][l] + holder.map_or(0.0, |b| costs[b][choice[a]]);
                if holder != Some(a) && then < now - 1e-9 * now {
                    if let Some(b) = holder {
                        choice[b] = choice[a];
                    }
                    choice[a] = l;
                    better = true;
                }
            }
        }
        if !better {
            break;
        }
    }
    choice.into_iter().map(|l| limbs[l]).collect()
}

/// How badly `joint` fits below `limb`: mean distance plus `rigid` times its spread, over the bind pose and the clips. Names that contradict each
/// other (left and right, arm and leg) count fourfold, and one that fits (front, back, arm) halves.
fn cost(tree: &Tree, source: &Source, joint: usize, limb: usize, rigid: f64) -> f64 {
    let (mut sum, mut squares, mut count) = (0.0, 0.0, 0.0);
    for pose in source.poses() {
        let distance = pose[joint].position.distance(pose[limb].position);
        (sum, squares, count) = (sum + distance, squares + distance * distance, count + 1.0);
    }
    let mean = sum / count;
    let spread = (squares / count - mean * mean).max(0.0).sqrt();
    let (a, b) = (&tree.words[joint], &tree.words[limb]);
    let has = |words: &[String], word: &str| words.iter().any(|w| w == word);
    let sides = matches!((side(a), side(b)), (Some(a), Some(b)) if a != b);
    let limbs = (has(a, "arm") && has(b, "leg")) || (has(a, "leg") && has(b, "arm"));
    let places = ["front", "fore", "back", "hind", "rear", "mid", "arm", "leg"];
    let fits = places.iter().any(|place| has(a, place) && has(b, place));
    (mean + rigid * spread) * if sides || limbs { 4.0 } else { 1.0 } * if fits { 0.5 } else { 1.0 }
}
