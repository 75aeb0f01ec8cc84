//! Several nodes as one: whoever answers first where any answer will do, and agreement where money depends on it.
//!
//! Never believes one node among several about anything that has a value.

use super::budget::Budget;
use super::config::{RpcConfig, redacted};
use super::wire::{self, Answers, NodeAsk, NodeFault};
use golem_core::patience::{Chance, Circuit, pause};
use golem_venue::VenueError;
use reqwest::{Client, Url};
use serde_json::Value;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// How one question's answer is read. What a node says no to comes as an error, and may be an answer too.
pub type AnswerReading<'a, T> = &'a dyn Fn(usize, Result<Value, NodeFault>) -> Result<T, NodeFault>;

/// The most that is paused before the second attempt; it doubles from there.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// The nodes.
pub struct Endpoints {
    client: Client,
    seats: Vec<NodeSeat>,
    budget: Budget,
    timeout: Duration,
    cap: usize,
    retries: u32,
    chance: Chance,
}

struct NodeSeat {
    url: Url,
    name: String,
    circuit: Circuit<Instant>,
    /// Left out for this turn: stale, or on another chain.
    excluded: bool,
}

/// How many of so many must say the same: one of one, two of two, two of three, the greater part of more.
#[must_use]
pub fn quorum(nodes: usize) -> usize {
    nodes / 2 + 1
}

impl Endpoints {
    /// The nodes of a configuration.
    ///
    /// # Errors
    /// When an address is none, or no HTTP client can be made.
    pub fn new(config: &RpcConfig, chance: Chance) -> Result<Self, VenueError> {
        let bug = |what: &str| VenueError::Bug(what.to_owned());
        let mut seats = Vec::new();
        for (i, text) in config.urls.iter().enumerate() {
            let url = Url::parse(text).map_err(|_| bug("an address of a node was not checked"))?;
            let name = format!("node {} ({})", i + 1, redacted(&url));
            seats.push(NodeSeat { url, name, circuit: Circuit::default(), excluded: false });
        }
        Ok(Self {
            client: wire::client().map_err(|_| bug("no HTTP client can be made"))?,
            seats,
            budget: Budget::until(Instant::now() + Duration::from_millis(config.turn_budget_ms)),
            timeout: Duration::from_millis(config.request_timeout_ms),
            cap: config.max_answer_bytes,
            retries: config.retries,
            chance,
        })
    }

