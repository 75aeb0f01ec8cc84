//! The line to a collector: a bounded queue, and a thread that sends what is in it. Whoever gives a span never waits: where the
//! queue is full, the span is dropped, and counted.

use crate::place::{TraceFault, TracePlace};
use crate::span::{TraceSpan, payload};
use reqwest::Client;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// Spans that wait to be sent.
const WAITING: usize = 4_096;
/// Spans of one message.
const TOGETHER: usize = 512;
/// How long spans are gathered for one message.
const GATHERED: Duration = Duration::from_secs(1);
/// How often the thread looks whether it is to stop.
const LOOK: Duration = Duration::from_millis(50);
/// How long a collector may take for a message.
const PATIENCE: Duration = Duration::from_secs(5);
/// Bytes of a collector's answer that are read.
const LONGEST_ANSWER: usize = 64 << 10;

/// What became of the spans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceCount {
    /// Taken by the collector.
    pub sent: u64,
    /// Not: the queue was full, or the collector did not answer, or refused them.
    pub dropped: u64,
}

#[derive(Debug, Default)]
struct TraceCounts {
    given: AtomicU64,
    sent: AtomicU64,
    stop: AtomicBool,
}

/// The line.
#[derive(Debug, Clone)]
pub struct TraceLine {
    queue: SyncSender<TraceSpan>,
    counts: Arc<TraceCounts>,
    /// Closed when the thread is done.
    done: Arc<std::sync::Mutex<Receiver<()>>>,
}

impl TraceLine {
    /// Begin to send.
    ///
    /// # Errors
    /// When the system gives no thread, or no client can be made.
    pub fn start(place: TracePlace) -> Result<Self, TraceFault> {
        let system = |what: &dyn std::fmt::Display| TraceFault::System(what.to_string());
        // The first one counts for the whole process; that there is one already is just as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = Client::builder().redirect(reqwest::redirect::Policy::none()).timeout(PATIENCE);
        let builder = if place.is_here() { builder.no_proxy() } else { builder };
        let client = builder.build().map_err(|e| system(&e))?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build();
        let runtime = runtime.map_err(|e| system(&e))?;
        let ((queue, waiting), (over, done)) = (sync_channel(WAITING), sync_channel(1));
        let counts = Arc::new(TraceCounts::default());
        let seen = Arc::clone(&counts);
        let work = move || {
            while let Some(spans) = gathered(&waiting, &seen.stop) {
                let took = runtime.block_on(send(&client, &place, &spans));
                seen.sent.fetch_add(took, Ordering::Relaxed);
            }
            drop(over);
        };
        std::thread::Builder::new().name("traces".to_owned()).spawn(work).map_err(|e| system(&e))?;
        Ok(Self { queue, counts, done: Arc::new(std::sync::Mutex::new(done)) })
    }

    /// Give a span. Never waits.
    pub fn give(&self, span: TraceSpan) {
        self.counts.given.fetch_add(1, Ordering::Relaxed);
        let _dropped = self.queue.try_send(span);
    }

    /// Send what is left, for no longer than `patience`, and say what became of all.
    pub fn finish(&self, patience: Duration) -> TraceCount {
        self.counts.stop.store(true, Ordering::Release);
        let done = self.done.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let _late = done.recv_timeout(patience);
        let sent = self.counts.sent.load(Ordering::Relaxed);
        TraceCount { sent, dropped: self.counts.given.load(Ordering::Relaxed).saturating_sub(sent) }
    }
}

/// What goes into one message; none when all is said and it is to stop.
fn gathered(waiting: &Receiver<TraceSpan>, stop: &AtomicBool) -> Option<Vec<TraceSpan>> {
    let (mut spans, mut until) = (Vec::new(), None);
    loop {
        // Read before the queue: what was given before it was raised is then in the queue.
        let stopping = stop.load(Ordering::Acquire);
        match waiting.recv_timeout(if stopping { Duration::ZERO } else { LOOK }) {
            Ok(span) => {
                spans.push(span);
                let until = *until.get_or_insert_with(|| Instant::now() + GATHERED);
                if spans.len() >= TOGETHER || Instant::now() >= until {
                    return Some(spans);
                }
            }
            Err(RecvTimeoutError::Disconnected) => return (!spans.is_empty()).then_some(spans),
            Err(RecvTimeoutError::Timeout) if stopping => return (!spans.is_empty()).then_some(spans),
            Err(RecvTimeoutError::Timeout) => {
                if until.is_some_and(|until| Instant::now() >= until) {
                    return Some(spans);
                }
            }
        }
    }
}

/// Send one message; how many of its spans were taken.
async fn send(client: &Client, place: &TracePlace, spans: &[TraceSpan]) -> u64 {
    let body = payload(&place.service, spans).to_string();
    let request = client.post(place.url.clone()).headers(place.headers.clone()).body(body);
    let Ok(mut answer) = request.send().await else { return 0 };
    if !answer.status().is_success() {
        return 0;
    }
    let mut said = Vec::new();
    while let Ok(Some(chunk)) = answer.chunk().await {
        said.extend_from_slice(&chunk);
        if said.len() > LONGEST_ANSWER {
            break;
        }
    }
    (spans.len() as u64).saturating_sub(refused(&said))
}

/// How many a collector says that it did not take; numbers of 64 bits are text, and some write them plainly.
fn refused(answer: &[u8]) -> u64 {
    let said: Value = serde_json::from_slice(answer).unwrap_or_default();
    let count = &said["partialSuccess"]["rejectedSpans"];
    count.as_u64().or_else(|| count.as_str()?.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::refused;

    #[test]
    fn what_a_collector_refuses_is_read_in_both_spellings() {
        for (answer, n) in [
            ("", 0),
            ("{}", 0),
            ("{\"partialSuccess\":{}}", 0),
            ("{\"partialSuccess\":{\"rejectedSpans\":\"3\",\"errorMessage\":\"no\"}}", 3),
            ("{\"partialSuccess\":{\"rejectedSpans\":4}}", 4),
            ("{\"partialSuccess\":{\"rejectedSpans\":\"many\"}}", 0),
            ("<html>", 0),
        ] {
            assert_eq!(refused(answer.as_bytes()), n, "{answer}");
        }
    }
}
