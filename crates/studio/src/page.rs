//! The page, bundled when the program was built.

use crate::error::Refusal;
use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

include!(concat!(env!("OUT_DIR"), "/page_files.rs"));

/// What the page may load: itself, what it makes, and nothing from elsewhere. WebAssembly and workers unpack compressed meshes.
const POLICY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; \
     img-src 'self' data: blob:; connect-src 'self' data: blob:; worker-src 'self' blob:; frame-src 'self'; object-src 'none'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/// Why there is no page, where there is none.
pub fn missing() -> Option<&'static str> {
    MISSING
}

/// A file of the page.
pub async fn serve(uri: Uri) -> Response {
    if let Some(why) = MISSING {
        return Refusal { status: StatusCode::SERVICE_UNAVAILABLE, sentence: why.into() }.into_response();
    }
    let name = match uri.path().trim_start_matches('/') {
        "" => "index.html",
        name => name,
    };
    let Some((_, bytes)) = FILES.iter().find(|(file, _)| *file == name) else {
        return Refusal::missing(format!("the page has no file {name:?}")).into_response();
    };
    let kind = match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "json" => "application/json",
        "wasm" => "application/wasm",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    };
    let mut response = ([(header::CONTENT_TYPE, kind)], Body::from(*bytes)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    // Names of bundled files hold a hash of their content.
    let is_fixed = name.starts_with("assets/");
    let keeping = if is_fixed { "public, max-age=31536000, immutable" } else { "no-cache" };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(keeping));
    response
}
