//! `bardo`: the composition root. Reads the command line, calls a command, turns failures into exit codes.

mod auto;
mod birth;
#[cfg(test)]
mod book;
mod chain;
mod chapters;
mod chart;
mod cli;
mod clock;
mod commands;
mod courier;
mod explained;
mod export;
mod ferry;
mod fleet;
mod herald;
mod library;
mod lines;
mod live_line;
mod models;
mod obituary;
mod out;
mod page_file;
mod pulse;
mod run_loop;
mod screen;
mod show;
mod succession;
mod testament;
mod traces;
mod wallets;

use clap::{CommandFactory, Parser};
use cli::{ChainCommand, Cli, Command, ConfigCommand, GolemCommand};
use fail::Fail;
// What every surface reads with, under the names that it has always had here.
use golem_home::{budget, bundle, departed, fail, golem_file, home, retell, settings_file, stored, world};
use home::Home;
use out::Out;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            // Arguments may be any bytes.
            if e.use_stderr() && std::env::args_os().any(|a| a == "--json") {
                let message = e.render().to_string();
                complain(&Fail::owner(message.trim().trim_start_matches("error: ")), &Out::new(true, false));
                return ExitCode::from(2);
            }
            let words = e.render().to_string();
            match words.chars().any(|c| c != '\n' && golem_core::words::is_hidden(c)) {
                // It would say them back to the terminal as they were typed.
                true => Out::new(false, false).alert(&words),
                false => drop(e.print()),
            }
            return ExitCode::from(if e.use_stderr() { 2 } else { 0 });
        }
    };
    let out = Out::new(cli.json, cli.quiet);
    // A panic is a bug of ours: it says so, with the code that scripts can tell from the others.
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| dispatch(cli, &out)))
        .unwrap_or_else(|_| Err(Fail::Bug("panic".to_owned())));
    traces::finish(&out);
    match outcome {
        Ok(code) => code,
        Err(fail) => {
            complain(&fail, &out);
            ExitCode::from(fail.code())
        }
    }
}

fn complain(fail: &Fail, out: &Out) {
    if matches!(fail, Fail::Hangup) {
        return;
    }
    if out.json {
        let told = serde_json::json!({ "error": { "kind": fail.kind(), "message": fail.to_string(), "hint": fail.hint_text() } });
        let _closed = out.line(&told.to_string());
    }
    // Errors are told even when talk is not wanted.
    out.alert(&format!("error: {fail}"));
    if let Some(hint) = fail.hint_text() {
        out.alert(&format!("hint: {hint}"));
    }
}

fn dispatch(cli: Cli, out: &Out) -> Result<ExitCode, Fail> {
    // Where the environment names the home, commands that are suggested need not.
    let named = std::env::var_os("BARDO_HOME").is_some_and(|named| cli.home.as_deref() == Some(Path::new(&named)));
    let home_flag = cli.home.as_ref().filter(|_| !named).map_or(String::new(), |h| format!(" --home {}", h.display()));
    let home = Home::find(cli.home)?;
    let Some(command) = cli.command else { return nothing_asked(&home, out) };
    let done = match command {
        Command::Tui(args) => commands::tui::run(&args, &home, out),
        Command::Demo(args) => commands::demo::run(&args, &home, &home_flag, out),
        Command::Golem(golem) => return on_golem(golem, &home, &home_flag, cli.yes, out),
        Command::Contracts(command) => commands::contracts::run(command, &home, out),
        Command::Chain(ChainCommand::Serve(args)) => commands::chain::serve(&args, &home, out),
        Command::Chain(ChainCommand::Profiles) => commands::chain_profiles::profiles(out),
        Command::Chain(ChainCommand::Check(args)) => commands::chain_profiles::check(&args, out),
        Command::Wallet(wallet) => commands::wallet::run(wallet, &home, out),
        Command::Report(args) => commands::report::run(&args, &home, cli.yes, out),
        Command::Backtest(args) => commands::backtest::run(&args, &home, cli.yes, out),
        Command::Lab(command) => commands::lab::run(&command, &home, cli.yes, out),
        Command::Lineage(args) => commands::lineage::run(&args, &home, out),
        Command::Graveyard => commands::graveyard::run(&home, out),
        Command::Grimoire(command) => commands::grimoire::run(command, &home, out),
        Command::Treasury(command) => commands::treasury::run(&command, &home, out),
        Command::Library(command) => commands::library::run(&command, &home, out),
        Command::Clade(command) => commands::clade::run(&command, &home, out),
        Command::Pheromone(command) => commands::pheromone::run(&command, &home, out),
        Command::Archive(command) => commands::archive::run(&command, &home, out),
        Command::Predictions(args) => commands::predictions::run(&args, &home, out),
        Command::Dream(command) => commands::dream::run(&command, &home, out),
        Command::Suffering(command) => commands::suffering::run(&command, &home, out),
        Command::Models(command) => commands::models::run(&command, &home, out),
        Command::Serve(args) => commands::serve::run(&args, home, out),
        Command::Styx(command) => commands::styx::run(&command, &home, out),
        Command::Mcp(args) => commands::mcp::run(args, home, out),
        Command::Playbook(command) => commands::playbook::run(command, &home, out),
        Command::Notify(command) => commands::notify::run(&command, &home, out),
        Command::Doctor => return commands::doctor::run(&home, out),
        Command::Config(ConfigCommand::Show { key }) => commands::config::show(key.as_deref(), out),
        Command::Completions { shell } => commands::completions::run(shell, out),
    };
    done.map(|()| ExitCode::SUCCESS)
}

