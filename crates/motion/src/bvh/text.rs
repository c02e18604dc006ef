//! Words, names and numbers of a BVH file, byte by byte, with the line that they stand on.

use crate::ReadError;

/// Largest magnitude that an offset, position or angle may have: what lies beyond is damage, and would overflow when squared and summed.
const LARGEST: f64 = 1e9;

/// A place in the text.
#[derive(Clone)]
pub(super) struct Text<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    file: &'a str,
}

/// What a line of numbers goes on with.
pub(super) enum Next {
    /// A number.
    Number(f64),
    /// Digits that the end of the file cuts short.
    CutNumber,
    /// The end of the line.
    LineEnd,
    /// The end of the file.
    FileEnd,
}

fn is_line_end(byte: u8) -> bool {
    byte == b'\n' || byte == b'\r'
}

/// Blanks, tabs, and the control bytes that some tools leave at the end of a file.
fn is_blank(byte: u8) -> bool {
    byte <= b' ' && !is_line_end(byte)
}

impl<'a> Text<'a> {
    /// At the start of a file, after a byte order mark.
    pub fn new(bytes: &'a [u8], file: &'a str) -> Self {
        Text { bytes: bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes), at: 0, line: 1, file }
    }

    /// An error about the present line.
    pub fn error(&self, message: impl Into<String>) -> ReadError {
        ReadError::at_line(self.file, self.line, message)
    }

    /// An error about a line.
    pub fn error_at(&self, line: usize, message: impl Into<String>) -> ReadError {
        ReadError::at_line(self.file, line, message)
    }

    /// The present line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Number of bytes that are left.
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Whether nothing but white space is left.
    pub fn is_finished(&self) -> bool {
        self.bytes[self.at..].iter().all(|&byte| byte <= b' ')
    }

    /// Steps over an end of line: `\n`, `\r\n` or `\r`.
    fn pass_line_end(&mut self) {
        if self.bytes[self.at] == b'\n' || self.bytes.get(self.at + 1) != Some(&b'\n') {
            self.line += 1;
        }
        self.at += 1;
    }

    fn skip_space(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' | b'\r' => self.pass_line_end(),
                _ if byte <= b' ' => self.at += 1,
                _ => return,
            }
        }
    }

    /// The next word; a brace or a colon is a word of its own.
    pub fn word(&mut self) -> Option<&'a [u8]> {
        self.skip_space();
        let rest = &self.bytes[self.at..];
        let ends = |byte: u8| byte <= b' ' || matches!(byte, b'{' | b'}' | b':');
        let length = match rest.first()? {
            b'{' | b'}' | b':' => 1,
            _ => rest.iter().position(|&byte| ends(byte)).unwrap_or(rest.len()),
        };
        self.at += length;
        Some(&rest[..length])
    }

    /// The next word, if it is `expected` in either case; otherwise stays where it is.
    pub fn take(&mut self, expected: &[u8]) -> bool {
        let mut ahead = self.clone();
        let found = ahead.word().is_some_and(|word| word.eq_ignore_ascii_case(expected));
        if found {
            *self = ahead;
        }
        found
    }

    /// The rest of the line up to an opening brace, without the blanks around it.
    pub fn name(&mut self) -> String {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&byte| is_line_end(byte) || byte == b'{').unwrap_or(rest.len());
        self.at += length;
        String::from_utf8_lossy(&rest[..length]).trim_matches(|c: char| c.is_whitespace() || c.is_control()).into()
    }

    /// The next number, on this line or a later one; `what` names it in errors.
    pub fn number(&mut self, what: &str) -> Result<f64, ReadError> {
        self.skip_space();
        if self.at == self.bytes.len() {
            return Err(self.error(format!("the file ends where {what} should stand; export it again")));
        }
        self.parse_number().map_err(|bad| self.bad_number(bad, what))
    }

    /// The next number of this line.
    #[inline]
    pub fn next_on_line(&mut self) -> Result<Next, ReadError> {
        while let Some(&byte) = self.bytes.get(self.at) {
            if !is_blank(byte) {
                break;
            }
            self.at += 1;
        }
        match self.bytes.get(self.at) {
            None => Ok(Next::FileEnd),
            Some(&byte) if is_line_end(byte) => {
                self.pass_line_end();
                Ok(Next::LineEnd)
            }
            Some(_) => match self.parse_number() {
                Ok(value) => Ok(Next::Number(value)),
                Err(bad) if self.at == self.bytes.len() && bad.iter().all(|byte| b"+-.eE0123456789".contains(byte)) => {
                    Ok(Next::CutNumber)
                }
                Err(bad) => Err(self.bad_number(bad, "a channel value")),
            },
        }
    }

    fn bad_number(&self, bad: &[u8], what: &str) -> ReadError {
        let shown: String = String::from_utf8_lossy(bad).chars().take(40).collect();
        self.error(format!("'{shown}' should be {what}: a finite number such as -12.5, below {LARGEST:e}; correct it"))
    }

    /// Parses the number that starts here and steps over it; gives the word where it is none.
    ///
    /// A decimal `m · 10⁻ᵏ` with `m ≤ 2⁵³` and `k ≤ 22` is a quotient of two exact doubles, so that one division rounds it correctly
    /// (Clinger 1990, "How to Read Floating Point Numbers Accurately"); the standard library reads all others.
    #[inline]
    fn parse_number(&mut self) -> Result<f64, &'a [u8]> {
        let start = self.at;
        let mut at = start;
        let byte_at = |at: usize| self.bytes.get(at).copied().unwrap_or(b'\n');
        let sign = byte_at(at);
        if sign == b'-' || sign == b'+' {
            at += 1;
        }
        let mut mantissa = 0u64;
        let mut digits = at;
        while byte_at(at).is_ascii_digit() {
            mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(byte_at(at) - b'0'));
            at += 1;
        }
        let mut decimals = 0;
        if byte_at(at) == b'.' {
            at += 1;
            digits += 1;
            let first = at;
            while byte_at(at).is_ascii_digit() {
                mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(byte_at(at) - b'0'));
                at += 1;
            }
            decimals = at - first;
        }
        let digits = at - digits;
        let ends = |byte: u8| byte <= b' ' || byte == b'{' || byte == b'}';
        // Up to 18 digits fit the mantissa without wrapping.
        if (1..=18).contains(&digits) && mantissa <= 1 << 53 && ends(byte_at(at)) {
            self.at = at;
            let magnitude = mantissa as f64 / POWERS_OF_TEN[decimals];
            if magnitude <= LARGEST {
                return Ok(if sign == b'-' { -magnitude } else { magnitude });
            }
        }
        while !ends(byte_at(at)) {
            at += 1;
        }
        self.at = at;
        let word = &self.bytes[start..at];
        let parsed = std::str::from_utf8(word).ok().and_then(|word| word.parse::<f64>().ok());
        parsed.filter(|value| value.abs() <= LARGEST).ok_or(word)
    }
}

