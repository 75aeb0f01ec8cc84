//! The door itself: a question goes to the first provider that serves it, to the next when that one fails, and comes back
//! as an answer that fits or as the reason why there is none. Every try is booked.
//!
//! Never panics and never fails: no answer is an answer too.

use crate::adapter::{self, Heard};
use crate::config::{CanaryConfig, InferenceConfig, Problems, ProviderConfig, keys_in, spoken};
use crate::fit::{Fit, FittingAnswer, repaired};
use crate::key::ApiKey;
use crate::line::HttpLine;
use crate::talk::Talk;
use crate::text::WatchedTexts;
use golem_core::model::{ModelAnswer, ModelAttempt, ModelFailure, ModelPurpose, ModelReply, ModelRequest, ModelTier};
use golem_core::patience::{Chance, Circuit, pause};
use golem_core::{Problem, Usdc};
use reqwest::Url;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The most that is paused before the second attempt; it doubles from there.
const FIRST_PAUSE: Duration = Duration::from_millis(200);

/// Models behind their providers.
pub struct Inference {
    pub(crate) line: HttpLine,
    pub(crate) seats: Vec<ProviderSeat>,
    pub(crate) limits: CallLimits,
    chance: Chance,
    pub(crate) watched: WatchedTexts,
    pub(crate) canaries: Vec<CanaryConfig>,
    /// The provider that alone answers what is asked for a purpose, where one is named.
    alone: BTreeMap<ModelPurpose, String>,
}

/// A provider at the table.
pub(crate) struct ProviderSeat {
    pub config: ProviderConfig,
    pub url: Url,
    pub key: Option<ApiKey>,
    circuit: Circuit<Instant>,
    /// The model that answered first, where none is pinned.
    pub first_seen: BTreeMap<ModelTier, String>,
}

pub(crate) struct CallLimits {
    max_cost: Usdc,
    max_output: u32,
    pub max_bytes: usize,
    timeout: Duration,
    retries: u32,
}

impl Inference {
    /// Open the door. Keys are read now, and only now.
    ///
    /// # Errors
    /// Everything that is wrong with the settings, with its key within `[inference]`.
    pub fn new(config: &InferenceConfig) -> Result<Self, Problems> {
        Self::with_chance(config, Box::new(from_the_system))
    }

    /// Open the door with a given chance for the pauses between attempts.
    ///
    /// # Errors
    /// Everything that is wrong with the settings.
    pub fn with_chance(config: &InferenceConfig, chance: Chance) -> Result<Self, Problems> {
        let mut problems = config.problems();
        let mut seats = Vec::new();
        let mut watched = WatchedTexts::default();
        for (i, provider) in config.providers.iter().enumerate() {
            let at = format!("providers.{i}");
            let path = adapter::of(provider.kind).path();
            let url = spoken(&provider.base_url, provider.base_url_env.as_deref(), path);
            let key = ApiKey::read(provider.key_env.as_deref(), provider.key_file.as_deref());
            match url.and_then(|url| Ok((url, key?))) {
                Ok((url, key)) => {
                    key.iter().for_each(|k| watched.secret(k.expose()));
                    keys_in(&url).iter().for_each(|k| watched.secret(k));
                    let (circuit, first_seen) = (Circuit::default(), BTreeMap::new());
                    seats.push(ProviderSeat { config: provider.clone(), url, key, circuit, first_seen });
                }
                // What is wrong with an address as written was said with the settings.
                Err(problem) if problem.key == "base_url" => {}
                Err(problem) => problems.push(problem.under(&at)),
            }
        }
        if !problems.is_empty() {
            return Err(Problems(problems));
        }
        let line = HttpLine::new(Duration::from_millis(config.connect_timeout_ms))
            .map_err(|why| Problems(vec![Problem::new("providers", why)]))?;
        let limits = CallLimits {
            max_cost: config.max_request_usdc,
            max_output: config.max_output_tokens,
            max_bytes: config.max_answer_bytes,
            timeout: Duration::from_millis(config.request_timeout_ms),
            retries: config.retries,
        };
        Ok(Self { line, seats, limits, chance, watched, canaries: config.canaries.clone(), alone: BTreeMap::new() })
    }

    /// Whether anybody serves this tier and purpose.
    #[must_use]
    pub fn serves(&self, tier: ModelTier, purpose: ModelPurpose) -> bool {
        !self.serving(tier, purpose).is_empty()
    }

    /// From now on only this provider is asked for such a purpose: whoever dreams, or dies, with somebody private asks nobody
    /// else, also when that one is silent.
    pub fn ask_alone(&mut self, purpose: ModelPurpose, provider: &str) {
        self.alone.insert(purpose, provider.to_owned());
    }

    /// Watch for a text that must never leave this machine: a request with it is not sent, and it is taken out of replies.
    pub fn forbid(&mut self, secret: &str) {
        self.watched.secret(secret);
    }

    /// Watch for a text that is told to models and must never come back, such as a mark in a prompt.
    pub fn watch(&mut self, canary: &str) {
        self.watched.canary(canary);
    }

    /// Ask. What came of it, with every try, is in the reply.
    pub fn ask(&mut self, request: &ModelRequest) -> ModelReply {
        self.ask_of(self.serving(request.tier, request.purpose), request)
    }

