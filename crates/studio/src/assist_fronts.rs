//! Fronts of fidelity against help: transfers with `--assist`, whose points lie in `assist/00`, `assist/01`, … of a result.

use crate::fronts::{Front, FrontSource};
use crate::protocol::{ControllerKind, FrontAxis, FrontDetail, FrontEntry, FrontPoint, Steer};
use crate::sessions::controller::{Controller, Next};
use anyhow::{Result, anyhow, ensure};
use sinew::transfer::{Controls, Figures, HelpFigures, Performance, replay};
use sinew_modeler::CharacterProject;
use sinew_sim::{Character, Snapshot, World, Wrench};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// Folder of the points inside that of a result.
const FOLDER: &str = "assist";
/// Most points of a front.
const MOST_POINTS: usize = 100;

/// Fronts of finished transfers.
pub struct AssistFronts;

impl AssistFronts {
    /// Whether a result has a front.
    pub fn has(project: &Path, id: &str) -> bool {
        point_folder(project, id, 0).join("controls.json").is_file()
    }
}

impl FrontSource for AssistFronts {
    fn list(&self, project: &Path, results: &[String]) -> Vec<FrontEntry> {
        let with_front = results.iter().filter(|id| AssistFronts::has(project, id));
        with_front
            .map(|id| FrontEntry { title: title(id), points: folders(project, id).len(), id: id.clone() })
            .collect()
    }

    fn open(&self, project: &Path, id: &str) -> Result<Box<dyn Front>> {
        let folders = folders(project, id);
        ensure!(!folders.is_empty(), "{id} has no motions with help; transfer it again with help from outside");
        let character = Character::read(&folders[0].join("character.toml"))?;
        let dt = Controls::read(&folders[0].join("controls.json"))?.config.dt;
        let points = Arc::new(Points { loaded: folders.iter().map(|_| OnceLock::new()).collect(), folders });
        Ok(Box::new(AssistFront { id: id.to_owned(), character, dt, points }))
    }
}

fn point_folder(project: &Path, id: &str, index: usize) -> PathBuf {
    project.join(id).join(FOLDER).join(format!("{index:02}"))
}

/// The points that are there, without a gap.
fn folders(project: &Path, id: &str) -> Vec<PathBuf> {
    let all = (0..MOST_POINTS).map(|index| point_folder(project, id, index));
    all.take_while(|folder| folder.join("controls.json").is_file()).collect()
}

fn title(id: &str) -> String {
    format!("{}, helped", id.rsplit('/').next().unwrap_or(id))
}

/// A front that was opened.
struct AssistFront {
    id: String,
    character: Character,
    dt: f64,
    points: Arc<Points>,
}

impl Front for AssistFront {
    fn title(&self) -> String {
        title(&self.id)
    }

    fn detail(&self) -> FrontDetail {
        let axis = |name: &str, unit: &str, is_logarithmic: bool| FrontAxis {
            name: name.to_owned(),
            unit: unit.to_owned(),
            less_is_better: true,
            is_logarithmic,
        };
        let count = self.points.folders.len();
        let points = (0..count).filter_map(|index| self.points.numbers(index).ok()).collect();
        FrontDetail {
            id: self.id.clone(),
            title: title(&self.id),
            axes: vec![
                axis("mean help", "% of weight", false),
                axis("mean cost", "", true),
                axis("mean force", "% of weight", false),
                axis("mean torque", "% of weight × height", false),
                axis("largest force", "% of weight", false),
                axis("time helped", "%", false),
            ],
            points,
            dial: ["help from outside".into(), "physics alone".into(), "as drawn".into()],
            is_stepped: true,
        }
    }

    fn character(&self) -> Character {
        self.character.clone()
    }

    fn made(&self) -> Option<CharacterProject> {
        CharacterProject::load(&self.points.folders[0].join("character.toml")).ok()
    }

    fn dt(&self) -> f64 {
        self.dt
    }

    fn controller(&self, dial: f64) -> Result<Box<dyn Controller>> {
        let index = self.points.nearest(dial);
        let current = self.points.load(index)?;
        let wanted = Arc::new(AtomicUsize::new(index));
        load_all(&self.points, &wanted)?;
        Ok(Box::new(Helped { points: self.points.clone(), wanted, index, current }))
    }
}

/// The points of a front; a point is performed once, when it is first wanted, and then kept.
struct Points {
    folders: Vec<PathBuf>,
    loaded: Vec<OnceLock<Result<Arc<Point>, String>>>,
}

/// A performed point, frame by frame of 25 ms.
struct Point {
    states: Vec<Snapshot>,
    /// PD targets.
    targets: Vec<Vec<f64>>,
    help: Vec<Option<Wrench>>,
}

impl Points {
    /// Place of a point on the dial: one step is as long as another.
    fn dial(&self, index: usize) -> f64 {
        index as f64 / (self.folders.len() - 1).max(1) as f64
    }

    fn nearest(&self, dial: f64) -> usize {
        (dial * (self.folders.len() - 1) as f64).round() as usize
    }

