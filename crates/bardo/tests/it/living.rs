//! Letting a golem live and looking at it: a run that does not look frozen, recorded history at full speed, the status of
//! the dead, and models that fail.

use crate::kit;

use kit::{Home, Said};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// How long a line may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A command whose talk is read as it comes.
struct Talk {
    child: Child,
    lines: Receiver<String>,
    heard: Vec<String>,
}

impl Talk {
    fn of(home: &Home, args: &[&str]) -> Self {
        let mut command = home.command(args);
        let mut child =
            command.env_remove("COLUMNS").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("bardo starts");
        let (sends, lines) = channel();
        let talk = child.stderr.take().expect("stderr");
        std::thread::spawn(move || {
            BufReader::new(talk).lines().map_while(Result::ok).for_each(|line| drop(sends.send(line)));
        });
        Self { child, lines, heard: Vec::new() }
    }

    /// Wait until a line has these words.
    fn until(&mut self, words: &str) -> String {
        let ends = Instant::now() + PATIENCE;
        while let Ok(line) = self.lines.recv_timeout(ends.saturating_duration_since(Instant::now())) {
            assert!(line.chars().count() <= 80, "{line}");
            self.heard.push(line.clone());
            if line.contains(words) {
                return line;
            }
        }
        panic!("nobody said {words:?}: {:#?}", self.heard)
    }

    /// What Ctrl-C does; the code, and what stands on stdout.
    fn interrupt(&mut self) -> (i32, String) {
        let pid = self.child.id().to_string();
        assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().expect("kill").success());
        let mut told = String::new();
        self.child.stdout.take().expect("stdout").read_to_string(&mut told).expect("text");
        (self.child.wait().expect("an end").code().unwrap_or(-1), told)
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}

#[test]
fn a_run_in_real_time_shows_its_pulse_and_how_to_go_on() {
    let home = Home::new();
    home.create("alma", 3, &[]);
    let mut talk = Talk::of(&home, &["golem", "run", "alma"]);
    talk.until("alma lives in real time: a turn every 40 s");
    talk.until("stop it with Ctrl-C: nothing is lost");
    talk.until("keep it from new risk: bardo golem halt alma --reason WHY");
    let pulse = talk.until("next turn in");
    for part in ["ETH ", "no position", "worth 50.00", "USDC", "stable"] {
        assert!(pulse.contains(part), "{part:?} is missing: {pulse}");
    }
    let seconds: u64 = pulse.split_whitespace().nth(3).and_then(|n| n.parse().ok()).expect("seconds");
    assert!((35..=40).contains(&seconds), "{pulse}");
    let (code, told) = talk.interrupt();
    assert_eq!(code, 0, "{told}");
    talk.until("nothing is lost; it goes on with:");
    talk.until("  bardo golem run alma");
    // Whoever wants no talk gets none.
    let quiet = home.ok(&["golem", "run", "alma", "--ticks", "1", "--quiet"]);
    assert_eq!(quiet.err, "");
}

/// A recorded market of hourly bars.
fn hours(home: &Home, bars: u64) -> String {
    let mut text = String::from("timestamp,open,high,low,close,volume\n");
    for n in 0..bars {
        let price = 2_000.0 + 50.0 * (n as f64 / 30.0).sin();
        writeln!(text, "{},{price:.2},{:.2},{:.2},{price:.2},100", 1_700_000_000 + n * 3_600, price + 2.0, price - 2.0)
            .expect("text");
    }
    let path = home.path().join("hours.csv");
    std::fs::write(&path, text).expect("a file");
    path.display().to_string()
}

#[test]
fn recorded_history_runs_flat_out_unless_told_otherwise() {
    let home = Home::new();
    let world = format!("csv:{}", hours(&home, 400));
    home.create("swift", 3, &["--set", "mortality.immortal=true"]);
    // Real time would take sixteen days.
    let told = home.json(&["golem", "run", "swift", "--world", &world]);
    assert_eq!((&told["stopped_by"], &told["standing"]), (&"the end of recorded history".into(), &"alive".into()));
    home.create("slow", 3, &["--set", "mortality.immortal=true"]);
    let mut talk = Talk::of(&home, &["golem", "run", "slow", "--world", &world, "--speed", "real"]);
    talk.until("slow lives in real time: a turn every 1 h");
    talk.until("next turn in 1 h");
    assert_eq!(talk.interrupt().0, 0);
    assert_eq!(home.json(&["golem", "status", "slow"])["tick"], 1, "an explicit speed wins");
}