/// `10⁰ … 10²²`, all exact.
const POWERS_OF_TEN: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(word: &str) -> Option<f64> {
        Text::new(word.as_bytes(), "f").number("a number").ok()
    }

    #[test]
    fn numbers_of_every_shape() {
        for (word, value) in [
            ("0", 0.0f64),
            (".0083333", 0.0083333),
            ("-.5", -0.5),
            ("+3.", 3.0),
            ("1e-5", 1e-5),
            ("-2.5E+3", -2500.0),
            ("0.1", 0.1),
            ("123456789.123456789", 123_456_789.123_456_79),
            ("00000000000000000000000000001.5", 1.5),
            ("0.00000000000000000000000000000000001", 1e-35),
            ("1000000000", 1e9),
        ] {
            assert_eq!(read(word).map(f64::to_bits), Some(value.to_bits()), "{word}");
        }
        for word in
            ["", "-", ".", "-.", "nan", "NaN", "inf", "-infinity", "1e999", "1e10", "1,5", "12a", "1.2.3", "--1", "#"]
        {
            assert_eq!(read(word), None, "{word}");
        }
    }

    #[test]
    fn names_reach_to_the_end_of_the_line_or_a_brace() {
        let mut text = Text::new(b"JOINT  Left Arm.001 \t\r\n{ x", "f");
        assert!(text.take(b"joint"));
        assert_eq!(text.name(), "Left Arm.001");
        assert_eq!(text.word(), Some(&b"{"[..]));
        assert_eq!(text.line, 2);
    }

    #[test]
    fn every_kind_of_line_end_is_one_line() {
        let mut text = Text::new(b"a\nb\r\nc\rd\n\r\ne", "f");
        let lines: Vec<usize> = std::iter::from_fn(|| text.word().map(|_| text.line)).collect();
        assert_eq!(lines, [1, 2, 3, 4, 6]);
    }

    proptest! {
        #[test]
        fn decimals_round_as_the_standard_library_does(mantissa in -1i64 << 60..1 << 60, shift in 0u32..60, decimals in 0usize..30) {
            let digits = format!("{:0>width$}", (mantissa >> shift).unsigned_abs(), width = decimals + 1);
            let (whole, fraction) = digits.split_at(digits.len() - decimals);
            let word = format!("{}{whole}.{fraction}", if mantissa < 0 { "-" } else { "" });
            let expected: f64 = word.parse().unwrap();
            prop_assert_eq!(read(&word).map(f64::to_bits), (expected.abs() <= LARGEST).then_some(expected.to_bits()));
        }
    }
}
