//! Addresses that may be spoken to: https anywhere, http on this machine only. Never repeats what could be a secret.

use reqwest::Url;

/// Why an address is not spoken to. The text itself is not repeated: it may carry a password.
pub(super) fn bad_address(text: &str) -> Option<&'static str> {
    let Ok(url) = Url::parse(text) else {
        return Some("not an address; write it as https://host/path or http://127.0.0.1:port");
    };
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() || url.fragment().is_some() {
        return Some("an address carries no user, password or query here; use key_env or key_file");
    }
    match url.scheme() {
        "https" if url.has_host() => None,
        "http" if is_local(text) => None,
        "http" => Some("a key would travel unprotected; use https (http only to this machine)"),
        _ => Some("only https addresses are spoken to, and http on this machine"),
    }
}

/// Whether an address is on this machine.
pub(crate) fn is_local(text: &str) -> bool {
    let Ok(url) = Url::parse(text) else { return false };
    let Some(host) = url.host_str() else { return false };
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Where an address is, without whatever could be a secret.
pub(crate) fn redacted(text: &str) -> String {
    let Ok(url) = Url::parse(text) else { return "?".into() };
    let port = url.port().map(|p| format!(":{p}")).unwrap_or_default();
    format!("{}://{}{port}", url.scheme(), url.host_str().unwrap_or("?"))
}
