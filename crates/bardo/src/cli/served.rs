//! Every command that reads has its place in the API; those that have none say why.

use super::Cli;
use clap::CommandFactory;
use golem_serve::ROUTES;
use std::collections::BTreeSet;

/// A command that reads, and the names of the routes that say the same.
const READS: &[(&str, &[&str])] = &[
    ("golem list", &["golems"]),
    ("golem status", &["status"]),
    ("golem story", &["obituary"]),
    ("golem testament", &["testament"]),
    ("golem phages", &["phages"]),
    ("golem trades", &["trades"]),
    ("golem logs", &["facts", "logs"]),
    ("golem config", &["config"]),
    ("golem vitals", &["vitals", "forecast"]),
    ("golem replay", &["replay"]),
    ("golem verify", &["verify"]),
    ("golem restore", &["snapshots"]),
    ("lineage", &["lineage"]),
    ("clade status", &["clade"]),
    ("clade siblings", &["siblings"]),
    ("graveyard", &["graveyard"]),
    ("grimoire search", &["grimoire_search"]),
    ("grimoire show", &["grimoire_entry"]),
    ("grimoire why", &["grimoire_why"]),
    ("grimoire stats", &["grimoire_stats"]),
    ("library list", &["library"]),
    ("library search", &["library_search"]),
    ("library show", &["library_entry"]),
    ("library bundle", &["library_bundles"]),
    ("treasury show", &["treasury"]),
    ("playbook show", &["playbook"]),
    ("playbook lint", &["playbook_lint"]),
    ("playbook diff", &["playbook_diff"]),
    ("predictions", &["predictions"]),
    ("suffering show", &["suffering"]),
    ("suffering history", &["suffering_history"]),
    ("dream journal", &["dreams"]),
    ("dream show", &["dream"]),
    ("dream staging", &["staging"]),
    ("dream stats", &["dream_stats"]),
    ("models list", &["models"]),
    ("report", &["report"]),
    ("config show", &["settings"]),
];

/// Orders to a golem: one route takes them all.
const ORDERS: &[&str] =
    &["golem pause", "golem halt", "golem resume", "golem feed", "golem kill", "golem tell", "dream now", "dream wake"];

/// What has no place in the API, and why.
const ELSEWHERE: &[(&str, &str)] = &[
    ("demo", "lives a life"),
    ("clade renew", "the owner's key"),
    ("clade sync", "goes to a relay"),
    ("pheromone sense", "asks a relay"),
    ("pheromone deposit", "tells a relay"),
    ("archive list", "asks a relay"),
    ("archive restore", "hands entries over: at the terminal only"),
    ("tui", "a surface of its own"),
    ("serve", "a surface of its own"),
    ("mcp", "a surface of its own"),
    ("backtest", "lives a life"),
    ("lab clock", "lives lives"),
    ("lab compare", "lives lives"),
    ("lab heirs", "lives lives"),
    ("lab siblings", "lives lives"),
    ("lab matters", "lives lives"),
    ("lab merge", "writes files"),
    ("lab plan", "writes files"),
    ("lab remedies", "lives lives"),
    ("lab trial", "lives lives"),
    ("lineage run", "lives lives"),
    ("golem create", "makes a golem: keys and passphrases stay at the terminal"),
    ("golem run", "lives a life"),
    ("golem withdraw", "moves money: at the terminal only"),
    ("golem remove", "deletes files: at the terminal only"),
    ("golem successor", "makes a golem"),
    ("golem heirloom", "writes a file"),
    ("grimoire export", "writes files, as large as a memory; what is in them can be searched and looked at"),
    ("grimoire import", "reads files of whoever types it"),
    ("suffering import", "reads files of whoever types it"),
    ("library equip", "changes the library: at the terminal only"),
    ("library pull", "changes the library: at the terminal only"),
    ("library export", "writes a file"),
    ("library import", "reads files of whoever types it"),
    ("treasury add", "moves credit: at the terminal only"),
    ("treasury authorize", "reads files of whoever types it"),
    ("models test", "asks models, which costs money"),
    ("contracts fetch", "changes this machine"),
    ("contracts status", "is about this machine and no golem"),
    ("chain serve", "a server of its own"),
    ("chain profiles", "is about chains and no golem"),
    ("chain check", "asks a node of whoever types it"),
    ("wallet new", "keys stay at the terminal"),
    ("wallet import", "keys stay at the terminal"),
    ("wallet address", "keys stay at the terminal"),
    ("wallet list", "keys stay at the terminal"),
    ("wallet seal-key", "keys stay at the terminal"),
    ("notify test", "sends something: at the terminal only"),
    ("notify send", "sends something: at the terminal only"),
    ("styx run", "a server of its own"),
    ("styx status", "asks a relay, which serves reads of its own"),
    ("styx token", "secrets stay at the terminal"),
    ("doctor", "is about this machine, and writes to its disk to know"),
    ("completions", "is about a shell"),
];

/// Whatever can be typed and does something.
fn leaves(command: &clap::Command, path: &str, all: &mut BTreeSet<String>) {
    for sub in command.get_subcommands() {
        let path = if path.is_empty() { sub.get_name().to_owned() } else { format!("{path} {}", sub.get_name()) };
        if sub.get_subcommands().next().is_none() || sub.get_positionals().next().is_some() {
            all.insert(path.clone());
        }
        leaves(sub, &path, all);
    }
}

#[test]
fn every_command_that_reads_has_its_endpoint() {
    let mut typed = BTreeSet::new();
    leaves(&Cli::command(), "", &mut typed);
    let known = READS.iter().map(|(c, _)| *c).chain(ORDERS.iter().copied()).chain(ELSEWHERE.iter().map(|(c, _)| *c));
    let known: BTreeSet<String> = known.map(str::to_owned).collect();
    assert_eq!(known.len(), READS.len() + ORDERS.len() + ELSEWHERE.len(), "each stands in one table, once");
    assert_eq!(typed, known, "a command is in none of the tables, or a table names one that is none");
    let mut used = BTreeSet::new();
    for (command, routes) in READS {
        for name in *routes {
            let route = ROUTES.iter().find(|route| route.name == *name);
            let about = route.unwrap_or_else(|| panic!("{command}: there is no route {name}")).about;
            assert!(about.contains(&format!("({command}")), "{name} says which command it is like: {about}");
            used.insert(*name);
        }
    }
    let other = ["series", "causes", "golem_events", "home_events", "order", "metrics", "openapi"];
    let left: Vec<&str> = ROUTES.iter().map(|r| r.name).filter(|n| !used.contains(n) && !other.contains(n)).collect();
    assert!(left.is_empty(), "routes that are like no command: {left:?}");
}
