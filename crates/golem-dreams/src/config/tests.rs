//! What an owner writes, held against the rules of `[dream]`.

use super::*;
use golem_core::{Elapsed, Usdc};

fn read(text: &str) -> DreamConfig {
    toml::from_str(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}
fn keys(config: &DreamConfig) -> Vec<String> {
    config.problems().into_iter().map(|p| p.key).collect()
}

/// The configuration as the seed prints it, every key of it: exactly the defaults, but for the shares, which the table
/// per phase of life replaces until the owner sets them.
const SEED: &str = r#"
enabled = false
tier = "core"
[schedule]
mode = "hybrid"
autonomousThreshold = 0.8
[windows]
windows = [{ start = "02:00", end = "06:00", timezone = "UTC" }]
[budget]
perCycleMax = "$0.50"
perSessionMax = "$2.00"
monthlyMax = "$15.00"
[phases]
nremAllocation = 0.45
remAllocation = 0.35
integrationAllocation = 0.20
[replay]
batchSize = 10
prioritization = "utility"
perturbationRate = 0.3
[imagination]
counterfactualDepth = 2
creativeSessions = 2
threatScenarios = 3
explorationTemperature = 0.7
[consolidation]
hypothesisConfidence = 0.2
insightConfidence = 0.3
validationRequired = true
maxStagedRevisions = 10
[wakeInterrupts]
enabled = true
marketThresholds = [{ asset = "ETH", changePercent = 10, window = "5m" }]
"#;

#[test]
fn the_seeds_page_is_the_default() {
    let mut read_as_printed = read(SEED);
    assert_eq!(read_as_printed.problems(), []);
    assert_eq!(read_as_printed.phases.chosen(), Some([0.45, 0.35, 0.20]));
    read_as_printed.phases = DreamPhasesConfig::default();
    assert_eq!(read_as_printed, DreamConfig::default());
    assert_eq!(read(""), DreamConfig::default());
}

#[test]
fn every_key_that_the_seed_prints_changes_something() {
    for (from, to) in [
        ("enabled = false\ntier", "enabled = true\ntier"),
        ("\"core\"", "\"hardened\""),
        ("\"hybrid\"", "\"owner\""),
        ("autonomousThreshold = 0.8", "autonomousThreshold = 0.7"),
        ("02:00", "03:00"),
        ("06:00", "07:00"),
        ("\"UTC\"", "\"Europe/Berlin\""),
        ("$0.50", "$0.40"),
        ("$2.00", "$3.00"),
        ("$15.00", "$16.00"),
        ("nremAllocation = 0.45", "nremAllocation = 0.44"),
        ("remAllocation = 0.35", "remAllocation = 0.34"),
        ("integrationAllocation = 0.20", "integrationAllocation = 0.21"),
        ("batchSize = 10", "batchSize = 11"),
        ("\"utility\"", "\"recency\""),
        ("perturbationRate = 0.3", "perturbationRate = 0.4"),
        ("counterfactualDepth = 2", "counterfactualDepth = 3"),
        ("creativeSessions = 2", "creativeSessions = 3"),
        ("threatScenarios = 3", "threatScenarios = 4"),
        ("explorationTemperature = 0.7", "explorationTemperature = 0.8"),
        ("hypothesisConfidence = 0.2", "hypothesisConfidence = 0.25"),
        ("insightConfidence = 0.3", "insightConfidence = 0.2"),
        ("validationRequired = true", "validationRequired = false"),
        ("maxStagedRevisions = 10", "maxStagedRevisions = 9"),
        ("enabled = true\nmarket", "enabled = false\nmarket"),
        ("\"ETH\"", "\"WETH\""),
        ("changePercent = 10", "changePercent = 9"),
        ("\"5m\"", "\"6m\""),
    ] {
        assert!(SEED.contains(from), "{from}");
        assert_ne!(read(&SEED.replace(from, to)), read(SEED), "{from}");
    }
}

#[test]
fn what_is_written_is_read_back() {
    let mut changed = read(SEED);
    changed.schedule.mode = DreamScheduleMode::Owner;
    for config in [DreamConfig::default(), changed] {
        assert_eq!(read(&toml::to_string(&config).unwrap()), config);
        assert_eq!(serde_json::from_value::<DreamConfig>(golem_core::plain::value(&config)).unwrap(), config);
    }
}

#[test]
fn numbers_that_have_a_default() {
    let c = DreamConfig::default();
    assert_eq!((c.max_turns_per_cycle, c.core_max_cycles_per_day, c.dream_cycle_interval), (60, 24, 50));
    assert_eq!(c.max_duration, DreamSpan::secs(3_600));
    let FirstDreamThresholds { thriving, stable, conservation, declining } = c.first_dream;
    assert_eq!((thriving, stable, conservation, declining), (200, 150, 100, 50));
    assert_eq!(
        (c.dream_inference_provider.as_str(), c.provider.web_search, c.provider.attestation),
        ("", false, false)
    );
    let r = c.replay;
    assert_eq!(
        (r.gain, r.need),
        (
            GainWeights { surprise: 0.4, pnl: 0.3, regret: 0.3 },
            NeedWeights { similarity: 0.4, regime: 0.3, recency: 0.3 }
        )
    );
    for (found, expected) in [
        (r.utility_floor, 0.1),
        (r.recency_half_life_h, 24.0),
        (r.spacing_half_life_h, 6.0),
        (r.replay_decay, 0.85),
        (r.priority_boost, 2.0),
        (r.diversity_share, 0.2),
        (r.diversity_days, 30.0),
        (r.strength_step, 0.5),
        (r.other_regime, 0.3),
        (c.imagination.depotentiation, 0.6),
        (c.imagination.duplicate_similarity, 0.85),
        (f64::from(c.imagination.core_counterfactuals), 8.0),
        (f64::from(c.imagination.core_threats), 2.0),
        (c.budget.purse_floor, 0.15),
        (c.urgent_reserve, 0.25),
    ] {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
}

#[test]
fn a_plain_word_is_a_schedule() {
    use DreamScheduleMode::{Autonomous, Hybrid, Owner};
    for (word, mode) in [("owner", Owner), ("autonomous", Autonomous), ("hybrid", Hybrid)] {
        let plain = read(&format!("schedule = \"{word}\""));
        assert_eq!(plain.schedule, DreamSchedule { mode, autonomous_threshold: 0.8 });
        assert_eq!(read(&format!("schedule.mode = \"{word}\"")), plain);
    }
    let error = toml::from_str::<DreamConfig>("schedule = \"nightly\"").unwrap_err().to_string();
    assert!(error.contains("nightly") && error.contains("hybrid"), "{error}");
    let error = toml::from_str::<DreamConfig>("schedule = 3").unwrap_err().to_string();
    assert!(error.contains("owner, autonomous or hybrid"), "{error}");
}

#[test]
fn money_has_its_sign() {
    for (text, micro) in [("$0.50", 500_000), ("$15", 15_000_000), ("$0", 0), ("$0.000001", 1)] {
        let money = DreamMoney::from(text.to_owned());
        assert_eq!(money, DreamMoney::Known(Usdc(micro)), "{text}");
        assert_eq!(DreamMoney::from(money.to_string()), money);
    }
    for bad in ["0.50", "$", "$-1", "$1e3", "€5", "5$", "$ 5", "", "$1,000", "$0.0000001", "$99999999999999999999"] {
        let money = DreamMoney::from(bad.to_owned());
        assert_eq!((money.usdc(), money.to_string().as_str()), (Usdc::ZERO, bad), "{bad}");
        assert!(money.problem("k").unwrap().message.contains("such as \"$0.50\""), "{bad}");
    }
    assert!(DreamMoney::Known(Usdc::whole(1_000_001)).problem("k").is_some());
    assert_eq!(DreamMoney::Known(Usdc::whole(1_000_000)).problem("k"), None);
}

#[test]
fn spans_have_their_unit() {
    for (text, s, spelled) in
        [("5m", 300, "5m"), ("90s", 90, "90s"), ("120s", 120, "2m"), ("24h", 86_400, "1d"), ("30d", 2_592_000, "30d")]
    {
        let span = DreamSpan::from(text.to_owned());
        assert_eq!((span.elapsed(), span.to_string().as_str()), (Elapsed::secs(s), spelled));
        assert_eq!(span.problem("k"), None, "{text}");
    }
    for bad in ["", "5", "m", "5 m", "-5m", "+5m", "1.5h", "5w", "5minutes", "99999999999999999999s", "5м"] {
        let span = DreamSpan::from(bad.to_owned());
        assert_eq!((span.elapsed(), span.to_string().as_str()), (Elapsed(0), bad), "{bad}");
        assert!(span.problem("k").unwrap().message.contains("such as \"5m\""), "{bad}");
    }
    for out in ["0s", "31d"] {
        assert!(DreamSpan::from(out.to_owned()).problem("k").unwrap().message.contains("between 1s and 30d"), "{out}");
    }
}

#[test]
fn all_problems_are_told_at_once_with_their_keys() {
    let wrong = read(
        r#"
        max_turns_per_cycle = 0
        max_duration = "soon"
        dream_inference_provider = "two words"
        schedule.autonomous_threshold = 1.5
        windows.windows = [
            { start = "2:00", end = "26:00", timezone = "Mars/Olympus" },
            { start = "02:00", end = "02:00" },
        ]
        budget.monthly_max = "15"
        phases.nrem_allocation = 0.5
        replay.batch_size = 3
        imagination.exploration_temperature = nan
        consolidation.validation_required = false
        wake_interrupts.market_thresholds = [{ asset = "DOGE", change_percent = 0, window = "5" }]
        urgency.surprise_full = 0
        clocks.cease_below_h = 30
        first_dream.stable = 0
        "#,
    );
    let expected = [
        "max_turns_per_cycle",
        "max_duration",
        "schedule.autonomous_threshold",
        "windows.windows.0.start",
        "windows.windows.0.end",
        "windows.windows.0.timezone",
        "windows.windows.1.end",
        "budget.monthly_max",
        "phases.rem_allocation",
        "phases.integration_allocation",
        "replay.batch_size",
        "imagination.exploration_temperature",
        "consolidation.validation_required",
        "wake_interrupts.market_thresholds.0.change_percent",
        "wake_interrupts.market_thresholds.0.window",
        "wake_interrupts.market_thresholds.0.asset",
        "urgency.surprise_full",
        "clocks.consolidate_below_h",
        "first_dream.stable",
        "dream_inference_provider",
    ];
    assert_eq!(keys(&wrong), expected, "{:#?}", wrong.problems());
}

#[test]
fn zones_and_times_that_cannot_be_are_told_with_a_hint() {
    let problems = read(r#"windows.windows = [{ start = "24:01", end = "06:00", timezone = "CEST" }]"#).problems();
    let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert!(told[0].contains("\"24:01\" is not a time of day") && told[0].contains("\"02:00\""), "{told:?}");
    assert!(told[1].contains("\"CEST\" is not a time zone") && told[1].contains("Europe/Berlin"), "{told:?}");
    for zone in ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Etc/GMT+5"] {
        let text = format!("windows.windows = [{{ start = \"22:00\", end = \"24:00\", timezone = \"{zone}\" }}]");
        assert_eq!(read(&text).problems(), [], "{zone}");
    }
}

#[test]
fn shares_sum_to_one_and_weights_too() {
    let shares = |n: f64, r: f64, i: f64| {
        keys(&read(&format!("[phases]\nnrem_allocation={n:?}\nrem_allocation={r:?}\nintegration_allocation={i:?}")))
    };
    assert_eq!(shares(0.45, 0.35, 0.20), [""; 0]);
    assert_eq!(shares(0.45, 0.35, 0.21), ["phases.integration_allocation"]);
    assert_eq!(shares(1.2, -0.2, 0.0), ["phases.nrem_allocation", "phases.rem_allocation"]);
    assert_eq!(keys(&read("replay.gain.surprise = 0.5")), ["replay.gain"]);
    assert_eq!(keys(&read("replay.need.regime = 0.2")), ["replay.need"]);
}

/// Every number with a range, at both ends of it and beyond.
#[test]
fn ranges_of_every_number() {
    for (key, low, high) in [
        ("max_turns_per_cycle", 1.0, 1_000.0),
        ("core_max_cycles_per_day", 1.0, 1_000.0),
        ("dream_cycle_interval", 1.0, 1_000_000.0),
        ("urgent_reserve", 0.0, 1.0),
        ("schedule.autonomous_threshold", 0.05, 1.0),
        ("budget.purse_floor", 0.0, 1.0),
        ("replay.batch_size", 5.0, 20.0),
        ("replay.perturbation_rate", 0.0, 1.0),
        ("replay.other_regime", 0.0, 1.0),
        ("replay.utility_floor", 0.0, 1.0),
        ("replay.recency_half_life_h", 0.01, 10_000.0),
        ("replay.spacing_half_life_h", 0.01, 10_000.0),
        ("replay.replay_decay", 0.0, 1.0),
        ("replay.priority_boost", 1.0, 10.0),
        ("replay.diversity_share", 0.0, 0.2),
        ("replay.diversity_days", 0.0, 10_000.0),
        ("replay.strength_step", 0.0, 1.0),
        ("imagination.counterfactual_depth", 0.0, 10.0),
        ("imagination.creative_sessions", 0.0, 20.0),
        ("imagination.threat_scenarios", 0.0, 15.0),
        ("imagination.exploration_temperature", 0.0, 2.0),
        ("imagination.core_counterfactuals", 0.0, 8.0),
        ("imagination.core_threats", 0.0, 2.0),
        ("imagination.depotentiation", 0.0, 1.0),
        ("imagination.duplicate_similarity", 0.0, 1.0),
        ("consolidation.hypothesis_confidence", 0.1, 0.3),
        ("consolidation.insight_confidence", 0.1, 0.3),
        ("consolidation.max_staged_revisions", 1.0, 64.0),
        ("urgency.surprise_full", 0.1, 100.0),
        ("urgency.unreplayed_full", 1.0, 10_000.0),
        ("urgency.arousal_full", 0.05, 1.0),
        ("urgency.loss_full", 0.001, 1.0),
        ("urgency.micro_consolidation_s", 1.0, 86_400.0),
        ("urgency.pattern_step", 0.0, 1.0),
        ("urgency.suffering_step", 0.0, 1.0),
        ("urgency.blocked_decay", 0.0, 1.0),
        ("urgency.active_market", 0.0, 0.2),
        ("clocks.confused_below", 0.35, 1.0),
        ("clocks.base_rate", 0.1, 2.0),
        ("first_dream.thriving", 1.0, 1_000_000.0),
        ("first_dream.stable", 1.0, 1_000_000.0),
        ("first_dream.conservation", 1.0, 1_000_000.0),
        ("first_dream.declining", 1.0, 1_000_000.0),
    ] {
        let of = |x: f64| {
            // A whole number is read for either kind; a fraction only where there may be one.
            let text = if x.fract().abs() < 1e-12 { format!("{key} = {x:.0}") } else { format!("{key} = {x}") };
            toml::from_str::<DreamConfig>(&text).map(|c| keys(&c))
        };
        assert_eq!(of(low).unwrap(), [""; 0], "{key} at {low}");
        assert_eq!(of(high).unwrap(), [""; 0], "{key} at {high}");
        // Below zero a count cannot even be read.
        assert!(of(low - 1.0).map_or(true, |found| found == [key]), "{key} below {low}");
        assert_eq!(of(high + 1.0).unwrap(), [key], "{key} above {high}");
    }
}

#[test]
fn a_threshold_looks_back_as_far_as_prices_are_remembered() {
    let text = |window: &str| {
        format!("[[wake_interrupts.market_thresholds]]\nasset = \"ETH\"\nchange_percent = 5.0\nwindow = \"{window}\"")
    };
    assert_eq!(keys(&read(&text("1h"))), [""; 0]);
    assert_eq!(keys(&read(&text("61m"))), ["wake_interrupts.market_thresholds.0.window"]);
}

#[test]
fn clocks_keep_their_order() {
    for (text, key) in [
        ("clocks.hurry_below_h = 24", "clocks.hurry_below_h"),
        ("clocks.cease_below_h = 24", "clocks.consolidate_below_h"),
        ("clocks.legacy_above = 0.85", "clocks.full_legacy_above"),
    ] {
        assert_eq!(keys(&read(text)), [key], "{text}");
    }
}
