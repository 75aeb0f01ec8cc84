//! The one thread that has the chain. Calls come to it one after another; one that makes it panic is answered as a bug of
//! ours, and a new thread goes on, since whatever the old one left half done is not to be trusted.

use super::fault::ServeFault;
use super::message::ClientCall;
use serde_json::Value;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::{Builder, JoinHandle};
use tokio::sync::{mpsc, oneshot};

type ServeResult = Result<Value, ServeFault>;
type Job = (ClientCall, oneshot::Sender<ServeResult>);

/// A way to the owner; when the last one is gone, it stops.
#[derive(Debug, Clone)]
pub(super) struct Calls(mpsc::Sender<Job>);

impl Calls {
    pub async fn ask(&self, asked: ClientCall) -> ServeResult {
        let gone = || ServeFault::bug("the chain is not served any more");
        let (reply, answer) = oneshot::channel();
        self.0.send((asked, reply)).await.map_err(|_| gone())?;
        answer.await.unwrap_or_else(|_| Err(gone()))
    }
}

/// What is owned, and how it is asked.
pub(super) trait Owned: Send + 'static {
    /// Called after a panic: forget whatever may be half done.
    fn recover(&mut self);
}

/// Give something to an owner.
pub(super) fn employ<D: Owned>(
    desk: D,
    answer: fn(&mut D, &ClientCall) -> ServeResult,
) -> io::Result<(Calls, JoinHandle<Option<D>>)> {
    let (sender, jobs) = mpsc::channel(16);
    let watch = move || {
        let mut shift = (desk, jobs);
        loop {
            let (desk, jobs) = shift;
            let worker = Builder::new().name("chain".to_owned()).spawn(move || work(desk, jobs, answer)).ok()?;
            match worker.join().ok()? {
                (desk, None) => return Some(desk),
                (desk, Some(jobs)) => shift = (desk, jobs),
            }
        }
    };
    Ok((Calls(sender), Builder::new().name("chain watch".to_owned()).spawn(watch)?))
}

type Jobs = mpsc::Receiver<Job>;

/// Answer calls until nobody is left to ask, or one panics: then the rest is handed back.
fn work<D: Owned>(mut desk: D, mut jobs: Jobs, answer: fn(&mut D, &ClientCall) -> ServeResult) -> (D, Option<Jobs>) {
    while let Some((asked, reply)) = jobs.blocking_recv() {
        if reply.is_closed() {
            continue;
        }
        let outcome = catch_unwind(AssertUnwindSafe(|| answer(&mut desk, &asked)));
        let broken = outcome.is_err();
        let _asker_left =
            reply.send(outcome.unwrap_or_else(|_| Err(ServeFault::bug("a bug of ours: this call failed"))));
        if broken {
            desk.recover();
            return (desk, Some(jobs));
        }
    }
    (desk, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    impl Owned for u64 {
        fn recover(&mut self) {
            *self += 100;
        }
    }

    fn count(desk: &mut u64, asked: &ClientCall) -> ServeResult {
        assert!(asked.method != "boom", "on purpose");
        *desk += 1;
        Ok(json!(*desk))
    }

    #[test]
    fn a_panic_is_answered_and_the_next_call_too() {
        let (calls, owner) = employ(0, count).expect("threads");
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let ask = |method: &str| {
            let asked = ClientCall { id: None, method: method.to_owned(), params: Vec::new() };
            runtime.block_on(calls.ask(asked))
        };
        assert_eq!(ask("one"), Ok(json!(1)));
        assert_eq!(ask("boom").map_err(|f| f.code), Err(-32603));
        assert_eq!(ask("two"), Ok(json!(102)));
        drop(calls);
        assert_eq!(owner.join().expect("no panic"), Some(102));
    }
}
