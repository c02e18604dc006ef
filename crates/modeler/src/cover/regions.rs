//! Which body each piece of the skin's inside belongs to: that of the nearest skin.

use super::grid::Grid;
use glam::DVec3;
use sinew_motion::skin_mesh::Weights;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Most samples along an edge of a triangle.
const MOST_SAMPLES: f64 = 96.0;

/// No body.
pub(crate) const NOBODY: u32 = u32::MAX;

/// For each cell inside the skin the body of the nearest point of the skin, reached through the inside; elsewhere [`NOBODY`].
///
/// `body_of` names the body of each joint. A point of the skin belongs to the body that moves most of it.
pub(crate) fn regions(
    grid: &Grid,
    points: &[DVec3],
    weights: &[Weights],
    triangles: &[[u32; 3]],
    body_of: &[Option<usize>],
) -> Vec<u32> {
    let mut open = BinaryHeap::new();
    let mut seeds: Vec<(DVec3, u32)> = Vec::new();
    for triangle in triangles {
        let corners = triangle.map(|c| points[c as usize]);
        let holds = triangle.map(|c| &weights[c as usize]);
        let longest = (0..3).map(|k| corners[k].distance(corners[(k + 1) % 3])).fold(0.0, f64::max);
        let steps = (longest / grid.cell).ceil().clamp(1.0, MOST_SAMPLES) as usize;
        for i in 0..=steps {
            for j in 0..=steps - i {
                let (s, t) = (i as f64 / steps as f64, j as f64 / steps as f64);
                let shares = [1.0 - s - t, s, t];
                let Some(body) = heaviest(&holds, shares, body_of) else { continue };
                let point = (0..3).map(|k| shares[k] * corners[k]).sum::<DVec3>();
                seeds.push((point, body));
                near(grid, point, |cell| {
                    push(&mut open, grid, cell, &seeds, seeds.len() - 1);
                });
            }
        }
    }
    let mut region = vec![NOBODY; grid.count()];
    while let Some(Reverse((_, cell, seed))) = open.pop() {
        if region[cell as usize] != NOBODY {
            continue;
        }
        region[cell as usize] = seeds[seed as usize].1;
        for next in grid.neighbours(cell as usize).filter(|&n| grid.inside[n] && region[n] == NOBODY) {
            push(&mut open, grid, next, &seeds, seed as usize);
        }
    }
    region
}

/// Nearest first; of equally near ones the cell and seed that came first.
type Open = BinaryHeap<Reverse<(u64, u32, u32)>>;

fn push(open: &mut Open, grid: &Grid, cell: usize, seeds: &[(DVec3, u32)], seed: usize) {
    // Bits of numbers that are not negative are in the order of the numbers.
    let distance = grid.center(cell).distance_squared(seeds[seed].0).to_bits();
    open.push(Reverse((distance, cell as u32, seed as u32)));
}

/// Cells inside the skin that hold a point or touch the one that does.
fn near(grid: &Grid, point: DVec3, mut each: impl FnMut(usize)) {
    let Some(cell) = grid.at(point) else { return };
    for cell in std::iter::once(cell).chain(grid.neighbours(cell)) {
        if grid.inside[cell] {
            each(cell);
        }
    }
}

/// The body with the largest share of a point between three vertices.
fn heaviest(holds: &[&Weights; 3], shares: [f64; 3], body_of: &[Option<usize>]) -> Option<u32> {
    let mut sums: [(u32, f64); 12] = [(NOBODY, 0.0); 12];
    let mut used = 0;
    for (weights, share) in holds.iter().zip(shares) {
        for &(joint, weight) in weights.iter().filter(|w| w.1 > 0.0) {
            let Some(body) = body_of.get(joint as usize).copied().flatten() else { continue };
            let amount = share * f64::from(weight);
            match sums[..used].iter_mut().find(|s| s.0 == body as u32) {
                Some(known) => known.1 += amount,
                None => {
                    sums[used] = (body as u32, amount);
                    used += 1;
                }
            }
        }
    }
    let first_largest = sums[..used].iter().reduce(|best, next| if next.1 > best.1 { next } else { best });
    first_largest.map(|s| s.0)
}
