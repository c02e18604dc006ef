//! Which points of a lattice lie inside a skin of triangles that may be open, overlap or run the wrong way round.

use glam::DVec3;
use std::collections::BTreeMap;

/// Most cells of a grid, and most along its longest side.
const MOST_CELLS: f64 = 700_000.0;
const MOST_ALONG: f64 = 160.0;
/// Cells between the skin and the edge of the grid.
const MARGIN: f64 = 2.0;
/// A point is inside where the mean over the directions of the signed number of crossings is above one half.
const DIRECTIONS: i8 = 6;

/// A box of cubic cells around a skin.
pub(crate) struct Grid {
    /// Centre of the first cell, m.
    pub low: DVec3,
    /// Side of a cell, m.
    pub cell: f64,
    /// Number of cells along x, y and z.
    pub size: [usize; 3],
    /// For each cell, z first, whether its centre is inside the skin.
    pub inside: Vec<bool>,
}

impl Grid {
    /// The grid of a skin; `None` where that has no size.
    pub fn of(points: &[DVec3], triangles: &[[u32; 3]]) -> Option<Grid> {
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for p in triangles.iter().flatten().map(|&corner| points[corner as usize]) {
            (low, high) = (low.min(p), high.max(p));
        }
        let extent = high - low;
        if !extent.is_finite() || extent.max_element() <= 1e-6 {
            return None;
        }
        let longest = extent.max_element();
        let box_volume = extent.to_array().map(|e| e.max(longest / MOST_ALONG)).iter().product::<f64>();
        let cell = libm::cbrt(box_volume / MOST_CELLS).max(longest / MOST_ALONG);
        let size = extent.to_array().map(|e| (e / cell + 2.0 * MARGIN) as usize + 1);
        // Off the planes and edges that artists place at round numbers.
        let low = low - (MARGIN - 0.5) * cell + cell * DVec3::new(0.0137, -0.0213, 0.0171);
        let mut grid = Grid { low, cell, size, inside: Vec::new() };
        grid.inside = grid.find_inside(points, &outward(points, triangles));
        Some(grid)
    }

    /// Number of cells.
    pub fn count(&self) -> usize {
        self.size.iter().product()
    }

    /// Index of a cell.
    pub fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (x * self.size[1] + y) * self.size[2] + z
    }

    /// Place of a cell in the grid.
    pub fn place(&self, index: usize) -> [usize; 3] {
        [index / (self.size[1] * self.size[2]), index / self.size[2] % self.size[1], index % self.size[2]]
    }

    /// Centre of a cell, m.
    pub fn center(&self, index: usize) -> DVec3 {
        let [x, y, z] = self.place(index);
        self.low + self.cell * DVec3::new(x as f64, y as f64, z as f64)
    }

    /// The cell that holds a point.
    pub fn at(&self, point: DVec3) -> Option<usize> {
        let place = ((point - self.low) / self.cell + 0.5).floor();
        let fits = (0..3).all(|a| place[a] >= 0.0 && place[a] < self.size[a] as f64);
        fits.then(|| self.index(place.to_array().map(|x| x as usize)))
    }

    /// Cells that share a face with one.
    pub fn neighbours(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        let place = self.place(index);
        let steps = [self.size[1] * self.size[2], self.size[2], 1];
        (0..3).flat_map(move |axis| {
            let before = (place[axis] > 0).then(|| index - steps[axis]);
            let after = (place[axis] + 1 < self.size[axis]).then(|| index + steps[axis]);
            before.into_iter().chain(after)
        })
    }

    /// Votes of the six directions along the axes, and what no way from outside reaches.
    ///
    /// The signed number of crossings of a ray, averaged over all directions, is the generalized winding number (Jacobson et al. 2013, §3); six
    /// directions are its coarsest quadrature, exact for closed skins. What is closed in without being wound around (a hollow suit of
    /// armour) is inside, too.
    fn find_inside(&self, points: &[DVec3], triangles: &[[u32; 3]]) -> Vec<bool> {
        let mut votes = vec![0i8; self.count()];
        let mut walls = vec![0u8; self.count()];
        for axis in 0..3 {
            let mut crossings = self.crossings(points, triangles, axis);
            crossings.sort_by(|a, b| a.column.cmp(&b.column).then(a.depth.total_cmp(&b.depth)));
            let mut rest = crossings.as_slice();
            while let Some(first) = rest.first() {
                let end = rest.partition_point(|c| c.column == first.column);
                self.vote(&rest[..end], axis, &mut votes, &mut walls);
                rest = &rest[end..];
            }
        }
        let reached = self.reached_from_outside(&walls);
        votes.iter().zip(&reached).map(|(&vote, &reached)| 2 * vote > DIRECTIONS || !reached).collect()
    }

    /// Where the lines through the cells' centres along an axis cross the triangles.
    fn crossings(&self, points: &[DVec3], triangles: &[[u32; 3]], axis: usize) -> Vec<Crossing> {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let mut crossings = Vec::new();
        for triangle in triangles {
            // In units of cells, from the first cell's centre.
            let [a, b, c] = triangle.map(|corner| (points[corner as usize] - self.low) / self.cell);
            let normal = (b - a).cross(c - a);
            if normal[axis] == 0.0 || !normal.is_finite() {
                continue;
            }
            let range = |k: usize| {
                let (low, high) = (a[k].min(b[k]).min(c[k]), a[k].max(b[k]).max(c[k]));
                (low.ceil().max(0.0) as usize, (high.floor().min(self.size[k] as f64 - 1.0) + 1.0).max(0.0) as usize)
            };
            let (us, vs) = (range(u), range(v));
            let sign = if normal[axis] > 0.0 { 1.0 } else { -1.0 };
            for i in us.0..us.1 {
                for j in vs.0..vs.1 {
                    let (x, y) = (i as f64, j as f64);
                    // Left of all three edges, seen along the axis.
                    let left = |p: DVec3, q: DVec3| sign * ((q[u] - p[u]) * (y - p[v]) - (q[v] - p[v]) * (x - p[u]));
                    if left(a, b) < 0.0 || left(b, c) < 0.0 || left(c, a) < 0.0 {
                        continue;
                    }
                    let depth = a[axis] - (normal[u] * (x - a[u]) + normal[v] * (y - a[v])) / normal[axis];
                    crossings.push(Crossing { column: (i * self.size[v] + j) as u32, depth, sign: sign as i8 });
                }
            }
        }
        crossings
    }

    /// Adds the votes of both directions along one line, and the walls between cells that follow each other on it.
    fn vote(&self, line: &[Crossing], axis: usize, votes: &mut [i8], walls: &mut [u8]) {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let column = line[0].column as usize;
        let mut place = [0; 3];
        (place[u], place[v]) = (column / self.size[v], column % self.size[v]);
        let total: i32 = line.iter().map(|c| i32::from(c.sign)).sum();
        let (mut passed, mut sum) = (0, 0i32);
        for k in 0..self.size[axis] {
            place[axis] = k;
            let index = self.index(place);
            let before = passed;
            while passed < line.len() && line[passed].depth < k as f64 {
                sum += i32::from(line[passed].sign);
                passed += 1;
            }
            if k > 0 && passed > before {
                walls[index] |= 1 << axis;
            }
            // Forward, what is left through leaves the skin; backward, what was passed entered it.
            votes[index] += ((total - sum).clamp(-1, 1) + (-sum).clamp(-1, 1)) as i8;
        }
    }

    /// Cells that can be reached from the edge of the grid without a step through the skin.
    fn reached_from_outside(&self, walls: &[u8]) -> Vec<bool> {
        let mut reached = vec![false; self.count()];
        let is_edge = |index: usize| {
            let place = self.place(index);
            (0..3).any(|a| place[a] == 0 || place[a] + 1 == self.size[a])
        };
        let mut open: Vec<usize> = (0..self.count()).filter(|&i| is_edge(i)).collect();
        open.iter().for_each(|&i| reached[i] = true);
        let steps = [self.size[1] * self.size[2], self.size[2], 1];
        while let Some(index) = open.pop() {
            let place = self.place(index);
            for axis in 0..3 {
                let before = (place[axis] > 0 && walls[index] & (1 << axis) == 0).then(|| index - steps[axis]);
                let after = (place[axis] + 1 < self.size[axis]).then(|| index + steps[axis]);
                let after = after.filter(|&next| walls[next] & (1 << axis) == 0);
                for next in before.into_iter().chain(after) {
                    if !reached[next] {
                        reached[next] = true;
                        open.push(next);
                    }
                }
            }
        }
        reached
    }
}

