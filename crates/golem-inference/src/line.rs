//! One question over HTTP: a deadline for the whole, a bound on the bytes, and the knowledge of whether it was sent.
//!
//! Follows no redirect, keeps no connection, and speaks to this machine without any proxy: a key goes to the host that it
//! is for, and to no other. Never shows an address or a header in an error.

use crate::config::is_local;
use crate::text::short;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::{Client, Url};
use std::future::Future;
use std::time::{Duration, SystemTime};
use tokio::runtime::{Builder, Handle, Runtime};

/// What goes out.
pub(crate) struct Outgoing {
    pub url: Url,
    pub headers: HeaderMap,
    pub body: String,
}

/// What came back, whatever its status.
pub(crate) struct Incoming {
    pub status: u16,
    pub retry_after: Option<Duration>,
    pub body: Vec<u8>,
}

/// Why nothing came back that can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LineFault {
    /// It never left: nobody can have billed it.
    NotSent(String),
    /// It may have been received, and the time is over.
    Slow,
    /// It was received, and the answer has no end, or one that is too far away.
    TooLong,
    /// It may have been received, and the connection broke.
    Broken(String),
}

/// The most of an error's body that is looked at.
const WORDS: usize = 4_096;

/// The line out: an HTTP client and the small runtime that it needs.
pub(crate) struct HttpLine {
    runtime: Option<Runtime>,
    here: Client,
    away: Client,
}

impl HttpLine {
    pub(crate) fn new(connect: Duration) -> Result<Self, String> {
        // The first one counts for the whole process; that there is one already is just as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client =
            |builder: reqwest::ClientBuilder| builder.build().map_err(|_| "no HTTP client can be made".to_owned());
        let plain = || {
            Client::builder()
                .redirect(reqwest::redirect::Policy::none())
                .retry(reqwest::retry::never())
                .connect_timeout(connect)
                // A kept connection may have died unseen, and then nobody knows whether a question was received.
                .pool_max_idle_per_host(0)
        };
        let runtime = Builder::new_current_thread().enable_io().enable_time().build();
        Ok(Self {
            runtime: Some(runtime.map_err(|e| format!("no runtime can be made: {e}"))?),
            here: client(plain().no_proxy())?,
            away: client(plain())?,
        })
    }

    /// Ask, and wait for the answer no longer than `patience`.
    pub(crate) fn exchange(&self, out: Outgoing, patience: Duration, cap: usize) -> Result<Incoming, LineFault> {
        let client = if is_local(out.url.as_str()) { &self.here } else { &self.away };
        // The whole of it, not each part: one who sends a byte now and then is as slow as one who sends none.
        let whole = async { tokio::time::timeout(patience, exchange(client, out, cap)).await };
        self.wait(whole).unwrap_or(Err(LineFault::NotSent("no runtime".into())))
    }

    /// Let some time pass.
    pub(crate) fn pause(&self, how_long: Duration) {
        std::thread::sleep(how_long);
    }

    /// Wait for a future, also where somebody else's runtime is at work on this thread.
    fn wait<T: Send>(
        &self,
        future: impl Future<Output = Result<Result<T, LineFault>, tokio::time::error::Elapsed>> + Send,
    ) -> Option<Result<T, LineFault>> {
        let runtime = self.runtime.as_ref()?;
        let run = || runtime.block_on(future).unwrap_or(Err(LineFault::Slow));
        if Handle::try_current().is_err() {
            return Some(run());
        }
        std::thread::scope(|scope| scope.spawn(run).join().ok())
    }
}

/// A runtime may not be taken down by waiting where another one is at work.
impl Drop for HttpLine {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn exchange(client: &Client, out: Outgoing, cap: usize) -> Result<Incoming, LineFault> {
    let sent = client.post(out.url).headers(out.headers).body(out.body).send().await;
    let mut response = sent.map_err(|e| {
        let why = root_cause(&e);
        if e.is_connect() || e.is_builder() { LineFault::NotSent(why) } else { LineFault::Broken(why) }
    })?;
    let status = response.status().as_u16();
    let retry_after = rest(response.headers());
    let good = status == 200;
    if good && response.content_length().is_some_and(|n| n > cap as u64) {
        return Err(LineFault::TooLong);
    }
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if good && body.len() + chunk.len() > cap => return Err(LineFault::TooLong),
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => break,
            Err(e) if good => return Err(LineFault::Broken(root_cause(&e))),
            Err(_) => break,
        }
        if !good && body.len() >= WORDS {
            body.truncate(WORDS);
            break;
        }
    }
    Ok(Incoming { status, retry_after, body })
}

/// How long a provider asks to be left alone: milliseconds, seconds, or a date.
fn rest(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|v| v.to_str().ok()).map(str::trim);
    if let Some(ms) = text("retry-after-ms").and_then(|t| t.parse::<u64>().ok()) {
        return Some(Duration::from_millis(ms));
    }
    let value = text(RETRY_AFTER.as_str())?;
    match value.parse::<u64>() {
        Ok(seconds) => Some(Duration::from_secs(seconds)),
        Err(_) => until(value, SystemTime::now()),
    }
}

fn until(date: &str, now: SystemTime) -> Option<Duration> {
    let then = jiff::fmt::rfc2822::parse(date).ok()?.timestamp();
    SystemTime::from(then).duration_since(now).ok().or(Some(Duration::ZERO))
}

/// What lies at the bottom of an error, in one short line.
fn root_cause(e: &dyn std::error::Error) -> String {
    let mut at = e;
    while let Some(deeper) = at.source() {
        at = deeper;
    }
    short(&at.to_string(), 160)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rest_is_read_in_all_its_forms() {
        let read = |pairs: &[(&'static str, &'static str)]| {
            let pairs = pairs.iter().map(|(k, v)| (k.parse().unwrap(), v.parse().unwrap()));
            rest(&pairs.collect::<HeaderMap>())
        };
        assert_eq!(read(&[]), None);
        assert_eq!(read(&[("retry-after", "7")]), Some(Duration::from_secs(7)));
        assert_eq!(read(&[("retry-after", "7"), ("retry-after-ms", "250")]), Some(Duration::from_millis(250)));
        assert_eq!(read(&[("retry-after", "soon")]), None);
        assert_eq!(read(&[("retry-after", "-3")]), None);
        assert_eq!(read(&[("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT")]), Some(Duration::ZERO));
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_445_412_420);
        assert_eq!(until("Wed, 21 Oct 2015 07:28:00 GMT", now), Some(Duration::from_secs(60)));
    }
}
