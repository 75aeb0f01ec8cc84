//! JSON-RPC 2.0: what a body asks, and how answers are put. Never fails: whatever cannot be read has an answer too.

use super::fault::ServeFault;
use serde_json::{Value, json};

/// One call.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ClientCall {
    /// To be repeated in the answer; without one there is none.
    pub id: Option<Value>,
    pub method: String,
    pub params: Vec<Value>,
}

/// A call, or what to answer to something that is none.
pub(super) type HeardCall = Result<ClientCall, (Value, ServeFault)>;

/// What a body holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RequestBody {
    One(HeardCall),
    Many(Vec<HeardCall>),
}

/// Read a body.
pub(super) fn read(bytes: &[u8], most: usize) -> RequestBody {
    let nobody = |fault| RequestBody::One(Err((Value::Null, fault)));
    match serde_json::from_slice(bytes) {
        Err(e) => nobody(ServeFault::garbage(format!("not JSON: {e}"))),
        Ok(Value::Array(calls)) if calls.is_empty() => nobody(ServeFault::not_a_call("an empty batch")),
        Ok(Value::Array(calls)) if calls.len() > most => {
            nobody(ServeFault::not_a_call(format!("{} calls in a batch, where {most} are allowed", calls.len())))
        }
        Ok(Value::Array(calls)) => RequestBody::Many(calls.into_iter().map(call).collect()),
        Ok(one) => RequestBody::One(call(one)),
    }
}

fn call(value: Value) -> HeardCall {
    let Value::Object(mut fields) = value else {
        return Err((Value::Null, ServeFault::not_a_call("a call is an object")));
    };
    let id = fields.remove("id");
    let named = match &id {
        None => Value::Null,
        Some(id @ (Value::Null | Value::Number(_))) => id.clone(),
        Some(Value::String(text)) if text.len() <= 256 => json!(text),
        Some(_) => return Err((Value::Null, ServeFault::not_a_call("the id is a short text, a number or null"))),
    };
    let wrong = |words: &str| Err((named.clone(), ServeFault::not_a_call(words)));
    if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return wrong("\"jsonrpc\" is to be \"2.0\"");
    }
    let Some(Value::String(method)) = fields.remove("method") else { return wrong("\"method\" is to be a text") };
    let params = match fields.remove("params") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(params)) => params,
        Some(_) => return Err((named, ServeFault::params("\"params\" is to be a list"))),
    };
    Ok(ClientCall { id, method, params })
}

/// An answer as text; one that is too long becomes a short one that says so.
pub(super) fn answer(id: &Value, outcome: &Result<Value, ServeFault>, room: usize) -> String {
    let put = |outcome: &Result<Value, ServeFault>| match outcome {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string(),
        Err(fault) => json!({ "jsonrpc": "2.0", "id": id, "error": fault.json() }).to_string(),
    };
    let text = put(outcome);
    if text.len() <= room { text } else { put(&Err(ServeFault::limit("the answer is too large"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> Option<i64> {
        match read(text.as_bytes(), 2) {
            RequestBody::One(Err((_, fault))) => Some(fault.code),
            _ => None,
        }
    }

    #[test]
    fn whatever_is_no_call_has_its_code() {
        let table = [
            ("", -32700),
            ("{", -32700),
            ("nul", -32700),
            ("1", -32600),
            ("[]", -32600),
            ("[1,2,3]", -32600),
            (r#"{"method":"a","id":1}"#, -32600),
            (r#"{"jsonrpc":"1.0","method":"a","id":1}"#, -32600),
            (r#"{"jsonrpc":"2.0","method":1,"id":1}"#, -32600),
            (r#"{"jsonrpc":"2.0","method":"a","id":{}}"#, -32600),
            (r#"{"jsonrpc":"2.0","method":"a","id":1,"params":{"a":1}}"#, -32602),
        ];
        for (text, want) in table {
            assert_eq!(code(text), Some(want), "{text}");
        }
        assert_eq!(code(&"[".repeat(100_000)), Some(-32700));
        assert_eq!(code(r#"{"jsonrpc":"2.0","method":"a"}"#), None);
    }

    #[test]
    fn an_answer_that_is_too_long_says_so() {
        let long = answer(&json!(7), &Ok(json!("x".repeat(1000))), 500);
        assert!(long.len() < 500 && long.contains("-32005") && long.contains("\"id\":7"), "{long}");
    }
}
