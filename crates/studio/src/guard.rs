//! Who may talk to the server: the page that it served, and programs on this machine that are no browsers.
//!
//! A page of another site can make a browser send requests here, directly or under a name of its own that resolves to loopback (DNS rebinding).
//! Such requests carry the foreign name in `Host`, or the foreign page in `Origin` or `Sec-Fetch-Site`, and are refused.

use crate::error::Refusal;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Names by which a browser on this machine reaches loopback.
const OWN_NAMES: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Refuses foreign requests; adds what keeps answers out of foreign pages.
pub async fn guard(port: u16, request: Request, next: Next) -> Response {
    // Also pages of results, whose sandbox makes their own links come from nowhere.
    let is_page = !request.uri().path().starts_with("/api");
    let mut response = match check(port, is_page, request.headers()) {
        Ok(()) => next.run(request).await,
        Err(sentence) => Refusal { status: StatusCode::FORBIDDEN, sentence }.into_response(),
    };
    let headers = response.headers_mut();
    let fixed = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "SAMEORIGIN"),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    fixed.into_iter().for_each(|(name, value)| {
        headers.insert(name, HeaderValue::from_static(value));
    });
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

fn check(port: u16, is_page: bool, headers: &HeaderMap) -> Result<(), String> {
    let is_own = |host: &str| {
        let (name, given) = match host.rsplit_once(':') {
            Some((name, digits)) if !digits.ends_with(']') => (name, digits.parse().ok()),
            _ => (host, Some(80)),
        };
        given == Some(port) && OWN_NAMES.iter().any(|own| name.eq_ignore_ascii_case(own))
    };
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?").to_owned());
    let hosts = headers.get_all(header::HOST).iter().count();
    match text("host") {
        Some(host) if hosts == 1 && is_own(&host) => {}
        host => {
            let host = host.unwrap_or_default();
            return Err(format!(
                "requests under the name {host:?} are refused; open http://127.0.0.1:{port} on this machine"
            ));
        }
    }
    if let Some(origin) = text("origin")
        && !origin.strip_prefix("http://").is_some_and(is_own)
    {
        return Err(format!(
            "requests from the page {origin:?} are refused; only the studio's own page may talk to this server"
        ));
    }
    // A link to the page itself may be anywhere.
    let opens_page = is_page && text("sec-fetch-mode").as_deref() == Some("navigate");
    match text("sec-fetch-site").as_deref() {
        None | Some("same-origin" | "none") => Ok(()),
        Some(_) if opens_page => Ok(()),
        Some(_) => {
            Err("requests from other sites are refused; only the studio's own page may talk to this server".into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(is_page: bool, pairs: &[(&'static str, &str)]) -> bool {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_str(value).expect("a value"));
        }
        check(8123, is_page, &headers).is_ok()
    }

    #[test]
    fn only_own_names_and_pages_pass() {
        let host = ("host", "127.0.0.1:8123");
        for own in ["127.0.0.1:8123", "localhost:8123", "LocalHost:8123", "[::1]:8123"] {
            assert!(verdict(false, &[("host", own)]), "{own}");
        }
        for foreign in
            ["evil.example:8123", "127.0.0.1", "127.0.0.1:80", "localhost.evil.example:8123", "", "127.0.0.1:8123:8123"]
        {
            assert!(!verdict(false, &[("host", foreign)]), "{foreign}");
        }
        assert!(!verdict(false, &[]) && !verdict(false, &[host, host]));
        assert!(verdict(false, &[host, ("origin", "http://localhost:8123")]));
        for foreign in [
            "http://evil.example",
            "null",
            "https://127.0.0.1:8123",
            "http://127.0.0.1:5173",
            "http://127.0.0.1:8123.evil",
        ] {
            assert!(!verdict(false, &[host, ("origin", foreign)]), "{foreign}");
        }
    }

    #[test]
    fn other_sites_may_link_to_the_page_but_not_ask_for_data() {
        let host = ("host", "localhost:8123");
        let site = |value: &'static str| ("sec-fetch-site", value);
        assert!(verdict(false, &[host, site("same-origin")]) && verdict(false, &[host, site("none")]));
        assert!(!verdict(false, &[host, site("cross-site")]) && !verdict(false, &[host, site("same-site")]));
        assert!(verdict(true, &[host, site("cross-site"), ("sec-fetch-mode", "navigate")]));
        assert!(!verdict(false, &[host, site("cross-site"), ("sec-fetch-mode", "navigate")]));
        assert!(!verdict(true, &[host, site("cross-site"), ("sec-fetch-mode", "no-cors")]));
    }
}
