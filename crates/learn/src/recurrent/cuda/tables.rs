//! What the kernels know of a character: constants above their source, and tables.

use super::super::examples::{BOUND, Examples};
use super::super::layout::HEIGHT;
use super::super::unroll::{Unroll, carried};
use crate::intent::CONTROLS;
use sinew_nn::cuda::{CudaError, Device, Slice};
use std::fmt::Write;

/// Numbers that stand in the kernels' source.
pub(super) struct Sizes {
    pub dims: usize,
    pub actions: usize,
    pub rows: usize,
    pub input_stride: usize,
    pub output_stride: usize,
    pub places: usize,
    pub feet: usize,
}

impl Sizes {
    /// The source of the kernels for a training.
    pub fn source(&self, unroll: &Unroll<'_>) -> String {
        let (layout, weights) = (&unroll.examples.layout, &unroll.weights);
        let whole = [
            ("DIMS", self.dims),
            ("ACTIONS", self.actions),
            ("ROWS", self.rows),
            ("INPUT_STRIDE", self.input_stride),
            ("OUTPUT_STRIDE", self.output_stride),
            ("PLACES", self.places),
            ("FEET", self.feet),
            ("HEIGHT", HEIGHT),
            ("FIRST_PLACE", layout.first_place()),
        ];
        let numbers = [
            ("BOUND", BOUND),
            ("MOTION", weights.motion),
            ("OBJECTIVE", weights.objective),
            ("CONTACT", weights.contact),
            ("RIGID", weights.rigid),
            ("STEP_WEIGHT", weights.step),
            ("SCALE", 1.0 / (layout.unit_m * layout.unit_m)),
            ("RETURN_SHARE", unroll.return_share),
        ];
        let mut source = String::new();
        for (name, value) in whole {
            let _ = writeln!(source, "#define {name} {value}");
        }
        for (name, value) in numbers {
            let _ = writeln!(source, "#define {name} {:?}f", value as f32);
        }
        source + include_str!("window.cu")
    }

    /// Shared memory of a block that ends a step, bytes.
    pub fn shared_bytes(&self) -> usize {
        4 * (2 * self.dims + 7 * self.feet + 3 * self.places + 4 * 32)
    }
}

/// Tables on the GPU, as `window.cu` reads them.
pub(super) struct Tables {
    /// Mean, deviation and carried share of each column.
    pub columns: Slice,
    /// Mean and deviation of each control value.
    pub controls: Slice,
    /// Feet and links by places.
    pub places: Slice<u32>,
    /// Lengths of links by places, m.
    pub lengths: Slice,
    /// All rows of the set.
    pub set_rows: Slice,
    /// The number of the first row of each sequence.
    pub first_rows: Vec<usize>,
}

impl Tables {
    pub fn new(device: &Device, unroll: &Unroll<'_>) -> Result<Tables, CudaError> {
        let examples = unroll.examples;
        let (layout, standard, controls) = (&examples.layout, &examples.standard, &examples.controls);
        let shares = (0..layout.dims()).map(|column| carried(layout, unroll.carried_share, column) as f32);
        let columns: Vec<f32> = standard.mean.iter().chain(&standard.deviation).copied().chain(shares).collect();
        let controls: Vec<f32> = controls.mean.iter().chain(&controls.deviation).copied().collect();
        debug_assert_eq!(controls.len(), 2 * CONTROLS);
        let (places, lengths) = by_place(examples);
        let all: Vec<f32> = examples.sequences.iter().flat_map(|sequence| sequence.rows()).copied().collect();
        let first_rows = examples.sequences.iter().scan(0, |end, sequence| {
            let first = *end;
            *end += sequence.frames.len();
            Some(first)
        });
        Ok(Tables {
            columns: device.upload(&columns)?,
            controls: device.upload(&controls)?,
            places: device.upload(&places)?,
            lengths: device.upload(&lengths)?,
            set_rows: device.upload(&all)?,
            first_rows: first_rows.collect(),
        })
    }
}

/// Place and contact column of each foot; the foot of each place; where each place's links begin and their other ends; and the links' lengths.
fn by_place(examples: &Examples) -> (Vec<u32>, Vec<f32>) {
    const NONE: u32 = u32::MAX;
    let layout = &examples.layout;
    let place_count = layout.place_count();
    let mut table: Vec<u32> = layout.feet.iter().map(|&(place, _)| place as u32).collect();
    table.extend(layout.feet.iter().map(|&(_, site)| (layout.contacts.start + site) as u32));
    let mut foot_of = vec![NONE; place_count];
    layout.feet.iter().enumerate().for_each(|(foot, &(place, _))| foot_of[place] = foot as u32);
    table.extend(foot_of);
    let (mut begins, mut others, mut lengths) = (vec![0], Vec::new(), Vec::new());
    for place in 0..place_count {
        for &(a, b, length) in &layout.links {
            let other = if a == place { b } else { a };
            if a == place || b == place {
                others.push(other as u32);
                lengths.push(length as f32);
            }
        }
        begins.push(others.len() as u32);
    }
    table.extend(begins);
    table.extend(others);
    (table, lengths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_walks::stepping;

    #[test]
    fn every_link_is_found_at_both_its_ends_and_every_foot_at_its_place() {
        let (figure, set) = stepping(1.0, 12);
        let examples = Examples::new(&set, &figure);
        let (table, lengths) = by_place(&examples);
        let (feet, places) = (examples.layout.feet.len(), examples.layout.place_count());
        let begins = &table[2 * feet + places..][..places + 1];
        let others = &table[2 * feet + 2 * places + 1..];
        assert_eq!((others.len(), lengths.len()), (2 * examples.layout.links.len(), others.len()));
        for &(a, b, length) in &examples.layout.links {
            for (here, there) in [(a, b), (b, a)] {
                let links = begins[here] as usize..begins[here + 1] as usize;
                let found = links.into_iter().any(|k| others[k] as usize == there && lengths[k] == length as f32);
                assert!(found, "link from {here} to {there}");
            }
        }
        for (foot, &(place, site)) in examples.layout.feet.iter().enumerate() {
            assert_eq!(table[2 * feet + place], foot as u32);
            assert_eq!(
                (table[foot] as usize, table[feet + foot] as usize),
                (place, examples.layout.contacts.start + site)
            );
        }
    }
}
