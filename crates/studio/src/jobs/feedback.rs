//! A feedback training as a job: the same work as `sinew feedback`.

use super::{Ended, Shared};
use crate::protocol::{Job, JobRequest};
use anyhow::{Result, bail};
use sinew::feedback::{Event, Request, Test, train};
use std::ops::ControlFlow;

/// Works to the end, or until it is told to stop.
pub fn run(shared: &Shared, job: &Job) -> Result<Ended> {
    let JobRequest::Feedback { result, preset, seed, period_secs } = &job.request else {
        bail!("job {} is no training", job.id);
    };
    let request = Request {
        folder: shared.project.result_path(result).map_err(|refusal| anyhow::anyhow!(refusal.sentence))?,
        preset: *preset,
        config: preset.config(),
        seed: *seed,
        period_secs: *period_secs,
        test: Test::default(),
    };
    let trained = train(&request, &shared.options(), &mut |event| {
        match event {
            Event::Prepared(_) => {}
            Event::Training { progress, .. } => {
                let best = progress.best.as_ref().map(|best| [progress.done, best.value]);
                shared.show(job.id, progress, |job| best.into_iter().for_each(|point| draw(&mut job.curve, point)));
            }
            Event::Testing => shared.update(job.id, |job| job.message = "Tries it with pushes.".into()),
        }
        ControlFlow::Continue(())
    })?;
    Ok(trained.map_or(Ended::Stopped, |trained| Ended::Done(trained.results.headline())))
}

/// Most points of a curve.
const MOST_POINTS: usize = 400;

/// Adds a point; a curve with too many keeps every other one. What was drawn before a checkpoint was taken up again is drawn anew.
fn draw(curve: &mut Vec<[f64; 2]>, point: [f64; 2]) {
    curve.retain(|before| before[0] < point[0]);
    curve.push(point);
    if curve.len() > MOST_POINTS {
        let last = curve.len() - 1;
        let mut index = 0;
        curve.retain(|_| {
            index += 1;
            (index - 1) % 2 == 0 || index - 1 == last
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_stays_short_and_in_order() {
        let mut curve = Vec::new();
        (0..5000).for_each(|i| draw(&mut curve, [f64::from(i), 1.0 / f64::from(i + 1)]));
        assert!(curve.len() <= MOST_POINTS && curve.len() > MOST_POINTS / 3, "{}", curve.len());
        assert!(curve.windows(2).all(|pair| pair[0][0] < pair[1][0]));
        assert_eq!((curve[0][0], curve.last().map(|last| last[0])), (0.0, Some(4999.0)));
        draw(&mut curve, [100.0, 0.5]);
        assert_eq!(curve.last(), Some(&[100.0, 0.5]));
    }
}
