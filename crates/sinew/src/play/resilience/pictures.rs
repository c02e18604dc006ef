//! Ten hits by the ball of the middle mass, as a strip with a row for each, and as an animation, one after the other.

use super::{Outcomes, ResilienceRequest, Throws};
use crate::error::Result;
use crate::play::pictures::picture;
use crate::play::{Take, put};
use crate::report::{Animation, Camera, FilmStrip, Frame};
use sinew_play::{Package, Player, throw_at};

/// Hits that are shown.
const HITS: usize = 10;
/// Moments of a row, s after the throw: the ball arrives after 0.2 s.
const MOMENTS_SECS: [f64; 8] = [0.07, 0.2, 0.3, 0.43, 0.6, 0.8, 1.2, 1.8];
/// What of a hit is animated, s after the throw, and moments a second.
const ANIMATED_SECS: [f64; 2] = [-0.4, 1.8];
const ANIMATED_HZ: f64 = 15.0;

/// A hit: what was played, the frame of the throw, and what it shows.
struct Hit {
    take: Take,
    thrown: f64,
    caption: String,
}

/// Writes what is asked for.
pub fn write(request: &ResilienceRequest, package: &Package, work: &Throws, outcomes: &Outcomes) -> Result<()> {
    if request.film.is_none() && request.gif.is_none() {
        return Ok(());
    }
    let (masses, middle) = (work.masses_kg.len(), work.masses_kg.len() / 2);
    let indices = (0..work.throws).map(|throw| throw * masses + middle);
    let hits = indices.filter(|&index| outcomes[index].outcome.is_hit && !outcomes[index].outcome.fell_before);
    let hits = hits.take(HITS).map(|index| hit(work, index)).collect::<Result<Vec<Hit>>>()?;
    let title = format!("{}: balls of {:.1} kg at 9 m/s", package.name, work.masses_kg[middle]);
    if let Some(path) = &request.film {
        let strip = FilmStrip {
            title: title.clone(),
            frames: hits.iter().flat_map(|hit| MOMENTS_SECS.map(|secs| hit.moment(secs))).collect(),
            columns: MOMENTS_SECS.len(),
            frame_width: 180,
            frame_height: 200,
            camera: Camera::follow(1.95, 0.16),
            ..FilmStrip::default()
        };
        put(path, &strip.render()?.encode_png()?)?;
    }
    if let Some(path) = &request.gif {
        let [from, to] = ANIMATED_SECS;
        let count = ((to - from) * ANIMATED_HZ) as usize;
        let moments = |hit: &Hit| (0..count).map(|k| hit.moment(from + k as f64 / ANIMATED_HZ)).collect::<Vec<Frame>>();
        let frames = hits.iter().flat_map(moments).collect();
        let animation = Animation { camera: Camera::follow(1.95, 0.3), ..Animation::single(title, frames) };
        put(path, &animation.encode_gif()?)?;
    }
    Ok(())
}

fn hit(work: &Throws, index: usize) -> Result<Hit> {
    let trial = work.trial(index);
    let (outcome, inputs) = throw_at(&work.part, &trial)?;
    let mut player = Player::new(std::slice::from_ref(&work.part), &trial.options())?;
    let inputs: Vec<Vec<_>> = inputs.into_iter().map(|input| vec![input]).collect();
    let take = Take::record(&mut player, &inputs)?;
    let thrown = inputs.iter().position(|now| now.iter().any(|input| !input.throws.is_empty())).unwrap_or(0) as f64;
    let fate = if outcome.fell { "falls" } else { "stands" };
    Ok(Hit { take, thrown, caption: format!("from {:.0} deg, {fate}", trial.from_deg) })
}

impl Hit {
    fn moment(&self, secs: f64) -> Frame {
        let frame = (self.thrown + secs * self.take.rate_hz).round().max(0.0) as usize;
        let mut drawn = picture(&self.take, frame.min(self.take.rows.len() - 1));
        drawn.caption = format!("{}, {secs:.2} s", self.caption);
        drawn
    }
}
