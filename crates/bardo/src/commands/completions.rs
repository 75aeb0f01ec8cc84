//! `bardo completions SHELL`.

use crate::cli::Cli;
use crate::fail::Fail;
use crate::out::Out;
use clap::CommandFactory;

/// Completions on stdout.
pub fn run(shell: clap_complete::Shell, out: &Out) -> Result<(), Fail> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "bardo", &mut script);
    out.line(&String::from_utf8_lossy(&script))
}
