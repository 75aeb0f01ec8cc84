//! `bardo mcp`: this home as tools for an assistant, which starts this program and speaks to it until it leaves.

use crate::cli::McpHome;
use crate::fail::Fail;
use crate::home::Home;
use crate::out::Out;
use std::io::IsTerminal;

const SETTINGS: &str = r#"in its settings: { "mcpServers": { "bardo": { "command": "bardo", "args": ["mcp"] } } }"#;

/// Serve until the client leaves.
pub fn run(args: McpHome, home: Home, out: &Out) -> Result<(), Fail> {
    if std::io::stdin().is_terminal() {
        return Err(Fail::hint("an assistant starts this and speaks to it: nobody types here", SETTINGS));
    }
    let allowed = args.allow.unwrap_or_default();
    if !allowed.is_empty() {
        out.say(&format!("whoever is connected may order: {allowed}"));
    }
    golem_mcp::serve(home, allowed).map_err(|fault| Fail::world_hint(fault.to_string(), SETTINGS))
}
