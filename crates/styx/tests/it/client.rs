//! A small golem's side of the socket.

use super::kit::{Owner, Teller};
use futures_util::{SinkExt, StreamExt};
use std::net::SocketAddr;
use std::time::Duration;
use styx_wire::frame::{decode, encode};
use styx_wire::*;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

pub type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

pub struct Client {
    pub socket: Socket,
    pub welcome: Welcome,
}

pub async fn dial(at: SocketAddr) -> Socket {
    connect_async(format!("ws://{at}{}", styx::SOCKET_PATH)).await.unwrap().0
}

pub async fn say<S: AsyncRead + AsyncWrite + Unpin>(socket: &mut WebSocketStream<S>, frame: &GolemFrame) -> bool {
    socket.send(Message::Binary(encode(frame).into())).await.is_ok()
}

/// What the relay says next; none when it is gone.
pub async fn hear<S: AsyncRead + AsyncWrite + Unpin>(socket: &mut WebSocketStream<S>) -> Option<RelayFrame> {
    loop {
        match timeout(Duration::from_secs(20), socket.next()).await.ok()?? {
            Ok(Message::Binary(bytes)) => return Some(decode(&bytes).unwrap()),
            Ok(Message::Close(_)) | Err(_) => return None,
            Ok(_) => {}
        }
    }
}

impl Client {
    pub async fn enter(
        at: SocketAddr,
        owner: &Owner,
        key: &ed25519_dalek::SigningKey,
    ) -> Result<Self, Option<RefuseReason>> {
        let mut socket = match connect_async(format!("ws://{at}{}", styx::SOCKET_PATH)).await {
            Ok((socket, _)) => socket,
            Err(_) => return Err(None),
        };
        let Some(RelayFrame::Challenge(challenge)) = hear(&mut socket).await else { return Err(None) };
        let hello = Hello::answer(key, owner.certify(key), &challenge, &at.to_string());
        say(&mut socket, &GolemFrame::Hello(Box::new(hello))).await;
        match hear(&mut socket).await {
            Some(RelayFrame::Welcome(welcome)) => Ok(Self { socket, welcome }),
            Some(RelayFrame::Refuse(reason)) => Err(Some(reason)),
            _ => Err(None),
        }
    }
    pub async fn of(at: SocketAddr, teller: &Teller) -> Self {
        Self::enter(at, &teller.owner, &teller.key).await.unwrap_or_else(|why| panic!("not let in: {why:?}"))
    }
    pub async fn ask(&mut self, frame: GolemFrame) -> Option<RelayFrame> {
        say(&mut self.socket, &frame).await;
        self.answer().await
    }
    /// The next answer, past what comes by itself.
    pub async fn answer(&mut self) -> Option<RelayFrame> {
        loop {
            match hear(&mut self.socket).await? {
                RelayFrame::Deltas { .. }
                | RelayFrame::Urgent(_)
                | RelayFrame::Pulse(_)
                | RelayFrame::Expired { .. } => {}
                other => return Some(other),
            }
        }
    }
    pub async fn push(&mut self, deltas: Vec<SignedDelta>) -> Vec<DeltaReceipt> {
        match self.ask(GolemFrame::Push(deltas)).await {
            Some(RelayFrame::Ack(receipts)) => receipts,
            other => panic!("no receipts: {other:?}"),
        }
    }
    pub async fn follow(&mut self, after: u64) {
        assert!(say(&mut self.socket, &GolemFrame::Follow { after }).await);
    }
    /// The next so many deltas of the log, each taken as it comes.
    pub async fn read(&mut self, n: usize) -> Vec<SignedDelta> {
        let mut all = Vec::new();
        while all.len() < n {
            match hear(&mut self.socket).await {
                Some(RelayFrame::Deltas { deltas, upto }) => {
                    all.extend(deltas.into_iter().map(|logged| logged.delta));
                    say(&mut self.socket, &GolemFrame::Took { upto }).await;
                }
                Some(RelayFrame::Urgent(_) | RelayFrame::Pulse(_) | RelayFrame::Expired { .. }) => {}
                other => panic!("after {} of {n}: {other:?}", all.len()),
            }
        }
        all
    }
}
