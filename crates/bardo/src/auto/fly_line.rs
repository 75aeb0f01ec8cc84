//! One request over HTTP with a token: a deadline for the whole, a bound on the bytes, no redirect, and no word of the token anywhere.

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::{Client, Method};
use serde_json::Value;
use std::time::Duration;
use tokio::runtime::{Builder, Handle, Runtime};

/// The most of an answer that is read.
const MOST: usize = 8 * 1024 * 1024;

/// What came back, whatever its status.
pub struct FlyAnswer {
    /// Its status.
    pub status: u16,
    /// Its bytes.
    pub body: Vec<u8>,
}

/// The line out.
pub struct FlyLine {
    runtime: Option<Runtime>,
    client: Client,
    headers: HeaderMap,
    api: String,
    token: String,
    patience: Duration,
}

impl FlyLine {
    /// A line to one API.
    pub fn new(api: &str, token: &str, timeout_s: u64) -> Result<Self, String> {
        // The first one counts for the whole process; that there is one already is just as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut value = HeaderValue::from_str(&format!("Bearer {token}")).map_err(|_| "no token".to_owned())?;
        value.set_sensitive(true);
        let mut builder = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .pool_max_idle_per_host(0);
        if api.starts_with("http://") {
            builder = builder.no_proxy();
        }
        let runtime = Builder::new_current_thread().enable_io().enable_time().build();
        Ok(Self {
            runtime: Some(runtime.map_err(|e| format!("no runtime can be made: {e}"))?),
            client: builder.build().map_err(|_| "no HTTP client can be made".to_owned())?,
            headers: [(AUTHORIZATION, value)].into_iter().collect(),
            api: api.trim_end_matches('/').to_owned(),
            token: token.to_owned(),
            patience: Duration::from_secs(timeout_s),
        })
    }

    /// Read something.
    pub fn get(&self, path: &str) -> Result<FlyAnswer, String> {
        self.ask(Method::GET, path, None)
    }
    /// Ask for something.
    pub fn post(&self, path: &str, body: &Value) -> Result<FlyAnswer, String> {
        self.ask(Method::POST, path, Some(body.to_string()))
    }
    /// Give something back.
    pub fn delete(&self, path: &str) -> Result<FlyAnswer, String> {
        self.ask(Method::DELETE, path, None)
    }

    fn ask(&self, method: Method, path: &str, body: Option<String>) -> Result<FlyAnswer, String> {
        let Some(runtime) = &self.runtime else { return Err("no runtime".to_owned()) };
        let whole = async {
            let request = self.client.request(method, format!("{}{path}", self.api)).headers(self.headers.clone());
            let request = match body {
                Some(body) => request.header("content-type", "application/json").body(body),
                None => request,
            };
            // The whole of it, not each part: one who sends a byte now and then is as slow as one who sends none.
            match tokio::time::timeout(self.patience, exchange(request)).await {
                Ok(answer) => answer,
                Err(_) => Err("no answer in time".to_owned()),
            }
        };
        let run = || runtime.block_on(whole);
        let answer = match Handle::try_current() {
            Err(_) => run(),
            Ok(_) => std::thread::scope(|s| s.spawn(run).join()).unwrap_or_else(|_| Err("no answer".to_owned())),
        };
        answer.map(|answer| self.without_token(answer))
    }

    /// Whoever says the token back to us does not say it to the owner's screen.
    fn without_token(&self, answer: FlyAnswer) -> FlyAnswer {
        match String::from_utf8(answer.body) {
            Ok(text) if text.contains(&self.token) => {
                FlyAnswer { status: answer.status, body: text.replace(&self.token, "[token]").into_bytes() }
            }
            Ok(text) => FlyAnswer { status: answer.status, body: text.into_bytes() },
            Err(e) => FlyAnswer { status: answer.status, body: e.into_bytes() },
        }
    }
}

/// A runtime may not be taken down by waiting where another one is at work.
impl Drop for FlyLine {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn exchange(request: reqwest::RequestBuilder) -> Result<FlyAnswer, String> {
    // An address may be shown, and is: it holds no key. A header is not.
    let broken = |e: reqwest::Error| if e.is_connect() { "nobody answers there" } else { "the connection broke" };
    let mut response = request.send().await.map_err(|e| broken(e).to_owned())?;
    let (status, mut body) = (response.status().as_u16(), Vec::new());
    while let Some(chunk) = response.chunk().await.map_err(|e| broken(e).to_owned())? {
        if body.len() + chunk.len() > MOST {
            return Err("the answer has no end".to_owned());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(FlyAnswer { status, body })
}
