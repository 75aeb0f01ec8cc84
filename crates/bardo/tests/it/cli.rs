//! The command contract: exit codes, hints, JSON fields, and what bad input gets.

use crate::kit;

use kit::Home;

#[test]
fn bad_settings_are_all_told_at_once() {
    let home = Home::new();
    let file = home.path().join("bad.toml");
    std::fs::write(
        &file,
        "[mortality]\nimortal = true\n[mortality.economic]\ndeath_reserve_floor_usdc = \"$15\"\n[mortality.stochastic]\nbase_hazard_rate = 1\n[heartbeat]\ntick_interval_s = \"soon\"\n",
    )
    .unwrap();
    let said = home.bardo(&["golem", "create", "bad", "--config", file.to_str().unwrap()]);
    assert_eq!(said.code, 2);
    for part in [
        "mortality.imortal",
        "did you mean immortal?",
        "line 2",
        "death_reserve_floor_usdc",
        "no sign or currency",
        "heartbeat.tick_interval_s",
        "hint:",
    ] {
        assert!(said.err.contains(part), "{part:?} is missing:\n{}", said.err);
    }
    assert!(home.json(&["golem", "list"]).as_array().unwrap().is_empty(), "nothing was created");
    // Ranges are told in the same breath.
    let said = home.bardo(&[
        "golem",
        "create",
        "bad",
        "--set",
        "mortality.stochastic.base_hazard_rate=1",
        "--set",
        "mortality.economic.partitions.llm=0.9",
    ]);
    assert!(said.err.contains("2 problems") || said.err.contains("3 problems"), "{}", said.err);
}

