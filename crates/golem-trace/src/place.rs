//! Where traces go, as the environment says it in OpenTelemetry's own words. It is said to the process and not in a golem's
//! settings: those are for life.

use reqwest::Url;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};

/// A collector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TracePlace {
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) service: String,
}

/// Why there is nowhere to send them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TraceFault {
    /// No address.
    #[error("{0} is not the http address of a collector")]
    Address(&'static str),
    /// No headers.
    #[error("OTEL_EXPORTER_OTLP_HEADERS is not key=value,key=value")]
    Headers,
    /// The system gave no thread, or no client can be made.
    #[error("no line to a collector can be made: {0}")]
    System(String),
}

const BASE: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
const WHOLE: &str = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";

impl TracePlace {
    /// As the variables say it that `get` reads; none where they name no collector, or tracing is switched off.
    ///
    /// # Errors
    /// Where they say something that cannot be.
    pub fn named(get: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, TraceFault> {
        let said = |name: &str| get(name).map(|word| word.trim().to_owned()).filter(|word| !word.is_empty());
        let off = said("OTEL_SDK_DISABLED").is_some_and(|word| word.eq_ignore_ascii_case("true"))
            || said("OTEL_TRACES_EXPORTER").is_some_and(|word| word == "none");
        let (name, address) = match (said(WHOLE), said(BASE)) {
            _ if off => return Ok(None),
            (Some(whole), _) => (WHOLE, whole),
            (None, Some(base)) => (BASE, format!("{}/v1/traces", base.trim_end_matches('/'))),
            (None, None) => return Ok(None),
        };
        let url = address.parse::<Url>().ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        let url = url.ok_or(TraceFault::Address(name))?;
        let mut headers = HeaderMap::new();
        let given = said("OTEL_EXPORTER_OTLP_TRACES_HEADERS").or_else(|| said("OTEL_EXPORTER_OTLP_HEADERS"));
        for pair in given.as_deref().unwrap_or_default().split(',').filter(|pair| !pair.trim().is_empty()) {
            let (key, value) = pair.split_once('=').ok_or(TraceFault::Headers)?;
            let key: HeaderName = decoded(key.trim())?.parse().map_err(|_| TraceFault::Headers)?;
            let mut value: HeaderValue = decoded(value.trim())?.parse().map_err(|_| TraceFault::Headers)?;
            // It may be a key.
            value.set_sensitive(true);
            headers.insert(key, value);
        }
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let service = said("OTEL_SERVICE_NAME").unwrap_or_else(|| "bardo".to_owned());
        Ok(Some(Self { url, headers, service }))
    }

    /// Whether it is on this machine: then no proxy is asked.
    pub(crate) fn is_here(&self) -> bool {
        let host = self.url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }
}

/// What stands behind `%20` and the like: the variable is written as baggage is, where a blank or a comma cannot stand.
fn decoded(word: &str) -> Result<String, TraceFault> {
    let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let (mut bytes, mut out) = (word.as_bytes().iter(), Vec::with_capacity(word.len()));
    while let Some(byte) = bytes.next() {
        let known = match byte {
            b'%' => digit(bytes.next()).zip(digit(bytes.next())).and_then(|(a, b)| u8::try_from(a * 16 + b).ok()),
            byte => Some(*byte),
        };
        out.push(known.ok_or(TraceFault::Headers)?);
    }
    String::from_utf8(out).map_err(|_| TraceFault::Headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(words: &[(&str, &str)]) -> Result<Option<TracePlace>, TraceFault> {
        let get = |name: &str| words.iter().find(|(key, _)| *key == name).map(|(_, word)| (*word).to_owned());
        TracePlace::named(get)
    }

    #[test]
    fn traces_go_nowhere_unless_somebody_says_where() {
        for words in [
            &[][..],
            &[(BASE, "")],
            &[(BASE, "http://127.0.0.1:4318"), ("OTEL_SDK_DISABLED", "True")],
            &[(BASE, "http://127.0.0.1:4318"), ("OTEL_TRACES_EXPORTER", "none")],
        ] {
            assert_eq!(named(words), Ok(None), "{words:?}");
        }
        for (words, url) in [
            (&[(BASE, "http://127.0.0.1:4318")][..], "http://127.0.0.1:4318/v1/traces"),
            (&[(BASE, "https://collector.example/base/")], "https://collector.example/base/v1/traces"),
            (&[(BASE, "http://a:1"), (WHOLE, "http://b:2/here")], "http://b:2/here"),
        ] {
            assert_eq!(named(words).unwrap().unwrap().url.as_str(), url);
        }
        for words in [&[(BASE, "127.0.0.1:4318")][..], &[(BASE, "file:///etc")], &[(WHOLE, "http://")]] {
            assert!(matches!(named(words), Err(TraceFault::Address(_))), "{words:?}");
        }
        let with = |headers| named(&[(BASE, "http://[::1]:1"), ("OTEL_EXPORTER_OTLP_HEADERS", headers)]);
        let place = with("api-key=secret, x-other = b").unwrap().unwrap();
        assert!(place.headers["api-key"] == "secret" && place.headers["x-other"] == "b" && place.is_here());
        assert!(!format!("{place:?}").contains("secret"), "a key is shown to nobody");
        assert_eq!(with("nonsense"), Err(TraceFault::Headers));
        let place = with("authorization=Bearer%20sekret,x%2dmore=a%2Cb%3d%25").unwrap().unwrap();
        assert_eq!(place.headers["authorization"], "Bearer sekret");
        assert_eq!(place.headers["x-more"], "a,b=%");
        // Decoded, they must be what headers may be.
        for bad in ["a=%0d%0aevil: yes", "a=%00", "a=%", "a=%2", "a=%zz", "a=%ff", "a%0a=b", "a%20b=c"] {
            assert_eq!(with(bad), Err(TraceFault::Headers), "{bad}");
        }
    }
}
