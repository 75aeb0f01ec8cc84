//! Embedders over HTTP: an OpenAI-compatible `/embeddings`, or Ollama's `/api/embed`.

use super::{RemoteEmbedder, prefixes, quantised};
use crate::config::{EmbedderKind, InferenceConfig, Problems, keys_in, spoken};
use crate::key::ApiKey;
use crate::line::{HttpLine, Incoming, LineFault, Outgoing};
use crate::price::{Counted, ModelPrice, Usage, count, worst_case};
use crate::talk::Talk;
use crate::text::{WatchedTexts, short};
use golem_core::door::Embedding;
use golem_core::model::{ModelAttempt, ModelFailure};
use golem_core::patience::Circuit;
use golem_core::{Problem, Usdc};
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Texts that go into one request.
const BATCH: usize = 64;
/// The most bytes of a text that are looked at.
const LONGEST: usize = 8_192;
/// Bytes around a text in a request, more than there are.
const FRAME: usize = 512;

pub(super) struct HttpEmbedder {
    line: HttpLine,
    kind: EmbedderKind,
    url: Url,
    key: Option<ApiKey>,
    model: String,
    id: String,
    width: usize,
    price: ModelPrice,
    prefixes: (String, String),
    max_cost: Usdc,
    allowed: Usdc,
    timeout: Duration,
    circuit: Circuit<Instant>,
    watched: WatchedTexts,
    attempts: Vec<ModelAttempt>,
}

impl HttpEmbedder {
    pub(super) fn new(config: &InferenceConfig) -> Result<Self, Problems> {
        let e = &config.embedder;
        let one = |problem: Problem| Problems(vec![problem.under("embedder")]);
        let key = ApiKey::read(e.key_env.as_deref(), e.key_file.as_deref()).map_err(one)?;
        let mut watched = WatchedTexts::default();
        key.iter().for_each(|k| watched.secret(k.expose()));
        let (path, kind) = match e.kind {
            EmbedderKind::Ollama => ("/api/embed", "ollama"),
            _ => ("/embeddings", "openai"),
        };
        let written = e.base_url.as_deref().unwrap_or_default();
        let url = spoken(written, e.base_url_env.as_deref(), path).map_err(one)?;
        keys_in(&url).iter().for_each(|k| watched.secret(k));
        let model = e.model.clone().unwrap_or_default();
        let width = e.width.unwrap_or_default() as usize;
        let line = HttpLine::new(Duration::from_millis(config.connect_timeout_ms));
        Ok(Self {
            line: line.map_err(|why| one(Problem::new("kind", why)))?,
            kind: e.kind,
            url,
            key,
            id: format!("{kind}/{model}/{width}"),
            prefixes: prefixes(e, &model),
            model,
            width,
            price: e.price(),
            max_cost: config.max_request_usdc,
            allowed: config.max_request_usdc,
            timeout: Duration::from_millis(config.request_timeout_ms),
            circuit: Circuit::default(),
            watched,
            attempts: Vec::new(),
        })
    }

    fn all(&mut self, texts: Vec<String>) -> Result<Vec<Embedding>, ModelFailure> {
        let mut talk = Talk::new(Instant::now(), self.timeout, self.allowed, 0);
        let mut vectors = Vec::with_capacity(texts.len());
        let mut failure = None;
        for batch in texts.chunks(BATCH) {
            match self.batch(batch, &mut talk) {
                Ok(more) => vectors.extend(more),
                Err(why) => {
                    failure = Some(why);
                    break;
                }
            }
        }
        self.attempts.append(&mut talk.attempts);
        failure.map_or(Ok(vectors), Err)
    }

    fn batch(&mut self, texts: &[String], talk: &mut Talk) -> Result<Vec<Embedding>, ModelFailure> {
        let who = (self.id.clone(), self.model.clone());
        let who = (who.0.as_str(), who.1.as_str());
        let body = json!({ "model": self.model, "input": texts }).to_string();
        let (bytes, now) = (body.len(), Instant::now());
        let worst = worst_case(bytes, 0);
        let most = self.price.cost(worst.input, 0);
        if !self.circuit.may_be_asked(now) {
            return Err(talk.unsent(who, ModelFailure::Unreachable, "not sent: it failed lately and rests").why);
        }
        if self.watched.is_in(&body) {
            return Err(talk.unsent(who, ModelFailure::Leaked, "not sent: there is a secret in it").why);
        }
        if !talk.affords(most) {
            return Err(talk.unsent(who, ModelFailure::TooDear, &format!("not sent: it may cost {most} USDC")).why);
        }
        let out = Outgoing { url: self.url.clone(), headers: self.headers(), body };
        // Numbers in decimal take up to about 25 bytes each.
        let cap = 65_536 + texts.len() * self.width * 32;
        let answer = self.line.exchange(out, talk.left(now), cap);
        let result = self.read(answer, texts.len(), bytes);
        match &result {
            Ok(_) => self.circuit.worked(),
            Err(_) => self.circuit.failed(Instant::now()),
        }
        let (counted, failed, note) = match &result {
            Ok((_, counted)) => (*counted, None, String::new()),
            Err((why, true, note)) => (worst, Some(*why), note.clone()),
            Err((why, false, note)) => (Counted::default(), Some(*why), note.clone()),
        };
        talk.book(who, counted, self.price, failed, &note);
        result.map(|(vectors, _)| vectors).map_err(|(why, ..)| why)
    }

    fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
        if let Some(value) = self.key.as_ref().and_then(|k| k.header("Bearer ")) {
            headers.insert(AUTHORIZATION, value);
        }
        headers
    }

    /// The vectors and what they used, or why there are none and whether it may have been billed.
    fn read(
        &self,
        answer: Result<Incoming, LineFault>,
        asked: usize,
        bytes: usize,
    ) -> Result<(Vec<Embedding>, Counted), (ModelFailure, bool, String)> {
        let body = match answer {
            Ok(Incoming { status: 200, body, .. }) => body,
            Ok(Incoming { status, .. }) => {
                let why = match status {
                    429 => ModelFailure::Busy,
                    500.. => ModelFailure::Unreachable,
                    _ => ModelFailure::Refused,
                };
                return Err((why, false, format!("status {status}")));
            }
            Err(LineFault::NotSent(why)) => return Err((ModelFailure::Unreachable, false, short(&why, 160))),
            Err(LineFault::Slow) => return Err((ModelFailure::TimedOut, true, "no answer in time".into())),
            Err(LineFault::TooLong) => return Err((ModelFailure::TooLong, true, "the answer is too long".into())),
            Err(LineFault::Broken(why)) => return Err((ModelFailure::Unreachable, true, short(&why, 160))),
        };
        let garbled = || (ModelFailure::Garbled, true, "not in its own format".to_owned());
        let value: Value = serde_json::from_slice(&body).map_err(|_| garbled())?;
        let (rows, used) = match self.kind {
            EmbedderKind::Ollama => (plain(&value, asked), value.get("prompt_eval_count")),
            _ => (indexed(&value, asked), value.pointer("/usage/prompt_tokens")),
        };
        let vector = |row: &Value| {
            let numbers: Option<Vec<f32>> = row.as_array()?.iter().map(|x| Some(x.as_f64()? as f32)).collect();
            let numbers = numbers.filter(|n| n.len() == self.width)?;
            quantised(&self.id, &numbers)
        };
        let vectors = rows.and_then(|rows| rows.into_iter().map(vector).collect()).ok_or_else(garbled)?;
        let usage = Usage { input: used.and_then(Value::as_u64), output: Some(0), ..Usage::default() };
        Ok((vectors, count(usage, bytes, 0, 0)))
    }
}

/// One row for each text, in their order.
fn plain(value: &Value, asked: usize) -> Option<Vec<&Value>> {
    let rows: Vec<&Value> = value.get("embeddings")?.as_array()?.iter().collect();
    (rows.len() == asked).then_some(rows)
}

/// One row for each text, each with its place.
fn indexed(value: &Value, asked: usize) -> Option<Vec<&Value>> {
    let mut rows: Vec<Option<&Value>> = vec![None; asked];
    for item in value.get("data")?.as_array()? {
        let place = rows.get_mut(usize::try_from(item.get("index")?.as_u64()?).ok()?)?;
        if place.replace(item.get("embedding")?).is_some() {
            return None;
        }
    }
    rows.into_iter().collect()
}

impl RemoteEmbedder for HttpEmbedder {
    fn id(&self) -> &str {
        &self.id
    }
    fn width(&self) -> usize {
        self.width
    }
    fn embed(&mut self, texts: &[String]) -> Result<Vec<Embedding>, ModelFailure> {
        let before = self.prefixes.0.clone();
        self.all(texts.iter().map(|t| format!("{before}{}", cut(t))).collect())
    }
    fn embed_query(&mut self, text: &str) -> Result<Embedding, ModelFailure> {
        let text = format!("{}{}", self.prefixes.1, cut(text));
        self.all(vec![text])?.pop().ok_or(ModelFailure::Garbled)
    }
    fn allow(&mut self, most: Usdc) {
        self.allowed = most.min(self.max_cost);
    }
    fn forbid(&mut self, secret: &str) {
        self.watched.secret(secret);
    }
    fn worst(&self, texts: &[&str]) -> Usdc {
        // Quotes, commas and prefixes are less than the frame that is counted for every text.
        let bytes = texts.iter().map(|t| json!(cut(t)).to_string().len() + FRAME).sum::<usize>();
        self.price.cost(worst_case(bytes, 0).input, 0).min(self.max_cost)
    }
    fn take_attempts(&mut self) -> Vec<ModelAttempt> {
        std::mem::take(&mut self.attempts)
    }
}

/// The beginning of a text, at a character's end.
fn cut(text: &str) -> &str {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
