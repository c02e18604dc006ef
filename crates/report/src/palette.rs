//! A palette for many pictures: colours are counted in cells of the colour cube, the cells are split where they differ
//! most, and every colour is shown by the nearest of the means.

/// Bits per channel that tell colours apart.
const BITS: u32 = 7;
/// Cells of the colour cube.
const CELLS: usize = 1 << (3 * BITS);
/// How much a difference in red, green and blue counts.
const CHANNEL_WEIGHTS: [i64; 3] = [3, 6, 2];

/// How often each cell of the colour cube occurs.
pub(crate) struct ColorCounts {
    counts: Vec<u64>,
}

impl ColorCounts {
    pub fn new() -> Self {
        Self { counts: vec![0; CELLS] }
    }

    /// Counts every pixel of a picture, three bytes each.
    pub fn add_pixels(&mut self, rgb: &[u8]) {
        for pixel in rgb.as_chunks::<3>().0 {
            self.counts[cell_of(*pixel)] += 1;
        }
    }

    /// Counts one colour several times.
    pub fn add_color(&mut self, color: [u8; 3], times: u64) {
        self.counts[cell_of(color)] += times;
    }

    /// At most `most` colours that stand for all that were counted; at least one.
    ///
    /// The box of cells with the greatest sum of weighted squared distances to its mean is split at the mean along the
    /// axis that contributes most, until there are enough boxes (variance-based median cut; after Heckbert 1982 and
    /// Wan et al. 1990). Counts enter as square roots, so that a wide background leaves colours to small figures.
    pub fn choose(&self, most: usize) -> Palette {
        let counted = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let cells: Vec<Cell> =
            counted.map(|(cell, count)| Cell { color: color_of(cell), weight: count.isqrt() as i64 }).collect();
        let mut boxes = vec![ColorBox::around(cells)];
        while boxes.len() < most.max(1) {
            // The first of equals, so that the outcome is settled.
            let Some(widest) = (0..boxes.len()).rev().max_by(|a, b| boxes[*a].spread.total_cmp(&boxes[*b].spread))
            else {
                break;
            };
            let Some((low, high)) = boxes[widest].split() else { break };
            boxes[widest] = low;
            boxes.push(high);
        }
        let mut colors: Vec<[u8; 3]> = boxes.iter().map(|b| b.mean.map(|c| c.round() as u8)).collect();
        colors.sort_unstable();
        colors.dedup();
        Palette { colors }
    }
}

#[derive(Clone, Copy)]
struct Cell {
    color: [u8; 3],
    weight: i64,
}

/// Cells that one colour of the palette stands for.
struct ColorBox {
    cells: Vec<Cell>,
    mean: [f64; 3],
    /// Axis along which the cells differ most.
    axis: usize,
    /// Weighted sum of squared distances to the mean; 0 when the box cannot be split.
    spread: f64,
}

impl ColorBox {
    fn around(cells: Vec<Cell>) -> Self {
        // Sums of integers: exact in any order.
        let total: i64 = cells.iter().map(|cell| cell.weight).sum();
        let moment = |channel: usize, power: u32| -> i64 {
            cells.iter().map(|cell| cell.weight * i64::from(cell.color[channel]).pow(power)).sum()
        };
        let share = 1.0 / total.max(1) as f64;
        let mean: [f64; 3] = std::array::from_fn(|channel| moment(channel, 1) as f64 * share);
        let spreads: [f64; 3] = std::array::from_fn(|channel| {
            let about_mean = moment(channel, 2) as f64 - mean[channel] * moment(channel, 1) as f64;
            CHANNEL_WEIGHTS[channel] as f64 * about_mean.max(0.0)
        });
        let axis = (0..3).rev().max_by(|a, b| spreads[*a].total_cmp(&spreads[*b])).unwrap_or(0);
        let spread = if cells.len() > 1 { spreads.iter().sum() } else { 0.0 };
        Self { cells, mean, axis, spread }
    }

