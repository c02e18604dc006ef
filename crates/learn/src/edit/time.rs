//! Faster and slower: when each frame of an edited motion happens in the motion that it was made of.

/// Frames over which changes of pace are spread to either side.
const SMOOTH: usize = 4;

/// Returns the time, in frames of the motion, of each frame of the edited one, from 0 to its last.
///
/// `paces` says how many frames of the motion pass in one of the edited; where nothing touches the ground the pace is 1, since flights take the time that
/// gravity gives them.
pub fn frame_times(paces: &[f64], contacts: &[u32]) -> Vec<f64> {
    let n = paces.len();
    let wanted: Vec<f64> =
        paces.iter().zip(contacts).map(|(&pace, &bits)| if bits == 0 { 1.0 } else { pace }).collect();
    let smooth: Vec<f64> = (0..n)
        .map(|i| {
            let around = i.saturating_sub(SMOOTH)..(i + SMOOTH + 1).min(n);
            let count = around.len() as f64;
            around.map(|j| wanted[j]).sum::<f64>() / count
        })
        .collect();
    let mut times = Vec::new();
    let mut at = 0.0;
    while n > 0 && at <= (n - 1) as f64 {
        times.push(at);
        let first = at as usize;
        let share = at - first as f64;
        at += smooth[first] + share * (smooth[(first + 1).min(n - 1)] - smooth[first]);
    }
    times
}

#[cfg(test)]
mod tests {
    use super::frame_times;

    #[test]
    fn an_even_pace_is_even_and_flights_keep_theirs() {
        assert_eq!(frame_times(&[1.0; 5], &[1; 5]), [0.0, 1.0, 2.0, 3.0, 4.0]);
        let faster = frame_times(&[1.25; 101], &[1; 101]);
        assert_eq!(faster.len(), 81);
        assert!((faster[40] - 50.0).abs() < 1e-9);
        let flight = frame_times(&[1.25; 101], &[0; 101]);
        assert_eq!(flight.len(), 101);
        assert!(frame_times(&[], &[]).is_empty());
    }
}
