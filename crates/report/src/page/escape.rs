//! Text from outside made safe inside HTML and inside addresses.

/// Text for HTML, between tags or inside a quoted attribute.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// A file name as a relative address: it starts with `./`, so that no part of it is read as a scheme, and everything
/// with a meaning in addresses is written as `%` and its number.
pub(crate) fn relative_address(name: &str) -> String {
    let mut address = String::from("./");
    for byte in name.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                address.push(char::from(byte))
            }
            other => address.push_str(&format!("%{other:02X}")),
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_stays_that_could_leave_its_place() {
        assert_eq!(escape("<a href=\"x\">'&'"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;");
        assert_eq!(relative_address("walk cycle #2.gif"), "./walk%20cycle%20%232.gif");
        assert_eq!(relative_address("javascript:alert(1)"), "./javascript%3Aalert%281%29");
        assert_eq!(relative_address("läufer/a.png"), "./l%C3%A4ufer/a.png");
    }
}
