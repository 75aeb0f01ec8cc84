//! `bardo golem pause|halt|resume|feed|withdraw|kill|tell`: orders through the durable inbox.

use crate::courier::Courier;
use crate::fail::Fail;
use crate::golem_file::ChainWord;
use crate::herald::Herald;
use crate::home::{Home, Place};
use crate::out::Out;
use crate::run_loop::{self, Ears, RunPlan};
use crate::screen::Nobody;
use golem_core::Usdc;
use golem_home::orders::{PATIENCE, await_answer, check_feed, check_words, may_take};
pub(super) use golem_home::orders::{alive, is_running, put};
use golem_life::{Ask, LEAST_WITHDRAWAL, WithdrawalRefused};
use golem_runtime::{Pace, Reader, Until, WhyBack, wait_reply};
use std::io::{BufRead, IsTerminal};
use std::time::{Duration, Instant};

/// No turns until resumed.
pub fn pause(id: &str, home: &Home, out: &Out) -> Result<(), Fail> {
    order(id, &Ask::Pause, home, out)
}
/// No new risk until resumed.
pub fn halt(id: &str, reason: &str, home: &Home, out: &Out) -> Result<(), Fail> {
    order(id, &Ask::Halt { reason: reason.to_owned() }, home, out)
}
/// Go on.
pub fn resume(id: &str, home: &Home, out: &Out) -> Result<(), Fail> {
    order(id, &Ask::Resume, home, out)
}
/// More money.
pub fn feed(id: &str, amount: Usdc, home: &Home, out: &Out) -> Result<(), Fail> {
    check_feed(amount)?;
    order(id, &Ask::Feed { amount }, home, out)
}
/// Money goes home.
pub fn withdraw(id: &str, amount: Option<Usdc>, home: &Home, out: &Out) -> Result<(), Fail> {
    let place = home.golem(id)?;
    home.is_at_home(&place)?;
    alive(&place)?;
    let reader = Reader::open(&place.dir)?;
    let origin = reader.origin()?;
    let chain = crate::birth::settings_of(&origin)?.chain.kind;
    if chain == ChainWord::Rpc && origin.birth.home.is_none() {
        return Err(Fail::hint(
            format!("{} was born without an address of its owner's, so that nothing can be sent from it", place.name),
            "its wallet is yours: open it with a program that signs transfers, once it is dead",
        ));
    }
    if let Some(asked) = amount.filter(|asked| *asked < LEAST_WITHDRAWAL) {
        return Err(Fail::hint(
            WithdrawalRefused::Dust { asked }.to_string(),
            format!("withdraw at least {LEAST_WITHDRAWAL} USDC, or all"),
        ));
    }
    let status = reader.status()?.map(|row| crate::stored::parse(&row.body)).transpose()?;
    let there = status.map(|status| status.capital.plus(status.positions));
    if let (Some(asked), Some(there)) = (amount, there)
        && asked > there
    {
        return Err(Fail::hint(WithdrawalRefused::TooMuch { asked, there }.to_string(), "withdraw less, or all"));
    }
    order(id, &Ask::Withdraw { amount }, home, out)
}
/// Words.
pub fn tell(id: &str, words: &str, home: &Home, out: &Out) -> Result<(), Fail> {
    check_words(words)?;
    order(id, &Ask::Tell { text: words.to_owned() }, home, out)
}

