//! Where a relay is, and the socket to it. Without TLS nobody but this machine is dialled; with it, whoever shows a certificate that the
//! system trusts, or one that was given.

use futures_util::{SinkExt, StreamExt};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;
use styx_wire::frame::{decode, encode};
use styx_wire::limits::FRAME_BYTES;
use styx_wire::{GolemFrame, RefuseReason, RelayFrame};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

/// The path of the socket.
const PATH: &str = "/v1/styx/ws";
/// How long dialling, and any answer, may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// `ws://HOST:PORT` on this machine, or `wss://HOST:PORT` anywhere.
#[derive(Debug, Clone)]
pub struct RelayUrl {
    host: String,
    tls: bool,
    /// Whoever may vouch for the relay; the system's where none was given.
    roots: Option<RootCertStore>,
}

/// Why there is no line.
#[derive(Debug, thiserror::Error)]
pub enum DialFault {
    #[error("{0:?} is no relay")]
    NotARelay(String),
    #[error("{0} is another machine, and what goes there would not be encrypted")]
    InTheOpen(String),
    #[error("TLS with the relay: {0}")]
    Tls(String),
    #[error("no certificate to trust: {0}")]
    Roots(String),
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
            Self::NotARelay(_) => Some("write wss://HOST:PORT, or ws://HOST:PORT for one on this machine"),
            Self::InTheOpen(_) => Some("write wss:// for a relay with TLS, or run one on this machine"),
            Self::Tls(_) => Some("a certificate that the system does not trust is named by styx.ca_file, as PEM"),
            Self::Roots(_) => Some("styx.ca_file is a file with certificates, as PEM"),
            Self::Away(_) | Self::Silent => Some("see whether it runs: bardo styx status"),
            Self::Refused(RefuseReason::NotAdmitted) => {
                Some("the relay may serve other owners only, or this golem's certificate was revoked")
            }
            Self::Refused(RefuseReason::OtherGolem) => {
                Some("each golem speaks with a key of its own: this one was certified for another")
            }
            Self::Refused(RefuseReason::Replaced) => {
                Some("another process speaks for this golem, or a copy of its folder elsewhere: run one of them")
            }
            Self::Refused(_) | Self::Broken | Self::Confused | Self::File(_) => None,
        }
    }
}

impl FromStr for RelayUrl {
    type Err = DialFault;
    fn from_str(text: &str) -> Result<Self, DialFault> {
        let (tls, host) = match (text.strip_prefix("wss://"), text.strip_prefix("ws://")) {
            (Some(host), _) => (true, host),
            (None, host) => (false, host.unwrap_or_default()),
        };
        let (name, port) = host.rsplit_once(':').unwrap_or_default();
        if name.is_empty() || port.parse::<u16>().is_err() || host.contains(['/', '@', '?', '#']) {
            return Err(DialFault::NotARelay(text.to_owned()));
        }
        let bare = name.trim_start_matches('[').trim_end_matches(']');
        if tls {
            let named = ServerName::try_from(bare.to_owned()).is_ok();
            let url = Self { host: host.to_owned(), tls, roots: None };
            return if named { Ok(url) } else { Err(DialFault::NotARelay(text.to_owned())) };
        }
        let here = bare == "localhost" || bare.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
        if here {
            Ok(Self { host: host.to_owned(), tls, roots: None })
        } else {
            Err(DialFault::InTheOpen(host.to_owned()))
        }
    }
}

impl RelayUrl {
    /// The same, trusting these certificates (PEM) and no others.
    ///
    /// # Errors
    /// When there is none in it.
    pub fn trusting(self, pem: &[u8]) -> Result<Self, DialFault> {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(pem) {
            let certificate = certificate.map_err(|e| DialFault::Roots(e.to_string()))?;
            roots.add(certificate).map_err(|e| DialFault::Roots(e.to_string()))?;
        }
        if roots.is_empty() {
            return Err(DialFault::Roots("there is none in it".to_owned()));
        }
        Ok(Self { roots: Some(roots), ..self })
    }

    fn connector(&self) -> Result<TlsConnector, rustls::Error> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let versions = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
        let config = match &self.roots {
            Some(roots) => versions.with_root_certificates(roots.clone()),
            None => versions.with_platform_verifier()?,
        };
        Ok(TlsConnector::from(Arc::new(config.with_no_client_auth())))
    }

    /// Host and port, as the golem signs that it dialled them.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }
}

impl std::fmt::Display for RelayUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}://{}", if self.tls { "wss" } else { "ws" }, self.host)
    }
}

/// A stream of bytes, with or without TLS.
trait LineStream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> LineStream for T {}

/// A socket to a relay.
pub(crate) struct RelayLine(WebSocketStream<Box<dyn LineStream>>);

async fn secured(url: &RelayUrl, stream: TcpStream) -> Result<impl LineStream + use<>, DialFault> {
    let fault = |e: &dyn std::fmt::Display| DialFault::Tls(e.to_string());
    let name = url.host.rsplit_once(':').map_or("", |(name, _)| name);
    let name = ServerName::try_from(name.trim_start_matches('[').trim_end_matches(']').to_owned());
    let connector = url.connector().map_err(|e| fault(&e))?;
    connector.connect(name.map_err(|e| fault(&e))?, stream).await.map_err(|e| fault(&e))
}

impl RelayLine {
    pub(crate) async fn dial(url: &RelayUrl) -> Result<Self, DialFault> {
        let away = |e: &dyn std::fmt::Display| DialFault::Away(e.to_string());
        let dialling = async {
            let stream = TcpStream::connect(url.host()).await.map_err(|e| away(&e))?;
            stream.set_nodelay(true).map_err(|e| away(&e))?;
            let stream: Box<dyn LineStream> =
                if url.tls { Box::new(secured(url, stream).await?) } else { Box::new(stream) };
            let config = WebSocketConfig::default()
                .max_message_size(Some(2 * FRAME_BYTES))
                .max_frame_size(Some(2 * FRAME_BYTES));
            let (socket, _) = client_async_with_config(format!("ws://{}{PATH}", url.host), stream, Some(config))
                .await
                .map_err(|e| away(&e))?;
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
            ("wss://127.0.0.1:1", true),
            ("wss://[::1]:1", true),
            ("wss://example.com:443", true),
            ("wss://example.com", false),
            ("wss://:443", false),
            ("wss://not a name:443", false),
            ("wss://example.com:443/else", false),
            ("http://127.0.0.1:1", false),
            ("", false),
        ] {
            assert_eq!(text.parse::<RelayUrl>().is_ok(), fits, "{text}");
        }
    }
}