#[test]
fn unknown_golems_get_the_nearest_names() {
    let home = Home::new();
    let said = home.bardo(&["golem", "status", "alma"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("create one"), "{said:?}");
    home.create("alma", 1, &[]);
    home.create("albert", 2, &[]);
    let said = home.bardo(&["golem", "status", "allma"]);
    assert!(said.code == 2 && said.err.contains("did you mean alma?"), "{said:?}");
    let said = home.bardo(&["golem", "status", "al"]);
    assert!(said.code == 2 && said.err.contains("several"), "{said:?}");
    let id = home.json(&["golem", "list"])[0]["id"].as_str().unwrap().to_owned();
    home.live("albert", Some(3));
    assert_eq!(home.json(&["golem", "status", &id[..6]])["tick"], 3, "a unique beginning of an id is enough");
}

#[test]
fn mistakes_have_exit_code_two_and_change_nothing() {
    let home = Home::new();
    home.create("careful", 1, &[]);
    for args in [
        &["golem", "create", "Careful Name"][..],
        &["golem", "create", "careful"],
        &["golem", "create", "poor", "--budget", "$15"],
        &["golem", "create", "poor", "--budget", "0.5"],
        &["golem", "create", "poor", "--budget", "-3"],
        &["golem", "run", "careful", "--speed", "fast"],
        &["golem", "run", "careful", "--speed", "x0"],
        &["golem", "run", "careful", "--world", "moon"],
        &["golem", "run", "careful", "--world", "csv:/nowhere.csv", "--speed", "max"],
        &["golem", "feed", "careful", "--usdc", "0"],
        &["golem", "feed", "careful", "--usdc", "ten"],
        &["golem", "withdraw", "careful"],
        &["golem", "withdraw", "careful", "some"],
        &["golem", "withdraw", "careful", "0"],
        &["golem", "withdraw", "careful", "0.09"],
        &["golem", "withdraw", "nobody", "all"],
        &["golem", "create", "homeless", "--set", "chain.home=\"0x12\""],
        &["golem", "create", "homeless", "--set", "chain.home=\"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD\""],
        &["golem", "create", "homeless", "--set", "chain.home=\"0x0000000000000000000000000000000000000000\""],
        &["golem", "kill", "careful"],
        &["golem", "nonsense"],
        &["golem", "vitals", "careful", "--forecast"],
        &["nonsense"],
    ] {
        let said = home.bardo(args);
        assert_eq!(said.code, 2, "{args:?}: {said:?}");
        assert!(!said.err.is_empty() && said.out.is_empty(), "{args:?}: {said:?}");
    }
    assert_eq!(home.json(&["golem", "list"]).as_array().unwrap().len(), 1);
}

#[test]
fn errors_in_json_are_json() {
    let home = Home::new();
    let said = home.bardo(&["golem", "status", "nobody", "--json"]);
    let error = &said.json()["error"];
    assert_eq!((said.code, error["kind"].as_str()), (2, Some("owner")), "{said:?}");
}

#[test]
fn orders_reach_a_running_golem_and_are_answered() {
    let home = Home::new();
    home.create("listener", 1, &[]);
    let mut child = home.start(&["golem", "run", "listener", "--speed", "x400"]);
    // Before its first turn it is not running yet, and an order would only be kept for it.
    let lives = || home.bardo(&["golem", "status", "listener", "--json"]);
    let lives = || serde_json::from_str::<serde_json::Value>(&lives().out).is_ok_and(|s| s["tick"].as_u64() > Some(0));
    assert!((0..400).any(|_| lives() || {
        std::thread::sleep(std::time::Duration::from_millis(25));
        false
    }));
    let told = home.json(&["golem", "tell", "listener", "how are you?"]);
    assert!(told["reply"].as_str().unwrap().contains("heard, at turn"), "{told:#}");
    let fed = home.json(&["golem", "feed", "listener", "--usdc", "2.50"]);
    assert_eq!(fed["reply"], "fed 2.50 USDC");
    let gone = home.json(&["golem", "withdraw", "listener", "5"]);
    assert!(gone["reply"].as_str().unwrap().starts_with("5.00 USDC will go home"), "{gone:#}");
    let more = home.bardo(&["golem", "withdraw", "listener", "500"]);
    assert!(more.code == 2 && more.err.contains("is more than the"), "{more:?}");
    home.json(&["golem", "pause", "listener"]);
    let before = home.json(&["golem", "status", "listener"]);
    assert_eq!(before["standing"], "paused");
    std::thread::sleep(std::time::Duration::from_millis(600));
    assert_eq!(home.json(&["golem", "status", "listener"])["tick"], before["tick"], "a paused golem does not age");
    let on = home.json(&["golem", "resume", "listener"]);
    assert_eq!(on["reply"], "going on");
    let dead = home.json(&["golem", "kill", "listener", "--reason", "done", "--yes"]);
    assert_eq!(dead["reply"], "its last turns have begun");
    assert!(child.wait().unwrap().success());
    let status = home.json(&["golem", "status", "listener"]);
    assert_eq!(status["death"]["cause"]["OwnerKill"]["reason"], "done");
    assert_eq!(status["funded_micro_usdc"], 52_500_000);
}

/// A balance is what is still there; what a living golem has sent home is part of its worth, as everywhere else.
#[test]
fn what_has_gone_home_is_part_of_the_worth_that_a_list_shows() {
    let home = Home::new();
    home.create("giver", 9, &["--budget", "500", "--template", "eth-dca"]);
    home.live("giver", Some(600));
    home.ok(&["golem", "withdraw", "giver", "40"]);
    home.live("giver", Some(90));
    let status = home.json(&["golem", "status", "giver"]);
    let (balance, went) = (status["balance_micro_usdc"].as_u64().unwrap(), status["home"]["worth_micro_usdc"].as_u64());
    let went = went.filter(|went| *went > 0).unwrap_or_else(|| panic!("nothing went home: {status:#}"));
    assert_eq!(status["standing"], "alive");
    let card = home.json(&["golem", "list"])[0].clone();
    assert_eq!(
        (card["balance_micro_usdc"].as_u64(), card["worth_micro_usdc"].as_u64()),
        (Some(balance), Some(balance + went))
    );
    let listed = home.ok(&["golem", "list"]).out;
    assert!(listed.contains(&golem_view::money::usdc(golem_core::Usdc(balance + went))), "{listed}");
}

#[test]
fn status_has_the_fields_others_rely_on() {
    let home = Home::new();
    home.create("seen", 1, &[]);
    home.live("seen", Some(2_500));
    let status = home.json(&["golem", "status", "seen"]);
    for key in ["tick", "phase", "mode", "balance_micro_usdc", "projected_life_h", "locked"] {
        assert!(!status[key].is_null(), "{key}: {status:#}");
    }
    for key in ["economic", "epistemic", "age_factor", "composite"] {
        let x = status["vitality"][key].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&x), "{key} = {x}");
    }
    assert!(status["at"].as_str().unwrap().ends_with('Z'), "times are RFC 3339: {}", status["at"]);
    let forecast = home.json(&["golem", "vitals", "seen", "--forecast"]);
    assert!(forecast["p_alive"][0]["p"].as_f64().unwrap() > 0.9);
    for cause in ["economic", "epistemic", "stochastic"] {
        assert!(forecast["causes"][cause].is_number(), "{forecast:#}");
    }
}

