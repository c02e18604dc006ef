//! Text: the dots of the glyph sheet joined into round strokes, so that letters look drawn at any size.

use crate::font::{GLYPH_ASCENT, GLYPH_COLUMNS, GLYPH_ROWS, Glyph};
use crate::image::Image;
use crate::vector::length_2d;

/// Dots between two letters.
const LETTER_GAP: f64 = 1.15;
/// Width of the space, dots.
const SPACE_WIDTH: f64 = 2.6;
/// Half the width of a stroke, dots.
const STROKE_HALF_WIDTH: f64 = 0.46;

/// Pixels from the top of a capital to the bottom of a descender.
pub(crate) fn text_height(dot: f64) -> f64 {
    GLYPH_ROWS as f64 * dot
}

/// Pixels from one line of text to the next.
pub(crate) fn line_height(dot: f64) -> f64 {
    (GLYPH_ASCENT as f64 + 4.0) * dot
}

/// Pixels that a line of text takes, with dots `dot` pixels wide.
pub(crate) fn text_width(text: &str, dot: f64) -> f64 {
    let dots: f64 = text.chars().map(|c| advance(c) + LETTER_GAP).sum();
    (dots - LETTER_GAP).max(0.0) * dot
}

/// Dots that a character takes. Digits are all as wide as one another, so that numbers line up.
fn advance(character: char) -> f64 {
    match Glyph::of(character).extent() {
        _ if character.is_ascii_digit() => GLYPH_COLUMNS as f64,
        Some((first, last)) => (last - first + 1) as f64,
        None => SPACE_WIDTH,
    }
}

/// Draws one line of text with the top left corner of its first capital at `left, top`.
pub(crate) fn draw_text(image: &mut Image, text: &str, left: f64, top: f64, dot: f64, color: [u8; 3]) {
    let mut pen = left;
    for character in text.chars() {
        let glyph = Glyph::of(character);
        if let Some((first, _)) = glyph.extent() {
            let first = if character.is_ascii_digit() { 0 } else { first };
            draw_strokes(image, &strokes(&glyph), pen - first as f64 * dot, top, dot, color);
        }
        pen += (advance(character) + LETTER_GAP) * dot;
    }
}

/// A straight stroke between the centres of two dots.
type Stroke = [[f64; 2]; 2];

/// Joins neighbouring dots. Diagonal neighbours are joined only when no third dot already turns the corner.
fn strokes(glyph: &Glyph) -> Vec<Stroke> {
    let mut strokes = Vec::new();
    for row in 0..GLYPH_ROWS as isize {
        for column in 0..GLYPH_COLUMNS as isize {
            if !glyph.has_dot(column, row) {
                continue;
            }
            let center = |c: isize, r: isize| [c as f64 + 0.5, r as f64 + 0.5];
            let mut is_alone = true;
            for (dx, dy) in [(1, 0), (0, 1), (1, 1), (-1, 1)] {
                if !glyph.has_dot(column + dx, row + dy) {
                    continue;
                }
                let turns_corner = glyph.has_dot(column + dx, row) || glyph.has_dot(column, row + dy);
                if dx == 0 || dy == 0 || !turns_corner {
                    strokes.push([center(column, row), center(column + dx, row + dy)]);
                    is_alone = false;
                }
            }
            if is_alone {
                strokes.push([center(column, row); 2]);
            }
        }
    }
    strokes
}

fn draw_strokes(image: &mut Image, strokes: &[Stroke], left: f64, top: f64, dot: f64, color: [u8; 3]) {
    let last_x = (left + (GLYPH_COLUMNS as f64 + 0.5) * dot).ceil() as i64;
    let last_y = (top + (GLYPH_ROWS as f64 + 0.5) * dot).ceil() as i64;
    for y in (top - dot).floor() as i64..=last_y {
        for x in (left - dot).floor() as i64..=last_x {
            let point = [(x as f64 + 0.5 - left) / dot, (y as f64 + 0.5 - top) / dot];
            let gap = strokes.iter().map(|stroke| distance(point, stroke)).fold(f64::INFINITY, f64::min);
            let coverage = (STROKE_HALF_WIDTH - gap) * dot + 0.5;
            if coverage > 0.0 {
                image.blend(x, y, color, coverage);
            }
        }
    }
}

