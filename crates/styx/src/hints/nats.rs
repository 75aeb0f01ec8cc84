//! Hints through NATS core: a subject for all, 28 bytes each.

use crate::hub::RelayHubs;
use crate::writer::Hinting;
use futures_util::StreamExt;
use golem_core::OwnerId;
use std::sync::Arc;

const SUBJECT: &str = "styx.hints";

fn said(owner: OwnerId, head: u64) -> Vec<u8> {
    [&owner.0[..], &head.to_be_bytes()].concat()
}

fn heard(bytes: &[u8]) -> Option<(OwnerId, u64)> {
    let (owner, head) = bytes.split_first_chunk::<20>()?;
    Some((OwnerId(*owner), u64::from_be_bytes(head.try_into().ok()?)))
}

/// Hear others' hints from now on, and tell one's own.
pub(super) async fn join(url: &str, hubs: Arc<RelayHubs>) -> Result<Hinting, String> {
    let client = async_nats::connect(url).await.map_err(|e| e.to_string())?;
    let mut hints = client.subscribe(SUBJECT).await.map_err(|e| e.to_string())?;
    tokio::spawn(async move {
        while let Some(hint) = hints.next().await {
            // What is wrong with a hint is nobody's harm: the store is asked.
            if let Some((owner, head)) = heard(&hint.payload) {
                hubs.reaches(owner, head);
            }
        }
    });
    let runtime = tokio::runtime::Handle::current();
    Ok(Box::new(move |owner, head| {
        let client = client.clone();
        runtime.spawn(async move {
            let _lost = client.publish(SUBJECT, said(owner, head).into()).await;
        });
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_is_heard_as_it_was_said_and_nothing_else_is() {
        let owner = OwnerId([7; 20]);
        assert_eq!(heard(&said(owner, 9)), Some((owner, 9)));
        for bad in [&[][..], &[1; 27], &[1; 29]] {
            assert_eq!(heard(bad), None);
        }
    }
}
