//! Characters made again: at another size, with another axis up, or of a file that has changed. Their edits stay, and all of it can be undone.

use super::Project;
use super::characters::find_rig;
use crate::error::Refusal;
use crate::protocol::{CharacterDetail, RefitRequest, RemakeRequest, SizeDetail, SizeSource};
use sinew::modeling::Modeling;
use sinew_modeler::{Change, CharacterProject, Edit, ModelOptions, as_kind, refit};
use sinew_motion::{ImportOptions, SizeRule};
use sinew_sim::Shape;
use std::f64::consts::PI;

/// Smallest and largest figure that can be asked for, m.
const HEIGHTS: [f64; 2] = [0.02, 100.0];
/// Units that differ by less than this share are the same.
const SAME: f64 = 1e-9;

impl Project {
    /// Makes a character again at a size or with an axis up; what is not given stays as it is.
    ///
    /// # Errors
    /// Where its rig is not there, or no character can be made so; then nothing has changed.
    pub fn remake_character(&self, request: &RemakeRequest) -> Result<CharacterDetail, Refusal> {
        let RemakeRequest { id, revision, height_m, metres_per_unit, up, guess } = request;
        let seen = self.character_detail(id)?.revision;
        let made = self.character(id)?;
        let rig = self.rig_of_character(id, &made)?;
        let [low, high] = HEIGHTS;
        if let Some(height) = height_m.filter(|height| !(low..=high).contains(height)) {
            return Err(Refusal::bad(format!("a height of {height} m: give one from {low} to {high} m")));
        }
        if let Some(unit) = metres_per_unit.filter(|unit| !(unit.is_finite() && *unit > 0.0)) {
            return Err(Refusal::bad(format!(
                "{unit} m in a unit: give a positive number, such as 0.01 for centimetres"
            )));
        }
        let old = made.options();
        let keeps_size = height_m.or(*metres_per_unit).is_none() && !guess;
        let read = ImportOptions {
            up: if *guess { *up } else { up.or(old.up) },
            height: *height_m,
            scale: *metres_per_unit,
            size: if keeps_size { SizeRule::File } else { SizeRule::Judged },
        };
        let mut source = self.open_sized_rig(&rig, &read)?;
        let unit = match (keeps_size, old.metres_per_unit) {
            (true, Some(unit)) => {
                source.resize_to_unit(unit);
                Some(unit)
            }
            (true, None) => None,
            (false, _) => source.changed_unit(),
        };
        let options = ModelOptions { metres_per_unit: unit, up: read.up, source: rig, ..old.clone() };
        let next = Modeling::character(&source, &[], &options)?;
        self.change(id, Some(revision.unwrap_or(seen)), |project| {
            project.remake(next);
            Ok(())
        })
    }

    /// Makes a character again of its rig's file as that is now, as large as it was. Returns the edits that no longer fit.
    ///
    /// # Errors
    /// Where no character can be made of it; then nothing has changed.
    pub fn remake_of_changed_rig(&self, id: &str) -> Result<(CharacterDetail, Vec<String>), Refusal> {
        let made = self.character(id)?;
        let rig = self.rig_of_character(id, &made)?;
        let source = self.open_rig_of(&rig, &made)?;
        let next = Modeling::character(&source, &[], made.options())?;
        let mut lost = Vec::new();
        let detail = self.change(id, None, |project| {
            lost = project.remake(next);
            Ok(())
        })?;
        Ok((detail, lost))
    }

