//! Hangs feet and other limbs that lie loose below the ground's root, or have none, from the limb that they end.
//!
//! Animators hang a foot from the root, so that it stays on the ground while inverse kinematics bends the leg to it; a body needs it below the shin.

use super::names::{is_limb_end, is_origin, is_trunk, side};
use super::source::Source;
use super::tree::{Tree, size};
use crate::Report;

/// Most rounds of exchanges between limbs.
const MOST_EXCHANGES: usize = 64;
/// Most poses in which distances are compared.
const MOST_POSES: usize = 64;

/// Re-attaches what is loose; returns the joints that got a new parent.
pub(super) fn reattach(tree: &mut Tree, source: &Source, report: &mut Report) -> Vec<usize> {
    let Some(main_root) = heaviest(tree, tree.roots()) else { return Vec::new() };
    let is_scattered = is_scattered(tree, main_root);
    if is_scattered {
        merge_controls(tree, source, main_root, report);
    }
    let trunk = match is_scattered {
        true => heaviest(tree, tree.children(main_root)),
        false => ground_trunk(tree, source, main_root),
    };
    let body = tree.subtree(trunk.unwrap_or(main_root));

    // Loose: further roots, and what hangs beside the trunk from a root that only marks the ground.
    let mut loose: Vec<usize> = tree.roots().into_iter().filter(|&r| r != main_root).collect();
    if let Some(trunk) = trunk {
        loose.extend(tree.children(main_root).into_iter().filter(|&c| c != trunk));
    } else {
        loose.extend(loose_ends_of(tree, main_root));
    }
    loose.sort_unstable();

    // The body is what remains: nothing hangs from what hangs from it.
    let mut is_loose = vec![false; tree.kept.len()];
    for joint in tree.in_order() {
        is_loose[joint] = loose.contains(&joint) || tree.parent[joint].is_some_and(|p| is_loose[p]);
    }
    let body: Vec<usize> = body.into_iter().filter(|&j| !is_loose[j]).collect();
    let (ends, others): (Vec<usize>, Vec<usize>) = loose.iter().partition(|&&j| is_limb_end(&tree.words[j]));
    let new_parents = assign_ends(tree, source, &ends, &body);
    for (&end, parent) in ends.iter().zip(new_parents) {
        hang(tree, end, parent, "the limb that it ends", report);
    }
    if is_scattered {
        hang_one_by_one(tree, source, others, body, report);
        return loose;
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

/// Fewest parts beside each other that make a chain in pieces.
const LEAST_PIECES: usize = 5;
/// Most joints of a piece: a bone, its control, an end.
const MOST_OF_PIECE: usize = 3;

/// Whether a body lies in pieces beside each other below a root that no skin follows: a snake each of whose bones has a control of its own.
fn is_scattered(tree: &Tree, root: usize) -> bool {
    let children = tree.children(root);
    let is_piece = |&child: &usize| {
        let members = tree.subtree(child);
        members.len() <= MOST_OF_PIECE && members.iter().any(|&m| !tree.skin[m].is_empty())
    };
    tree.skin[root].is_empty() && children.len() >= LEAST_PIECES && children.iter().all(is_piece)
}

/// Makes a control that no skin follows part of the one bone that it carries.
fn merge_controls(tree: &mut Tree, source: &Source, root: usize, report: &mut Report) {
    for mut control in tree.children(root) {
        while let (true, [bone]) = (tree.skin[control].is_empty(), &tree.children(control)[..]) {
            let bone = *bone;
            tree.absorb(control, bone, source);
            report.merged.push(tree.names[control].clone());
            control = bone;
        }
    }
}

/// Hangs each piece from the nearest that hangs already, the nearest of all first (Prim 1957), so that a row of pieces becomes a chain.
fn hang_one_by_one(
    tree: &mut Tree,
    source: &Source,
    mut pieces: Vec<usize>,
    mut body: Vec<usize>,
    report: &mut Report,
) {
    while !pieces.is_empty() {
        let pairs = pieces.iter().flat_map(|&piece| body.iter().map(move |&part| (piece, part)));
        let costs = pairs.map(|(piece, part)| (cost(tree, source, piece, part, 0.0), piece, part));
        let Some((_, piece, part)) = costs.reduce(|a, b| if b.0 < a.0 { b } else { a }) else { return };
        hang(tree, piece, part, "the nearest part of the body", report);
        body.extend(tree.subtree(piece));
        pieces.retain(|&p| p != piece);
    }
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
    let mut limbs = leaves(tree, body);
    if limbs.len() < ends.len() {
        limbs = body.to_vec();
    }
    let costs: Vec<Vec<f64>> =
        ends.iter().map(|&e| limbs.iter().map(|&l| cost(tree, source, e, l, 3.0)).collect()).collect();

    // Cheapest free limb first; where there are more ends than limbs, some share one.
    let mut holder: Vec<Option<usize>> = vec![None; limbs.len()];
    let mut choice = Vec::with_capacity(ends.len());
    for (end, row) in costs.iter().enumerate() {
        let cheapest = |free: &dyn Fn(usize) -> bool| {
            (0..limbs.len()).filter(|&l| free(l)).min_by(|&a, &b| row[a].total_cmp(&row[b]))
        };
        let best = cheapest(&|l| holder[l].is_none()).or_else(|| cheapest(&|_| true)).unwrap_or(0);
        holder[best] = Some(end);
        choice.push(best);
    }
    if limbs.len() < ends.len() {
        return choice.into_iter().map(|l| limbs[l]).collect();
    }
    // Exchanges while they pay.
    for _ in 0..MOST_EXCHANGES {
        let mut better = false;
        for end in 0..ends.len() {
            for limb in 0..limbs.len() {
                let (old, rival) = (choice[end], holder[limb]);
                let now = costs[end][old] + rival.map_or(0.0, |r| costs[r][limb]);
                let then = costs[end][limb] + rival.map_or(0.0, |r| costs[r][old]);
                if rival != Some(end) && then < now - 1e-9 * now {
                    (choice[end], holder[limb], holder[old]) = (limb, Some(end), rival);
                    if let Some(rival) = rival {
                        choice[rival] = old;
                    }
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

/// Joints of the body without children, at least two below its first.
fn leaves(tree: &Tree, body: &[usize]) -> Vec<usize> {
    let mut depth = vec![0usize; tree.kept.len()];
    let mut is_parent = vec![false; tree.kept.len()];
    for &joint in body {
        let above = tree.parent[joint].filter(|&p| depth[p] > 0);
        depth[joint] = 1 + above.map_or(0, |p| depth[p]);
        if let Some(p) = above {
            is_parent[p] = true;
        }
    }
    body.iter().copied().filter(|&j| !is_parent[j] && depth[j] > 2).collect()
}

/// How badly `joint` fits below `limb`: mean distance plus `rigid` times its spread, over the bind pose and the clips. Names that contradict each
/// other (left and right, arm and leg) count fourfold, and one that fits (front, back, arm) halves.
fn cost(tree: &Tree, source: &Source, joint: usize, limb: usize, rigid: f64) -> f64 {
    let stride = 1 + source.samples.len() / MOST_POSES;
    let (mut sum, mut squares, mut count) = (0.0, 0.0, 0.0);
    for pose in source.poses().step_by(stride) {
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
