//! What keeps an owner from being told, for those who ask.

use super::rounds::lock_file;
use crate::fail::Fail;
use crate::home::{Home, Place};
use golem_clade::succession::KeptNotice;
use golem_home::notify::{ChannelQueue, LookFrom, NotifyChannel, NotifyFile, NotifyLedger, NotifySettings};
use golem_home::orders::is_running;
use golem_runtime::{Clock as _, RealClock};
use golem_view::time::moment;
use golem_view::wrap::counted;

/// Failures in a row from which on a channel is said to keep failing.
const KEEPS_FAILING: u32 = 3;

/// All of it, for the doctor.
pub fn problems(home: &Home) -> Vec<String> {
    let file = match NotifyFile::find(home) {
        Ok(None) => return Vec::new(),
        Ok(Some(file)) => file,
        Err(why) => return vec![format!("nobody is notified: {why}")],
    };
    let mut all: Vec<String> = file.unguarded(home).into_iter().collect();
    if home.path().join("notify.lock").exists()
        && let Err(why) = lock_file(home)
    {
        all.push(format!("nobody is notified: {why}; {}", why.hint_text().unwrap_or_default()));
    }
    let books = books(home);
    for place in home.golems().unwrap_or_default() {
        let ledger = match ledger(&place, home, &books, &file.notify) {
            Ok(ledger) => ledger,
            Err(why) => {
                all.push(format!("nobody is told of {}: {why}", place.name));
                continue;
            }
        };
        for channel in &file.notify.channels {
            let Some(queue) = ledger.channels.get(&channel.name) else { continue };
            all.extend(waiting(channel, queue, &place));
            if queue.given_up > 0 {
                let lost = counted(usize::try_from(queue.given_up).unwrap_or(usize::MAX), "notice");
                all.push(format!("notify channel {}: {lost} of {} had to be given up", channel.name, place.name));
            }
        }
    }
    all
}

/// How many notices of a golem nobody has been sent, those that nobody has looked for included.
pub fn unsent(place: &Place, home: &Home) -> Result<usize, Fail> {
    let Some(file) = NotifyFile::find(home)? else { return Ok(0) };
    Ok(ledger(place, home, &books(home), &file.notify)?.waiting(&file.notify))
}

fn books(home: &Home) -> Vec<KeptNotice> {
    crate::auto::find(home).map_or_else(|_| Vec::new(), |estate| estate.notices().into_iter().cloned().collect())
}

/// What is known of a golem; where nobody runs it, also what whoever goes round next would find. Nothing is written.
fn ledger(place: &Place, home: &Home, books: &[KeptNotice], wanted: &NotifySettings) -> Result<NotifyLedger, Fail> {
    let known = NotifyLedger::find(&place.dir)?;
    if is_running(place)? {
        return Ok(known.unwrap_or_default());
    }
    let mut ledger = match known {
        Some(ledger) => ledger,
        None => NotifyLedger::first(place, home, books, LookFrom::Unknown)?,
    };
    ledger.scan(place, books, wanted, RealClock::default().now())?;
    Ok(ledger)
}

fn waiting(channel: &NotifyChannel, queue: &ChannelQueue, place: &Place) -> Option<String> {
    let (name, golem) = (&channel.name, &place.name);
    let wait = Some(queue.waiting.len()).filter(|n| *n > 0).map(|n| counted(n, "notice"))?;
    if queue.failures == 0 {
        return Some(format!("{wait} of {golem} for notify channel {name} were not sent yet: bardo notify send"));
    }
    let since = queue.since.map_or_else(String::new, |at| format!(" since {}", moment(at)));
    let (times, said) = (counted(usize::try_from(queue.failures).unwrap_or(usize::MAX), "time"), &queue.said);
    let fails = if queue.failures >= KEEPS_FAILING { "keeps failing" } else { "failed" };
    Some(format!(
        "notify channel {name} {fails} ({times}{since}: {said}); {wait} of {golem} wait: try it with bardo notify test"
    ))
}
