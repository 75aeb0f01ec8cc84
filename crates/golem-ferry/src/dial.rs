//! Where a relay is, and the socket to it. Without TLS nobody but this machine is dialled.

use futures_util::{SinkExt, StreamExt};
use std::str::FromStr;
use std::time::Duration;
use styx_wire::frame::{decode, encode};
use styx_wire::limits::FRAME_BYTES;
use styx_wire::{GolemFrame, RefuseReason, RelayFrame};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

/// The path of the socket.
const PATH: &str = "/v1/styx/ws";
/// How long dialling, and any answer, may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// `ws://HOST:PORT`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelayUrl {
    host: String,
}

/// Why there is no line.
#[derive(Debug, thiserror::Error)]
pub enum DialFault {
    #[error("{0:?} is no relay")]
    NotARelay(String),
    #[error("{0} is another machine, and what goes there would not be encrypted")]
    InTheOpen(String),
    #[error("{0} needs TLS, which this line does not speak yet")]
    Tls(String),
    #[error("the relay cannot be reached: {0}")]
    Away(String),
    #[error("the relay does not answer")]
    Silent,
    #[error("the line to the relay broke")]
    Broken,
    #[error("the relay says something else than was asked")]
    Confused,
    #[error("the relay refuses: {0}")]
    Refused(RefuseReason),
    #[error("its own file: {0}")]
    File(String),
}

impl DialFault {
    /// What would help.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NotARelay(_) => Some("write ws://HOST:PORT"),
            Self::InTheOpen(_) | Self::Tls(_) => Some("run the relay on this machine, or lead a tunnel to it"),
            Self::Away(_) | Self::Silent => Some("see whether it runs: bardo styx status"),
            Self::Refused(RefuseReason::NotAdmitted) => {
                Some("the relay may serve other owners only, or this golem's certificate was revoked")
            }
            Self::Refused(_) | Self::Broken | Self::Confused | Self::File(_) => None,
        }
    }
}

impl FromStr for RelayUrl {
    type Err = DialFault;
    fn from_str(text: &str) -> Result<Self, DialFault> {
        if text.starts_with("wss://") {
            return Err(DialFault::Tls(text.to_owned()));
        }
        let host = text.strip_prefix("ws://").unwrap_or_default();
        let (name, port) = host.rsplit_once(':').unwrap_or_default();
        if name.is_empty() || port.parse::<u16>().is_err() || host.contains(['/', '@', '?', '#']) {
            return Err(DialFault::NotARelay(text.to_owned()));
        }
        let bare = name.trim_start_matches('[').trim_end_matches(']');
        let here = bare == "localhost" || bare.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
        if here { Ok(Self { host: host.to_owned() }) } else { Err(DialFault::InTheOpen(host.to_owned())) }
    }
}

impl RelayUrl {
    /// Host and port, as the golem signs that it dialled them.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }
}

impl std::fmt::Display for RelayUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ws://{}", self.host)
    }
}

/// A socket to a relay.
pub(crate) struct RelayLine(WebSocketStream<TcpStream>);

impl RelayLine {
    pub(crate) async fn dial(url: &RelayUrl) -> Result<Self, DialFault> {
        let away = |e: &dyn std::fmt::Display| DialFault::Away(e.to_string());
        let dialling = async {
            let stream = TcpStream::connect(url.host()).await.map_err(|e| away(&e))?;
            stream.set_nodelay(true).map_err(|e| away(&e))?;
            let config = WebSocketConfig::default()
                .max_message_size(Some(2 * FRAME_BYTES))
                .max_frame_size(Some(2 * FRAME_BYTES));
            let (socket, _) =
                client_async_with_config(format!("{url}{PATH}"), stream, Some(config)).await.map_err(|e| away(&e))?;
            Ok(Self(socket))
        };
        timeout(PATIENCE, dialling).await.map_err(|_| DialFault::Silent)?
    }

    pub(crate) async fn say(&mut self, frame: &GolemFrame) -> Result<(), DialFault> {
        let sending = self.0.send(Message::Binary(encode(frame).into()));
        timeout(PATIENCE, sending).await.map_err(|_| DialFault::Silent)?.map_err(|_| DialFault::Broken)
    }

    /// The next frame, whenever it comes. Nothing is lost when this is not waited for to the end.
    pub(crate) async fn hear(&mut self) -> Result<RelayFrame, DialFault> {
        loop {
            match self.0.next().await {
                Some(Ok(Message::Binary(bytes))) => return decode(&bytes).map_err(|_| DialFault::Confused),
                Some(Ok(Message::Close(_)) | Err(_)) | None => return Err(DialFault::Broken),
                Some(Ok(_)) => {}
            }
        }
    }

    pub(crate) async fn hear_soon(&mut self) -> Result<RelayFrame, DialFault> {
        timeout(PATIENCE, self.hear()).await.map_err(|_| DialFault::Silent)?
    }

    pub(crate) async fn close(mut self) {
        let _gone = timeout(Duration::from_secs(1), self.0.close(None)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_dialled_in_the_open() {
        for (text, fits) in [
            ("ws://127.0.0.1:8420", true),
            ("ws://[::1]:8420", true),
            ("ws://localhost:1", true),
            ("ws://127.0.0.1", false),
            ("ws://127.0.0.1:99999", false),
            ("ws://user@127.0.0.1:1", false),
            ("ws://127.0.0.1:1/else", false),
            ("ws://example.com:80", false),
            ("ws://10.0.0.1:80", false),
            ("wss://127.0.0.1:1", false),
            ("http://127.0.0.1:1", false),
            ("", false),
        ] {
            assert_eq!(text.parse::<RelayUrl>().is_ok(), fits, "{text}");
        }
    }
}