/// Where a line along an axis crosses a triangle.
struct Crossing {
    column: u32,
    /// Along the axis, cells.
    depth: f64,
    /// 1 where the triangle looks along the axis.
    sign: i8,
}

/// The triangles, those of shells with a negative volume turned round.
fn outward(points: &[DVec3], triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let shell_of = shells(points, triangles);
    let count = shell_of.iter().max().map_or(0, |m| m + 1);
    let (mut sums, mut counts) = (vec![DVec3::ZERO; count], vec![0.0; count]);
    for (triangle, &shell) in triangles.iter().zip(&shell_of) {
        sums[shell] += triangle.iter().map(|&c| points[c as usize]).sum::<DVec3>();
        counts[shell] += 3.0;
    }
    let mut volumes = vec![0.0; count];
    for (triangle, &shell) in triangles.iter().zip(&shell_of) {
        let middle = sums[shell] / counts[shell];
        let [a, b, c] = triangle.map(|corner| points[corner as usize] - middle);
        volumes[shell] += a.dot(b.cross(c)) / 6.0;
    }
    let turned =
        |([a, b, c], shell): (&[u32; 3], &usize)| if volumes[*shell] < 0.0 { [*a, *c, *b] } else { [*a, *b, *c] };
    triangles.iter().zip(&shell_of).map(turned).collect()
}

/// For each triangle the connected piece that it belongs to; vertices at the same place are one.
fn shells(points: &[DVec3], triangles: &[[u32; 3]]) -> Vec<usize> {
    let size = triangles.iter().flatten().map(|&c| points[c as usize].abs().max_element()).fold(1e-9, f64::max);
    let mut known: BTreeMap<[i64; 3], usize> = BTreeMap::new();
    let welded: Vec<usize> = points
        .iter()
        .map(|p| {
            let key = (*p / (1e-6 * size)).to_array().map(|x| libm::round(x) as i64);
            let next = known.len();
            *known.entry(key).or_insert(next)
        })
        .collect();
    let mut above: Vec<usize> = (0..known.len()).collect();
    fn root(above: &mut [usize], mut at: usize) -> usize {
        while above[at] != at {
            above[at] = above[above[at]];
            at = above[at];
        }
        at
    }
    for triangle in triangles {
        let [a, b, c] = triangle.map(|corner| root(&mut above, welded[corner as usize]));
        above[b] = a;
        let (a, c) = (root(&mut above, a), root(&mut above, c));
        above[c] = a;
    }
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    triangles
        .iter()
        .map(|t| {
            let next = numbers.len();
            *numbers.entry(root(&mut above, welded[t[0] as usize])).or_insert(next)
        })
        .collect()
}