/// What a command says on a terminal of the usual width.
fn narrow(home: &Home, args: &[&str]) -> Said {
    let said: Said = home.command(args).env_remove("COLUMNS").output().expect("bardo starts").into();
    assert_eq!(said.code, 0, "{said:?}");
    for line in said.out.lines().chain(said.err.lines()) {
        assert!(line.chars().count() <= 80, "{} columns: {line}", line.chars().count());
    }
    said
}

#[test]
fn the_status_of_the_dead_is_that_of_the_dead() {
    let home = Home::new();
    home.create("gone", 5, &["--budget", "2000"]);
    home.live("gone", Some(600));
    let alive = narrow(&home, &["golem", "status", "gone"]).out;
    assert!(alive.contains("runway"), "{alive}");
    home.ok(&["golem", "kill", "gone", "--yes", "--reason", "enough"]);
    let dead = narrow(&home, &["golem", "status", "gone"]).out;
    for part in ["died       2026-01-01", "enough", "left       ", "bardo golem story gone", "for a successor"] {
        assert!(dead.contains(part), "{part:?} is missing:\n{dead}");
    }
    for part in ["runway", "locked", "live another day", "feels", "hazard", "next turn"] {
        assert!(!dead.contains(part), "the dead have no {part:?}:\n{dead}");
    }
    let list = narrow(&home, &["golem", "list"]).out;
    assert!(list.contains("dead of its owner's"), "{list}");
    let again = narrow(&home, &["golem", "run", "gone"]);
    assert!(!again.err.contains("lives"), "nobody is told that it lives: {}", again.err);
    assert!(again.out.starts_with("† gone"), "{}", again.out);
}

#[test]
fn a_model_that_fails_is_told_while_it_runs_and_in_the_status() {
    let home = Home::new();
    let file = home.path().join("thinks.toml");
    // Nobody listens there.
    let text = r#"
[mind.gate]
base_deliberation_threshold = 0.05
[inference]
retries = 0
max_daily_calls = 3
[[inference.providers]]
name = "local"
kind = "openai"
base_url = "http://127.0.0.1:9"
model_t1 = "small"
price_t1 = { input_usdc_per_mtok = "1.00", output_usdc_per_mtok = "4.00" }
"#;
    std::fs::write(&file, text).expect("a file");
    home.create("ada", 5, &["--config", file.to_str().expect("a path")]);
    let fresh = home.bardo(&["golem", "run", "ada", "--speed", "max", "--ticks", "400"]);
    assert_eq!(fresh.code, 0, "{fresh:?}");
    let news: Vec<&str> = fresh.err.lines().filter(|line| line.starts_with("model local (small): ")).collect();
    assert_eq!(news.len(), 1, "it is news once: {}", fresh.err);
    let status = home.json(&["golem", "status", "ada"]);
    let tries = home.ok(&["golem", "logs", "ada", "--only", "inference.end", "--json", "-n", "1000"]).out;
    let tries = tries.lines().count();
    assert!(tries > 0);
    assert_eq!(status["models"]["asked"], tries);
    assert_eq!(status["models"]["failed"], tries);
    assert_eq!(status["models"]["why"]["unreachable"], tries);
    assert_eq!(status["models"]["asked_today"], status["thought"]["calls"]);
    let text = home.ok(&["golem", "status", "ada"]).out;
    for part in ["  models     asked ", "failed (", "spent 0.00 USDC today in", "last failure 2026-01-01"] {
        assert!(text.contains(part), "{part:?} is missing:\n{text}");
    }
    home.create("plain", 5, &[]);
    home.live("plain", Some(10));
    assert!(!home.ok(&["golem", "status", "plain"]).out.contains("models"), "who has none is not bothered with them");
}
