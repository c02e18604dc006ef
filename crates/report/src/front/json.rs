//! Values as JSON that can stand inside a `<script>` element.

/// A text in quotes. `<` is written as its number, so that no text can end the script; line separators, which older
/// scripts take for line ends, too.
pub(crate) fn json_text(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    json.push('"');
    for character in text.chars() {
        match character {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => json.push_str(&format!("\\u{:04x}", u32::from(character))),
            control if control.is_control() => json.push_str(&format!("\\u{:04x}", u32::from(control))),
            other => json.push(other),
        }
    }
    json.push('"');
    json
}

/// A number; `null` where it is not finite.
pub(crate) fn json_number(value: f64) -> String {
    // Large and small numbers in powers of ten, so that none needs hundreds of digits.
    match value {
        value if !value.is_finite() => "null".to_owned(),
        value if value != 0.0 && !(1e-6..1e15).contains(&value.abs()) => format!("{value:e}"),
        value => format!("{value}"),
    }
}

/// Elements between brackets.
pub(crate) fn json_list(elements: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", elements.into_iter().collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_cannot_leave_their_quotes_or_the_script() {
        assert_eq!(json_text("a\"b\\c"), "\"a\\\"b\\\\c\"");
        assert_eq!(json_text("</script>&\n\u{2028}"), "\"\\u003c/script\\u003e\\u0026\\u000a\\u2028\"");
        assert_eq!(json_text("höhe m/s²"), "\"höhe m/s²\"");
    }

    #[test]
    fn numbers_are_short_or_null() {
        assert_eq!(
            [1.5, -0.0, 1e300, 1e-300, f64::NAN, f64::INFINITY].map(json_number),
            ["1.5", "-0", "1e300", "1e-300", "null", "null"]
        );
        assert_eq!(json_list([1.0, 2.0].map(json_number)), "[1,2]");
    }
}
