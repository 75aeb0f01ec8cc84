//! Addresses that may be spoken to: https anywhere, http on this machine only. One that may carry a key comes from the
//! environment, by a variable's name; nothing here repeats what could be a secret.

use golem_core::Problem;
use golem_core::words::is_plain_path;
use reqwest::Url;

/// Why an address cannot stand in settings. The text itself is not repeated: it may carry a password.
pub(super) fn bad_address(text: &str) -> Option<&'static str> {
    let Ok(url) = Url::parse(text) else {
        return Some("not an address; write it as https://host/path or http://127.0.0.1:port");
    };
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() || url.fragment().is_some() {
        return Some("an address carries no user, password or query here; use key_env or key_file, or base_url_env");
    }
    unspoken(&url)
}

/// Why an address may not be stored in clear with the settings.
pub(super) fn exposed(text: &str) -> Option<Problem> {
    let url = Url::parse(text).ok().filter(|url| !is_plain_path(url.path()))?;
    let what = format!("the path after {} may be a key, and settings are stored in clear", redacted(url.as_str()));
    let hint = "put the address into the environment and name the variable: base_url_env";
    Some(Problem::new("base_url", format!("{what}; {hint}")))
}

/// Why an address is not spoken to, wherever it came from.
fn unspoken(url: &Url) -> Option<&'static str> {
    match url.scheme() {
        "https" if url.has_host() => None,
        "http" if is_loopback(url) => None,
        "http" => Some("a key would travel unprotected; use https (http only to this machine)"),
        _ => Some("only https addresses are spoken to, and http on this machine"),
    }
}

/// Why an address is not spoken to. The text itself is not repeated: it may carry a key.
#[must_use]
pub fn unspoken_address(text: &str) -> Option<&'static str> {
    let Ok(url) = Url::parse(text.trim()) else {
        return Some("not an address; write it as https://host/path or http://127.0.0.1:port");
    };
    unspoken(&url)
}

/// The address that is spoken to: as written, or as the environment holds it, with a path of the provider's language after
/// it.
pub(crate) fn spoken(written: &str, variable: Option<&str>, path: &str) -> Result<Url, Problem> {
    let (key, text) = match variable {
        None => ("base_url", written.to_owned()),
        Some(name) => {
            let missing = || Problem::new("base_url_env", format!("the environment has no usable {name}; export it"));
            ("base_url_env", std::env::var(name).map_err(|_| missing())?)
        }
    };
    let mut url = Url::parse(text.trim()).map_err(|_| Problem::new(key, "not an address"))?;
    if let Some(why) = unspoken(&url) {
        return Err(Problem::new(key, why));
    }
    let whole = format!("{}{path}", url.path().trim_end_matches('/'));
    url.set_path(&whole);
    Ok(url)
}

/// What in an address may be a key.
pub(crate) fn keys_in(url: &Url) -> Vec<String> {
    let path = url.path().split('/').filter(|part| !is_plain_path(part));
    let rest = [Some(url.username()), url.password(), url.query()].into_iter().flatten();
    path.chain(rest).map(ToOwned::to_owned).collect()
}

/// Whether an address is on this machine.
pub(crate) fn is_local(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| is_loopback(&url))
}

fn is_loopback(url: &Url) -> bool {
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
