//! Golden lives: reasons to live or die, each as text. `INSTA_UPDATE=always cargo test -p bardo --test it golden::`
//! blesses a change; the diff is the review.

use crate::kit;

use kit::Home;
use serde_json::Value;
use std::fmt::Write;

/// The turn by which the sleeper has dreamt at the brink, and is still there.
const BRINK: u64 = 26_500;

/// The facts that tell a life's story, and its end.
pub fn story(home: &Home, name: &str, why: &str) -> String {
    let mut text = format!("# {why}\n\n");
    let logs = home.ok(&["golem", "logs", name, "--json", "-n", "100000"]);
    let mut transitions = 0;
    for line in logs.out.lines() {
        let fact: Value = serde_json::from_str(line).unwrap();
        let kind = fact["type"].as_str().unwrap_or_default();
        let words = match kind {
            "mortality.phase_transition" => {
                transitions += 1;
                // The flapping of a long life around a threshold is a count, not a story.
                if transitions > 12 {
                    continue;
                }
                format!(
                    "{} -> {} ({})",
                    plain(&fact["from_phase"]),
                    plain(&fact["to_phase"]),
                    plain(&fact["trigger_clock"])
                )
            }
            "mortality.senescence" => format!("senescence {}", plain(&fact["stage"])),
            "mortality.economic_critical" => "money is short".to_owned(),
            "mortality.vigil" => format!("vigil {}", if fact["open"] == true { "begins" } else { "ends in rescue" }),
            "mortality.would_have_died" => format!("would have died of {}", cause(&fact["cause"])),
            "mortality.dead" => format!("dead of {}", cause(&fact["cause"])),
            "owner.order" => format!("order {}", plain(&fact["ask"])),
            "inheritance.taken_in" => format!(
                "inherits {}: {} on trial, {} kept aside, {} known, refused {}",
                fact["offered"], fact["on_trial"], fact["kept_aside"], fact["known"], fact["refused"]
            ),
            "inheritance.hypotheses" => format!("takes up {} of {} open questions", fact["staged"], fact["left"]),
            "dying.settled" => {
                let (acts, left) = (&fact["actions"], fact["failed"].as_array().unwrap().len());
                let acts: Vec<String> = acts.as_array().unwrap().iter().map(|act| plain(&act["what"])).collect();
                if acts.is_empty() && left == 0 {
                    continue;
                }
                format!("closed {} for {}, left {left} open", acts.join(", "), fact["settled_micro_usdc"])
            }
            "testament.written" => format!("testament, a {} life", plain(&fact["arc"])),
            "clade.heard" => format!("hears of kin: {}, {}", plain(&fact["kind"]), plain(&fact["came"])),
            "economy.fed" => format!("fed {}", fact["amount_micro_usdc"]),
            _ => continue,
        };
        writeln!(text, "turn {:>6}  {words}", fact["tick"]).unwrap();
    }
    let status = home.json(&["golem", "status", name]);
    let verify = home.json(&["golem", "verify", name]);
    writeln!(text, "\n{transitions} phase transitions").unwrap();
    for key in [
        "tick",
        "age_ticks",
        "standing",
        "phase",
        "shadow_phase",
        "balance_micro_usdc",
        "spent_micro_usdc",
        "earned_micro_usdc",
        "trades",
    ] {
        writeln!(text, "{key} = {}", plain(&status[key])).unwrap();
    }
    writeln!(text, "fitness = {:.6}", status["vitality"]["epistemic"].as_f64().unwrap()).unwrap();
    writeln!(text, "as told = {}, {} rolls checked", verify["ok"], verify["rolls"]["checked"]).unwrap();
    writeln!(text, "head = {}", plain(&verify["hash"])).unwrap();
    text
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn cause(value: &Value) -> String {
    value.as_object().and_then(|o| o.keys().next().cloned()).unwrap_or_default()
}

#[test]
fn dies_by_chance() {
    let home = Home::new();
    home.create("chance", 42, &[]);
    home.live("chance", None);
    insta::assert_snapshot!(story(&home, "chance", "healthy on every clock, and dies all the same"));
}

#[test]
fn dies_poor() {
    let home = Home::new();
    home.create("poor", 11, &["--budget", "4"]);
    home.live("poor", None);
    insta::assert_snapshot!(story(&home, "poor", "four dollars pay for two weeks; nobody feeds it in the vigil"));
}

#[test]
fn dies_ignorant() {
    let home = Home::new();
    let (prices, gas) = moving_world(&home);
    let world = format!("world.path={prices}");
    let gas = format!("world.gas_path={gas}");
    home.create(
        "ignorant",
        3,
        &[
            "--set",
            "world.kind=csv",
            "--set",
            &world,
            "--set",
            &gas,
            "--set",
            "mind.freeze_at_tick=12960",
            "--set",
            "mind.trading=false",
        ],
    );
    home.live("ignorant", None);
    insta::assert_snapshot!(story(&home, "ignorant", "stops learning after six days; the world moves on a day later"));
}

/// It comes to the brink, dreams its one emergency dream there, is fed, and is ended in the middle of another dream.
#[test]
fn dies_dreaming() {
    let home = Home::new();
    let set = ["dream.enabled=true", "dream.first_dream.declining=20", "mortality.stochastic.enabled=false"];
    let sets: Vec<&str> = set.iter().flat_map(|one| ["--set", one]).collect();
    home.create("sleeper", 11, &[&["--budget", "4"], &sets[..]].concat());
    home.live("sleeper", Some(BRINK));
    home.ok(&["golem", "feed", "sleeper", "--usdc", "40"]);
    home.live("sleeper", Some(30));
    home.live("sleeper", Some(until_rem(&home)));
    assert_eq!(home.json(&["dream", "stats", "sleeper"])["state"]["current_phase"], "rem", "it dreams again");
    home.ok(&["golem", "kill", "sleeper", "--yes", "--reason", "in the middle of a dream"]);
    let mut text = story(&home, "sleeper", "dreams at the brink, is fed, and is ended while it dreams");
    let said = home.json(&["golem", "testament", "sleeper"]);
    for sentence in said["testament"]["sections"]["suspect"].as_array().unwrap() {
        let words = plain(&sentence["text"]);
        if words.starts_with("My last dream") || words.starts_with("My death broke off") {
            writeln!(text, "{words} {}", sentence["rests_on"]).unwrap();
        }
    }
    let journal = home.json(&["dream", "journal", "sleeper"]);
    let broken = journal["dreams"].as_array().unwrap().iter().filter(|entry| entry["end"] == "died").count();
    writeln!(text, "dreams that its death broke off: {broken}").unwrap();
    assert!(text.contains("My last dream") && text.contains("My death broke off dream") && broken == 1, "{text}");
    insta::assert_snapshot!(text);
}

/// How many turns there are before the one in which it next goes on to imagine something, as a copy of it says that lives on ahead.
fn until_rem(home: &Home) -> u64 {
    let ahead = Home::new();
    kit::copy_into(home.path(), ahead.path());
    let now = ahead.json(&["golem", "status", "sleeper"])["tick"].as_u64().unwrap();
    ahead.live("sleeper", Some(200));
    let told = ahead.ok(&["golem", "logs", "sleeper", "--json", "--only", "dream.phase", "-n", "60"]).out;
    let phases = told.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut rems = phases.filter(|fact| fact["phase"] == "rem").filter_map(|fact| fact["tick"].as_u64());
    rems.find(|tick| *tick > now).expect("it dreams again") - now - 1
}

/// Twenty days of 40-second bars whose volatility, fee yield and gas settle on another level after seven.
fn moving_world(home: &Home) -> (String, String) {
    let (mut prices, mut gas) =
        (String::from("timestamp,open,high,low,close,volume,fee_yield\n"), String::from("timestamp,gas_gwei\n"));
    let mut dice = 0x9E37_79B9_7F4A_7C15u64;
    let mut uniform = || {
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        (dice >> 11) as f64 / (1u64 << 53) as f64
    };
    let (mut price, mut y, mut g) = (2_000.0f64, 0.0f64, 0.0f64);
    for t in 0..20 * 2_160u64 {
        let moved = t > 7 * 2_160;
        let mut noise = || uniform() + uniform() + uniform() + uniform() - 2.0;
        let shift = if moved { 2.0 } else { 0.0 };
        let step = 0.0004 * if moved { 7.0 } else { 1.0 } * noise();
        y += 0.02 * (shift - y) + 0.02 * noise();
        g += 0.05 * (shift - g) + 0.05 * noise();
        let open = price;
        price *= 1.0 + step;
        let (high, low) = (open.max(price), open.min(price));
        let at = 1_700_000_000 + t * 40;
        writeln!(prices, "{at},{open:.6},{high:.6},{low:.6},{price:.6},100,{:.9}", 0.0005 * y.exp()).unwrap();
        writeln!(gas, "{at},{:.9}", 0.05 * g.exp()).unwrap();
    }
    let put = |name: &str, text: String| {
        let path = home.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    (put("prices.csv", prices), put("gas.csv", gas))
}

#[test]
fn owner_kills() {
    let home = Home::new();
    home.create("killed", 5, &[]);
    home.live("killed", Some(2_000));
    home.ok(&["golem", "kill", "killed", "--yes", "--reason", "changed my mind"]);
    let again = home.bardo(&["golem", "kill", "killed", "--yes", "--reason", "twice"]);
    assert_eq!(again.code, 2, "{again:?}");
    insta::assert_snapshot!(story(&home, "killed", "ends by its owner's word, in turns of its own"));
}

#[test]
fn dies_with_open_positions() {
    let home = Home::new();
    let dir = home.create("holder", 3, &["--budget", "200", "--template", "eth-dca"]);
    home.live("holder", Some(3_000));
    let held = home.json(&["golem", "status", "holder"]);
    assert!(held["positions_micro_usdc"].as_u64().unwrap() > 0, "{held}");
    std::fs::write(dir.join("kill-switch"), "").unwrap();
    home.live("holder", None);
    let dead = home.json(&["golem", "status", "holder"]);
    assert_eq!((&dead["standing"], &dead["positions_micro_usdc"]), (&"dead".into(), &0.into()));
    insta::assert_snapshot!(story(&home, "holder", "holds ETH when the switch is thrown, and sells it before it goes"));
}

#[test]
fn kill_switch() {
    let home = Home::new();
    let dir = home.create("switched", 6, &[]);
    home.live("switched", Some(1_000));
    std::fs::write(dir.join("kill-switch"), "").unwrap();
    home.live("switched", None);
    insta::assert_snapshot!(story(&home, "switched", "a file in its home ends it at the next turn"));
}

#[test]
fn fed_in_time() {
    let home = Home::new();
    home.create("fed", 11, &["--budget", "4"]);
    // The same poor life, but somebody feeds it in the vigil.
    home.live("fed", Some(20_000));
    let phase = || home.json(&["golem", "status", "fed"])["phase"].as_str().unwrap().to_owned();
    for _ in 0..1_000 {
        if phase() == "terminal" {
            break;
        }
        home.live("fed", Some(20));
    }
    assert_eq!(phase(), "terminal");
    home.ok(&["golem", "feed", "fed", "--usdc", "40"]);
    home.live("fed", Some(20_000));
    insta::assert_snapshot!(story(&home, "fed", "rescued in the vigil; lives on"));
}

#[test]
fn crash_and_resume() {
    let home = Home::new();
    home.create("crashes", 42, &[]);
    for _ in 0..3 {
        let mut child = home.start(&["golem", "run", "crashes", "--speed", "max"]);
        std::thread::sleep(std::time::Duration::from_millis(700));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    home.live("crashes", None);
    // The same seed as `dies_by_chance`: another name, so another chain, but turn for turn the same life.
    insta::assert_snapshot!(story(&home, "crashes", "killed three times, and its life is none the shorter"));
}

#[test]
fn control_immortal() {
    let home = Home::new();
    home.create("immortal", 11, &["--budget", "4", "--set", "mortality.immortal=true"]);
    home.live("immortal", Some(40_000));
    insta::assert_snapshot!(story(&home, "immortal", "measures everything, enforces nothing"));
}

/// Changes of strategy that make an heir more than a copy.
pub const OTHERWISE: [&str; 8] = [
    "--set",
    "policy.lp_management.max_exposure=0.4",
    "--set",
    "policy.lp_management.band=0.08",
    "--set",
    "policy.lp_management.hold_days=5",
    "--set",
    "policy.lp_management.max_liquidity=0.2",
];

#[test]
fn inherits_and_diverges() {
    let home = Home::new();
    home.create("elder", 11, &["--budget", "4"]);
    home.live("elder", None);
    let asked = ["golem", "successor", "elder", "--inherit-grimoire", "--budget", "6", "--seed", "12", "--yes"];
    let heir = home.json(&[&asked[..], &OTHERWISE[..]].concat());
    assert_eq!((heir["generation"].as_u64(), heir["name"].as_str()), (Some(1), Some("elder-1")));
    home.live("elder-1", None);
    let mut text =
        story(&home, "elder-1", "begins with what the poor one knew, lives otherwise, and is judged at its end");
    let line = home.json(&["lineage", "elder"]);
    let member = &line[1];
    writeln!(text, "inherited = {}, from the dead = {}", heir["inherited"], heir["preview"]["from_the_dead"]).unwrap();
    writeln!(text, "distance = {:.4}", heir["similarity"]["distance"]["rules"].as_f64().unwrap()).unwrap();
    writeln!(text, "verdict = {}, ratchet = {:.4}", plain(&member["verdict"]), member["ratchet"].as_f64().unwrap())
        .unwrap();
    let written = home.json(&["golem", "testament", "elder-1"])["testament"].clone();
    let (flag, page) = (&written["divergence"]["low_divergence"], plain(&written["final_playbook"]));
    writeln!(text, "its testament says: {}, low divergence {flag}", plain(&written["divergence"]["verdict"])).unwrap();
    assert_eq!(
        (&written["divergence"]["verdict"], flag.as_bool()),
        (&member["verdict"], Some(page.contains("> low_divergence: ")))
    );
    assert_eq!(
        home.hash("elder-1"),
        plain(&home.json(&["golem", "verify", "elder-1"])["hash"]),
        "a replay needs nothing else"
    );
    insta::assert_snapshot!(text);
}

#[test]
fn copies_and_is_refused() {
    let home = Home::new();
    home.create("elder", 11, &["--budget", "4"]);
    home.live("elder", None);
    let said = home.bardo(&["golem", "successor", "elder", "--inherit-grimoire", "--yes"]);
    assert_eq!(said.code, 3, "{said:?}");
    assert_eq!(home.json(&["golem", "list"]).as_array().unwrap().len(), 1, "nobody was born");
    let forced = home.json(&["golem", "successor", "elder", "--inherit-grimoire", "--force-similarity", "--yes"]);
    let text = format!(
        "# wants to be the one that died again, and only its owner can want that\n\n{}\nforced: generation {}, too near {}\n",
        said.err, forced["generation"], forced["similarity"]["too_near"]
    );
    insta::assert_snapshot!(text);
}
