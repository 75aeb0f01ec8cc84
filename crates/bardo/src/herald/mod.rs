//! The herald: tells an owner what was committed, through the channels of `notify.toml`. It works beside the golems, on a thread of
//! its own and from their files: no turn waits for it, and nothing of it is part of a life.

mod command;
mod examined;
mod fault;
mod gate;
mod looked;
mod rounds;
mod send;
mod sending;
mod webhook;

pub use examined::{problems, unsent};
pub use fault::SendFault;
pub use gate::HeraldGate;
pub use send::deliver;

use crate::home::{Home, Place};
use crate::out::Out;
use golem_view::wrap::counted;
pub use rounds::RoundEnd;
use rounds::Rounds;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often it goes round.
const ROUND: Duration = Duration::from_secs(2);
/// How long everybody may have to wait for the last round, whatever hangs in it.
const LAST_ROUND: Duration = Duration::from_secs(20);
/// The same for whoever wants nothing but to send.
const SENDING: Duration = Duration::from_secs(120);
/// Who waits longer than this is told for whom.
const SILENCE: Duration = Duration::from_secs(1);
/// How often it is looked whether a round is over.
const LOOK: Duration = Duration::from_millis(10);

/// A herald at work; it goes round once more when it ends, or is dropped.
pub struct Herald {
    gate: Arc<HeraldGate>,
    thread: Option<JoinHandle<RoundEnd>>,
    out: Out,
}

impl Herald {
    /// Begin to look at these golems, and at all others of the home. From here on whatever is committed will be told, also if this
    /// process is killed before it is. Without `notify.toml` nothing is written; whoever writes it later is told what happened
    /// since.
    pub fn begin(home: &Home, places: &[Place], out: Out) -> Self {
        Self::start(Rounds::new(home.clone(), places, out), out)
    }

    fn start(mut rounds: Rounds, out: Out) -> Self {
        let gate = Arc::new(HeraldGate::default());
        let until = gate.clone();
        let thread = std::thread::spawn(move || {
            loop {
                let last = until.is_closing();
                let end = rounds.go(last, &until);
                if last {
                    return end;
                }
                until.rest(ROUND);
            }
        });
        Self { gate, thread: Some(thread), out }
    }

    /// The last round, no longer than this.
    fn end(&mut self, within: Duration) -> RoundEnd {
        let Some(thread) = self.thread.take() else { return RoundEnd::default() };
        self.gate.close(within);
        let (begun, mut said) = (Instant::now(), false);
        while !thread.is_finished() {
            let channels = self.gate.waits_for();
            if !said && begun.elapsed() >= SILENCE && !channels.is_empty() {
                said = true;
                self.out.say(&format!("notices are on their way ({channels}): at most {} s more", within.as_secs()));
            }
            std::thread::sleep(LOOK);
        }
        let broken = || RoundEnd { faults: vec!["the herald broke down".to_owned()], ..RoundEnd::default() };
        thread.join().unwrap_or_else(|_| broken())
    }
}

impl Drop for Herald {
    fn drop(&mut self) {
        let end = self.end(LAST_ROUND);
        if end.elsewhere {
            self.out.say("another process holds notify.lock and so is taken to send the notices; what it does not see is told by the next");
        }
        if end.waiting > 0 {
            let wait = counted(end.waiting, "notice");
            self.out
                .alert(&format!("{wait} could not be sent yet: bardo notify send tries again, bardo doctor says why"));
        }
    }
}

/// Go round once, now.
pub fn send_now(home: &Home, out: Out) -> RoundEnd {
    let rounds = Rounds::new(home.clone(), &[], out);
    let gate = HeraldGate::default();
    gate.close(SENDING);
    let mut herald = Herald { gate: Arc::new(gate), thread: None, out };
    let (until, mut rounds) = (herald.gate.clone(), rounds);
    herald.thread = Some(std::thread::spawn(move || rounds.go(true, &until)));
    herald.end(SENDING)
}
