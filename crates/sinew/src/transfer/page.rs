//! The report of a transfer, filled with what there is to know.

use super::deviations::worst_deviations;
use super::ground::{flights, target_contacts};
use super::limits::{is_at_limit, plain_name, torque_share};
use super::{
    Aspect, AssistFigures, AssistSpan, Begins, Config, FRAME_SECS, Finished, Performance, Pictures, Prepared, Preset,
    Target, Transfer, metrics,
};
use crate::report::page::{Block, CaptionedPicture, Picture, Section, Table, TransferPage, Verdict};
use crate::report::plots::{ContactRow, Curve, CurveStyle, Mark, SeriesPlot, Shade, TorqueBar, WindowCosts};
use sinew_sim::{Measured, Model};
use std::collections::BTreeMap;

/// The page; `files` are the names of the other files and what they hold.
pub fn page(
    prepared: &Prepared,
    transfer: &Transfer,
    finished: &Finished,
    pictures: &Pictures,
    files: &[(String, String)],
) -> TransferPage {
    let (model, target, run) = (prepared.model(), &prepared.target, &finished.run);
    let summary = &finished.summary;
    let picture = |caption: &str, picture: Picture| CaptionedPicture { caption: caption.into(), picture };
    let again = |command: &str, what: &str| (command.to_owned(), what.to_owned());
    TransferPage {
        title: format!("{}, {}", summary.character, summary.clip),
        verdict: Some(verdict(prepared, finished)),
        facts: facts(prepared, transfer, finished),
        strips: vec![
            picture("target", Picture::Png(pictures.target.clone())),
            picture("simulated; arrows are contact forces", Picture::Png(pictures.simulated.clone())),
        ],
        animation: Some(picture("target and simulation", Picture::Gif(pictures.animation.clone()))),
        windows: windows(transfer),
        series: series(target, run, summary.fell_at_secs),
        contacts: contacts(target, run),
        torques: torques(model, run),
        deviations: worst_deviations(target, run),
        sections: finished.summary.help.iter().map(|help| assist_section(finished, help)).collect(),
        files: files.to_vec(),
        commands: vec![
            again("sinew replay .", "In this folder: performs the motion again and compares it bit by bit:"),
            again("sinew replay . --push 100 --at 1 --direction 90 --film pushed.png", "Pushes it on the way:"),
        ],
        notes: notes(prepared),
    }
}

/// Where help from outside was used.
fn assist_section(finished: &Finished, help: &AssistFigures) -> Section {
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let row = |span: &AssistSpan| {
        let [x, y, z] = span.mean_force.map(|f| format!("{:+.2}", f));
        vec![
            format!("{:.2} to {:.2} s", span.from_secs, span.to_secs),
            format!("{x}, {y}, {z}"),
            percent(span.largest_force),
            percent(span.largest_torque),
        ]
    };
    let head =
        ["time", "mean force (x, y, z), weights", "largest force, of the weight", "largest torque, of weight × height"];
    let table = Table { head: head.map(str::to_owned).to_vec(), rows: help.spans.iter().map(row).collect() };
    let curve = |name: &str, hue: usize, axis: usize| Curve {
        name: name.into(),
        points: finished
            .solution
            .assist
            .iter()
            .enumerate()
            .map(|(i, row)| [i as f64 * FRAME_SECS, row[axis]])
            .collect(),
        hue,
        ..Curve::default()
    };
    let plot = SeriesPlot {
        title: "Force at the centre of mass".into(),
        y_label: "force, weights".into(),
        curves: vec![curve("x", 0, 0), curve("y", 1, 1), curve("up", 2, 2)],
        ..SeriesPlot::default()
    };
    let words = format!(
        "A wrench from outside acts at the centre of mass in {} of the time: a force of {} of the weight in the mean, and a torque of {} of weight times height. Elsewhere it is exactly zero.",
        percent(help.share_of_time),
        percent(help.mean_force),
        percent(help.mean_torque)
    );
    Section::new("Help from outside", vec![Block::Table(table), Block::Plot(plot.to_svg())]).introduced(words)
}

fn verdict(prepared: &Prepared, finished: &Finished) -> Verdict {
    let headline = finished.summary.verdict_sentence.clone();
    match finished.summary.verdict {
        super::Verdict::Faithful => Verdict { is_good: true, headline, details: Vec::new() },
        super::Verdict::Loose => {
            Verdict { is_good: true, headline, details: prepared.modeling.preflight.problems.clone() }
        }
        super::Verdict::Failed => {
            let mut details = prepared.modeling.preflight.problems.clone();
            details.push("Another seed, or the preset `paper`, searches elsewhere.".into());
            Verdict { is_good: false, headline, details }
        }
    }
}

