//! A rig made larger or smaller, its file's unit with it, so that what is written back has the file's own numbers.

use crate::Rig;

impl Rig {
    /// Multiplies all lengths: bones, skin, travel, and the metres in one unit of the file.
    pub fn resize(&mut self, factor: f64) {
        let skeleton = &mut self.skeleton;
        skeleton.source.metres_per_unit *= factor;
        for joint in &mut skeleton.joints {
            joint.offset *= factor;
            joint.tips.iter_mut().chain(&mut joint.skin).for_each(|point| *point *= factor);
        }
        self.clips.iter_mut().flat_map(|clip| &mut clip.root_positions).for_each(|position| *position *= factor);
        let report = &mut self.report;
        report.stretch_error_m = report.stretch_error_m.map(|error| factor * error);
        for joint in &mut report.stretched {
            (joint.mean_m, joint.max_m) = (factor * joint.mean_m, factor * joint.max_m);
        }
    }
}