/// The runway of the status and the forecast are made with one burn. Before a day has passed there is no history beside it.
#[test]
fn a_forecast_is_made_with_the_burn_that_the_status_says() {
    let home = Home::new();
    home.create("young", 1, &["--template", "lp-management"]);
    home.live("young", Some(1_900));
    let status = home.json(&["golem", "status", "young"]);
    assert!(status["trades"].as_u64().unwrap() > 0, "it burns more than its rent: {status:#}");
    let drift = -status["burn_rate_micro_usdc_per_tick"].as_f64().unwrap() * 2_160.0 / 1e6;
    let forecast = home.json(&["golem", "vitals", "young", "--forecast"]);
    let told = forecast["method"][1].as_str().unwrap();
    assert!(told.contains(&format!("drift {drift:+.4} ")) && told.ends_with("burn rate alone"), "{drift}: {told}");
}

#[test]
fn events_are_lines_of_json_without_gaps() {
    let home = Home::new();
    home.create("loud", 1, &[]);
    let said = home.ok(&["golem", "run", "loud", "--speed", "max", "--ticks", "300", "--events", "-", "-q"]);
    let mut seq = 0;
    let mut names = std::collections::BTreeSet::new();
    for line in said.out.lines() {
        let fact: serde_json::Value = serde_json::from_str(line).unwrap();
        seq += 1;
        assert_eq!(fact["seq"].as_u64(), Some(seq), "a gap: {line}");
        assert!(fact["golem"].is_string() && fact["tick"].is_u64() && fact["at"].is_string(), "{line}");
        names.insert(fact["type"].as_str().unwrap().to_owned());
    }
    for name in ["life.born", "heartbeat.tick", "mortality.vitality_update", "mortality.stochastic_roll"] {
        assert!(names.contains(name), "{name} is missing: {names:?}");
    }
}

#[test]
fn a_fleet_lives_as_if_each_were_alone() {
    let (home, alone) = (Home::new(), Home::new());
    let mut args = vec!["golem", "run", "--speed", "max", "--quiet"];
    let names: Vec<String> = (0..4).map(|n| format!("member-{n}")).collect();
    for (n, name) in names.iter().enumerate() {
        // Poor golems die within two weeks: a fleet that ends by itself.
        let deaf = ["--budget", "2", "--set", "fleet.hears=false"];
        home.create(name, n as u64, &deaf);
        alone.create(name, n as u64, &deaf);
        args.push(name);
    }
    let told = home.json(&args);
    for (n, name) in names.iter().enumerate() {
        assert_eq!(told[n]["alive"], false, "{told:#}");
        assert_eq!(told[n]["hash"], alone.live(name, None)["hash"], "{name}");
    }
}

#[test]
fn a_recorded_market_can_be_lived_in() {
    let home = Home::new();
    let path = home.path().join("bars.csv");
    let mut text = String::from("timestamp,open,high,low,close,volume\n");
    let mut price = 1_000.0f64;
    for n in 0..600u64 {
        let open = price;
        price *= 1.0 + 0.004 * ((n * 37 % 101) as f64 / 50.0 - 1.0);
        text += &format!(
            "{},{open},{},{},{price},12\n",
            1_600_000_000 + n * 3_600,
            open.max(price) * 1.001,
            open.min(price) * 0.999
        );
    }
    std::fs::write(&path, text).unwrap();
    home.create("historian", 1, &["--set", "mortality.stochastic.enabled=false"]);
    let world = format!("csv:{}", path.display());
    let told = home.json(&["golem", "run", "historian", "--speed", "max", "--quiet", "--world", &world]);
    assert_eq!(told["stopped_by"], "the end of recorded history", "{told:#}");
    let status = home.json(&["golem", "status", "historian"]);
    let domains = status["domains"].as_object().unwrap();
    assert!(domains.contains_key("price_direction") && !domains.contains_key("protocol_state"), "{domains:?}");
    // History says nothing of gas, so its price on the chain stands still: nobody can be better or worse at that, and
    // nothing is said of it.
    assert!(!domains.contains_key("gas_condition"), "{domains:?}");
    // A world is for life.
    let said = home.bardo(&["golem", "run", "historian", "--world", "synthetic", "--speed", "max"]);
    assert!(said.code == 2 && said.err.contains("another world"), "{said:?}");
    assert_eq!(home.json(&["golem", "verify", "historian"])["ok"], true);
}

