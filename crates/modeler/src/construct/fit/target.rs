//! What a body's shapes should fill: the cells of the skin around it, each with what it is worth.

use crate::cover::grid::Grid;
use crate::cover::regions::NOBODY;
use crate::cover::{Skin, Solid, bounds};
use glam::DVec3;
use sinew_sim::Shape;

/// Cells of a body's own part of the skin that are looked at, about.
const OWN_CELLS: f64 = 500.0;
/// Worth of a cell outside the skin, and of one that belongs to another body, where one of the body's own is worth 1.
const OUTSIDE: f32 = -0.9;
const OTHERS: f32 = -0.3;
/// How far around the body's own cells is looked, over their extent.
const AROUND: f64 = 0.3;

/// Cells around a body, in its own frame: a box of a lattice.
#[derive(Clone)]
pub(super) struct Target {
    /// The first cell, distance of cells, m, and their numbers along x, y and z.
    low: DVec3,
    step: f64,
    size: [usize; 3],
    /// What it is worth to cover each cell.
    worth: Vec<f32>,
    /// The body's own cells: index and place.
    pub own: Vec<(usize, DVec3)>,
}

impl Target {
    /// The cells around a body whose frame sits at `origin`; `None` where too little skin follows it.
    pub fn of(skin: &Skin, body: usize, origin: DVec3) -> Option<Target> {
        Target::of_cells(skin, main_pieces(&skin.grid, &skin.region, body as u32), body, origin)
    }

    /// The same for cells that are taken for the body's own.
    pub fn of_cells(skin: &Skin, cells: Vec<usize>, body: usize, origin: DVec3) -> Option<Target> {
        let grid = &skin.grid;
        if cells.len() < crate::cover::ENOUGH_CELLS {
            return None;
        }
        let mut is_main = vec![false; grid.count()];
        let (mut from, mut to) = ([i64::MAX; 3], [i64::MIN; 3]);
        for &cell in &cells {
            is_main[cell] = true;
            for (a, place) in grid.place(cell).into_iter().enumerate() {
                (from[a], to[a]) = (from[a].min(place as i64), to[a].max(place as i64));
            }
        }
        let stride = libm::ceil(libm::cbrt(cells.len() as f64 / OWN_CELLS) - 0.3).max(1.0) as i64;
        for a in 0..3 {
            let around = (AROUND * (to[a] - from[a]) as f64) as i64 + 2 * stride;
            (from[a], to[a]) = (from[a] - around, to[a] + around);
        }
        let first = DVec3::new(from[0] as f64, from[1] as f64, from[2] as f64);
        let size: [usize; 3] = std::array::from_fn(|a| ((to[a] - from[a]) / stride) as usize + 1);
        let mut target = Target {
            low: grid.low + grid.cell * first - origin,
            step: grid.cell * stride as f64,
            size,
            worth: vec![OUTSIDE; size.iter().product()],
            own: Vec::new(),
        };
        for index in 0..target.worth.len() {
            let place = target.place(index);
            let at: [i64; 3] = std::array::from_fn(|a| from[a] + stride * place[a] as i64);
            if (0..3).any(|a| at[a] < 0 || at[a] as usize >= grid.size[a]) {
                continue;
            }
            let cell = grid.index(at.map(|k| k as usize));
            target.worth[index] = match (skin.region[cell], grid.inside[cell]) {
                (_, false) => OUTSIDE,
                (_, true) if is_main[cell] => {
                    target.own.push((index, target.center(place)));
                    1.0
                }
                // Loose pieces of its own are neither sought nor shunned.
                (region, true) if region == body as u32 || region == NOBODY => 0.0,
                (_, true) => OTHERS,
            };
        }
        (target.own.len() >= 8).then_some(target)
    }

    fn place(&self, index: usize) -> [usize; 3] {
        [index / (self.size[1] * self.size[2]), index / self.size[2] % self.size[1], index % self.size[2]]
    }

