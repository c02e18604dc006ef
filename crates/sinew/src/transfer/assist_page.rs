//! The page of a front of fidelity against help.

use super::assist::point_folder;
use super::finished::position_at;
use super::{AssistPoint, AssistUnits, Assisted, Finished, Prepared};
use crate::film;
use crate::report::front::{Front, FrontPage, FrontPoint, FrontView, Motion, MotionFrame, Quantity};
use crate::report::page::{Block, Section};
use sinew_sim::{Measured, Model};

/// Frames a second of the motions on the page, and most of them in a motion.
const RATE_HZ: f64 = 30.0;
const MOST_FRAMES: f64 = 600.0;

/// What is shown of a point.
pub(super) fn view() -> FrontView {
    FrontView {
        quantities: vec![
            Quantity::new("mean help", "% of weight", 1),
            Quantity::new("mean cost", "", 3).logarithmic(),
            Quantity::new("end effectors off", "cm", 1),
            Quantity::new("mean force", "% of weight", 1),
            Quantity::new("mean torque", "% of weight × height", 1),
            Quantity::new("largest force", "% of weight", 0),
            Quantity::new("largest torque", "% of weight × height", 0),
            Quantity::new("time helped", "%", 0),
        ],
        x: 0,
        y: 1,
        color: None,
        kinds: ["alone".to_owned(), "helped".to_owned()],
    }
}

/// Words for a point.
pub(super) fn label(index: usize, point: &AssistPoint, count: usize) -> String {
    match (index, &point.price) {
        (_, None) if !point.completed => "physics alone, falls".to_owned(),
        (_, None) => "physics alone".to_owned(),
        (index, _) if index + 1 == count => "as drawn".to_owned(),
        _ => format!("help {index}"),
    }
}

/// The points with their numbers, and with their motions where a character is given.
pub(super) fn front(assisted: &Assisted, prepared: Option<&Prepared>) -> Front {
    let count = assisted.points.len();
    let points = assisted.points.iter().zip(&assisted.finished).enumerate().map(|(index, (point, finished))| {
        let figures = &point.figures;
        FrontPoint {
            label: label(index, point, count),
            values: vec![
                100.0 * figures.mean_assist,
                point.cost_mean,
                100.0 * point.effectors_off_m,
                100.0 * figures.mean_force,
                100.0 * figures.mean_torque,
                100.0 * figures.largest_force,
                100.0 * figures.largest_torque,
                100.0 * figures.share_of_time,
            ],
            is_assisted: figures.mean_assist > 0.0,
            motion: prepared.map(|prepared| motion(prepared.model(), finished)),
        }
    });
    Front::new("Fidelity against help", points.collect())
}

/// The page.
pub(super) fn page(assisted: &Assisted, prepared: &Prepared) -> FrontPage {
    let summary = assisted.finished.first().map(|finished| &finished.summary);
    let name = summary.map_or(String::new(), |summary| format!("{}, {}", summary.character, summary.clip));
    let folders = (0..assisted.points.len()).map(|index| {
        let what = label(index, &assisted.points[index], assisted.points.len());
        (format!("{}/report.html", point_folder(index)), what)
    });
    FrontPage {
        title: format!("{name}: how near to the drawing, for how much help"),
        introduction: "To the right the help from outside grows: the mean of the force over the weight and of the torque over the \
                       weight times a quarter of the height. Upwards the motion is further from its drawing. The first point is physics \
                       alone; arrows show help where it acts."
            .into(),
        view: view(),
        fronts: vec![front(assisted, Some(prepared))],
        sections: vec![Section::new("The points as transfers", vec![Block::Files(folders.collect())])],
        ..FrontPage::default()
    }
}

/// A performance as shapes in space, with help as arrows.
fn motion(model: &Model, finished: &Finished) -> Motion {
    let run = &finished.run;
    let rate_hz = RATE_HZ.min(MOST_FRAMES / run.duration_secs().max(1e-3)).max(1.0);
    let weight = AssistUnits::of(model).weight_newtons;
    let still = vec![0.0; model.velocity_count()];
    let frame = |index: usize| {
        let time = index as f64 / rate_hz;
        let measured = Measured::new(model, &position_at(model, run, time), &still, [0.0; 3]);
        let drawn = film::frame_of(model, &measured, &[], String::new());
        // Help acts in the steps after a moment.
        let step = ((time / run.dt).round() as usize + 1).min(run.moments.len() - 1);
        MotionFrame {
            shapes: drawn.solids.into_iter().map(|solid| solid.shape).collect(),
            center_of_mass: measured.center_of_mass,
            assist: run.moments[step].assist.force.map(|f| f / weight),
        }
    };
    let count = (run.duration_secs() * rate_hz) as usize + 1;
    Motion { rate_hz, frames: (0..count).map(frame).collect(), ..Motion::default() }
}
