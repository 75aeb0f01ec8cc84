//! A channel that is an address: the notice is posted as JSON, with its id as the idempotency key, a deadline for the whole, no
//! redirect, and no word of the address anywhere.

use super::fault::{BROKEN_OFF, SendFault};
use super::gate::HeraldGate;
use golem_home::notify::NotifyChannel;
use golem_inference::config::unspoken_address;
use reqwest::Client;
use std::pin::pin;
use std::time::Duration;
use tokio::runtime::Builder;
use tokio::time::{Instant, timeout};

/// Statuses of who is not ready for it, or does not know us: those may change.
const MAY_CHANGE: [u16; 7] = [401, 403, 404, 408, 423, 425, 429];

/// How often it is looked whether there still is time.
const LOOK: Duration = Duration::from_millis(50);

/// Post it.
pub fn post(channel: &NotifyChannel, id: &str, json: String, gate: &HeraldGate) -> Result<(), SendFault> {
    let failed = |why: String| SendFault::Failed(why);
    let url = address(channel).map_err(failed)?;
    let token = match channel.token_env.as_str() {
        "" => None,
        name => Some(variable(name).map_err(failed)?),
    };
    // The first one counts for the whole process; that there is one already is just as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .pool_max_idle_per_host(0)
        .user_agent(concat!("bardo/", env!("CARGO_PKG_VERSION")));
    if url.starts_with("http://") {
        builder = builder.no_proxy();
    }
    let client = builder.build().map_err(|_| failed("no HTTP client can be made".to_owned()))?;
    let runtime = Builder::new_current_thread().enable_io().enable_time().build();
    let runtime = runtime.map_err(|e| failed(format!("no runtime can be made: {e}")))?;
    let mut request =
        client.post(url).header("content-type", "application/json").header("idempotency-key", id).body(json);
    if let Some(token) = token {
        request = request.bearer_auth(token);
    }
    // The whole of it, not each part: one who sends a byte now and then is as slow as one who sends none.
    let answer = runtime.block_on(async {
        let until = Instant::now() + Duration::from_secs(channel.timeout_s);
        let mut sent = pin!(request.send());
        loop {
            match timeout(LOOK, sent.as_mut()).await {
                Ok(answer) => return Ok(answer),
                Err(_) if gate.is_over() => return Err(BROKEN_OFF.to_owned()),
                Err(_) if Instant::now() >= until => return Err(format!("no answer within {} s", channel.timeout_s)),
                Err(_) => {}
            }
        }
    });
    runtime.shutdown_background();
    match answer {
        Err(why) => Err(failed(why)),
        Ok(Err(e)) if e.is_connect() => Err(failed("nobody answers there".to_owned())),
        Ok(Err(e)) if e.is_builder() => {
            Err(failed("it cannot be asked like that: look at its address and token".to_owned()))
        }
        Ok(Err(_)) => Err(failed("the connection broke".to_owned())),
        Ok(Ok(response)) => judge(response.status().as_u16()),
    }
}

fn judge(status: u16) -> Result<(), SendFault> {
    match status {
        200..=299 => Ok(()),
        300..=399 => Err(SendFault::Failed(format!("it points elsewhere (status {status}): give that address"))),
        400..=499 if !MAY_CHANGE.contains(&status) => {
            Err(SendFault::Refused(format!("it was refused (status {status})")))
        }
        _ => Err(SendFault::Failed(format!("status {status}"))),
    }
}

/// Where: as written, or as the environment holds it.
fn address(channel: &NotifyChannel) -> Result<String, String> {
    let url = match channel.url_env.as_str() {
        "" => channel.url.clone(),
        name => variable(name)?,
    };
    match unspoken_address(&url) {
        None => Ok(url.trim().to_owned()),
        Some(why) => Err(why.to_owned()),
    }
}

fn variable(name: &str) -> Result<String, String> {
    std::env::var(name).map_err(|_| format!("the environment has no usable {name}: export it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_says_whether_to_come_again() {
        assert_eq!(judge(204), Ok(()));
        for status in [301, 401, 404, 429, 500, 503] {
            assert!(matches!(judge(status), Err(SendFault::Failed(_))), "{status}");
        }
        for status in [400, 410, 413, 422] {
            assert!(matches!(judge(status), Err(SendFault::Refused(_))), "{status}");
        }
    }
}
