//! `bardo tui [ID]`, and `bardo` alone on a terminal: a home to look at.

mod aside;
mod fleet;
mod heirs;
mod lore;
mod source;

use crate::cli::Tui;
use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use aside::StderrAside;
use golem_core::GolemId;
use golem_tui::TuiOptions;
use source::HomeSource;
use std::io::IsTerminal;

/// Nothing moves but the data, whoever asks for it.
const REDUCED_MOTION: &str = "BARDO_REDUCED_MOTION";

/// Look at a golem, or at all of them; where there is one only, at that one.
pub fn run(args: &Tui, home: &Home, out: &Out) -> Result<(), Fail> {
    if !is_possible(out) {
        return Err(Fail::hint(
            "there is no terminal here to show anything on",
            "bardo golem list and bardo golem status NAME tell the same in lines",
        ));
    }
    let golem = match (&args.id, &home.golems()?[..]) {
        (Some(word), _) => Some(home.golem(word)?.id),
        (None, [only]) => Some(only.id),
        (None, _) => None,
    };
    show(golem, args.reduced_motion, home, *out, &|| false)
}

/// Whether somebody can see a screen and type.
pub fn is_possible(out: &Out) -> bool {
    !out.json && std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// Show a home, until its owner leaves or `stopped` says so.
pub fn show(
    golem: Option<GolemId>,
    reduced_motion: bool,
    home: &Home,
    out: Out,
    stopped: &dyn Fn() -> bool,
) -> Result<(), Fail> {
    let asked = std::env::var_os(REDUCED_MOTION).is_some_and(|word| !word.is_empty() && word != "0");
    let options = TuiOptions { color: out.color, reduced_motion: reduced_motion || asked, golem };
    let mut source = HomeSource::new(home.clone(), out);
    // Talk would tear the screen: it is kept, and told when the screen is gone.
    let _aside = StderrAside::begin()?;
    golem_tui::run(&mut source, options, stopped).map_err(|e| Fail::world(format!("the terminal: {e}")))
}
