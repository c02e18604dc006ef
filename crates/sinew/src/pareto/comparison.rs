//! Searches side by side, over one seed or several.

use super::Finished;
use super::page::method_name;
use crate::report::page::Table;
use sinew_pareto::volume::{jumps_until, volume_of_samples};

/// What a search came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// What the search is called.
    pub search: String,
    /// Its seed.
    pub seed: u64,
    /// Hypervolume of its points.
    pub hypervolume: f64,
    /// Jumps tried.
    pub tried: usize,
    /// Those that failed.
    pub failed: usize,
    /// After how many jumps the hypervolume of all jumps was that of the binned search in the end; none where never.
    pub tried_until_binned: Option<usize>,
    /// Points without help.
    pub natural: usize,
    /// Greatest height without help, and at all, m.
    pub heights: [f64; 2],
    /// How long it took, s; not part of any file.
    pub wall_secs: f64,
}

const HEAD: [&str; 9] = [
    "search",
    "seed",
    "hypervolume",
    "jumps tried",
    "of these failed",
    "jumps until as good as BSOO",
    "natural points",
    "highest natural, m",
    "highest, m",
];

/// The searches of one seed, each with the seconds that it took; the second is the binned one.
pub fn compared(found: &[Finished; 4], wall_secs: [f64; 4]) -> Vec<Compared> {
    let binned = volume_of_samples(&found[1].samples);
    let row = |(finished, wall_secs): (&Finished, f64)| {
        let front = &finished.front;
        Compared {
            search: method_name(finished),
            seed: front.seed,
            hypervolume: front.hypervolume,
            tried: front.evaluations,
            failed: finished.samples.iter().filter(|sample| sample.failed).count(),
            tried_until_binned: jumps_until(&finished.samples, binned),
            natural: front.points.iter().filter(|point| point.is_natural()).count(),
            heights: [front.highest_natural().unwrap_or(0.0), front.points.last().map_or(0.0, |point| point.height)],
            wall_secs,
        }
    };
    found.iter().zip(wall_secs).map(row).collect()
}

/// All rows, search after search, and under each search of several seeds their mean.
pub fn comparison_table(rows: &[Compared]) -> Table {
    let cells = |first: [String; 2], [volume, tried, failed, natural, highest, top]: [f64; 6], until: String| {
        let [search, seed] = first;
        let counts = [tried, failed].map(|count| format!("{count:.0}"));
        let [tried, failed] = counts;
        let (volume, highest, top) = (format!("{volume:.3}"), format!("{highest:.3}"), format!("{top:.3}"));
        let natural = format!("{natural:.1}").trim_end_matches(".0").to_owned();
        vec![search, seed, volume, tried, failed, until, natural, highest, top]
    };
    let numbers = |row: &Compared| {
        let [highest, top] = row.heights;
        [row.hypervolume, row.tried as f64, row.failed as f64, row.natural as f64, highest, top]
    };
    let mut table = Table { head: HEAD.map(str::to_owned).to_vec(), rows: Vec::new() };
    let mut names: Vec<&str> = Vec::new();
    for row in rows {
        if !names.contains(&&*row.search) {
            names.push(&row.search);
        }
    }
    for name in names {
        let group: Vec<&Compared> = rows.iter().filter(|row| row.search == name).collect();
        for row in &group {
            let until = row.tried_until_binned.map_or_else(|| "never".to_owned(), |count| count.to_string());
            table.rows.push(cells([name.to_owned(), row.seed.to_string()], numbers(row), until));
        }
        if group.len() > 1 {
            let mean =
                std::array::from_fn(|k| group.iter().map(|row| numbers(row)[k]).sum::<f64>() / group.len() as f64);
            let reached: Vec<usize> = group.iter().filter_map(|row| row.tried_until_binned).collect();
            let until = match reached.len() {
                0 => "never".to_owned(),
                count => format!("{} ({count} of {})", reached.iter().sum::<usize>() / count, group.len()),
            };
            table.rows.push(cells([name.to_owned(), "mean".to_owned()], mean, until));
        }
    }
    table
}

/// The table as comma-separated values.
pub fn comparison_csv(rows: &[Compared]) -> String {
    let table = comparison_table(rows);
    let quoted = |cell: &String| if cell.contains(',') { format!("\"{cell}\"") } else { cell.clone() };
    let line = |cells: &Vec<String>| cells.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n";
    std::iter::once(&table.head).chain(&table.rows).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_seeds_get_their_mean() {
        let row = |search: &str, seed: u64, hypervolume: f64, tried_until_binned: Option<usize>| Compared {
            search: search.to_owned(),
            seed,
            hypervolume,
            tried: 100 * (seed as usize + 1),
            failed: 10,
            tried_until_binned,
            natural: 5 + seed as usize,
            heights: [2.0, 3.0],
            wall_secs: 1.0,
        };
        let rows =
            [row("a", 0, 8.0, Some(40)), row("b, c", 0, 7.0, None), row("a", 1, 9.0, None), row("b, c", 1, 7.5, None)];
        let csv = comparison_csv(&rows);
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines.len(), 7);
        assert_eq!(lines[1], "a,0,8.000,100,10,40,5,2.000,3.000");
        assert_eq!(lines[3], "a,mean,8.500,150,10,40 (1 of 2),5.5,2.000,3.000");
        assert_eq!(lines[6], "\"b, c\",mean,7.250,150,10,never,5.5,2.000,3.000");
        // One seed has no mean.
        assert_eq!(comparison_csv(&rows[..2]).lines().count(), 3);
    }
}