    /// The cells below and above the mean; `None` when one side would be empty.
    fn split(&self) -> Option<(Self, Self)> {
        let is_low = |cell: &&Cell| f64::from(cell.color[self.axis]) <= self.mean[self.axis];
        let (low, high): (Vec<&Cell>, Vec<&Cell>) = self.cells.iter().partition(is_low);
        let owned = |cells: Vec<&Cell>| Self::around(cells.into_iter().copied().collect());
        (!low.is_empty() && !high.is_empty()).then(|| (owned(low), owned(high)))
    }
}

/// The colours of a picture.
pub(crate) struct Palette {
    pub colors: Vec<[u8; 3]>,
}

/// Nearest colours found so far, one entry per cell.
pub(crate) struct NearestCache {
    index_of_cell: Vec<u16>,
}

/// Not looked up yet.
const UNKNOWN: u16 = u16::MAX;

impl NearestCache {
    pub fn new() -> Self {
        Self { index_of_cell: vec![UNKNOWN; CELLS] }
    }
}

impl Palette {
    /// Index of the palette's colour nearest to each pixel.
    pub fn index_pixels(&self, rgb: &[u8], cache: &mut NearestCache) -> Vec<u8> {
        let index_of = |pixel: &[u8; 3]| {
            let cell = cell_of(*pixel);
            if cache.index_of_cell[cell] == UNKNOWN {
                cache.index_of_cell[cell] = u16::from(self.nearest(color_of(cell)));
            }
            cache.index_of_cell[cell] as u8
        };
        rgb.as_chunks::<3>().0.iter().map(index_of).collect()
    }

    /// Index of the nearest colour, the first of equals.
    fn nearest(&self, color: [u8; 3]) -> u8 {
        let distance = |other: &[u8; 3]| -> i64 {
            (0..3).map(|c| CHANNEL_WEIGHTS[c] * (i64::from(color[c]) - i64::from(other[c])).pow(2)).sum()
        };
        self.colors.iter().enumerate().min_by_key(|(_, other)| distance(other)).map_or(0, |(index, _)| index as u8)
    }
}

fn cell_of(color: [u8; 3]) -> usize {
    color.iter().fold(0, |cell, channel| cell << BITS | usize::from(*channel >> (8 - BITS)))
}

/// The colour in the middle of a cell; white and black stay themselves.
fn color_of(cell: usize) -> [u8; 3] {
    let channel = |place: u32| {
        let high = (cell >> (BITS * place) & ((1 << BITS) - 1)) as u32;
        // 0 … 127 onto 0 … 255.
        ((high * 255 + 63) / 127) as u8
    };
    [channel(2), channel(1), channel(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colors_are_kept_as_they_are() {
        let colors = [[0, 0, 0], [255, 255, 255], [200, 30, 40], [20, 90, 200]];
        let mut counts = ColorCounts::new();
        for (i, color) in colors.iter().enumerate() {
            counts.add_color(*color, 10_u64.pow(i as u32));
        }
        let palette = counts.choose(255);
        assert_eq!(palette.colors.len(), 4);
        let pixels: Vec<u8> = colors.concat();
        for (index, color) in palette.index_pixels(&pixels, &mut NearestCache::new()).into_iter().zip(colors) {
            let shown = palette.colors[usize::from(index)];
            assert!((0..3).all(|c| shown[c].abs_diff(color[c]) <= 2), "{color:?} is shown as {shown:?}");
        }
    }

    #[test]
    fn a_small_figure_before_a_wide_gradient_keeps_its_color() {
        let mut counts = ColorCounts::new();
        for level in 0..=255_u8 {
            counts.add_color([level, level, level], 100_000);
        }
        counts.add_color([210, 40, 40], 300);
        let palette = counts.choose(32);
        assert_eq!(palette.colors.len(), 32);
        let [red, green, blue] = palette.colors[usize::from(palette.nearest([210, 40, 40]))];
        assert!(red > 180 && green < 80 && blue < 80, "{red} {green} {blue}");
    }

    #[test]
    fn nothing_counted_still_gives_a_palette() {
        assert_eq!(ColorCounts::new().choose(255).colors.len(), 1);
    }
}
