//! Settings: what is read, what is refused, and that every change of policy changes its hash.

use golem_cage::CageConfig;
use golem_core::venue::VenueId;
use golem_core::{Hash, Usdc};

#[test]
fn the_defaults_are_written_and_read_as_they_are() {
    let config = CageConfig::default();
    assert_eq!(config.problems(), []);
    let text = toml::to_string(&config).unwrap();
    assert_eq!(toml::from_str::<CageConfig>(&text).unwrap(), config);
    assert_eq!(toml::from_str::<CageConfig>("").unwrap(), config);
    for line in [
        "per_tx_usdc = \"10000.00\"",
        "per_hour_usdc = \"50000.00\"",
        "per_day_usdc = \"100000.00\"",
        "per_life_usdc = \"10000000.00\"",
        "per_tx_share_bps = 5000",
        "per_hour_share_bps = 10000",
        "per_day_share_bps = 30000",
        "max_position_bps = 6000",
        "max_exposure_bps = 6000",
        "max_slippage_bps = 100",
        "max_off_reference_bps = 150",
        "reference_wait_turns = 5",
        "bleed_bps = 2000",
        "max_gas_bps = 100",
        "drawdown_bps = [300, 700, 1300]",
        "drawdown_hold_s = 604800",
        "venues = [\"uniswap-v3\"]",
        "new_venue_cooldown_s = 86400",
        "loop_repeats = 5",
        "loop_window = 20",
        "loop_memory_s = 3600",
        "permit_ticks = 2",
        "max_outstanding = 4",
    ] {
        assert!(text.lines().any(|l| l == line), "{line} is not in\n{text}");
    }
}

#[test]
fn pins_are_a_table_of_venues() {
    let hex = "ab".repeat(32);
    let config: CageConfig = toml::from_str(&format!("[code]\nuniswap-v3 = \"{hex}\"")).unwrap();
    assert_eq!(config.code[&VenueId::UniswapV3], Hash([0xab; 32]));
    assert_eq!(config.problems(), []);
    assert!(toml::from_str::<CageConfig>("[code]\nuniswap-v3 = \"ab\"").is_err());
}

#[test]
fn wrong_settings_are_refused_or_named() {
    for text in [
        "per_txn_usdc = \"5\"",
        "per_tx_usdc = 5",
        "per_tx_usdc = \"$5\"",
        "per_tx_usdc = \"-5\"",
        "per_tx_share_bps = -1",
        "per_tx_share_bps = 0.5",
        "venues = [\"uniswap-v9\"]",
        "drawdown_bps = [1, 2]",
    ] {
        assert!(toml::from_str::<CageConfig>(text).is_err(), "{text} was taken");
    }
    // (text, key that is named; or none when it lies at the very edge)
    for (text, key) in [
        ("per_tx_share_bps = 10000", None),
        ("per_tx_share_bps = 10001", Some("per_tx_share_bps")),
        ("per_hour_share_bps = 100001", Some("per_hour_share_bps")),
        ("per_day_share_bps = 1000001", Some("per_day_share_bps")),
        ("max_position_bps = 10001", Some("max_position_bps")),
        ("max_exposure_bps = 10001", Some("max_exposure_bps")),
        ("max_slippage_bps = 0", Some("max_slippage_bps")),
        ("max_slippage_bps = 1000", None),
        ("max_slippage_bps = 1001", Some("max_slippage_bps")),
        ("max_off_reference_bps = 5001", Some("max_off_reference_bps")),
        ("reference_wait_turns = 0", Some("reference_wait_turns")),
        ("bleed_bps = 1", Some("bleed_bps")),
        ("max_gas_bps = 10001", Some("max_gas_bps")),
        ("drawdown_bps = [0, 700, 1300]", Some("drawdown_bps")),
        ("drawdown_bps = [1, 2, 10000]", None),
        ("drawdown_bps = [1, 2, 10001]", Some("drawdown_bps")),
        ("drawdown_bps = [700, 700, 1300]", Some("drawdown_bps")),
        ("drawdown_bps = [300, 1300, 1300]", Some("drawdown_bps")),
        ("drawdown_bps = [300, 1400, 1300]", Some("drawdown_bps")),
        ("drawdown_hold_s = 3599", Some("drawdown_hold_s")),
        ("drawdown_hold_s = 31622400", None),
        ("drawdown_hold_s = 31622401", Some("drawdown_hold_s")),
        ("new_venue_cooldown_s = 31622401", Some("new_venue_cooldown_s")),
        ("loop_repeats = 1", Some("loop_repeats")),
        ("loop_repeats = 20", None),
        ("loop_repeats = 21", Some("loop_repeats")),
        ("loop_window = 1001", Some("loop_window")),
        ("loop_memory_s = 59", Some("loop_memory_s")),
        ("permit_ticks = 0", Some("permit_ticks")),
        ("permit_ticks = 101", Some("permit_ticks")),
        ("max_outstanding = 0", Some("max_outstanding")),
        ("max_outstanding = 17", Some("max_outstanding")),
        (
            "venues = []\n[code]\nuniswap-v3 = \"0000000000000000000000000000000000000000000000000000000000000000\"",
            Some("code.uniswap-v3"),
        ),
        (
            "[code]\nuniswap-v2 = \"0000000000000000000000000000000000000000000000000000000000000000\"",
            Some("code.uniswap-v2"),
        ),
        ("venues = []", None),
        // What can be named and never traded on is no choice.
        ("venues = [\"uniswap-v3\", \"uniswap-v2\"]", Some("venues")),
        ("per_tx_usdc = \"0\"", None),
    ] {
        let problems = toml::from_str::<CageConfig>(text).unwrap().problems();
        assert_eq!(problems.iter().map(|p| p.key.as_str()).collect::<Vec<_>>(), Vec::from_iter(key), "{text}");
    }
    let problem = &toml::from_str::<CageConfig>("permit_ticks = 0").unwrap().problems()[0];
    assert_eq!(problem.to_string(), "permit_ticks: 0 is out of range; it must lie between 1 and 100");
}

#[test]
fn every_change_changes_the_policy_hash() {
    let base = CageConfig::default();
    let mut table: toml::Table = toml::to_string(&base).unwrap().parse().unwrap();
    table.remove("code");
    let mut seen = vec![base.hash()];
    assert_eq!(CageConfig::default().hash(), base.hash());
    for (key, value) in &table {
        let mut changed = table.clone();
        let other = match value {
            toml::Value::String(_) => toml::Value::String("7.00".into()),
            toml::Value::Integer(n) => toml::Value::Integer(n + 1),
            toml::Value::Array(a) if a[0].is_integer() => toml::Value::Array(vec![1.into(), 2.into(), 3.into()]),
            _ => toml::Value::Array(vec![]),
        };
        changed.insert(key.clone(), other);
        let config: CageConfig = toml::from_str(&toml::to_string(&changed).unwrap()).unwrap();
        assert!(!seen.contains(&config.hash()), "{key} changes nothing");
        seen.push(config.hash());
    }
    let mut pinned = base;
    pinned.code.insert(VenueId::UniswapV3, Hash([1; 32]));
    assert!(!seen.contains(&pinned.hash()));
    assert_eq!(seen.len(), 24);
    assert_eq!(Usdc::whole(10_000), pinned.per_tx_usdc);
}
