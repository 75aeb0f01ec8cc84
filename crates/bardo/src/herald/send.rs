//! One notice through one channel.

use super::fault::SendFault;
use super::gate::HeraldGate;
use super::{command, webhook};
use crate::out;
use golem_home::notify::{ChannelKind, NotifyChannel, OwnerNotice};

/// Send it and wait, no longer than the channel's time or until the gate is shut. With `aloud` what a command says is let through.
pub fn deliver(channel: &NotifyChannel, notice: &OwnerNotice, aloud: bool, gate: &HeraldGate) -> Result<(), SendFault> {
    let json = serde_json::to_string(notice).map_err(|e| SendFault::Refused(e.to_string()))?;
    // The fact in it has the words of anybody, and programs print what they are given.
    let json = out::json_shown(&json);
    match channel.kind {
        ChannelKind::Command => command::run(channel, &json, aloud, gate),
        ChannelKind::Webhook => webhook::post(channel, &notice.id, json, gate),
    }
}