    /// A new turn, with a new budget; everybody may speak again.
    pub fn begin_turn(&mut self, budget: Duration) {
        self.budget = Budget::until(Instant::now() + budget);
        self.seats.iter_mut().for_each(|s| s.excluded = false);
    }
    /// What is left of the turn.
    #[must_use]
    pub fn left(&self) -> Duration {
        self.budget.left(Instant::now())
    }
    /// How many nodes there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.seats.len()
    }
    /// What a node is called, without its secrets.
    #[must_use]
    pub fn name(&self, seat: usize) -> &str {
        self.seats.get(seat).map_or("?", |s| &s.name)
    }
    /// Leave a node out for the rest of the turn.
    pub fn exclude(&mut self, seat: usize) {
        if let Some(s) = self.seats.get_mut(seat) {
            s.excluded = true;
        }
    }

    /// Ask one after another until somebody answers. For what has no value: hints, estimates.
    ///
    /// # Errors
    /// [`VenueError::Unreachable`] when nobody does in the time there is.
    pub async fn first<T>(&mut self, asks: &[NodeAsk], reading: AnswerReading<'_, T>) -> Result<Vec<T>, VenueError> {
        let mut why = "nobody may be asked".to_owned();
        for attempt in 0..=self.retries {
            for seat in self.speakers() {
                let Some(patience) = self.patience() else { return Err(spent(&why)) };
                let (client, url) = (self.client.clone(), self.seats[seat].url.clone());
                let answer = wire::ask(client, url, asks.to_vec(), patience, self.cap).await;
                match self.heard(seat, answer, reading) {
                    Ok(values) => return Ok(values),
                    Err(fault) => why = format!("{}: {fault}", self.name(seat)),
                }
            }
            self.rest(attempt, &why).await?;
        }
        Err(VenueError::Unreachable(why))
    }

    /// Ask everybody, and believe what enough of them say. For whatever has a value.
    ///
    /// # Errors
    /// [`VenueError::Unreachable`] when they do not agree, or too few answer in the time there is.
    pub async fn agreed<T: PartialEq>(
        &mut self,
        asks: &[NodeAsk],
        reading: AnswerReading<'_, T>,
    ) -> Result<Vec<T>, VenueError> {
        let needed = quorum(self.count());
        let mut said: Vec<(usize, Vec<T>)> = Vec::new();
        let mut why = "nobody may be asked".to_owned();
        for attempt in 0..=self.retries {
            let silent = self.speakers().into_iter().filter(|s| said.iter().all(|(who, _)| who != s)).collect();
            let mut running = self.ask_all(silent, asks).ok_or_else(|| spent(&why))?;
            while let Some(done) = running.join_next().await {
                let Ok((seat, answer)) = done else { continue };
                match self.heard(seat, answer, reading) {
                    Ok(values) => {
                        let same = 1 + said.iter().filter(|(_, other)| *other == values).count();
                        if same >= needed {
                            return Ok(values);
                        }
                        said.push((seat, values));
                    }
                    Err(fault) => why = format!("{}: {fault}", self.name(seat)),
                }
            }
            let most = said.iter().map(|(_, v)| said.iter().filter(|(_, o)| o == v).count()).max().unwrap_or(0);
            if said.len() > most && most + (self.count() - said.len()) < needed {
                let names: Vec<&str> = said.iter().map(|(seat, _)| self.name(*seat)).collect();
                let what = asks.first().map_or("", |a| a.method);
                return Err(VenueError::Unreachable(format!("disagree: {} about {what}", names.join(", "))));
            }
            self.rest(attempt, &why).await?;
        }
        Err(VenueError::Unreachable(format!("{} of {needed} answers; {why}", said.len())))
    }

    /// Tell everybody the same, and hear everybody who answers soon after `enough` of them have.
    pub async fn everyone<T>(
        &mut self,
        asks: &[NodeAsk],
        enough: usize,
        reading: AnswerReading<'_, T>,
    ) -> Vec<(usize, Result<Vec<T>, NodeFault>)> {
        let Some(mut running) = self.ask_all(self.speakers(), asks) else { return Vec::new() };
        let mut all = Vec::new();
        let mut good = 0;
        loop {
            // A node that is a little late is worth a little time; one that hangs is not.
            let patience = if good >= enough { self.timeout / 8 } else { self.timeout };
            let Ok(Some(done)) = tokio::time::timeout(patience, running.join_next()).await else { return all };
            let Ok((seat, answer)) = done else { continue };
            let heard = self.heard(seat, answer, reading);
            good += usize::from(heard.is_ok());
            all.push((seat, heard));
        }
    }

    fn speakers(&self) -> Vec<usize> {
        let now = Instant::now();
        let may = |s: &NodeSeat| !s.excluded && s.circuit.may_be_asked(now);
        self.seats.iter().enumerate().filter(|(_, s)| may(s)).map(|(i, _)| i).collect()
    }

    fn patience(&self) -> Option<Duration> {
        self.budget.patience(Instant::now(), self.timeout)
    }

    fn ask_all(&self, seats: Vec<usize>, asks: &[NodeAsk]) -> Option<JoinSet<(usize, Result<Answers, NodeFault>)>> {
        let (patience, cap) = (self.patience()?, self.cap);
        let mut running = JoinSet::new();
        for seat in seats {
            let (client, url, asks) = (self.client.clone(), self.seats[seat].url.clone(), asks.to_vec());
            running.spawn(async move { (seat, wire::ask(client, url, asks, patience, cap).await) });
        }
        Some(running)
    }

    /// Read what a node said, and remember whether it worked.
    fn heard<T>(
        &mut self,
        seat: usize,
        answer: Result<Answers, NodeFault>,
        reading: AnswerReading<'_, T>,
    ) -> Result<Vec<T>, NodeFault> {
        let read = |answers: Answers| answers.into_iter().enumerate().map(|(i, a)| reading(i, a)).collect();
        let result: Result<Vec<T>, NodeFault> = answer.and_then(read);
        match &result {
            Err(fault) if !fault.is_an_answer() => self.seats[seat].circuit.failed(Instant::now()),
            _ => self.seats[seat].circuit.worked(),
        }
        result
    }

    /// Pause before the next attempt, if there is one and time for it.
    async fn rest(&mut self, attempt: u32, why: &str) -> Result<(), VenueError> {
        if attempt == self.retries {
            return Ok(());
        }
        let pause = pause(FIRST_PAUSE, attempt, (self.chance)());
        if pause >= self.left() {
            return Err(spent(why));
        }
        tokio::time::sleep(pause).await;
        Ok(())
    }
}

fn spent(why: &str) -> VenueError {
    VenueError::Unreachable(format!("the turn's time for the chain is spent; {why}"))
}
