//! Film strips of edits: a segment as it was walked, and as it was edited.

use super::hero::Hero;
use crate::error::Result;
use crate::film::frame_of;
use crate::report::{Camera, FilmStrip, Frame};
use sinew_learn::{Augmented, RATE_HZ, Segment};

/// Moments in a row of a strip.
const MOMENTS: usize = 6;
/// Figures along a path.
const ALONG: usize = 7;
/// Edits that are shown.
const SHOWN: usize = 3;

/// One edit in pictures.
pub struct Example {
    /// What was done.
    pub caption: String,
    /// Moments before (first row) and after (second row), as PNG.
    pub strip: Vec<u8>,
    /// The way before and after, as PNG.
    pub path: Vec<u8>,
}

/// Draws the strongest edits of a sequence: the largest bend, the largest stretch, the least.
///
/// # Errors
/// Where a picture would be too large.
pub fn examples(hero: &Hero, augmented: &Augmented) -> Result<Vec<Example>> {
    let last = augmented.times.last().copied().unwrap_or(0.0);
    let mut whole: Vec<&Segment> = augmented.segments.iter().filter(|s| s.end as f64 <= last + 1.0).collect();
    let mut chosen: Vec<Segment> = Vec::new();
    type Measure = fn(&Segment) -> f64;
    let measures: [Measure; SHOWN] = [|s| s.bend_rad.abs(), |s| s.stretch, |s| -s.stretch];
    for measure in measures {
        let best = (0..whole.len()).max_by(|&a, &b| measure(whole[a]).total_cmp(&measure(whole[b])));
        chosen.extend(best.map(|index| *whole.remove(index)));
    }
    chosen.iter().map(|segment| example(hero, augmented, segment)).collect()
}

fn example(hero: &Hero, augmented: &Augmented, segment: &Segment) -> Result<Example> {
    let figure = &hero.figure;
    let nq = figure.model().position_count();
    let edited = augmented.sequence.positions_f64(figure);
    let first = augmented.times.partition_point(|&t| t < segment.first as f64);
    let end = augmented.times.partition_point(|&t| t < segment.end as f64).max(first + 1);
    let at = |rows: &[f64], frames: [usize; 2], share: f64| -> Vec<f64> {
        let frame = frames[0] + (share * (frames[1] - frames[0] - 1) as f64).round() as usize;
        rows[frame * nq..(frame + 1) * nq].to_vec()
    };
    let before = |share: f64| at(&augmented.walk.positions, [segment.first, segment.end], share);
    let after = |share: f64| at(&edited, [first, end], share);
    let drawn = |row: &[f64], caption: String| {
        let still = vec![0.0; figure.model().velocity_count()];
        frame_of(figure.model(), &figure.measure(row, &still), &[], caption)
    };
    let seconds = [(segment.end - segment.first) as f64 / RATE_HZ, (end - first) as f64 / RATE_HZ];
    let share = |moment: usize, of: usize| moment as f64 / (of - 1) as f64;
    let row = |rows: &dyn Fn(f64) -> Vec<f64>, secs: f64, what: &str| -> Vec<Frame> {
        (0..MOMENTS)
            .map(|m| drawn(&rows(share(m, MOMENTS)), format!("{what}, {:.2} s", share(m, MOMENTS) * secs)))
            .collect()
    };
    let caption = format!(
        "{:.1} s, length {:.0} %, bent by {:.0} degrees to the {}, pace {:.0} %",
        seconds[0],
        100.0 * segment.stretch,
        segment.bend_rad.abs().to_degrees(),
        if segment.bend_rad > 0.0 { "left" } else { "right" },
        100.0 * segment.pace
    );
    let strip = FilmStrip {
        title: caption.clone(),
        frames: [row(&before, seconds[0], "before"), row(&after, seconds[1], "after")].concat(),
        columns: MOMENTS,
        frame_width: 200,
        frame_height: 220,
        camera: Camera::follow(1.95, 0.16),
        ..FilmStrip::default()
    };
    // All figures of a way in one frame, seen from above.
    let way = |rows: &dyn Fn(f64) -> Vec<f64>, what: &str| {
        let mut all = Frame { solids: Vec::new(), arrows: Vec::new(), caption: what.into(), focus: None };
        for moment in 0..ALONG {
            all.solids.extend(drawn(&rows(share(moment, ALONG)), String::new()).solids);
        }
        all
    };
    let path = FilmStrip {
        title: caption.clone(),
        frames: vec![way(&before, "before"), way(&after, "after")],
        columns: 2,
        frame_width: 480,
        frame_height: 360,
        camera: Camera::follow(1.2, 0.9),
        ..FilmStrip::default()
    };
    Ok(Example { strip: strip.render()?.encode_png()?, path: path.render()?.encode_png()?, caption })
}
