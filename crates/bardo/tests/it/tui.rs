//! A real terminal: tmux holds it, keys are typed, screens are read.

use crate::kit::Home;
use std::process::Command;
use std::time::{Duration, Instant};

/// How long a screen may take to show something, also on a busy machine.
const PATIENCE: Duration = Duration::from_secs(90);

/// A terminal of its own, gone with the test.
struct Terminal {
    socket: String,
}

impl Terminal {
    /// With a command in it; `None` where there is no tmux, which is never so in continuous integration.
    #[allow(clippy::print_stderr, reason = "a skipped test says so")]
    fn with(home: &Home, name: &str, words: &str) -> Option<Self> {
        if Command::new("tmux").arg("-V").output().is_err() {
            assert!(std::env::var_os("CI").is_none(), "tmux is needed here");
            eprintln!("skipped: tmux is missing");
            return None;
        }
        let terminal = Self { socket: format!("bardo-{name}-{}", std::process::id()) };
        let bardo = env!("CARGO_BIN_EXE_bardo");
        let line = format!("BARDO_HOME={} {bardo} {words}; echo left with $?; sleep 600", home.path().display());
        terminal.tmux(&["-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", &line]);
        Some(terminal)
    }
    fn tmux(&self, args: &[&str]) -> String {
        let out = Command::new("tmux").args(["-L", &self.socket]).args(args).output().expect("tmux runs");
        assert!(out.status.success(), "tmux {args:?}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8_lossy(&out.stdout).into_owned()
    }
    fn types(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys"], keys].concat());
    }
    /// Wait until the screen shows all of it.
    fn sees(&self, wanted: &[&str]) -> String {
        let until = Instant::now() + PATIENCE;
        loop {
            let screen = self.tmux(&["capture-pane", "-p"]);
            if wanted.iter().all(|words| screen.contains(words)) {
                return screen;
            }
            assert!(Instant::now() < until, "{wanted:?} is not on the screen:\n{screen}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        drop(Command::new("tmux").args(["-L", &self.socket, "kill-server"]).output());
    }
}

#[test]
fn a_home_is_looked_at_in_a_real_terminal() {
    let home = Home::new();
    home.create("alma", 7, &["--set", "dream.enabled=true"]);
    home.live("alma", Some(3_000));
    let Some(terminal) = Terminal::with(&home, "look", "tui alma") else { return };
    terminal.sees(&["alma", "turn 3,000", "vitality", "over its life", "how it stands", "suffering", "at rest"]);
    // It is seen to live.
    home.live("alma", Some(500));
    terminal.sees(&["turn 3,500"]);
    terminal.types(&["2"]);
    terminal.sees(&["forecasts", "volatility regime"]);
    terminal.types(&["3", "?"]);
    terminal.sees(&["help · any key closes it"]);
    terminal.types(&["x", "5"]);
    terminal.sees(&["log: events"]);
    terminal.types(&["r", "1"]);
    terminal.sees(&["replay"]);
    terminal.tmux(&["resize-window", "-x", "70", "-y", "20"]);
    terminal.sees(&["bardo needs 80x24"]);
    terminal.tmux(&["resize-window", "-x", "100", "-y", "40"]);
    terminal.sees(&["how it stands"]);
    // Its owner's word reaches its inbox.
    terminal.types(&["r", "o", "3"]);
    terminal.sees(&["takes it when it runs"]);
    terminal.types(&["q"]);
    terminal.sees(&["left with 0"]);
    let told = home.live("alma", Some(1));
    assert_eq!(told["alive"], true);
    assert!(home.json(&["golem", "status", "alma"])["cage"]["halted"].is_string());
}

#[test]
fn all_golems_are_looked_at_one_of_them_and_all_again() {
    let home = Home::new();
    for (name, seed) in [("alma", 7), ("bruno", 8), ("clara", 9)] {
        home.create(name, seed, &[]);
    }
    home.live("alma", Some(600));
    let Some(terminal) = Terminal::with(&home, "fleet", "tui") else { return };
    let seen = terminal.sees(&["bardo · 3 golems", "3 alive · 0 dying · 0 dead", "newborn", "turn 600"]);
    assert!(seen.contains("by name"), "{seen}");
    // They are seen to live.
    home.live("alma", Some(300));
    terminal.sees(&["turn 900"]);
    terminal.types(&["Down"]);
    terminal.sees(&["it has not taken a turn yet"]);
    terminal.types(&["/", "c", "l", "Enter"]);
    terminal.sees(&["1 of 3", "with \"cl\""]);
    terminal.types(&["Escape"]);
    terminal.sees(&["3 of 3"]);
    terminal.types(&["Home", "Enter"]);
    terminal.sees(&["how it stands", "alma", "turn 900"]);
    terminal.types(&["Escape"]);
    terminal.sees(&["bardo · 3 golems", "3 of 3"]);
    // Another one is born meanwhile.
    home.create("dora", 10, &[]);
    terminal.sees(&["bardo · 4 golems", "dora"]);
    terminal.types(&["q"]);
    terminal.sees(&["left with 0"]);
}

#[test]
fn a_demo_opens_on_a_screen_ends_at_a_stone_and_a_successor_comes_of_it() {
    let home = Home::new();
    let words = "demo --seed 11 --budget 4 --speed max --reduced-motion";
    let Some(terminal) = Terminal::with(&home, "demo", words) else { return };
    let stone = terminal.sees(&["Summon Successor", "View Death Reflection", "Browse Graveyard", "Start Fresh"]);
    assert!(stone.contains("last words") && stone.contains("demo-11"), "{stone}");
    terminal.types(&["2"]);
    terminal.sees(&["Narrative arc"]);
    terminal.types(&["Escape"]);
    terminal.sees(&["Summon Successor"]);
    terminal.types(&["1"]);
    terminal.sees(&["A successor of † demo-11", "policy.template"]);
    terminal.types(&["Tab"]);
    terminal.sees(&["what it would inherit", "0.85^1"]);
    terminal.types(&["f", "Tab"]);
    terminal.sees(&["take into your library"]);
    terminal.types(&["Tab"]);
    terminal.sees(&["name and money", "demo-11-1"]);
    terminal.types(&["Tab"]);
    terminal.sees(&["shall it be born?"]);
    terminal.types(&["Enter"]);
    terminal.sees(&["demo-11-1 is born"]);
    terminal.types(&["Enter"]);
    terminal.sees(&["has not taken a turn yet"]);
    terminal.types(&["q"]);
    terminal.sees(&["left with 0"]);
    let heir = home.json(&["lineage", "demo-11"]);
    assert_eq!(heir.as_array().map(Vec::len), Some(2), "{heir}");
    home.live("demo-11-1", Some(10));
}

/// Where there is no terminal nothing of this happens: lines go to pipes as ever, and `bardo` alone says what can be typed.
#[test]
fn without_a_terminal_there_are_lines() {
    let home = Home::new();
    let said = home.bardo(&["tui"]);
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains("no terminal") && said.err.contains("hint: "), "{said:?}");
    let said = home.bardo(&[]);
    assert_eq!((said.code, said.out.as_str()), (2, ""), "{said:?}");
    assert!(said.err.contains("Usage: bardo") && said.err.contains("demo"), "{said:?}");
    let said = home.bardo(&["--json"]);
    assert_eq!((said.code, said.json()["error"]["kind"].as_str()), (2, Some("owner")), "{said:?}");
}

/// Whoever starts the page by hand is shown the way into it once; from then on the token stays in its file.
#[test]
fn the_token_of_the_page_is_shown_on_a_terminal_once() {
    let home = Home::new();
    let Some(first) = Terminal::with(&home, "token", "serve --listen 127.0.0.1:0") else { return };
    let screen = first.sees(&["open http://127.0.0.1:", "shown this once"]);
    let token = std::fs::read_to_string(home.path().join("serve.token")).unwrap();
    let shown = |screen: &str| screen.replace('\n', "").contains(&format!("#token={}", token.trim()));
    assert!(shown(&screen), "{screen}");
    drop(first);
    let Some(second) = Terminal::with(&home, "token2", "serve --listen 127.0.0.1:0") else { return };
    let screen = second.sees(&["open http://127.0.0.1:", "serve.token"]);
    assert!(!shown(&screen), "{screen}");
}
