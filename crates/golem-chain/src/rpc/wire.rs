//! One question to one node: an HTTP request with a deadline and a bound on the answer.
//!
//! Never shows an address in an error: it may carry a key.

use reqwest::{Client, Url, header};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::timeout;

/// A question.
#[derive(Debug, Clone)]
pub struct NodeAsk {
    /// The method.
    pub method: &'static str,
    /// Its parameters: an array.
    pub params: Value,
}

impl NodeAsk {
    /// A question with parameters.
    #[must_use]
    pub fn new(method: &'static str, params: Value) -> Self {
        Self { method, params }
    }
}

/// Why a node gave no answer, or none that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NodeFault {
    /// It asks for patience.
    #[error("too many requests")]
    Busy,
    /// It is in trouble, or something before it is.
    #[error("HTTP status {0}")]
    Status(u16),
    /// It did not answer in time.
    #[error("no answer in time")]
    Slow,
    /// Its answer has no end, or one that is too far away.
    #[error("the answer is longer than {0} bytes")]
    TooLong(usize),
    /// Its answer is not one.
    #[error("not an answer: {0}")]
    Garbage(String),
    /// It cannot be reached.
    #[error("not reached: {0}")]
    Away(String),
    /// It understood, and says no.
    #[error("it says {message} ({code})")]
    Said {
        /// JSON-RPC's error code.
        code: i64,
        /// Its words, cut.
        message: String,
        /// What came with it, such as the data of a revert.
        data: Option<String>,
    },
}

impl NodeFault {
    /// True when the node worked: asking it again would bring the same.
    #[must_use]
    pub fn is_an_answer(&self) -> bool {
        // -32005 and -32097 to -32099 are what nodes say instead of the status 429.
        matches!(self, Self::Said { code, .. } if !matches!(code, -32005 | -32099..=-32097 | 429))
    }
}

/// The answers to some questions, in their order; what one node says to each.
pub type Answers = Vec<Result<Value, NodeFault>>;

/// A client that follows no redirect and shares nothing between nodes.
pub(super) fn client() -> Result<Client, reqwest::Error> {
    // The first one counts for the whole process; that there is one already is just as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(Duration::from_secs(5))
        .pool_idle_timeout(Duration::from_secs(30))
        .build()
}

/// Ask one node: all questions in one request.
pub(super) async fn ask(
    client: Client,
    url: Url,
    asks: Vec<NodeAsk>,
    patience: Duration,
    cap: usize,
) -> Result<Answers, NodeFault> {
    // The whole of it, not each part: a node that sends a byte now and then is as slow as one that sends none.
    timeout(patience, exchange(client, url, asks, cap)).await.unwrap_or(Err(NodeFault::Slow))
}

async fn exchange(client: Client, url: Url, asks: Vec<NodeAsk>, cap: usize) -> Result<Answers, NodeFault> {
    let away = |e: reqwest::Error| NodeFault::Away(root_cause(&e.without_url()));
    let request = client.post(url).header(header::CONTENT_TYPE, "application/json").body(body(&asks));
    let mut response = request.send().await.map_err(away)?;
    match response.status().as_u16() {
        200 => {}
        429 => return Err(NodeFault::Busy),
        status => return Err(NodeFault::Status(status)),
    }
    if response.content_length().is_some_and(|n| n > cap as u64) {
        return Err(NodeFault::TooLong(cap));
    }
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(away)? {
        if bytes.len() + chunk.len() > cap {
            return Err(NodeFault::TooLong(cap));
        }
        bytes.extend_from_slice(&chunk);
    }
    read(&bytes, asks.len())
}

/// What lies at the bottom of an error, in one line.
fn root_cause(e: &dyn std::error::Error) -> String {
    let mut at = e;
    while let Some(deeper) = at.source() {
        at = deeper;
    }
    cut(&at.to_string())
}

/// Others' words, short and on one line.
fn cut(text: &str) -> String {
    golem_core::words::one_line(text, 161)
}

fn body(asks: &[NodeAsk]) -> String {
    let one = |(id, ask): (usize, &NodeAsk)| json!({ "jsonrpc": "2.0", "id": id, "method": ask.method, "params": ask.params });
    match asks {
        [single] => one((0, single)).to_string(),
        many => Value::Array(many.iter().enumerate().map(one).collect()).to_string(),
    }
}

