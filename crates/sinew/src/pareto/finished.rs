//! A front that was found, with all that pages and pictures are made from.

use super::{Controller, Evaluator, Front, FrontPoint, Recording, Sample, Search, SearchConfig};
use anyhow::{Result, bail};
use sinew_sim::Model;
use sinew_sim::fnv::fnv1a;

/// A finished search: plain numbers, and a way to let its jumps be seen.
pub struct Finished {
    /// The settings.
    pub config: SearchConfig,
    /// The front, the lowest jump first.
    pub front: Front,
    /// Every jump that was tried, in order.
    pub samples: Vec<Sample>,
    evaluator: Evaluator,
}

impl Finished {
    /// Takes the front of a search and lets each of its jumps be performed again from the text of its file.
    ///
    /// # Errors
    /// Where one of them then fails or comes to something else.
    pub fn new(search: &Search, evaluator: Evaluator) -> Result<Finished> {
        let finished = Finished {
            config: search.config().clone(),
            front: Front::of(search),
            samples: search.samples().to_vec(),
            evaluator,
        };
        for (index, point) in finished.front.points.iter().enumerate() {
            let controller = Controller::from_toml(&finished.controller_text(index)?)?;
            let jump = finished.perform(&controller)?.jump;
            let again = FrontPoint::new(&controller, &jump, &finished.config.objectives);
            if jump.failure.is_some() || again != *point {
                bail!(
                    "jump {index} of the front reached {} m in the search, but from its file comes to {jump:?}",
                    point.height
                );
            }
        }
        Ok(finished)
    }

    /// Lets a controller jump: poses of the jumper every 5 ms.
    ///
    /// # Errors
    /// Where the simulator makes no world.
    pub fn perform(&self, controller: &Controller) -> Result<Recording> {
        Ok(self.evaluator.perform(controller)?)
    }

    /// The compiled scene that the poses are of.
    pub fn model(&self) -> &Model {
        self.evaluator.model()
    }

    /// The text of `controllers/NN.toml`.
    ///
    /// # Errors
    /// Where the front's numbers are no controller.
    pub fn controller_text(&self, index: usize) -> Result<String> {
        let point: &FrontPoint = &self.front.points[index];
        let kind = match point.is_natural() {
            true => "natural".to_owned(),
            false => format!(
                "helped: gravity {:.2} m/s² at take-off, grown back after {:.2} s",
                point.take_off_gravity, point.assist_secs
            ),
        };
        let head =
            format!("A jump whose head reaches {:.3} m with an effort of {:.3}, {kind}.", point.height, point.effort);
        Ok(point.controller()?.to_toml(&[head]))
    }

    /// FNV-1a of `front.json`, 16 hexadecimal digits.
    pub fn hash(&self) -> String {
        format!("{:016x}", fnv1a(self.front.to_json().bytes()))
    }
}
