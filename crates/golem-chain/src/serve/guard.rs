//! Who may speak to the server: programs of this machine, and web pages of this machine; no page from elsewhere, and none
//! that has its own name resolve to this machine.

use axum::http::{HeaderMap, Uri, header};
use std::net::{Ipv4Addr, Ipv6Addr};

/// Why a request is not even read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stranger {
    /// It thinks that it speaks to somebody else.
    Host,
    /// A page from elsewhere sends it.
    Origin,
}

impl Stranger {
    pub fn words(self) -> &'static str {
        match self {
            Self::Host => "this server answers only to localhost, 127.0.0.1 and [::1]\n",
            Self::Origin => "this server answers no page from another machine\n",
        }
    }
}

/// Refuse strangers.
pub(super) fn check(uri: &Uri, headers: &HeaderMap) -> Result<(), Stranger> {
    let mut hosts = headers.get_all(header::HOST).iter().peekable();
    let named = hosts.peek().is_some() && hosts.all(|host| host.to_str().is_ok_and(ours));
    if !named || uri.authority().is_some_and(|authority| !ours(authority.as_str())) {
        return Err(Stranger::Host);
    }
    let page = |origin: &str| {
        let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        host.is_some_and(ours)
    };
    let mut origins = headers.get_all(header::ORIGIN).iter();
    if origins.all(|origin| origin.to_str().is_ok_and(page)) { Ok(()) } else { Err(Stranger::Origin) }
}

/// A name of this machine, with or without a port, and nothing else.
fn ours(authority: &str) -> bool {
    let port = |rest: &str| rest.is_empty() || rest.strip_prefix(':').is_some_and(|p| p.parse::<u16>().is_ok());
    if let Some((name, rest)) = authority.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        return port(rest) && name.parse::<Ipv6Addr>().is_ok_and(|ip| ip.is_loopback());
    }
    let (name, rest) = authority.find(':').map_or((authority, ""), |at| authority.split_at(at));
    let known = name.eq_ignore_ascii_case("localhost") || name.parse::<Ipv4Addr>().is_ok_and(|ip| ip.is_loopback());
    known && port(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_ours() {
        for name in ["localhost", "LocalHost:8545", "127.0.0.1", "127.8.9.1:1", "[::1]", "[::1]:8545"] {
            assert!(ours(name), "{name}");
        }
        let strange = [
            "",
            ":8545",
            "evil.example",
            "localhost.evil.example",
            "localhost.",
            "127.0.0.1.evil.example",
            "10.0.0.1",
            "0.0.0.0",
            "[::]",
            "[::2]:1",
            "::1",
            "localhost:",
            "localhost:99999",
            "localhost:8545:1",
            "user@localhost",
            "localhost/",
            "127.0.0.1/x",
            "[::1]evil",
            "0x7f.1",
            "2130706433",
            "127.1",
            "[::ffff:10.0.0.1]",
        ];
        for name in strange {
            assert!(!ours(name), "{name}");
        }
    }
}