/// The end. A golem that does not run at the moment is given the one turn in which it dies.
pub fn kill(id: &str, reason: &str, yes: bool, home: &Home, out: &Out) -> Result<(), Fail> {
    let place = home.golem(id)?;
    home.is_at_home(&place)?;
    alive(&place)?;
    if !yes {
        confirm(&place, &format!("{} will die, for ever.", place.name), "not killed", out)?;
    }
    let id = put(&place, &Ask::Kill { reason: reason.to_owned() })?;
    let running = is_running(&place)?;
    // Whoever runs it tells of it; where nobody does, that is done here.
    let _herald = (!running).then(|| Herald::begin(home, std::slice::from_ref(&place), *out));
    let origin = Reader::open(&place.dir)?.origin()?;
    if !running && crate::birth::settings_of(&origin)?.chain.kind == ChainWord::Rpc {
        // Without its wallet it could neither close what is open nor send its money home.
        out.alert(&format!(
            "{} settles and sends its money home with its wallet: let it come to its end with bardo golem run {}",
            place.name, place.name
        ));
        return answer(&place, id, out);
    }
    if !running {
        let plan = RunPlan {
            home,
            chains: Default::default(),
            passphrase: None,
            pace: Some(Pace::Max),
            clock: crate::clock::clock(),
            stop: run_loop::stop_on_signals()?,
            world: None,
            accept_rollback: false,
            blind: true,
            snapshots: false,
            models: None,
            nodes: None,
        };
        let (name, stop) = (place.name.clone(), plan.stop.clone());
        let ears = Ears::<Nobody> { sink: None, watch: None, stop, name, out: *out, models: None };
        // Orders that waited before this one come first, some dozens a turn.
        let mut runner = run_loop::open(&place, &plan, ears)?;
        while runner.run(Until { turns: Some(1), return_when_paused: true })? == WhyBack::TurnsDone {}
        runner.close()?;
        crate::testament::leave(&place, out);
        // Its last words.
        if let Some(why) = Courier::begin(home, std::slice::from_ref(&place)).end() {
            out.alert(&format!("its last words wait to be carried: {why}"));
        }
        // A death is not undone by what keeps its successor: that is told, and tried again by whoever comes next.
        if let Err(why) = crate::auto::attend(&place, home, &plan.chains, false, out) {
            out.alert(&format!("its successor waits: {why}"));
        }
    }
    answer(&place, id, out)?;
    match alive(&place) {
        Ok(()) if !is_running(&place)? => Err(Fail::world(format!("{} is still alive", place.name))),
        _ => Ok(()),
    }
}

/// Whoever wants what cannot be undone types the golem's name. Where nobody can be asked, it is not done.
pub(super) fn confirm(place: &Place, what: &str, not_done: &str, out: &Out) -> Result<(), Fail> {
    let hint = "say that you mean it: --yes";
    if !std::io::stdin().is_terminal() {
        return Err(Fail::hint(format!("{not_done}: nobody is here to be asked"), hint));
    }
    out.alert(&format!("{what} Type its name to go on:"));
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    if line.trim() == place.name.as_str() { Ok(()) } else { Err(Fail::hint(not_done, hint)) }
}

pub(super) fn order(id: &str, ask: &Ask, home: &Home, out: &Out) -> Result<(), Fail> {
    let place = home.golem(id)?;
    home.is_at_home(&place)?;
    may_take(&place, ask)?;
    let id = put(&place, ask)?;
    answer(&place, id, out)
}

/// What went out in several orders, and what came back.
#[derive(Default)]
pub(super) struct Sent {
    pub orders: Vec<u64>,
    pub replies: Vec<String>,
    pub running: bool,
}

impl Sent {
    /// How many orders nobody has answered yet.
    pub(super) fn waiting(&self) -> usize {
        self.orders.len() - self.replies.len()
    }
    /// The answers, and what still waits.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = self.replies.clone();
        if self.waiting() > 0 {
            let when = if self.running { "at its next turns" } else { "when it runs" };
            lines.push(format!("{} orders wait: taken {when}", self.waiting()));
        }
        lines
    }
}

/// Send what is too long for one order, one after the other, and wait a little for the answers.
pub(super) fn send_all(place: &Place, asks: &[Ask]) -> Result<Sent, Fail> {
    let mut sent = Sent::default();
    for ask in asks {
        let put = put(place, ask).map_err(|fail| match fail {
            Fail::Owner(what, hint) if !sent.orders.is_empty() => {
                Fail::Owner(format!("{what}; {} of {} orders were sent", sent.orders.len(), asks.len()), hint)
            }
            other => other,
        })?;
        sent.orders.push(put);
    }
    sent.running = is_running(place)?;
    let until = Instant::now() + if sent.running { PATIENCE } else { Duration::ZERO };
    for order in &sent.orders {
        let patience = until.saturating_duration_since(Instant::now());
        sent.replies.extend(wait_reply(&place.dir, *order, patience)?.map(|reply| reply.text));
    }
    Ok(sent)
}

fn answer(place: &Place, id: u64, out: &Out) -> Result<(), Fail> {
    let answered = await_answer(place, id)?;
    // By way of a value, whose keys stand in one order.
    let told = serde_json::to_value(&answered).map_err(|e| Fail::Bug(e.to_string()))?;
    out.result(&told, || match (answered.reply, answered.running) {
        (Some(reply), _) => reply,
        (None, true) => format!("order {id} waits in its inbox: it will be taken at the next turn"),
        (None, false) => {
            format!("order {id} waits in its inbox: {} is not running; it will be taken when it runs", place.name)
        }
    })
}