    /// Ask some providers, in their order.
    pub(crate) fn ask_of(&mut self, seats: Vec<usize>, request: &ModelRequest) -> ModelReply {
        let mut talk = self.talk(request);
        let answer = match self.answer(seats, request, &mut talk) {
            Ok(FittingAnswer { text, calls }) => ModelAnswer::Said { text, calls },
            Err(why) => ModelAnswer::Nothing { why },
        };
        ModelReply { request: request.hash(), answer, attempts: talk.attempts }
    }

    /// Ask one provider once: what it said, whatever that is, and what was tried.
    pub(crate) fn probe(
        &mut self,
        seat: usize,
        request: &ModelRequest,
    ) -> (Result<Heard, ModelFailure>, Vec<ModelAttempt>) {
        let mut talk = self.talk(request);
        let heard = Fit::new(request)
            .map_err(|_| ModelFailure::Unfit)
            .and_then(|fit| self.once(seat, request, &fit, &mut talk).map_err(|failed| failed.why));
        (heard, talk.attempts)
    }

    /// The most tokens that an answer may have here.
    pub(crate) fn most_output(&self) -> u32 {
        self.limits.max_output
    }

    fn talk(&self, request: &ModelRequest) -> Talk {
        let time = Duration::from_millis(request.timeout_ms.into()).min(self.limits.timeout);
        let max_output = request.max_output_tokens.clamp(1, self.limits.max_output.max(1));
        Talk::new(Instant::now(), time, request.max_cost.min(self.limits.max_cost), max_output)
    }

    fn serving(&self, tier: ModelTier, purpose: ModelPurpose) -> Vec<usize> {
        let alone = self.alone.get(&purpose);
        let serves = |s: &ProviderSeat| {
            let is_meant = alone.is_none_or(|name| *name == s.config.name);
            s.config.model(tier).is_some() && s.config.purposes.contains(&purpose) && is_meant
        };
        (0..self.seats.len()).filter(|&i| serves(&self.seats[i])).collect()
    }

    fn answer(
        &mut self,
        seats: Vec<usize>,
        request: &ModelRequest,
        talk: &mut Talk,
    ) -> Result<FittingAnswer, ModelFailure> {
        // A schema that is none is a bug of whoever asks; there is nothing that could fit it.
        let fit = Fit::new(request).map_err(|_| ModelFailure::Unfit)?;
        let mut why = ModelFailure::NoProvider;
        for seat in seats {
            match self.converse(seat, request, &fit, talk) {
                Ok(heard) => return self.fitting(seat, request, &fit, talk, heard),
                Err(failure) => why = failure,
            }
        }
        Err(why)
    }

    /// Judge an answer; one that does not fit may be given once more.
    fn fitting(
        &mut self,
        seat: usize,
        request: &ModelRequest,
        fit: &Fit,
        talk: &mut Talk,
        heard: Heard,
    ) -> Result<FittingAnswer, ModelFailure> {
        let complaint = match whole(request, fit, &heard) {
            Ok(said) => return Ok(said),
            // The same question would be cut at the same place, and paid for again.
            Err(_) if heard.cut => return Err(talk.cut_short()),
            Err(complaint) => complaint,
        };
        talk.unfit(&complaint);
        let again = repaired(request, &heard, &complaint);
        let heard = self.converse(seat, &again, fit, talk).map_err(|_| ModelFailure::Unfit)?;
        whole(request, fit, &heard).map_err(|complaint| {
            if heard.cut {
                return talk.cut_short();
            }
            talk.unfit(&complaint);
            ModelFailure::Unfit
        })
    }

    /// Ask one provider, and again while it is busy or in trouble and there is time and money.
    fn converse(
        &mut self,
        seat: usize,
        request: &ModelRequest,
        fit: &Fit,
        talk: &mut Talk,
    ) -> Result<Heard, ModelFailure> {
        if !self.seats[seat].circuit.may_be_asked(Instant::now()) {
            let config = &self.seats[seat].config;
            let who = (config.name.as_str(), config.model(request.tier).unwrap_or_default());
            return Err(talk.unsent(who, ModelFailure::Unreachable, "not sent: it failed lately and rests").why);
        }
        let mut tries = 0;
        loop {
            let failed = match self.once(seat, request, fit, talk) {
                Ok(heard) => {
                    self.seats[seat].circuit.worked();
                    return Ok(heard);
                }
                Err(failed) => failed,
            };
            let now = Instant::now();
            if failed.blame {
                self.seats[seat].circuit.failed(now);
            }
            let Some(asked) = failed.again else { return Err(failed.why) };
            let rest = asked.saturating_add(pause(FIRST_PAUSE, tries, (self.chance)()));
            if tries >= self.limits.retries || rest >= talk.left(now) {
                if !asked.is_zero() {
                    self.seats[seat].circuit.rest(now, asked);
                }
                return Err(failed.why);
            }
            self.line.pause(rest);
            tries += 1;
        }
    }
}

/// What fits, as far as it is whole: of words that were cut nobody knows what would have come. Only the half-finished thoughts
/// of a dream are wanted so.
fn whole(request: &ModelRequest, fit: &Fit, heard: &Heard) -> Result<FittingAnswer, String> {
    let said = fit.judge(heard)?;
    let is_half_wanted = request.purpose == ModelPurpose::Dream && !said.text.is_empty();
    match heard.cut && request.schema.is_empty() && said.calls.is_empty() && !is_half_wanted {
        true => Err("it was cut off".to_owned()),
        false => Ok(said),
    }
}

fn from_the_system() -> f64 {
    getrandom::u64().map_or(0.5, |n| (n >> 11) as f64 / (1u64 << 53) as f64)
}