    fn center(&self, [x, y, z]: [usize; 3]) -> DVec3 {
        self.low + self.step * DVec3::new(x as f64, y as f64, z as f64)
    }

    /// Calls `each` with the index of every cell in a shape.
    fn each_in(&self, shape: &Shape, mut each: impl FnMut(usize, DVec3)) {
        let (low, high) = bounds(shape);
        let range = |a: usize| {
            let from = libm::ceil((low[a] - self.low[a]) / self.step).max(0.0) as usize;
            let to = (libm::floor((high[a] - self.low[a]) / self.step) + 1.0).max(0.0) as usize;
            from..to.min(self.size[a])
        };
        let solid = Solid::of(shape);
        for x in range(0) {
            for y in range(1) {
                let row = (x * self.size[1] + y) * self.size[2];
                for z in range(2) {
                    let center = self.center([x, y, z]);
                    if solid.has(center) {
                        each(row + z, center);
                    }
                }
            }
        }
    }

    /// Worth of what the shapes cover over that of all own cells; at most 1.
    pub fn score(&self, shapes: &[Shape]) -> f64 {
        let mut sum = 0.0;
        for (k, shape) in shapes.iter().enumerate() {
            let before: Vec<Solid> = shapes[..k].iter().map(Solid::of).collect();
            self.each_in(shape, |index, center| {
                if !before.iter().any(|s| s.has(center)) {
                    sum += f64::from(self.worth[index]);
                }
            });
        }
        sum / self.own.len() as f64
    }

    /// How far a shape reaches beyond where cells are known, m.
    pub fn beyond(&self, shape: &Shape) -> f64 {
        let (low, high) = bounds(shape);
        let last = self.center(self.size.map(|n| n - 1));
        (self.low - low).max(high - last).max_element().max(0.0)
    }

    /// Volume of a cell, m³.
    pub fn cell_volume(&self) -> f64 {
        self.step * self.step * self.step
    }

    /// Extent of what is known, m.
    pub fn width(&self) -> f64 {
        self.step * self.size.iter().copied().max().unwrap_or(1) as f64
    }

    /// The target for one more shape: what others cover is worth nothing any more.
    pub fn without(&self, covered: &[Shape]) -> Target {
        let mut rest = self.clone();
        covered.iter().for_each(|shape| self.each_in(shape, |index, _| rest.worth[index] = 0.0));
        rest.own.retain(|(k, _)| rest.worth[*k] > 0.0);
        rest
    }

    /// The target of a piece: own cells elsewhere are worth nothing.
    pub fn piece(&self, is_in: impl Fn(DVec3) -> bool) -> Target {
        let mut piece = self.clone();
        piece.own.retain(|(_, p)| is_in(*p));
        self.own.iter().filter(|(_, p)| !is_in(*p)).for_each(|(k, _)| piece.worth[*k] = 0.0);
        piece
    }

    /// Own cells.
    pub fn own_points(&self) -> impl Iterator<Item = DVec3> + Clone + '_ {
        self.own.iter().map(|(_, p)| *p)
    }
}

/// The pieces of a body's region that hang together, those smaller than a quarter of the largest left out: buckles, saddles, a sword.
fn main_pieces(grid: &Grid, region: &[u32], body: u32) -> Vec<usize> {
    let mut seen = vec![false; region.len()];
    let mut pieces: Vec<Vec<usize>> = Vec::new();
    for first in (0..region.len()).filter(|&c| region[c] == body) {
        if seen[first] {
            continue;
        }
        seen[first] = true;
        let mut piece = vec![first];
        let mut at = 0;
        while at < piece.len() {
            for next in grid.neighbours(piece[at]) {
                if region[next] == body && !seen[next] {
                    seen[next] = true;
                    piece.push(next);
                }
            }
            at += 1;
        }
        pieces.push(piece);
    }
    let largest = pieces.iter().map(Vec::len).max().unwrap_or(0);
    pieces.into_iter().filter(|p| 4 * p.len() >= largest).flatten().collect()
}
