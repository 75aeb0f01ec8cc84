//! Who may ask: whoever names this machine as this machine, no page from elsewhere, and for everything that says something
//! of a golem only who has the token.

use crate::ServedHome;
use axum::http::{HeaderMap, Uri, header};
use std::net::IpAddr;

/// Why a request is not even read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TurnedAway {
    /// It thinks that it speaks to somebody else.
    Host,
    /// A page from elsewhere sends it.
    Origin,
    /// It has no token, or not this one.
    Token,
}

/// Refuse strangers: a name that is not this machine's is another site's that was made to point here.
pub(crate) fn known(uri: &Uri, headers: &HeaderMap, anywhere: bool) -> Result<(), TurnedAway> {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next().and_then(|host| host.to_str().ok()), hosts.next()) else {
        return Err(TurnedAway::Host);
    };
    if !ours(host, anywhere) || uri.authority().is_some_and(|authority| authority.as_str() != host) {
        return Err(TurnedAway::Host);
    }
    let same = |origin: &str| origin.strip_prefix("http://") == Some(host);
    let origin_is_ours = headers.get_all(header::ORIGIN).iter().all(|origin| origin.to_str().is_ok_and(same));
    // A link from elsewhere may open the page; nothing else may come from elsewhere.
    let from = headers.get("sec-fetch-site").and_then(|site| site.to_str().ok());
    let is_page = !uri.path().starts_with("/api") && uri.path() != "/metrics";
    let site_is_ours = is_page || from.is_none_or(|site| site == "same-origin" || site == "none");
    if origin_is_ours && site_is_ours { Ok(()) } else { Err(TurnedAway::Origin) }
}

/// Only who has the token.
pub(crate) fn owner(headers: &HeaderMap, served: &ServedHome) -> Result<(), TurnedAway> {
    let mut all = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(given), None) = (all.next().and_then(|given| given.to_str().ok()), all.next()) else {
        return Err(TurnedAway::Token);
    };
    let shown = given.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    if shown.is_some_and(|(_, token)| served.token.is(token.trim())) { Ok(()) } else { Err(TurnedAway::Token) }
}

/// A name of this machine, with or without a port: where others may come, any address, but never a name that somebody else
/// could have made.
fn ours(authority: &str, anywhere: bool) -> bool {
    let port = |rest: &str| rest.is_empty() || rest.strip_prefix(':').is_some_and(|p| p.parse::<u16>().is_ok());
    let fits = |ip: IpAddr| ip.is_loopback() || anywhere;
    if let Some((name, rest)) = authority.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        return port(rest) && name.parse().is_ok_and(|ip| fits(IpAddr::V6(ip)));
    }
    let (name, rest) = authority.find(':').map_or((authority, ""), |at| authority.split_at(at));
    let known = name.eq_ignore_ascii_case("localhost") || name.parse().is_ok_and(|ip| fits(IpAddr::V4(ip)));
    known && port(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_ours() {
        for name in ["localhost", "LocalHost:8545", "127.0.0.1", "127.8.9.1:1", "[::1]", "[::1]:8545"] {
            assert!(ours(name, false) && ours(name, true), "{name}");
        }
        for name in ["10.0.0.1:80", "[2001:db8::1]:80", "0.0.0.0"] {
            assert!(!ours(name, false) && ours(name, true), "{name}");
        }
        let never = [
            "",
            ":80",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "localhost:",
            "localhost:99999",
        ];
        for name in
            never.into_iter().chain(["user@localhost", "localhost/", "[::1]evil", "0x7f.1", "2130706433", "127.1"])
        {
            assert!(!ours(name, false) && !ours(name, true), "{name}");
        }
    }

    #[test]
    fn no_page_from_elsewhere_asks() {
        let heads = |pairs: &[(&'static str, &'static str)]| {
            let mut map = HeaderMap::new();
            for (name, value) in pairs {
                map.append(*name, value.parse().unwrap());
            }
            map
        };
        let api: Uri = "/api/golems".parse().unwrap();
        let page: Uri = "/obituary/ada".parse().unwrap();
        let host = ("host", "127.0.0.1:7077");
        let check = |uri: &Uri, pairs: &[(&'static str, &'static str)]| known(uri, &heads(pairs), false);
        assert_eq!(check(&api, &[host]), Ok(()));
        assert_eq!(check(&api, &[host, ("origin", "http://127.0.0.1:7077")]), Ok(()));
        assert_eq!(check(&api, &[host, ("sec-fetch-site", "same-origin")]), Ok(()));
        assert_eq!(check(&api, &[]), Err(TurnedAway::Host));
        assert_eq!(check(&api, &[host, host]), Err(TurnedAway::Host));
        assert_eq!(check(&api, &[("host", "evil.example")]), Err(TurnedAway::Host));
        for origin in ["http://localhost:7077", "https://127.0.0.1:7077", "null", "http://evil.example"] {
            assert_eq!(check(&api, &[host, ("origin", origin)]), Err(TurnedAway::Origin), "{origin}");
        }
        for site in ["cross-site", "same-site"] {
            assert_eq!(check(&api, &[host, ("sec-fetch-site", site)]), Err(TurnedAway::Origin), "{site}");
            assert_eq!(check(&page, &[host, ("sec-fetch-site", site)]), Ok(()), "{site}");
        }
    }
}