#[test]
fn settings_are_printed_and_read_back() {
    let home = Home::new();
    let shown = home.ok(&["config", "show"]).out;
    insta::assert_snapshot!("config_show", shown);
    let file = home.path().join("golem.toml");
    std::fs::write(&file, &shown).unwrap();
    let path = file.display().to_string();
    home.create("same", 1, &["--config", &path]);
    home.create("twin", 1, &[]);
    assert_eq!(
        home.json(&["golem", "config", "same"])["mortality"],
        home.json(&["golem", "config", "twin"])["mortality"]
    );
}

#[test]
fn every_setting_is_explained_and_one_can_be_asked_for() {
    let home = Home::new();
    let shown = home.ok(&["config", "show"]).out;
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    // Before every key stands what it is for; what is not set stands behind a mark.
    let lines: Vec<&str> = shown.lines().collect();
    let is_key = |line: &str| {
        let name = line.trim_start_matches("# ").split_once(" = ").map(|(name, _)| name);
        !line.starts_with(' ') && name.is_some_and(|name| !name.contains(' '))
    };
    let keys: Vec<usize> = (1..lines.len()).filter(|n| is_key(lines[*n])).collect();
    assert!(keys.len() > 280, "{}", keys.len());
    for n in keys {
        assert!(lines[n - 1].starts_with("# ") && lines[n - 1].ends_with(['.', ':']), "{}\n{}", lines[n - 1], lines[n]);
    }
    assert!(shown.contains("# base_url = "), "{shown}");
    let one = home.ok(&["config", "show", "cage.per_tx_usdc"]).out;
    assert_eq!(one, "# The most that one trade may put at risk.\ncage.per_tx_usdc = \"10000.00\"\n");
    let table = home.json(&["config", "show", "policy.eth_dca"]);
    assert_eq!(table.as_array().unwrap().len(), 5, "{table}");
    assert_eq!((&table[1]["key"], &table[1]["default"]), (&"policy.eth_dca.amount_usdc".into(), &"1.00".into()));
    assert!(home.ok(&["config", "show", "inference.providers.price_t1"]).out.contains("cached_usdc_per_mtok"));
    // Of the whole home, in a file of its own.
    let told = home.json(&["config", "show", "notify"]);
    assert!(told.as_array().unwrap().iter().any(|row| row["key"] == "notify.channels.url_env"), "{told}");
    for (key, meant) in [
        ("cage.per_tx_usd", "did you mean cage.per_tx_usdc?"),
        ("immortal", "did you mean mortality.immortal?"),
        ("qqqq", "bardo config show"),
    ] {
        let said = home.bardo(&["config", "show", key]);
        assert!(said.code == 2 && said.err.contains(meant), "{key}: {said:?}");
    }
    // In settings too: near, in another table, in a list of tables.
    for (set, meant) in [
        ("cage.per_tx_usd=1", "did you mean per_tx_usdc?"),
        ("immortal=true", "did you mean mortality.immortal?"),
        ("inference.providers=[{ name = \"a\", modle_t1 = \"b\" }]", "did you mean model_t1?"),
    ] {
        let said = home.bardo(&["golem", "create", "ada", "--set", set]);
        assert!(said.code == 2 && said.err.contains(meant) && said.err.contains("config show"), "{set}: {said:?}");
    }
}

#[test]
fn completions_and_doctor_work() {
    let home = Home::new();
    assert!(home.ok(&["completions", "bash"]).out.contains("_bardo"));
    home.create("patient", 1, &[]);
    home.live("patient", Some(50));
    let told = home.json(&["doctor"]);
    assert_eq!(told["ok"], true, "{told:#}");
}