/// Sort answers to their questions. Each question is answered exactly once, or nothing of it counts.
fn read(bytes: &[u8], asked: usize) -> Result<Answers, NodeFault> {
    let garbage = |why: &str| NodeFault::Garbage(why.to_owned());
    let value: Value = serde_json::from_slice(bytes).map_err(|_| garbage("no JSON"))?;
    let list = match value {
        Value::Array(list) => list,
        // A node that does not take several questions at once says so with a single error.
        single => vec![single],
    };
    if list.len() == 1 && asked > 1 {
        return Err(said(&list[0]).unwrap_or_else(|| garbage("one answer to several questions")));
    }
    let mut answers: Vec<Option<Result<Value, NodeFault>>> = vec![None; asked];
    for mut item in list {
        let id = item.get("id").and_then(Value::as_u64).and_then(|id| usize::try_from(id).ok());
        let place = match id.and_then(|id| answers.get_mut(id)) {
            Some(place) if place.is_none() => place,
            _ => return Err(said(&item).unwrap_or_else(|| garbage("an answer to no question"))),
        };
        *place = Some(match (said(&item), item.get_mut("result")) {
            (Some(fault), _) => Err(fault),
            (None, Some(result)) => Ok(result.take()),
            (None, None) => return Err(garbage("neither result nor error")),
        });
    }
    answers.into_iter().collect::<Option<_>>().ok_or_else(|| garbage("a question without an answer"))
}

fn said(item: &Value) -> Option<NodeFault> {
    let error = item.get("error").filter(|e| !e.is_null())?;
    Some(NodeFault::Said {
        code: error.get("code").and_then(Value::as_i64).unwrap_or(0),
        message: cut(error.get("message").and_then(Value::as_str).unwrap_or("an error")),
        data: error.get("data").and_then(Value::as_str).filter(|d| d.len() < 4_096).map(ToOwned::to_owned),
    })
}

/// Read an answer as a type. What does not fit is no answer.
pub(super) fn decoded<T: DeserializeOwned>(answer: Result<Value, NodeFault>) -> Result<T, NodeFault> {
    serde_json::from_value(answer?).map_err(|e| NodeFault::Garbage(e.to_string().chars().take(120).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn answers_find_their_questions_in_any_order() {
        let text = br#"[{"id":1,"result":"b"},{"id":0,"error":{"code":3,"message":"no","data":"0x01"}}]"#;
        let answers = read(text, 2).unwrap();
        assert_eq!(answers[1], Ok(json!("b")));
        assert_eq!(answers[0], Err(NodeFault::Said { code: 3, message: "no".into(), data: Some("0x01".into()) }));
        assert_eq!(read(br#"{"id":0,"result":null}"#, 1).unwrap(), [Ok(Value::Null)]);
    }

    #[test]
    fn what_is_no_answer_is_none() {
        for (text, asked) in [
            (&b"<html>"[..], 1),
            (b"", 1),
            (b"[]", 1),
            (b"{}", 1),
            (br#"{"id":5,"result":1}"#, 1),
            (br#"{"id":0}"#, 1),
            (br#"[{"id":0,"result":1},{"id":0,"result":1}]"#, 2),
            (br#"[{"id":0,"result":1}]"#, 2),
            (br#"{"id":0,"result":1"#, 1),
        ] {
            assert!(matches!(read(text, asked), Err(NodeFault::Garbage(_))), "{}", String::from_utf8_lossy(text));
        }
        let refused = read(br#"{"id":null,"error":{"code":-32600,"message":"batch\nnot allowed"}}"#, 2);
        assert!(
            matches!(refused, Err(NodeFault::Said { code: -32600, ref message, .. }) if message == "batch not allowed")
        );
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), asked in 1usize..4) {
            let _ = read(&bytes, asked);
        }
        #[test]
        fn no_shape_makes_it_panic(id in any::<i64>(), code in any::<i64>(), asked in 1usize..4) {
            for item in [json!({"id": id, "result": []}), json!({"id": id, "error": code}), json!([id, code])] {
                let _ = read(item.to_string().as_bytes(), asked);
            }
        }
    }
}
