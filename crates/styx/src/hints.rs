//! How relays that share a store wake each other: "owner X is at N", through NATS. A hint may be lost, repeated or late: whoever hears
//! it looks into the store, and who hears none looks now and then.

use crate::hub::RelayHubs;
use crate::writer::Hinting;
use std::sync::Arc;

#[cfg(feature = "nats")]
mod nats;

/// Join the others.
///
/// # Errors
/// When they cannot be reached.
#[cfg(feature = "nats")]
pub(crate) async fn join(url: &str, hubs: Arc<RelayHubs>) -> Result<Hinting, String> {
    nats::join(url, hubs).await
}

/// This build has no way to.
///
/// # Errors
/// Always.
#[cfg(not(feature = "nats"))]
pub(crate) async fn join(url: &str, _hubs: Arc<RelayHubs>) -> Result<Hinting, String> {
    Err(format!("this build cannot reach {url}: it was built without the feature `nats`"))
}
