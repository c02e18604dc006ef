//! When contact sites touch the ground.

use crate::config::DataConfig;
use crate::figure::Figure;

/// Standard gravity, m/s².
const GRAVITY: f64 = 9.80665;

/// Finds which sites touch the ground `z = 0`, a bit for each, of every frame; `places` are [`Figure::site_places`] of all frames.
///
/// A site touches where it is low and slow (`contact_height`, `contact_speed`), and in the frames on either side of those that keep to `contact_release`
/// times these limits.
pub fn find_contacts(figure: &Figure, places: &[Vec<[f64; 3]>], rate_hz: f64, config: &DataConfig) -> Vec<u32> {
    let frames = places.len();
    let highest = config.contact_height * figure.height_m();
    let fastest = config.contact_speed * (GRAVITY * figure.height_m()).sqrt();
    let mut contacts = vec![0u32; frames];
    for (index, site) in figure.sites().iter().enumerate() {
        let within = |frame: usize, times: f64| {
            let low = places[frame][index][2] - site.radius <= times * highest;
            low && speed(places, index, frame, rate_hz) <= times * fastest
        };
        for (first, end) in runs(frames, |frame| within(frame, config.contact_release)) {
            let is_long = (end - first) as f64 >= config.shortest_contact_secs * rate_hz;
            if is_long && (first..end).any(|frame| within(frame, 1.0)) {
                contacts[first..end].iter_mut().for_each(|bits| *bits |= 1 << index);
            }
        }
    }
    contacts
}

/// Speed of a site by central differences, m/s.
fn speed(places: &[Vec<[f64; 3]>], site: usize, frame: usize, rate_hz: f64) -> f64 {
    let (before, after) = (frame.saturating_sub(1), (frame + 1).min(places.len() - 1));
    let way: f64 = (0..3).map(|k| (places[after][site][k] - places[before][site][k]).powi(2)).sum();
    way.sqrt() * rate_hz / (after - before).max(1) as f64
}

/// Spans of neighbouring frames for which something holds: first frame and the one after the last.
pub(crate) fn runs(frames: usize, holds: impl Fn(usize) -> bool) -> Vec<(usize, usize)> {
    let mut spans = Vec::new();
    let mut first = None;
    for frame in 0..=frames {
        match (first, frame < frames && holds(frame)) {
            (None, true) => first = Some(frame),
            (Some(begun), false) => {
                spans.push((begun, frame));
                first = None;
            }
            _ => {}
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_sim::embedded;

    #[test]
    fn an_authored_step_has_the_contacts_that_were_drawn() {
        let figure = Figure::new(&embedded::humanoid(), 0.0).unwrap();
        let sites = figure.sites().len();
        // Site 0 stands in frames 0 to 9, is carried 0.6 m forward by frame 19 at 15 cm, and stands again; site 1 hovers; site 2 skates on the ground.
        let places: Vec<Vec<[f64; 3]>> = (0..30)
            .map(|frame: i32| {
                let swing = f64::from((frame - 9).clamp(0, 10)) / 10.0;
                let lift = if swing > 0.0 && swing < 1.0 { 0.15 } else { 0.0 };
                let mut row = vec![[0.0, 0.0, 1.0]; sites];
                row[0] = [0.6 * swing, 0.0, lift + figure.sites()[0].radius];
                row[1] = [0.0, 0.0, 0.2];
                row[2] = [0.08 * f64::from(frame), 0.0, figure.sites()[2].radius];
                row
            })
            .collect();
        let contacts = find_contacts(&figure, &places, 30.0, &DataConfig::default());
        let of = |site: usize| -> Vec<usize> { (0..30).filter(|&f| contacts[f] >> site & 1 == 1).collect() };
        // The frame before the foot leaves and the one after it lands are fast already.
        assert_eq!(of(0), (0..9).chain(20..30).collect::<Vec<_>>());
        assert!(of(1).is_empty() && of(2).is_empty());
        // A site that is down for two frames, 0.07 s, only taps.
        let mut tap = places.clone();
        for (frame, row) in tap.iter_mut().enumerate() {
            let height = if [14, 15].contains(&frame) { figure.sites()[0].radius } else { 0.5 };
            row[0] = [0.0, 0.0, height];
        }
        let loose = DataConfig { contact_speed: 100.0, ..DataConfig::default() };
        assert!(find_contacts(&figure, &tap, 30.0, &loose).iter().all(|bits| bits & 1 == 0));
        let patient = DataConfig { shortest_contact_secs: 0.05, ..loose };
        assert_eq!(find_contacts(&figure, &tap, 30.0, &patient).iter().filter(|bits| *bits & 1 == 1).count(), 2);
    }
}
