//! `bardo notify test|send`: trying the channels of a home, and sending what waits.

use crate::cli::NotifyCommand;
use crate::fail::Fail;
use crate::herald::{self, HeraldGate, SendFault};
use crate::home::Home;
use crate::lines::folded;
use crate::out::Out;
use golem_home::notify::{NotifyChannel, NotifyFile, OwnerNotice};
use serde::Serialize;
use serde_json::json;

/// How a channel fared; others rely on these names.
#[derive(Debug, Serialize)]
struct ChannelTried {
    channel: String,
    ok: bool,
    why: Option<String>,
}

/// Run one.
pub fn run(command: &NotifyCommand, home: &Home, out: &Out) -> Result<(), Fail> {
    let path = home.path().join(NotifyFile::NAME).display().to_string();
    let Some(file) = NotifyFile::find(home)?.filter(|file| !file.notify.channels.is_empty()) else {
        let hint = format!("write [[notify.channels]] into {path}; its keys: bardo config show notify");
        return Err(Fail::hint("this home has no channel", hint));
    };
    match command {
        NotifyCommand::Test { channel } => test(channel.as_deref(), &file.notify.channels, out),
        NotifyCommand::Send => {
            let end = herald::send_now(home, *out);
            if end.elsewhere {
                return Err(Fail::world_hint(
                    "another process holds notify.lock and so is taken to send the notices; what it has not sent yet is not known",
                    "wait for it, and try again: bardo notify send",
                ));
            }
            out.result(&json!({ "waiting": end.waiting, "faults": end.faults }), || match end.waiting {
                0 if end.faults.is_empty() => "nothing waits".to_owned(),
                0 => "nothing else is known to wait".to_owned(),
                n => format!("{} still wait: bardo doctor says why", golem_view::wrap::counted(n, "notice")),
            })?;
            match end.faults.first() {
                None => Ok(()),
                Some(why) => {
                    Err(Fail::world_hint(format!("not all could be looked at: {why}"), "bardo doctor says more"))
                }
            }
        }
    }
}

fn test(only: Option<&str>, channels: &[NotifyChannel], out: &Out) -> Result<(), Fail> {
    let chosen: Vec<&NotifyChannel> = channels.iter().filter(|c| only.is_none_or(|name| name == c.name)).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = channels.iter().map(|c| c.name.as_str()).collect();
        let what = format!("there is no channel called {:?}", only.unwrap_or_default());
        return Err(Fail::hint(what, format!("there are: {}", names.join(", "))));
    }
    let notice = OwnerNotice::trial(crate::clock::clock().now());
    let tried = |channel: &&NotifyChannel| {
        let fault = herald::deliver(channel, &notice, true, &HeraldGate::default()).err();
        let why = fault.as_ref().map(SendFault::words).map(ToOwned::to_owned);
        ChannelTried { channel: channel.name.clone(), ok: why.is_none(), why }
    };
    let all: Vec<ChannelTried> = chosen.iter().map(tried).collect();
    out.result(&all, || {
        let line = |tried: &ChannelTried| match &tried.why {
            None => format!("{}: sent", tried.channel),
            Some(why) => format!("{}: NOT sent: {why}", tried.channel),
        };
        folded(&all.iter().map(line).collect::<Vec<_>>().join("\n"))
    })?;
    match all.iter().filter(|tried| !tried.ok).count() {
        0 => Ok(()),
        n => Err(Fail::world_hint(format!("{n} of {} channels failed", all.len()), "mend what it says, and try again")),
    }
}
