//! A front of jumps as a page on which a click plays a jump, and as pictures.

use super::{Finished, Method, Phase, Recording};
use crate::film;
use crate::report::FilmStrip;
use crate::report::front::{Front, FrontPage, FrontPoint, Jump, Motion, MotionFrame, MotionPhase, Quantity};
use crate::report::page::{Block, Picture, Section, Verdict};
use crate::report::plots::{FrontPaint, FrontPlot, Svg};
use anyhow::Result;
use sinew_sim::{Measured, Model};

/// Most moments of a motion in a page, a second.
const RATE_HZ: f64 = 50.0;
/// Samples that a plot draws at most.
const MOST_SAMPLES: usize = 4000;
/// Time after touch-down that is shown, s.
const AFTER_LANDING_SECS: f64 = 1.5;

/// A front with its motions and samples, as pages and plots show it.
///
/// # Errors
/// Where a jump cannot be performed.
pub fn shown_front(name: &str, finished: &Finished) -> Result<Front> {
    let has_landing = finished.config.objective_count > 2;
    let mut points = Vec::new();
    for (index, point) in finished.front.points.iter().enumerate() {
        let recording = finished.perform(&point.controller()?)?;
        let jump = Jump {
            label: format!("jump {index:02}"),
            height_m: point.height,
            cost: cost(finished, point.effort, point.assist),
            internal_effort: point.effort,
            takeoff_gravity: point.take_off_gravity,
            assist_secs: point.assist_secs,
            is_assisted: !point.is_natural(),
            motion: Some(motion(finished.model(), &recording, point.height)),
        };
        let mut shown: FrontPoint = jump.into();
        if has_landing {
            shown.values.push(point.landing);
        }
        points.push(shown);
    }
    let landed: Vec<[f64; 2]> = finished
        .samples
        .iter()
        .filter(|sample| !sample.failed)
        .map(|sample| [sample.height, cost(finished, sample.effort, sample.assist)])
        .collect();
    let every = landed.len().div_ceil(MOST_SAMPLES).max(1);
    let mut front = Front::new(name, points).with_samples(landed.into_iter().step_by(every).collect());
    front.is_joined = !has_landing;
    Ok(front)
}

/// What the search sees of effort and assist (Agrawal & van de Panne 2013, eq. 8), or their plain sum.
fn cost(finished: &Finished, effort: f64, assist: f64) -> f64 {
    let sum = effort + assist;
    if finished.config.objectives.is_linear { sum } else { libm::log(sum) }
}

/// A front whose price has no logarithm, with it, so that it can be held against others.
pub fn in_logarithm(front: &Front) -> Front {
    let mut front = front.clone();
    let price = Jump::view().y;
    front.points.iter_mut().for_each(|point| point.values[price] = libm::log(point.values[price]));
    front.samples.iter_mut().for_each(|sample| sample[1] = libm::log(sample[1]));
    front
}

/// The page of a front: `front.html`.
///
/// # Errors
/// Where a motion cannot be shown.
pub fn front_page(finished: &Finished, front: Front) -> Result<FrontPage> {
    let found = &finished.front;
    let mut view = Jump::view();
    if finished.config.objectives.is_linear {
        view.quantities[view.y] = Quantity::new("effort and assist", "", 2);
    }
    if finished.config.objective_count > 2 {
        view.color = Some(view.quantities.len());
        view.quantities.push(Quantity::new("landing place", "m", 3));
    }
    let natural = found.points.iter().filter(|point| point.is_natural()).count();
    let highest = found.points.last().map_or(0.0, |point| point.height);
    let headline = format!(
        "{} jumps from {:.2} m to {highest:.2} m (top of the head; it stands at 1.60 m), {natural} of them without any help; the highest natural one reaches {:.2} m.",
        found.points.len(),
        found.points.first().map_or(0.0, |point| point.height),
        found.highest_natural().unwrap_or(0.0),
    );
    let strip = four_jumps(&front)?.render()?;
    let caption = "Poses at the beginning of each phase: brown without help, blue with it".to_owned();
    let sections = vec![
        Section::new("Four jumps", vec![Block::Picture { caption, picture: Picture::Png(strip.encode_png()?) }]),
        Section::new(
            "Play one yourself",
            vec![Block::Commands(vec![(
                "sinew jump --height 1.9 --front .".to_owned(),
                "a jump of that height from this front, simulated".to_owned(),
            )])],
        ),
    ];
    Ok(FrontPage {
        title: format!("Jumps, {}", method_name(finished)),
        introduction: format!(
            "Every point is a controller of 34 numbers, simulated: the least effort that was found for its height{}. {} jumps were tried, seed {}, hypervolume {:.3}.",
            if finished.config.objective_count > 2 { " and its distance" } else { "" },
            found.evaluations,
            found.seed,
            found.hypervolume
        ),
        verdict: Some(Verdict { is_good: natural > 0, headline, details: Vec::new() }),
        view,
        fronts: vec![front],
        sections,
    })
}