#[test]
fn a_paused_golem_answers_without_ageing() {
    let home = Home::new();
    home.create("still", 1, &[]);
    home.live("still", Some(100));
    home.ok(&["golem", "pause", "still"]);
    home.live("still", Some(1));
    let before = home.json(&["golem", "status", "still"]);
    for _ in 0..3 {
        home.ok(&["golem", "tell", "still", "are you there?"]);
        home.live("still", Some(1));
    }
    home.ok(&["golem", "feed", "still", "--usdc", "1"]);
    let told = home.live("still", Some(1));
    assert_eq!(told["stopped_by"], "the turns asked for", "{told:#}");
    let after = home.json(&["golem", "status", "still"]);
    assert_eq!((&after["age_ticks"], &after["spent_micro_usdc"]), (&before["age_ticks"], &before["spent_micro_usdc"]));
    assert_eq!(after["balance_micro_usdc"].as_u64(), before["balance_micro_usdc"].as_u64().map(|b| b + 1_000_000));
    assert_eq!(home.live("still", Some(5))["stopped_by"], "pause", "nobody waits for a paused golem for ever");
    assert_eq!(home.json(&["golem", "verify", "still"])["ok"], true);
}

#[test]
fn a_kill_behind_many_orders_still_kills() {
    let home = Home::new();
    home.create("busy", 1, &[]);
    home.live("busy", Some(3));
    for n in 0..70 {
        home.ok(&["golem", "tell", "busy", &format!("word {n}")]);
    }
    home.ok(&["golem", "kill", "busy", "--yes", "--reason", "enough words"]);
    assert_eq!(home.json(&["golem", "status", "busy"])["standing"], "dead");
}

#[test]
fn one_damaged_golem_does_not_stop_the_fleet() {
    let home = Home::new();
    let dir = home.create("broken", 1, &["--budget", "2"]);
    home.create("whole-a", 2, &["--budget", "2"]);
    home.create("whole-b", 3, &["--budget", "2"]);
    std::fs::write(dir.join("golem.db"), "rubbish".repeat(1_000)).unwrap();
    let said = home.bardo(&["golem", "run", "--all", "--speed", "max", "--quiet", "--json"]);
    assert_eq!(said.code, 1, "{said:?}");
    let told: serde_json::Value = serde_json::Deserializer::from_str(&said.out).into_iter().next().unwrap().unwrap();
    assert!(told[0]["error"].is_string(), "{told:#}");
    assert_eq!((&told[1]["alive"], &told[2]["alive"]), (&false.into(), &false.into()), "{told:#}");
}

#[test]
fn events_that_nobody_gets_are_an_error() {
    let home = Home::new();
    home.create("unheard", 1, &[]);
    let said = home.bardo(&["golem", "run", "unheard", "--speed", "max", "--ticks", "50", "--events", "/dev/full"]);
    assert!(said.code == 1 && said.err.contains("events could not be written"), "{said:?}");
}

#[test]
fn mail_and_settings_survive_the_choice_of_a_world() {
    let home = Home::new();
    let path = home.path().join("bars.csv");
    let rows: String = (0..50u64).map(|n| format!("{},100,101,99,100,5\n", 1_600_000_000 + n * 3_600)).collect();
    std::fs::write(&path, format!("timestamp,open,high,low,close,volume\n{rows}")).unwrap();
    home.create(
        "mover",
        1,
        &["--set", "heartbeat.tick_interval_s=7200", "--set", "mortality.stochastic.enabled=false"],
    );
    home.ok(&["golem", "feed", "mover", "--usdc", "10"]);
    let world = format!("csv:{}", path.display());
    home.ok(&["golem", "run", "mover", "--speed", "max", "--world", &world, "-q"]);
    let status = home.json(&["golem", "status", "mover"]);
    assert_eq!(status["funded_micro_usdc"], 60_000_000, "the feed was not lost");
    assert_eq!(home.json(&["golem", "config", "mover"])["heartbeat"]["tick_interval_s"], 7_200);
    assert_eq!(home.json(&["golem", "verify", "mover"])["ok"], true);
}
