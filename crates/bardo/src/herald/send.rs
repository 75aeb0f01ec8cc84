//! One notice through one channel.

use super::{command, webhook};
use golem_home::notify::{ChannelKind, NotifyChannel, OwnerNotice};

/// Why a notice is not known to have arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendFault {
    /// It may arrive later.
    Failed(String),
    /// It arrived, and was refused.
    Refused(String),
}

impl SendFault {
    /// In words, without an address: addresses may be keys.
    pub fn words(&self) -> &str {
        match self {
            Self::Failed(why) | Self::Refused(why) => why,
        }
    }
}

/// Send it and wait, no longer than the channel's time. With `aloud` what a command says is let through.
pub fn deliver(channel: &NotifyChannel, notice: &OwnerNotice, aloud: bool) -> Result<(), SendFault> {
    let json = serde_json::to_string(notice).map_err(|e| SendFault::Refused(e.to_string()))?;
    match channel.kind {
        ChannelKind::Command => command::run(channel, &json, aloud),
        ChannelKind::Webhook => webhook::post(channel, &notice.id, json),
    }
}