/// The preset, and whether its settings were changed. How the motion begins is told elsewhere, and the velocity at the start is found.
fn preset_words(preset: Preset, config: &Config) -> String {
    let values = |config: &Config| {
        let mut values = serde_json::to_value(config).unwrap_or_default();
        if let Some(fields) = values.as_object_mut() {
            fields.remove("begins");
        }
        values
    };
    match values(config) == values(&preset.config()) {
        true => preset.to_string(),
        false => format!("{preset}, with other settings"),
    }
}

/// On which way the motion was found.
fn found_words(transfer: &Transfer) -> String {
    let mut words = match (transfer.was_weaned(), transfer.first_verdict()) {
        (true, None) => "from a motion held at its drawing by help, which then went: every search fell".to_owned(),
        (true, Some(verdict)) => {
            format!("from a motion held at its drawing by help, which then went: what was found first was {verdict}")
        }
        (false, None) => "by the search".to_owned(),
        (false, Some(verdict)) => format!("by the search, which was {verdict} at first"),
    };
    let aspects: Vec<&str> = transfer.emphasized().into_iter().map(Aspect::words).collect();
    if !aspects.is_empty() {
        words += &format!("; polished again with more weight on {}", aspects.join(", "));
    }
    words
}

fn facts(prepared: &Prepared, transfer: &Transfer, finished: &Finished) -> Vec<(String, String)> {
    let (summary, clip) = (&finished.summary, prepared.clip());
    let character = prepared.modeling.project.character();
    let config = transfer.config();
    let (terms, fidelity) = (summary.cost_terms, &summary.fidelity);
    let percent = |value: f64| format!("{value:.1} %");
    let begins = match finished.begins() {
        Begins::Rest => "at rest".to_owned(),
        Begins::Moving => match finished.solution.push_off.get(..3) {
            Some(&[x, y, z]) => {
                format!("with the clip's velocity; the root's was changed by {:.2} m/s", (x * x + y * y + z * z).sqrt())
            }
            _ => "with the clip's velocity".to_owned(),
        },
    };
    let found = found_words(transfer);
    let windows = transfer.search().windows().len();
    let window_secs = config.window_frames as f64 * FRAME_SECS;
    let centimetres = |metres: f64| format!("{:.1} cm", 100.0 * metres);
    let mass = prepared.model().total_mass();
    let facts = [
        ("character", format!("{}, {} bodies, {mass:.1} kg", character.name, character.bodies.len())),
        ("clip", format!("{}, {:.2} s, {:.0} frames a second", clip.name, clip.duration_secs(), clip.rate_hz)),
        ("begins", begins),
        ("found", found),
        ("preset", preset_words(summary.preset, config)),
        ("seed", summary.seed.to_string()),
        ("windows", format!("{windows} of {window_secs:.2} s, {} starts each", config.starts)),
        ("steps simulated", summary.steps.to_string()),
        ("end effectors off, of the figure's size", percent(fidelity.effectors_off_percent)),
        ("pose off, where the figure is", percent(fidelity.pose_off_percent)),
        ("joints off", format!("{:.1}°", fidelity.joints_off_deg)),
        ("tilted against the drawing", format!("{:.1}°", fidelity.tilt_off_deg)),
        ("off its way at the end", percent(fidelity.travel_off_percent)),
        ("a foot slides per contact, of the size", percent(fidelity.skate_percent)),
        ("in the air", format!("{:.2} s, drawn {:.2} s", fidelity.air_secs, fidelity.drawn_air_secs)),
        ("weight on bodies drawn off the ground", percent(fidelity.leaning_percent)),
        ("mean cost", format!("{:.3}", summary.cost_mean)),
        ("of this: height of the root", format!("{:.3}", terms.height)),
        ("position of the root", format!("{:.3}", terms.position)),
        ("orientation of the root", format!("{:.3}", terms.orientation)),
        ("pose", format!("{:.3}", terms.pose)),
        ("end effectors", format!("{:.3}", terms.effectors)),
        ("squared jerk, simulated over target", format!("{:.2}", summary.jerk_ratio)),
        ("a foot slides per contact", centimetres(summary.foot_skate)),
        ("at most", centimetres(summary.worst_skate)),
        ("deepest in the ground", format!("{:.1} mm", 1000.0 * summary.max_penetration)),
        ("hash of the trajectory", summary.hash.clone()),
    ];
    facts.map(|(name, value)| (name.to_owned(), value)).to_vec()
}

fn windows(transfer: &Transfer) -> Vec<WindowCosts> {
    let search = transfer.search();
    let costs = |(index, window): (usize, &sinew_transfer::search::Window)| {
        let (kept, chosen) = search.window_costs(index);
        let start_secs = window.first_frame as f64 * FRAME_SECS;
        WindowCosts { start_secs, samples: window.costs.clone(), kept, chosen }
    };
    search.windows().iter().enumerate().map(costs).collect()
}