/// Distance from a point to a segment.
fn distance(point: [f64; 2], [a, b]: &Stroke) -> f64 {
    let (axis, offset) = ([b[0] - a[0], b[1] - a[1]], [point[0] - a[0], point[1] - a[1]]);
    let squared = axis[0] * axis[0] + axis[1] * axis[1];
    let fraction =
        if squared > 0.0 { ((offset[0] * axis[0] + offset[1] * axis[1]) / squared).clamp(0.0, 1.0) } else { 0.0 };
    length_2d(offset[0] - fraction * axis[0], offset[1] - fraction * axis[1])
}

/// Breaks text into lines no wider than `width` pixels, at most `most_lines` of them; what does not fit is replaced
/// by three dots. Words wider than a line are broken.
pub(crate) fn wrap(text: &str, width: f64, dot: f64, most_lines: usize) -> Vec<String> {
    let fits = |line: &str| text_width(line, dot) <= width;
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split(' ') {
            let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
            if fits(&longer) {
                line = longer;
                continue;
            }
            if !line.is_empty() {
                lines.push(std::mem::take(&mut line));
            }
            for character in word.chars() {
                line.push(character);
                if !fits(&line) && line.chars().count() > 1 {
                    line.pop();
                    lines.push(std::mem::replace(&mut line, character.to_string()));
                }
            }
        }
        lines.push(line);
        if lines.len() > most_lines {
            break;
        }
    }
    if lines.len() > most_lines {
        lines.truncate(most_lines);
        if let Some(last) = lines.last_mut() {
            while !last.is_empty() && !fits(&format!("{last}...")) {
                last.pop();
            }
            last.push_str("...");
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dark_pixels(image: &Image) -> usize {
        image.rgb.chunks(3).filter(|p| p[0] < 100).count()
    }

    #[test]
    fn text_stays_within_its_measured_box() {
        let mut image = Image::filled(200, 60, [255; 3]);
        draw_text(&mut image, "Push 150 N, gj", 20.0, 20.0, 2.0, [0; 3]);
        assert!(dark_pixels(&image) > 200);
        let (right, bottom) = (20.0 + text_width("Push 150 N, gj", 2.0) + 1.0, 20.0 + text_height(2.0) + 1.0);
        for (i, pixel) in image.rgb.chunks(3).enumerate().filter(|(_, p)| p[0] < 255) {
            let (x, y) = ((i % 200) as f64, (i / 200) as f64);
            assert!((19.0..right).contains(&x) && (19.0..bottom).contains(&y), "{pixel:?} at {x}, {y}");
        }
    }

    #[test]
    fn digits_are_equally_wide() {
        assert_eq!(text_width("0.11", 2.0), text_width("8.88", 2.0));
    }

    #[test]
    fn long_text_wraps_and_ends_in_dots() {
        let lines = wrap("the quick brown fox jumps over the lazy dog", 120.0, 2.0, 3);
        assert_eq!(lines.len(), 3);
        assert!(lines.iter().all(|line| text_width(line, 2.0) <= 120.0), "{lines:?}");
        assert!(lines[2].ends_with("..."), "{lines:?}");
        assert_eq!(wrap("one\ntwo", 120.0, 2.0, 3), ["one", "two"]);
        assert!(wrap("", 120.0, 2.0, 3).is_empty());
        assert_eq!(wrap("abc", 0.0, 2.0, 9), ["a", "b", "c"]);
    }

    #[test]
    fn letters_cut_by_the_edge_do_not_panic() {
        let mut image = Image::filled(5, 5, [255; 3]);
        draw_text(&mut image, "W\u{1F600}é", -8.0, -3.0, 2.0, [0; 3]);
    }
}