    /// Gives a body shapes that fit its skin, or one of its shapes another kind.
    ///
    /// # Errors
    /// Where there is no such body or shape, or no skin to fit it to; then nothing has changed.
    pub fn refit_body(&self, request: &RefitRequest) -> Result<CharacterDetail, Refusal> {
        let RefitRequest { id, revision, body, kind, shape, mirror } = request;
        let seen = self.character_detail(id)?.revision;
        let made = self.character(id)?;
        let bodies = &made.character().bodies;
        let own = bodies.iter().find(|own| own.name == *body);
        let own =
            own.ok_or_else(|| Refusal::missing(format!("{id} has no body {body:?}; choose one from the list")))?;
        let shapes = match (shape, kind) {
            (Some(index), Some(kind)) => {
                let mut shapes = own.shapes.clone();
                let one = shapes.get_mut(*index);
                let one =
                    one.ok_or_else(|| Refusal::bad(format!("body {body:?} has no shape {index}; count from 0")))?;
                *one = as_kind(one, *kind);
                shapes
            }
            (Some(_), None) => return Err(Refusal::bad("say which kind the shape is to be: capsule, box or sphere")),
            (None, kind) => {
                let rig = self.rig_of_character(id, &made)?;
                let source = self.rig_of(&rig, &made)?;
                let fitted = refit(made.character(), made.binding(), &source.rig.skeleton, body, *kind);
                fitted.ok_or_else(|| Refusal::bad(format!("hardly any skin follows body {body:?}; size it by hand")))?
            }
        };
        let change = Change { edit: Edit::SetShapes { body: body.clone(), shapes }, mirror: *mirror };
        self.change(id, Some(revision.unwrap_or(seen)), |project| {
            project.edit(change).map_err(|e| Refusal::bad(e.to_string()))
        })
    }

    /// Lets a character take its clips from another file with the same skeleton.
    ///
    /// # Errors
    /// Where the character is not there.
    pub fn take_clips_of(&self, id: &str, rig: &str) -> Result<CharacterDetail, Refusal> {
        self.rig_path(rig)?;
        self.change(id, None, |project| {
            project.take_source(rig);
            Ok(())
        })
    }

    fn rig_of_character(&self, id: &str, made: &CharacterProject) -> Result<String, Refusal> {
        let source = &made.options().source;
        find_rig(&self.scan(), source)
            .ok_or_else(|| Refusal::missing(format!("{id}: its rig {source:?} is not in the project; drop it in")))
    }

    /// How large a character is, and why; without its rig, only what its bodies say.
    pub(super) fn size_of(&self, rig: Option<&str>, made: &CharacterProject) -> SizeDetail {
        let volume_m3 = made.character().bodies.iter().flat_map(|body| &body.shapes).map(volume).sum();
        let guessed_mass_kg = made.guessed_mass();
        let unknown = SizeDetail { volume_m3, guessed_mass_kg, ..SizeDetail::default() };
        let Some(rig) = rig else { return unknown };
        let (Ok(guess), Ok(own)) = (self.rig(rig), self.rig_of(rig, made)) else { return unknown };
        let (file, guessed) = (&own.rig.skeleton, &guess.rig.skeleton);
        let unit = file.source.metres_per_unit;
        let is_guess = (unit / guessed.source.metres_per_unit - 1.0).abs() < SAME;
        let by_clips = guess.rig.report.repairs.iter().find(|sentence| sentence.starts_with("The file says "));
        let reason = by_clips.cloned().unwrap_or_else(|| guess.rig.report.unit.clone());
        SizeDetail {
            height_m: Some(file.height()),
            metres_per_unit: Some(unit),
            up: Some(file.source.up),
            size_source: if is_guess { SizeSource::Guess } else { SizeSource::User },
            guessed_height_m: Some(guessed.height()),
            size_reason: reason,
            up_reason: own.rig.report.up.clone(),
            ..unknown
        }
    }
}

/// Of a shape, m³.
fn volume(shape: &Shape) -> f64 {
    match shape {
        Shape::Sphere { radius, .. } => 4.0 / 3.0 * PI * radius * radius * radius,
        Shape::Box { half_extents: [x, y, z], .. } => 8.0 * x * y * z,
        Shape::Capsule { from, to, radius } => {
            let length = (0..3).map(|k| (to[k] - from[k]) * (to[k] - from[k])).sum::<f64>().sqrt();
            PI * radius * radius * (length + 4.0 / 3.0 * radius)
        }
    }
}