/// What a search is called.
pub fn method_name(finished: &Finished) -> String {
    let config = &finished.config;
    let name = match config.method {
        Method::Rmoo if config.allowed_failures.is_none() => "MOO without resampling",
        Method::Rmoo => "RMOO",
        Method::Bsoo => "BSOO",
    };
    if config.objectives.is_linear { format!("{name}, linear price") } else { name.to_owned() }
}

/// Figure 8 (a) or (b) of the paper: a front with its samples, in the quantities that its page shows.
pub fn front_plot(page: &FrontPage) -> Svg {
    FrontPlot { title: "", view: &page.view, fronts: &page.fronts, paint: FrontPaint::Kinds }.to_svg()
}

/// Figure 9 of the paper: the lowest and the highest natural jump, and the middle and highest of those that are helped.
///
/// # Errors
/// Where a motion cannot be shown.
pub fn four_jumps(front: &Front) -> Result<FilmStrip> {
    let (natural, helped): (Vec<&FrontPoint>, Vec<&FrontPoint>) =
        front.points.iter().partition(|point| !point.is_assisted);
    let chosen = [
        ("shortest natural jump", natural.first()),
        ("highest natural jump", natural.last()),
        ("middle supernatural jump", helped.get(helped.len() / 2)),
        ("highest supernatural jump", helped.last()),
    ];
    let shown: Vec<(String, &FrontPoint)> = chosen
        .into_iter()
        .filter_map(|(name, point)| point.map(|point| (format!("{name}: {:.2} m", point.values[0]), *point)))
        .collect();
    Ok(crate::report::front::phase_strip("Natural and supernatural jumps", &shown)?)
}

/// From the crouch to a second and a half after touch-down.
fn motion(model: &Model, recording: &Recording, height: f64) -> Motion {
    let moments = &recording.moments;
    let index_of = |phase| moments.iter().position(|moment| moment.phase == phase);
    let first = index_of(Phase::Crouch).unwrap_or(0);
    let touched = index_of(Phase::Land).unwrap_or(moments.len() - 1);
    let end = moments[touched].time_secs + AFTER_LANDING_SECS;
    let last = moments.iter().rposition(|moment| moment.time_secs <= end).unwrap_or(moments.len() - 1);
    let interval = if moments.len() > 1 { moments[1].time_secs - moments[0].time_secs } else { 1.0 / RATE_HZ };
    let every = (1.0 / (RATE_HZ * interval)).round().max(1.0) as usize;
    let weight = model.weight();
    let frames = (first..=last).step_by(every).map(|index| {
        let moment = &moments[index];
        let measured = Measured::new(model, &moment.position, &moment.velocity, [0.0; 3]);
        let frame = film::frame_of(model, &measured, &[], String::new());
        MotionFrame {
            shapes: frame.solids.iter().map(|solid| solid.shape).collect(),
            center_of_mass: measured.center_of_mass,
            assist: [0.0, 0.0, moment.assist_newtons / weight],
        }
    });
    let mut phases: Vec<MotionPhase> = Vec::new();
    for moment in &moments[first..=last] {
        let name = match moment.phase {
            Phase::Stand => "stand",
            Phase::Crouch => "crouch",
            Phase::TakeOff => "take-off",
            Phase::Rise => "rise",
            Phase::Fall => "fall",
            Phase::Land => "land",
        };
        if phases.last().is_none_or(|phase| phase.name != name) {
            phases.push(MotionPhase { start_secs: moment.time_secs - moments[first].time_secs, name: name.to_owned() });
        }
    }
    Motion { rate_hz: 1.0 / (interval * every as f64), frames: frames.collect(), phases, height_mark_m: Some(height) }
}