fn series(target: &Target, run: &Performance, fell_at_secs: Option<f64>) -> Vec<SeriesPlot> {
    let model = target.model();
    let frames: Vec<(f64, [f64; 4], [f64; 4])> = (0..run.frames())
        .map(|frame| {
            let moment = run.at_frame(frame);
            let measured = Measured::new(model, &moment.position, &moment.velocity, [0.0; 3]);
            let [x, y, z] = measured.center_of_mass;
            let [wanted_x, wanted_y, wanted_z] = target.observation(frame).center();
            let root = |body: [f64; 3]| body[2];
            let still = vec![0.0; model.velocity_count()];
            let place = Measured::new(model, target.position(frame), &still, [0.0; 3]).bodies[0].position;
            let wanted = [root(place), wanted_x, wanted_y, wanted_z];
            (frame as f64 * FRAME_SECS, wanted, [root(measured.bodies[0].position), x, y, z])
        })
        .collect();
    let curves = |names: &[(&str, usize)]| -> Vec<Curve> {
        let pair = |(hue, (name, column)): (usize, &(&str, usize))| {
            let wanted = frames.iter().map(|(time, wanted, _)| [*time, wanted[*column]]).collect();
            let found = frames.iter().map(|(time, _, found)| [*time, found[*column]]).collect();
            [
                Curve { name: format!("{name}, target"), points: wanted, style: CurveStyle::Dashed, hue },
                Curve { name: format!("{name}, simulated"), points: found, hue, ..Curve::default() },
            ]
        };
        names.iter().enumerate().flat_map(pair).collect()
    };
    let marks: Vec<Mark> = fell_at_secs.iter().map(|&time_secs| Mark { time_secs, label: "fell".into() }).collect();
    let shade = |[from_secs, to_secs]: [f64; 2]| Shade { from_secs, to_secs, label: "flight".into() };
    let shades: Vec<Shade> = flights(run).into_iter().map(shade).collect();
    let plot = |title: &str, y_label: &str, names: &[(&str, usize)]| SeriesPlot {
        title: title.into(),
        x_label: String::new(),
        y_label: y_label.into(),
        curves: curves(names),
        marks: marks.clone(),
        shades: shades.clone(),
    };
    vec![
        plot("Height", "height, m", &[("root", 0), ("centre of mass", 3)]),
        plot("Centre of mass, ahead (x) and to the left (y)", "position, m", &[("x", 1), ("y", 2)]),
    ]
}

fn contacts(target: &Target, run: &Performance) -> Vec<ContactRow> {
    let model = target.model();
    let mut rows: BTreeMap<String, ContactRow> = BTreeMap::new();
    let row = |foot: &str| ContactRow { foot: foot.to_owned(), ..ContactRow::default() };
    for (body, spans) in target_contacts(target) {
        rows.entry(body.clone()).or_insert_with(|| row(&body)).target = spans;
    }
    for contact in metrics::contacts(model, run) {
        let body = plain_name(&model.bodies()[contact.body].name);
        let span = [contact.from_secs, contact.to_secs];
        rows.entry(body.to_owned()).or_insert_with(|| row(body)).simulated.push(span);
    }
    rows.into_values().collect()
}

/// Joints by how hard they worked, the hardest first.
fn torques(model: &Model, run: &Performance) -> Vec<TorqueBar> {
    let bar = |joint: &sinew_sim::JointInfo| {
        joint.torque_limit?;
        let shares: Vec<f64> = run.moments.iter().skip(1).filter_map(|moment| torque_share(joint, moment)).collect();
        let at_limit = shares.iter().filter(|share| is_at_limit(**share)).count();
        Some(TorqueBar {
            joint: plain_name(&joint.name).to_owned(),
            peak_share: shares.iter().copied().fold(0.0, f64::max),
            time_at_limit_share: at_limit as f64 / shares.len().max(1) as f64,
        })
    };
    let mut bars: Vec<TorqueBar> = model.joints().iter().filter_map(bar).collect();
    let key = |bar: &TorqueBar| (bar.time_at_limit_share, bar.peak_share);
    bars.sort_by(|a, b| key(b).0.total_cmp(&key(a).0).then(key(b).1.total_cmp(&key(a).1)));
    bars
}

fn notes(prepared: &Prepared) -> Vec<String> {
    let modeling = &prepared.modeling;
    let problems = modeling.preflight.problems.iter().map(|problem| format!("Pre-flight: {problem}"));
    let repairs = prepared.source.rig.report.sentences().map(str::to_owned);
    let made = modeling.project.notes().iter().chain(&modeling.clip_notes).cloned();
    problems.chain(repairs).chain(made).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_settings_than_the_presets_are_told() {
        let quick = Preset::Quick.config();
        assert_eq!(preset_words(Preset::Quick, &quick), "quick");
        assert_eq!(preset_words(Preset::Quick, &Config { begins: Begins::Rest, ..quick.clone() }), "quick");
        assert_eq!(preset_words(Preset::Quick, &Config { starts: 9, ..quick }), "quick, with other settings");
    }
}
