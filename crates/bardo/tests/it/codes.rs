//! Codes and hidden marks in anybody's words: terminals are told words and nothing else.

use crate::kit;

use golem_core::words::is_hidden;
use kit::{Home, Said};

/// Clears the screen, sets the title, rings, begins a code in one byte, turns the direction, hides.
const EVIL: &str = "\x1b[2J\x1b]0;mine\x07\u{9b}31mhello\u{202e}\u{200b}\x7f";

fn has_code(text: &str) -> bool {
    text.chars().any(|c| c != '\n' && is_hidden(c))
}

#[test]
fn no_code_in_anybodys_words_reaches_a_terminal() {
    let home = Home::new();
    let dir = home.create("ada", 5, &["--set", "mortality.immortal=true"]);
    home.live("ada", Some(40));
    std::fs::write(dir.join("PLAYBOOK.md"), format!("# Mine\n<!-- {EVIL} -->\n{EVIL}\n")).unwrap();
    let mut said: Vec<(String, Said)> = Vec::new();
    let mut say = |args: &[&str]| said.push((format!("{args:?}"), home.bardo(args)));
    say(&["golem", "tell", "ada", EVIL]);
    say(&["golem", "halt", "ada", "--reason", EVIL]);
    home.live("ada", Some(5));
    say(&["golem", "resume", "ada"]);
    say(&["golem", "run", "ada", "--speed", "max", "--ticks", "40"]);
    say(&["golem", "status", "ada"]);
    say(&["playbook", "show", "ada"]);
    say(&["golem", "kill", "ada", "--reason", EVIL, "--yes"]);
    for what in ["logs", "story", "trades", "status", "vitals", "config"] {
        say(&["golem", what, "ada"]);
        say(&["golem", what, "ada", "--json"]);
    }
    say(&["golem", "list"]);
    // What is refused is named, too.
    say(&["golem", "create", EVIL]);
    say(&["golem", "status", EVIL]);
    say(&["golem", EVIL]);
    say(&["golem", "logs", "ada", "--only", EVIL]);
    say(&["config", "show", EVIL]);
    say(&["golem", "create", "bob", "--set", EVIL]);
    say(&["grimoire", "import", "ada", EVIL]);
    for (args, Said { out, err, .. }) in &said {
        assert!(!has_code(out) && !has_code(err), "{args}: {out:?} {err:?}");
    }
    // They were told all the same, as words.
    let logs = &said.iter().find(|(args, _)| args.contains("\"logs\", \"ada\"]")).unwrap().1;
    assert!(logs.out.contains("hello"), "{}", logs.out);
    let vitals = &said.iter().find(|(args, _)| args.contains("\"vitals\", \"ada\"]")).unwrap().1;
    let chart: Vec<&str> = vitals.out.lines().filter(|line| line.contains('┤')).collect();
    assert!(chart.len() >= 3 && chart.iter().all(|line| line.chars().count() <= 60), "{}", vitals.out);
}

/// Between the look and the deletion somebody may begin to run it, or to bring it back.
#[test]
fn nothing_is_removed_from_under_whoever_has_just_begun() {
    let home = Home::new();
    let dir = home.create("ada", 1, &[]);
    home.live("ada", Some(5));
    home.ok(&["golem", "kill", "ada", "--reason", "enough", "--yes"]);
    let lock = golem_runtime::GolemDir::of_golem(&dir).unwrap().lock();
    // Nobody seems to run it, and yet the right to run it is not to be had.
    let begun = std::fs::File::open(lock).unwrap();
    begun.lock_shared().unwrap();
    let said = home.bardo(&["golem", "remove", "ada", "--yes"]);
    assert!(said.code == 2 && said.err.contains("still being run") && dir.join("golem.db").exists(), "{said:?}");
    begun.unlock().unwrap();
    home.ok(&["golem", "remove", "ada", "--yes"]);
    let left: Vec<_> = std::fs::read_dir(dir.parent().unwrap()).unwrap().flatten().collect();
    assert!(left.is_empty(), "{left:?}");
}
