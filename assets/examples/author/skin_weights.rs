//! Which joints move a vertex, and by how much.

use crate::character::Character;
use crate::flesh::distance;
use crate::surface_nets::Surface;
use anyhow::Result;
use glam::DVec3;

/// Rounds of averaging over neighbouring vertices.
const ROUNDS: usize = 4;

/// Height in the bind pose below which the skin is a sole, m.
const SOLE: f64 = 0.015;

/// Four joints and their weights, which sum to 255.
pub type Weights = [(u8, u8); 4];

/// Weights of all vertices of a part: a joint whose flesh is d away weighs exp(−((d − d_min)/width)²) if it is the nearest one, its parent or
/// its child; then neighbours are averaged, and the four heaviest kept.
pub fn weigh(character: &Character, part: usize, surface: &Surface) -> Result<Vec<Weights>> {
    let flesh = &character.parts[part].flesh;
    let bones: Vec<usize> = flesh.iter().map(|f| character.joint(&f.bone)).collect::<Result<_>>()?;
    let count = character.joints.len();
    let raw = |p: DVec3| {
        let mut nearest = vec![f64::INFINITY; count];
        for (f, &bone) in flesh.iter().zip(&bones) {
            nearest[bone] = nearest[bone].min(distance(f, p));
        }
        let least = (0..count).min_by(|&a, &b| nearest[a].total_cmp(&nearest[b])).unwrap_or(0);
        let related = |j: usize| {
            j == least || character.joints[j].parent == Some(least) || character.joints[least].parent == Some(j)
        };
        let weight = |j: usize| {
            let away = (nearest[j] - nearest[least]) / character.soften;
            if related(j) && away < 4.0 { libm::exp(-away * away) } else { 0.0 }
        };
        let all: Vec<f64> = (0..count).map(weight).collect();
        let sum: f64 = all.iter().sum();
        all.into_iter().map(|w| w / sum).collect::<Vec<f64>>()
    };
    let mut weights: Vec<Vec<f64>> = surface.places.iter().map(|&p| raw(p)).collect();

    let mut neighbours = vec![Vec::new(); surface.places.len()];
    for t in &surface.triangles {
        for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
            neighbours[a].push(b);
            neighbours[b].push(a);
        }
    }
    for _ in 0..ROUNDS {
        weights = neighbours
            .iter()
            .enumerate()
            .map(|(v, around)| {
                let mean = |j: usize| around.iter().map(|&n| weights[n][j]).sum::<f64>() / around.len().max(1) as f64;
                (0..count).map(|j| 0.5 * (weights[v][j] + mean(j))).collect()
            })
            .collect();
    }
    // A sole bends at the ball as a hinge does, so that the rolling foot stays above the ground.
    for (weight, &place) in weights.iter_mut().zip(&surface.places).filter(|(_, p)| p.y < SOLE) {
        let nearest = bones[(0..flesh.len())
            .min_by(|&a, &b| distance(&flesh[a], place).total_cmp(&distance(&flesh[b], place)))
            .unwrap_or(0)];
        *weight = (0..count).map(|j| f64::from(u8::from(j == nearest))).collect();
    }
    Ok(weights.iter().map(|w| heaviest(w)).collect())
}

/// The four heaviest, scaled to sum to 255; what rounding leaves goes to the heaviest.
fn heaviest(weights: &[f64]) -> Weights {
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]).then(a.cmp(&b)));
    let sum: f64 = order[..4].iter().map(|&j| weights[j]).sum();
    let mut four = [(0, 0); 4];
    for (slot, &j) in four.iter_mut().zip(&order) {
        let weight = libm::round(255.0 * weights[j] / sum) as u8;
        *slot = if weight > 0 { (j as u8, weight) } else { (0, 0) };
    }
    let total: i32 = four.iter().map(|&(_, w)| i32::from(w)).sum();
    four[0].1 = (i32::from(four[0].1) + 255 - total) as u8;
    four
}
