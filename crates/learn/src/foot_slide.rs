//! How far feet slide while they stand.

use serde::{Deserialize, Serialize};

/// How far contact sites slide along the ground while they are in contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FootSlide {
    /// Mean speed along the ground while in contact, cm/s.
    pub mean_cm_per_sec: f64,
    /// Longest way between two frames that are both in contact, cm.
    pub max_step_cm: f64,
    /// Farthest that a site gets from where its contact began, cm.
    pub max_cm: f64,
    /// Time in contact, summed over sites, s.
    pub contact_secs: f64,
}

impl FootSlide {
    /// Measures one sequence: `places` and `contacts` of each frame, all sites of it in a row.
    pub fn measure(places: &[Vec<[f64; 3]>], contacts: &[u32], rate_hz: f64) -> FootSlide {
        let mut slide = FootSlide::default();
        let mut way = 0.0;
        for site in 0..places.first().map_or(0, Vec::len) {
            let mut began: Option<[f64; 3]> = None;
            for frame in 0..places.len() {
                let here = places[frame][site];
                if contacts[frame] >> site & 1 == 0 {
                    began = None;
                    continue;
                }
                if let Some(start) = began {
                    let step = level_distance(here, places[frame - 1][site]);
                    way += step;
                    slide.contact_secs += 1.0 / rate_hz;
                    slide.max_step_cm = slide.max_step_cm.max(100.0 * step);
                    slide.max_cm = slide.max_cm.max(100.0 * level_distance(here, start));
                } else {
                    began = Some(here);
                }
            }
        }
        slide.mean_cm_per_sec = if slide.contact_secs > 0.0 { 100.0 * way / slide.contact_secs } else { 0.0 };
        slide
    }

    /// Joins the measures of two sequences.
    #[must_use]
    pub fn joined(&self, other: &FootSlide) -> FootSlide {
        let contact_secs = self.contact_secs + other.contact_secs;
        let way = self.mean_cm_per_sec * self.contact_secs + other.mean_cm_per_sec * other.contact_secs;
        FootSlide {
            mean_cm_per_sec: if contact_secs > 0.0 { way / contact_secs } else { 0.0 },
            max_step_cm: self.max_step_cm.max(other.max_step_cm),
            max_cm: self.max_cm.max(other.max_cm),
            contact_secs,
        }
    }
}

fn level_distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    let (x, y) = (a[0] - b[0], a[1] - b[1]);
    (x * x + y * y).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sites_in_contact_slide() {
        // The first site slides 1 cm a frame while in contact in frames 1 to 4; the second moves but never touches.
        let places: Vec<Vec<[f64; 3]>> =
            (0..6).map(|f| vec![[0.01 * f as f64, 0.0, 0.0], [0.0, 0.5 * f as f64, 0.3]]).collect();
        let contacts = [0, 1, 1, 1, 1, 0];
        let slide = FootSlide::measure(&places, &contacts, 30.0);
        assert!((slide.mean_cm_per_sec - 30.0).abs() < 1e-9, "{slide:?}");
        assert!((slide.max_step_cm - 1.0).abs() < 1e-9 && (slide.max_cm - 3.0).abs() < 1e-9, "{slide:?}");
        assert!((slide.contact_secs - 0.1).abs() < 1e-12);
        let still = FootSlide { contact_secs: 0.1, ..FootSlide::default() };
        assert!((slide.joined(&still).mean_cm_per_sec - 15.0).abs() < 1e-9);
    }
}
