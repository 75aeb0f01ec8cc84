//! The page: files of this crate, in the program. It holds no data of anybody's; it asks for that with the owner's token.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Path, kind and text of each file.
const FILES: [(&str, &str, &str); 15] = [
    ("/", HTML, include_str!("../page/index.html")),
    ("/style.css", "text/css; charset=utf-8", include_str!("../page/style.css")),
    ("/app.js", SCRIPT, include_str!("../page/app.js")),
    ("/api.js", SCRIPT, include_str!("../page/api.js")),
    ("/charts.js", SCRIPT, include_str!("../page/charts.js")),
    ("/fleet.js", SCRIPT, include_str!("../page/fleet.js")),
    ("/golem.js", SCRIPT, include_str!("../page/golem.js")),
    ("/tabs.js", SCRIPT, include_str!("../page/tabs.js")),
    ("/graph.js", SCRIPT, include_str!("../page/graph.js")),
    ("/lore.js", SCRIPT, include_str!("../page/lore.js")),
    ("/testament.js", SCRIPT, include_str!("../page/testament.js")),
    ("/positions.js", SCRIPT, include_str!("../page/positions.js")),
    ("/file.js", SCRIPT, include_str!("../page/file.js")),
    ("/obituary.js", SCRIPT, include_str!("../page/obituary.js")),
    ("/icon.svg", "image/svg+xml", include_str!("../page/icon.svg")),
];

/// The file of a path. Places within the page are all the same file.
pub(crate) fn file(path: &str) -> Option<Response> {
    let place = ["/golem/", "/obituary/"].iter().any(|begin| path.strip_prefix(begin).is_some_and(is_one_word));
    let path = if place || ["/graveyard", "/library"].contains(&path) { "/" } else { path };
    let (_, kind, text) = FILES.iter().find(|(at, ..)| *at == path)?;
    let head = [(header::CONTENT_TYPE, *kind), (header::CACHE_CONTROL, "no-cache")];
    Some((StatusCode::OK, head, *text).into_response())
}

fn is_one_word(rest: &str) -> bool {
    !rest.is_empty() && !rest.contains('/')
}

/// A report: its styles stand in it, and nothing of it may run, be fetched or belong to this page's origin.
pub(crate) fn report(html: String) -> Response {
    const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; \
                          frame-ancestors 'none'; sandbox";
    let head = [(header::CONTENT_TYPE, HTML), (header::CONTENT_SECURITY_POLICY, POLICY)];
    (StatusCode::OK, head, html).into_response()
}

/// What every answer carries: nothing from elsewhere is loaded, nothing is framed, and nothing is guessed.
pub(crate) fn dressed(mut response: Response) -> Response {
    const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                          connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    let headers = response.headers_mut();
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(POLICY));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}
