//! Scenarios as text: the built-in ones are sound, and whatever is wrong with a file is told at once.

use golem_core::{ProtocolState, Usdc};
use golem_venue::scenario::{Happening, MOST_EVENTS, Scenario, ScenarioEvent};
use proptest::prelude::*;

#[test]
fn every_known_scenario_reads_and_is_named_as_its_file() {
    let names: Vec<&str> = Scenario::known().iter().map(|(name, _)| *name).collect();
    let weather = [
        "calm",
        "trend",
        "chop",
        "crash",
        "depeg",
        "gas-war",
        "liquidity-drain",
        "oracle-distortion",
        "pushed-down",
        "pushed-both-ways",
        "sandwich",
    ];
    assert_eq!(names, weather);
    for (name, text) in Scenario::known() {
        let scenario = Scenario::parse(text).unwrap_or_else(|problems| panic!("{name}: {problems:#?}"));
        assert_eq!(scenario.name, *name);
        assert!(scenario.about.ends_with('.') && !scenario.events.is_empty() && scenario.settled() > 0, "{name}");
        assert_eq!(Scenario::named(name), Ok(scenario));
    }
}

#[test]
fn a_misspelt_name_is_told_what_was_meant() {
    let told = Scenario::named("gaswar").unwrap_err();
    assert_eq!(told[0].to_string(), "scenario: there is no such thing; did you mean gas-war?");
}

#[test]
fn every_kind_of_event_is_read() {
    let head = "name = \"x\"\nabout = \"y\"\n[[events]]\nat_tick = 3\nfor_ticks = 50\n";
    for (body, what) in [
        (
            "what = \"shock\"\nbps = -2_500\nover_ticks = 9\nreverts = true",
            Happening::Shock { bps: -2_500, over_ticks: 9, reverts: true },
        ),
        ("what = \"drift\"\nbps_per_day = 100", Happening::Drift { bps_per_day: 100 }),
        ("what = \"chop\"\namplitude_bps = 5\nperiod_ticks = 7", Happening::Chop { amplitude_bps: 5, period_ticks: 7 }),
        ("what = \"volatility\"\nfactor = 2", Happening::Volatility { factor: 2.0 }),
        ("what = \"depeg\"\nworth = 0.9", Happening::Depeg { worth: 0.9, over_ticks: 1, recovers: false }),
        ("what = \"gas\"\nfactor = 40.5", Happening::Gas { factor: 40.5 }),
        ("what = \"liquidity_drain\"\nshare_bps = 8_000", Happening::LiquidityDrain { share_bps: 8_000 }),
        (
            "what = \"oracle_distortion\"\npush_bps = -300",
            Happening::OracleDistortion { push_bps: -300, every_ticks: 2 },
        ),
        ("what = \"sandwich\"\ntimes = 50", Happening::Sandwich { times: 50.0, every: 1 }),
        (
            "what = \"rivals\"\ntrades = 2\nsize_usdc = \"12.5\"",
            Happening::Rivals { trades: 2, size_usdc: Usdc(12_500_000) },
        ),
        ("what = \"protocol\"\nstate = \"degraded\"", Happening::Protocol { state: ProtocolState::Degraded }),
    ] {
        let read = Scenario::parse(&format!("{head}{body}\n")).unwrap_or_else(|p| panic!("{body}: {p:#?}"));
        assert_eq!(read.events, [ScenarioEvent { at_tick: 3, for_ticks: 50, what }]);
        assert!(body.contains(what.name()));
    }
}

#[test]
fn every_problem_is_told_at_once_with_its_key_and_line() {
    let text = "nmae = \"x\"\nabout = \"y\"\n\n[[events]]\nwhat = \"gas\"\nfactr = 3\nfor_ticks = 0\n\n[[events]]\n\
                what = \"shok\"\nbps = 3\n\n[[events]]\nwhat = \"rivals\"\ntrades = -1\nsize_usdc = 500\n\n[[events]]\n\
                what = \"shock\"\nbps = -20000\nat_tick = \"soon\"\nover_ticks = 5\n";
    let told: Vec<String> = Scenario::parse(text).unwrap_err().iter().map(ToString::to_string).collect();
    let expected = [
        "name: is missing",
        "nmae: there is no such thing; did you mean name? (line 1)",
        "events[0].factor: is missing (line 4)",
        "events[0].for_ticks: 0 is out of range; it must lie between 1 and 100000000 (line 7)",
        "events[0].factr: there is no such thing; did you mean factor? (line 6)",
        "events[1].what: there is no such thing; did you mean shock? (line 10)",
        "events[2].trades: is too large, or negative where that has no meaning (line 15)",
        "events[2].size_usdc: money is written as text: put quotes around it, such as \"500\" (line 16)",
        "events[3].at_tick: must be a whole number (line 21)",
        "events[3].bps: -20000 is out of range; it must lie between -9900 and 100000 (line 20)",
        "events[3].over_ticks: 5 is out of range; it must lie between 1 and 1 (line 22)",
    ];
    assert_eq!(told, expected);
}

#[test]
fn what_is_no_scenario_is_refused() {
    for (text, part) in [
        ("", "name: is missing"),
        ("a = = 2", "not TOML"),
        ("name = \"x\"\nabout = \"y\"\nevents = 3", "at least one [[events]]"),
        ("name = \"x\"\nabout = \"y\"\nevents = [1]", "must be written as [[events]]"),
    ] {
        let told: Vec<String> = Scenario::parse(text).unwrap_err().iter().map(ToString::to_string).collect();
        assert!(told.iter().any(|t| t.contains(part)), "{text:?}: {told:?}");
    }
    let many =
        format!("name = \"x\"\nabout = \"y\"\n{}", "[[events]]\nwhat = \"gas\"\nfactor = 2\n".repeat(MOST_EVENTS + 1));
    assert_eq!(Scenario::parse(&many).unwrap_err()[0].key, "events");
}

proptest! {
    #[test]
    fn no_text_breaks_the_reader(text in "\\PC{0,200}", cut in 0_usize..600, word in "[a-z_]{1,12}", n: i64) {
        let _ = Scenario::parse(&text);
        let (_, crash) = Scenario::known()[3];
        let _ = Scenario::parse(&crash.chars().take(cut).collect::<String>());
        let _ = Scenario::parse(&format!("{crash}\n{word} = {n}\n"));
    }
}