/// On a terminal the home is shown; elsewhere what can be typed, as a mistake.
fn nothing_asked(home: &Home, out: &Out) -> Result<ExitCode, Fail> {
    if commands::tui::is_possible(out) {
        return commands::tui::run(&cli::Tui::default(), home, out).map(|()| ExitCode::SUCCESS);
    }
    if out.json {
        return Err(Fail::owner("no command is given"));
    }
    out.alert(&Cli::command().render_help().to_string());
    Ok(ExitCode::from(2))
}

fn on_golem(golem: GolemCommand, home: &Home, home_flag: &str, yes: bool, out: &Out) -> Result<ExitCode, Fail> {
    let done = match golem {
        GolemCommand::Create(args) => commands::create::run(args, home, home_flag, out),
        GolemCommand::Run(args) => commands::run::run(&args, home, home_flag, out),
        GolemCommand::List { watch } => commands::list::run(watch, home, out),
        GolemCommand::Status(args) => commands::status::run(&args, home, home_flag, out),
        GolemCommand::Story(args) => commands::status::story(&args.id, home, home_flag, out),
        GolemCommand::Trades(args) => commands::trades::run(&args, home, out),
        GolemCommand::Logs(args) => commands::logs::run(&args, home, out),
        GolemCommand::Config(args) => commands::config::of(&args.id, home, out),
        GolemCommand::Vitals(args) => commands::vitals::run(&args, home, out),
        GolemCommand::Pause(args) => commands::orders::pause(&args.id, home, out),
        GolemCommand::Halt(args) => commands::orders::halt(&args.id, &args.reason, home, out),
        GolemCommand::Resume(args) => commands::orders::resume(&args.id, home, out),
        GolemCommand::Feed(args) => commands::orders::feed(&args.id, args.usdc, home, out),
        GolemCommand::Withdraw(args) => commands::orders::withdraw(&args.id, args.amount.0, home, out),
        GolemCommand::Kill(args) => commands::orders::kill(&args.id, &args.reason, yes, home, out),
        GolemCommand::Remove(args) => commands::remove::run(&args, yes, home, out),
        GolemCommand::Tell(args) => commands::orders::tell(&args.id, &args.words, home, out),
        GolemCommand::Replay(args) => return commands::replay::run(&args, home, out),
        GolemCommand::Verify(args) => return commands::verify::run(&args.id, home, out),
        GolemCommand::Testament(args) => commands::testament::run(&args, home, out),
        GolemCommand::Phages(args) => commands::phages::run(&args.id, home, out),
        GolemCommand::Restore(args) => commands::restore::run(&args, home, out),
        GolemCommand::Successor(args) => commands::successor::run(&args, yes, home, home_flag, out),
        GolemCommand::Heirloom(args) => commands::heirloom::run(&args, home, home_flag, out),
    };
    done.map(|()| ExitCode::SUCCESS)
}
