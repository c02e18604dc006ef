use gif::{ColorOutput, DecodeOptions};

use super::*;
use crate::scene::{Arrow, Shape, Solid};

fn ball_at(x: f64) -> Frame {
    let shape = Shape::Sphere { center: [x, 0.0, 0.3], radius: 0.3 };
    Frame { solids: vec![Solid { shape, color: [210, 60, 50] }], caption: format!("{x:.1} m"), ..Frame::default() }
}

fn rolling(count: usize) -> Vec<Frame> {
    (0..count).map(|i| ball_at(i as f64 * 0.1)).collect()
}

fn small(tracks: Vec<Track>) -> Animation {
    Animation {
        title: "Rolling".to_owned(),
        tracks,
        width: 72,
        height: 64,
        camera: Camera::fixed(1.6, 0.2),
        ..Animation::default()
    }
}

fn two_tracks(left: usize, right: usize) -> Animation {
    let track = |label: &str, count| Track { label: label.to_owned(), frames: rolling(count) };
    small(vec![track("key-framed", left), track("simulated", right)])
}

/// A GIF as a viewer sees it.
struct Decoded {
    size: (usize, usize),
    repeat: Repeat,
    /// Delay of each moment, and the canvas that it leaves.
    moments: Vec<(u16, Vec<[u8; 4]>)>,
}

fn decode(bytes: &[u8]) -> Decoded {
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::RGBA);
    let mut decoder = options.read_info(bytes).unwrap();
    let (width, height) = (usize::from(decoder.width()), usize::from(decoder.height()));
    let mut canvas = vec![[0; 4]; width * height];
    let mut moments = Vec::new();
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        for (i, pixel) in frame.buffer.as_chunks::<4>().0.iter().enumerate() {
            let (x, y) = (i % usize::from(frame.width), i / usize::from(frame.width));
            if pixel[3] > 0 {
                canvas[(y + usize::from(frame.top)) * width + x + usize::from(frame.left)] = *pixel;
            }
        }
        moments.push((frame.delay, canvas.clone()));
    }
    Decoded { size: (width, height), repeat: decoder.repeat(), moments }
}

#[test]
fn every_moment_is_shown_for_its_time_and_the_file_loops() {
    let animation = two_tracks(7, 7);
    let Decoded { size: (width, height), repeat, moments } = decode(&animation.encode_gif().unwrap());
    assert!(width > 2 * 72 && height > 64);
    assert_eq!(repeat, Repeat::Infinite);
    // 15 frames a second are 6.67 hundredths: rounded ends, no drift.
    let delays: Vec<u16> = moments.iter().map(|(delay, _)| *delay).collect();
    assert_eq!(delays, [7, 6, 7, 7, 6, 7, 7]);
    let at_20_hz = Animation { rate_hz: 20.0, ..two_tracks(3, 3) };
    assert!(decode(&at_20_hz.encode_gif().unwrap()).moments.iter().all(|(delay, _)| *delay == 5));
}

#[test]
fn decoded_moments_look_like_the_drawn_ones() {
    let animation = two_tracks(5, 5);
    let page = AnimationPage::lay_out(&animation).unwrap();
    let stage = Stage::new(&animation, &page);
    let Decoded { moments, .. } = decode(&animation.encode_gif().unwrap());
    for (moment, (_, canvas)) in moments.iter().enumerate() {
        let drawn = stage.draw(moment);
        let differences = canvas.iter().zip(drawn.rgb.as_chunks::<3>().0);
        let mean: f64 = differences
            .map(|(shown, drawn)| (0..3).map(|c| f64::from(shown[c].abs_diff(drawn[c]))).sum::<f64>() / 3.0)
            .sum::<f64>()
            / canvas.len() as f64;
        assert!(mean < 3.0, "moment {moment} is off by {mean} levels on average");
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let animation = two_tracks(70, 9);
    let one = animation.encode_gif_on(NonZero::new(1).unwrap()).unwrap();
    for threads in [2, 5] {
        assert!(one == animation.encode_gif_on(NonZero::new(threads).unwrap()).unwrap(), "{threads} threads");
    }
}

#[test]
fn a_track_that_ended_is_paled_and_stands_still() {
    let Decoded { moments, .. } = decode(&two_tracks(6, 2).encode_gif().unwrap());
    assert_eq!(moments.len(), 6);
    let half = |canvas: &[[u8; 4]], right: bool| -> Vec<[u8; 4]> {
        let width = 2 * 12 + 2 * 72 + 12;
        canvas.chunks(width).flat_map(|row| row[if right { width / 2..width } else { 0..width / 2 }].to_vec()).collect()
    };
    assert!(half(&moments[2].1, true) == half(&moments[5].1, true));
    assert!(half(&moments[2].1, false) != half(&moments[5].1, false));
    let brightness = |moment: usize| -> u64 { half(&moments[moment].1, true).iter().map(|p| u64::from(p[1])).sum() };
    assert!(brightness(2) > brightness(1) + 10_000, "paled");
}

#[test]
fn a_rare_arrow_keeps_its_color() {
    let mut frames = rolling(40);
    frames[7].arrows.push(Arrow { from: [0.0, 0.0, 1.2], to: [0.7, 0.0, 0.6], color: [20, 160, 60] });
    let Decoded { moments, .. } = decode(&small(vec![Track { label: String::new(), frames }]).encode_gif().unwrap());
    let greens = |canvas: &[[u8; 4]]| canvas.iter().filter(|p| p[1] > p[0].max(p[2]).saturating_add(60)).count();
    assert!(greens(&moments[7].1) > 10);
    assert_eq!(greens(&moments[6].1), 0);
    assert_eq!(greens(&moments[8].1), 0);
}

#[test]
fn moments_without_change_and_bad_solids_are_written() {
    let still = vec![ball_at(0.0); 4];
    assert_eq!(
        decode(&small(vec![Track { label: String::new(), frames: still }]).encode_gif().unwrap()).moments.len(),
        4
    );
    let broken = vec![ball_at(f64::NAN), Frame::default(), ball_at(1e300)];
    let animation = small(vec![Track::default(), Track { label: "<".repeat(500), frames: broken }]);
    assert_eq!(decode(&animation.encode_gif().unwrap()).moments.len(), 3);
}

#[test]
fn what_cannot_be_animated_is_an_error() {
    assert!(matches!(small(Vec::new()).encode_gif(), Err(ReportError::NoMoments)));
    assert!(matches!(small(vec![Track::default()]).encode_gif(), Err(ReportError::NoMoments)));
    for rate_hz in [0.0, -1.0, f64::NAN, f64::INFINITY, 51.0] {
        let animation = Animation { rate_hz, ..two_tracks(1, 1) };
        assert!(matches!(animation.encode_gif(), Err(ReportError::FrameRate { .. })), "{rate_hz}");
    }
    let empty = Animation { width: 0, ..two_tracks(1, 1) };
    assert!(matches!(empty.encode_gif(), Err(ReportError::EmptyFrame { .. })));
    for (width, height) in [(40_000, 10), (10, 70_000), (u32::MAX, u32::MAX), (6_000, 6_000)] {
        let large = Animation { width, height, ..two_tracks(1, 1) };
        assert!(matches!(large.encode_gif(), Err(ReportError::TooLarge { .. })), "{width} x {height}");
    }
}