    /// What is known of a point without performing it.
    fn numbers(&self, index: usize) -> Result<FrontPoint> {
        let folder = &self.folders[index];
        let controls = Controls::read(&folder.join("controls.json"))?;
        let figures = Figures::read(&folder.join("summary.json"))?;
        let help = HelpFigures::new(&controls.solution.assist);
        let last = self.folders.len() - 1;
        let name = match index {
            0 => Some("physics alone"),
            _ if index == last => Some("as drawn"),
            _ => None,
        };
        let fell = figures.fell_at_secs.map(|secs| format!("falls at {secs:.2} s"));
        let label: Vec<String> = name.map(str::to_owned).into_iter().chain(fell).collect();
        let percent = |share: f64| 100.0 * share;
        Ok(FrontPoint {
            values: vec![
                percent(help.mean_help),
                figures.cost_mean,
                percent(help.mean_force),
                percent(help.mean_torque),
                percent(help.largest_force),
                percent(help.share_of_time),
            ],
            dial: self.dial(index),
            label: (!label.is_empty()).then(|| label.join(", ")),
        })
    }

    fn load(&self, index: usize) -> Result<Arc<Point>> {
        let loaded = self.loaded[index].get_or_init(|| self.perform(index).map(Arc::new).map_err(|e| format!("{e:#}")));
        loaded.clone().map_err(|sentence| anyhow!(sentence))
    }

    fn perform(&self, index: usize) -> Result<Point> {
        let again = replay(&self.folders[index], None)?;
        let point = Point::new(&again.run);
        let first = Character::read(&self.folders[0].join("character.toml"))?;
        let own = &again.target.model().scene().characters[0].character;
        ensure!(
            *own == first,
            "{}: that is another character than the first point's; run the transfer again",
            self.folders[index].display()
        );
        Ok(point)
    }
}

impl Point {
    fn new(run: &Performance) -> Point {
        let frames = 0..run.frames();
        let state = |frame: usize| Snapshot::new(&run.at_frame(frame).position, &run.at_frame(frame).velocity);
        // Help acts in the steps after a moment.
        let help = |frame: usize| run.moments.get(frame * run.steps_per_frame + 1).map(|moment| moment.assist);
        Point {
            states: frames.clone().map(state).collect(),
            targets: frames.clone().map(|frame| run.at_frame(frame).target.clone()).collect(),
            help: frames.map(|frame| help(frame).filter(|help| *help != Wrench::default())).collect(),
        }
    }
}

/// Performs all points on a thread of its own, those next to the dial first, as long as somebody plays the front.
fn load_all(points: &Arc<Points>, wanted: &Arc<AtomicUsize>) -> Result<()> {
    let (points, wanted) = (Arc::downgrade(points), Arc::downgrade(wanted));
    std::thread::Builder::new().name("front".to_owned()).spawn(move || {
        while let (Some(points), Some(wanted)) = (points.upgrade(), wanted.upgrade()) {
            let near = wanted.load(Ordering::SeqCst);
            let missing = (0..points.loaded.len()).filter(|index| points.loaded[*index].get().is_none());
            let Some(index) = missing.min_by_key(|index| index.abs_diff(near)) else { return };
            // What cannot be performed is said when the dial comes there.
            let _ = points.load(index);
        }
    })?;
    Ok(())
}

/// Performs the point under the dial with its help; where the dial turns, another one from the same time of the motion on.
struct Helped {
    points: Arc<Points>,
    wanted: Arc<AtomicUsize>,
    index: usize,
    current: Arc<Point>,
}

impl Controller for Helped {
    fn kind(&self) -> ControllerKind {
        ControllerKind::Front
    }

    fn start(&self) -> Snapshot {
        self.current.states[0].clone()
    }

    fn target(&mut self, frame: usize, _: &World<'_>, _: &Steer, out: &mut [f64]) -> Next {
        let targets = &self.current.targets;
        out.copy_from_slice(&targets[frame.min(targets.len() - 1)]);
        if frame < targets.len() { Next::Continue } else { Next::Restart }
    }

    fn jump(&mut self, frame: usize) -> Option<Snapshot> {
        let wanted = self.wanted.load(Ordering::SeqCst);
        if wanted == self.index {
            return None;
        }
        // Until it has been performed, the present one goes on.
        let Ok(other) = self.points.loaded[wanted].get()? else { return None };
        (self.index, self.current) = (wanted, other.clone());
        self.current.states.get(frame).cloned()
    }

    fn help(&self, frame: usize) -> Option<Wrench> {
        self.current.help.get(frame).copied().flatten()
    }

    fn set_dial(&mut self, dial: f64) -> Result<()> {
        let index = self.points.nearest(dial);
        if let Some(Err(sentence)) = self.points.loaded[index].get() {
            return Err(anyhow!(sentence.clone()));
        }
        self.wanted.store(index, Ordering::SeqCst);
        Ok(())
    }
}
