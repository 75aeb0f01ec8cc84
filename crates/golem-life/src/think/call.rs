//! What a model's calls come to. Looking up is answered from memory, trying is asked of the hands, wishing is kept for the
//! end, halting only ever takes away.

use crate::fact::LifeFact;
use crate::life::Life;
use crate::scratch::{Committed, Thinking, WaitingCall};
use crate::step::Question;
use crate::think::show::passage;
use golem_core::door::{EmbedRequest, Embedding};
use golem_core::model::{ModelMessage, ToolCall};
use golem_core::observed::{Field, Snapshot};
use golem_core::words::one_line;
use golem_core::{Intent, Preview};
use golem_daimon::gate::{Denied, gate_tool};
use golem_grimoire::embed::Embedder as _;
use golem_grimoire::retrieval::{EpisodeQuery, Query};
use golem_mind::Permissions;
use golem_mind::deliberate::{Called, read_call};
use serde_json::{Value, json};

/// A search brings at most this many hits.
const HITS: usize = 6;

/// What a call came to.
pub(super) enum CallOutcome {
    /// An answer, at once.
    Answer(Value),
    /// Somebody else must be asked first.
    Ask(Question, WaitingCall),
}

/// The answer to a call, as a message.
pub(crate) fn result(call: &ToolCall, value: Value) -> ModelMessage {
    ModelMessage::Tool { call: call.id.clone(), text: value.to_string() }
}

/// Why a call came to nothing, for the model.
pub(crate) fn refused(why: &str) -> Value {
    json!({ "error": why })
}

/// What is observed: all of it, or the fields with these names.
pub(crate) fn look_at(seen: &Snapshot, names: &[String]) -> Value {
    let wanted = |field: &Field| names.is_empty() || names.iter().any(|n| n == field.name());
    let all = seen.observed().filter(|(field, _)| wanted(field));
    all.map(|(field, value)| (field.name().to_owned(), json!(value))).collect()
}

/// What previews show.
pub(super) fn shown(previews: &[Preview]) -> Value {
    let one = |p: &Preview| json!({ "intent": p.intent, "outcome": p.outcome, "gas_usdc": p.gas.cost.to_string() });
    Value::Array(previews.iter().map(one).collect())
}

impl Life {
    pub(super) fn call(&mut self, thinking: &mut Thinking, call: &ToolCall) -> CallOutcome {
        let called = match read_call(call) {
            Ok(called) => called,
            Err(bad) => {
                self.tell(LifeFact::ToolCalled { tool: one_line(&call.name, 40), ok: false });
                return CallOutcome::Answer(refused(&bad.to_string()));
            }
        };
        if let Err(denied) = self.may_call(thinking, call, &called) {
            self.tell(LifeFact::ToolCalled { tool: call.name.clone(), ok: false });
            return CallOutcome::Answer(json!({ "error": denied.to_string(), "lifted_by": denied.lifted_by() }));
        }
        self.tell(LifeFact::ToolCalled { tool: call.name.clone(), ok: true });
        match called {
            Called::State(names) => CallOutcome::Answer(look_at(&self.turn.known.snapshot, &names)),
            Called::Grimoire(ref text) | Called::Context(ref text) => match self.may_embed().filter(|_| self.is_lent())
            {
                Some(max_cost) => {
                    let request = EmbedRequest { query: Some(text.clone()), texts: Vec::new(), max_cost };
                    CallOutcome::Ask(Question::Embed(Box::new(request)), WaitingCall::Vector(called))
                }
                None => CallOutcome::Answer(self.search(&called, None)),
            },
            Called::Preview(act, share) => {
                let grounds = &thinking.grounds;
                let (policy, of) = (self.policy(), (&grounds.holdings, &grounds.value));
                match self.state.mind.propose(of, &grounds.may, &policy, &grounds.guidance, (act, share)) {
                    none if none.is_empty() => CallOutcome::Answer(refused("not possible or not allowed now")),
                    intents => CallOutcome::Ask(Question::Preview(intents), WaitingCall::Preview),
                }
            }
            Called::Commit { act, share, confidence, reason } => {
                if thinking.committed.is_some() {
                    return CallOutcome::Answer(refused("one action has been committed already"));
                }
                thinking.committed = Some(Committed { act, share, confidence, reason });
                CallOutcome::Answer(json!({ "taken": true }))
            }
            Called::Halt(reason) => {
                let mut told = Vec::new();
                self.state.cage.halt(self.state.core.tick, &format!("the model: {reason}"), &mut told);
                self.tell_of_cage(told);
                CallOutcome::Answer(json!({ "halted": true }))
            }
        }
    }

