//! Every command and option, from the tree that reads the command line.

use super::{cell, code, keep};
use crate::cli::Cli;
use clap::{Arg, Command, CommandFactory};

const ABOUT: &str = "# Commands

What can be typed, as `--help` says it. Ways to use it are in the chapters before; exit codes in [keeping golems running](../keep-running.md).
";

#[test]
fn the_reference_of_commands_is_what_can_be_typed() {
    let mut root = Cli::command();
    root.build();
    let mut page = String::from("\n## bardo\n\n");
    page.push_str(&format!("{}\n\n", cell(&root.get_about().map(ToString::to_string).unwrap_or_default())));
    page.push_str("These may stand in any command:\n\n");
    page.push_str(&table(root.get_arguments().filter(|arg| arg.is_global_set())));
    for command in root.get_subcommands() {
        tell(command, &mut page);
    }
    assert!(page.matches("\n## `bardo").count() > 60, "{}", page.matches("\n## `bardo").count());
    keep("commands.md", ABOUT, &page);
}

/// A command, and those below it.
fn tell(command: &Command, page: &mut String) {
    if command.get_name() == "help" || command.is_hide_set() {
        return;
    }
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").split_whitespace().collect::<Vec<_>>().join(" ");
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    page.push_str(&format!("\n## `{}`\n\n", command.get_bin_name().unwrap_or_default()));
    page.push_str(&format!("{}.\n\n`{usage}`\n", cell(&about).trim_end_matches('.')));
    let own =
        || command.get_arguments().filter(|arg| !arg.is_global_set() && arg.get_id() != "help" && !arg.is_hide_set());
    if own().next().is_some() {
        page.push('\n');
        page.push_str(&table(own()));
    }
    for below in command.get_subcommands() {
        tell(below, page);
    }
}

fn table<'a>(args: impl Iterator<Item = &'a Arg>) -> String {
    let rows: String = args.map(row).collect();
    format!("| what is typed | what it is | default |\n|---|---|---|\n{rows}")
}

fn row(arg: &Arg) -> String {
    let short = arg.get_short().map_or(String::new(), |c| format!("-{c}, "));
    let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
    // Some helps name a default that depends on something else.
    let (help, told) = match help.rsplit_once("[default: ") {
        Some((before, told)) => (before.to_owned(), told.trim_end_matches(['.', ']']).to_owned()),
        None => (help, String::new()),
    };
    let mut about = format!("{}.", cell(&help).trim_end_matches('.'));
    let values: Vec<String> =
        arg.get_possible_values().iter().filter(|v| !v.is_hide_set()).map(|v| code(v.get_name())).collect();
    if !values.is_empty() {
        about.push_str(&format!(" One of {}.", values.join(", ")));
    }
    if let Some(name) = arg.get_env() {
        about.push_str(&format!(" Also by the variable {}.", code(&name.to_string_lossy())));
    }
    let defaults: Vec<String> = match arg.get_action().takes_values() {
        true => arg.get_default_values().iter().map(|v| code(&v.to_string_lossy())).collect(),
        false => Vec::new(),
    };
    let default = if defaults.is_empty() { cell(&told) } else { defaults.join(", ") };
    format!("| {} | {about} | {default} |\n", code(&format!("{short}{arg}")))
}
