//! Why a request was not answered as it was meant, as JSON with a hint.

use crate::guard::TurnedAway;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use golem_home::Fail;
use serde_json::json;

/// One refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ApiFault {
    pub code: StatusCode,
    pub kind: &'static str,
    pub message: String,
    pub hint: Option<String>,
    /// How else it can be asked, where the way of asking was the fault.
    pub allow: Option<&'static str>,
}

impl ApiFault {
    fn new(code: StatusCode, kind: &'static str, message: impl Into<String>, hint: &str) -> Self {
        Self { code, kind, message: message.into(), hint: Some(hint.to_owned()), allow: None }
    }
    /// What was asked is not a question.
    pub fn bad(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_request", message, "see /api/openapi.json")
    }
    /// There is no such thing.
    pub fn absent(message: impl Into<String>, hint: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", message, hint)
    }
    /// Another way of asking.
    pub fn method(allow: &'static str) -> Self {
        let fault = Self::new(StatusCode::METHOD_NOT_ALLOWED, "bad_request", "not this way", "see /api/openapi.json");
        Self { allow: Some(allow), ..fault }
    }
    /// It is too long.
    pub fn too_long(most: usize) -> Self {
        let message = format!("a request is at most {most} bytes");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "bad_request", message, "say it in fewer words")
    }
    /// It must say that it is JSON: no form of another page can.
    pub fn not_json() -> Self {
        let code = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        Self::new(code, "bad_request", "an order is JSON", "send it with content-type: application/json")
    }
    /// Something of ours broke.
    pub fn broke() -> Self {
        let hint = "please report it, with the output of `bardo doctor`";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "bug", "a bug of ours", hint)
    }
    /// The golem that was named is not there.
    pub fn nobody(fail: &Fail) -> Self {
        match fail {
            Fail::Owner(..) => Self { code: StatusCode::NOT_FOUND, kind: "not_found", ..Self::from(fail) },
            other => Self::from(other),
        }
    }
}

impl From<&Fail> for ApiFault {
    fn from(fail: &Fail) -> Self {
        // What an owner cannot have as things stand is no error of the server's.
        let code = match fail {
            Fail::Owner(..) => StatusCode::CONFLICT,
            Fail::Refused(..) => StatusCode::FORBIDDEN,
            Fail::World(..) => StatusCode::SERVICE_UNAVAILABLE,
            Fail::Bug(_) | Fail::Hangup => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let hint = fail.hint_text().map(ToOwned::to_owned);
        Self { code, kind: fail.kind(), message: fail.to_string(), hint, allow: None }
    }
}

impl From<Fail> for ApiFault {
    fn from(fail: Fail) -> Self {
        Self::from(&fail)
    }
}

impl From<TurnedAway> for ApiFault {
    fn from(turned: TurnedAway) -> Self {
        match turned {
            TurnedAway::Host => Self::new(
                StatusCode::MISDIRECTED_REQUEST,
                "stranger",
                "this server does not go by that name",
                "open it by its address, such as http://127.0.0.1:7077/",
            ),
            TurnedAway::Origin => Self::new(
                StatusCode::FORBIDDEN,
                "stranger",
                "this server answers no page from elsewhere",
                "open its own page",
            ),
            TurnedAway::Token => Self::new(
                StatusCode::UNAUTHORIZED,
                "unauthorized",
                "this needs the owner's token",
                "send authorization: Bearer TOKEN; bardo serve says where it is kept",
            ),
        }
    }
}

impl IntoResponse for ApiFault {
    fn into_response(self) -> Response {
        let told = json!({ "error": { "kind": self.kind, "message": self.message, "hint": self.hint } });
        let mut response = (self.code, [(header::CONTENT_TYPE, "application/json")], told.to_string()).into_response();
        if self.code == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, header::HeaderValue::from_static("Bearer"));
        }
        if let Some(allow) = self.allow {
            response.headers_mut().insert(header::ALLOW, header::HeaderValue::from_static(allow));
        }
        response
    }
}