    /// Every tool passes the gate: a committed action as what it would do, the others by their own class.
    fn may_call(&mut self, thinking: &Thinking, call: &ToolCall, called: &Called) -> Result<(), Denied> {
        let wished = match called {
            Called::Commit { act, share, .. } => {
                let grounds = &thinking.grounds;
                let (policy, of) = (self.policy(), (&grounds.holdings, &grounds.value));
                self.state
                    .mind
                    .propose(of, &Permissions::ALL, &policy, &grounds.guidance, (*act, *share))
                    .first()
                    .copied()
            }
            _ => None,
        };
        let intent = wished.unwrap_or(Intent::Hold);
        match gate_tool(&call.name, Some((&intent, None)), &self.situation()) {
            Ok(_) => Ok(()),
            Err(denied) => {
                self.note_verdict(&call.name, denied.class, Err(denied));
                Err(denied)
            }
        }
    }

    /// Look for something in memory, by an embedder elsewhere where it gave a vector, by the bundled one where not.
    pub(crate) fn search(&mut self, called: &Called, vector: Option<&Embedding>) -> Value {
        match called {
            Called::Grimoire(text) => self.look_up(text, vector),
            Called::Context(text) => self.look_back(text, vector),
            _ => json!([]),
        }
    }

    fn look_up(&mut self, text: &str, vector: Option<&Embedding>) -> Value {
        let now = self.state.core.age;
        let Some(grimoire) = &mut self.grimoire else { return json!([]) };
        let found = grimoire.look_up(&Query { text: text.to_owned(), embedding: vector.cloned(), ..Query::at(now) });
        let hit = |hit: &golem_grimoire::retrieval::Hit| {
            let entry = grimoire.shelf().entry(hit.id)?;
            let id = hit.id.to_string();
            let sure = (entry.effective(now) * 100.0).round() / 100.0;
            let mut told = json!({ "id": &id[..8], "from": entry.body.provenance, "confidence": sure,
                                   "text": one_line(&entry.body.text, 300) });
            if let Some(said) = passage(grimoire, hit.id) {
                told["testament"] = json!(said);
            }
            Some(told)
        };
        Value::Array(found.hits.iter().take(HITS).filter_map(hit).collect())
    }

    fn look_back(&self, text: &str, vector: Option<&Embedding>) -> Value {
        let now = self.state.core.age;
        let Some(grimoire) = &self.grimoire else { return json!([]) };
        let own;
        let embedding = match vector {
            Some(vector) => vector,
            None => {
                own = grimoire.embedder().embed(text);
                &own
            }
        };
        let from = grimoire.shelf().latest_from();
        let query = EpisodeQuery { as_of: now, from, embedding: Some(embedding), ..EpisodeQuery::default() };
        let found = grimoire.episodes().recall(&query, HITS);
        let one = |id| {
            let episode = grimoire.shelf().episode(id)?;
            let hours = now.since(episode.age).0 as f64 / 3_600_000.0;
            Some(json!({ "hours_ago": (hours * 10.0).round() / 10.0, "went": episode.went,
                         "text": one_line(&episode.text, 300) }))
        };
        Value::Array(found.iter().filter_map(|hit| one(hit.id)).collect())
    }
}
