//! `bardo serve`: the page, the API and live events of this home, until told to stop.

use crate::cli::ServeHome;
use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use crate::run_loop;
use golem_serve::{AccessToken, WebAddress, WebFault, WebLimits, start};
use serde_json::json;
use std::io::IsTerminal;
use std::time::Duration;

/// Serve until told to stop.
pub fn run(args: &ServeHome, home: Home, out: &Out) -> Result<(), Fail> {
    let stop = run_loop::stop_on_signals()?;
    let at = WebAddress { listen: args.listen, anywhere: args.anywhere };
    if args.new_token {
        AccessToken::forget(home.path()).map_err(|fault| refused(&fault))?;
    }
    let running = start(home, at, WebLimits::default()).map_err(|fault| refused(&fault))?;
    let (url, token) = (running.url(), running.token());
    let fresh = token.is_fresh();
    if out.json {
        let shown = fresh.then(|| token.words());
        let told = json!({ "url": url, "token": shown, "token_file": token.path() });
        out.line(&told.to_string())?;
    } else {
        // What stands behind the mark is never sent; the browser keeps it (localStorage) until its data of this page is
        // cleared. Where nobody looks on (a journal, a log, a pipe) it would lie about for whoever reads that.
        let shown = fresh && std::io::stdout().is_terminal();
        let way = if shown { format!("{url}#token={}", token.words()) } else { url };
        out.line(&format!("open {way}"))?;
        let kept = token.path().display();
        match shown {
            true => out.say(&format!("its token is shown this once, and kept in {kept}")),
            false => out.say(&format!("the page asks for the token, which is in {kept}")),
        }
        if args.anywhere {
            out.alert("other machines can reach it, and nothing is encrypted");
        }
        out.say("Ctrl-C stops it");
    }
    while !stop.wait_for(Duration::from_secs(3600)) {}
    running.stop();
    Ok(())
}

fn refused(fault: &WebFault) -> Fail {
    match (fault, fault.hint()) {
        (WebFault::NotLoopback(_), Some(hint)) => Fail::hint(fault.to_string(), hint),
        (_, Some(hint)) => Fail::world_hint(fault.to_string(), hint),
        (_, None) => Fail::world(fault.to_string()),
    }
}
