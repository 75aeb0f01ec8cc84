//! Recorded history: what is visible when, and what is said about a file that cannot be lived in.

use crate::world_help;

use golem_core::door::World;
use golem_core::{Timestamp, VirtualTime};
use golem_lab::world::{CsvFault, CsvMode, CsvOptions, CsvWorld, VolumeUnit};
use world_help::{Bar, HEADER, START, file, open, see, text, world};

const HOUR: i64 = 3_600;

/// Hours at which a bar opens, with the close 100 + hour.
fn hours(at: &[i64]) -> Vec<Bar> {
    let bar = |h: &i64| {
        let close = 100.0 + *h as f64;
        Bar { time: START + h * HOUR, cells: [close - 0.5, close + 1.0, close - 1.0, close, 2.0] }
    };
    at.iter().map(bar).collect()
}

fn price(world: &mut CsvWorld, age_s: i64) -> f64 {
    see(world, age_s as u64).and_then(|seen| seen.price).unwrap_or(f64::NAN)
}

/// The fault that this text has, and the whole message about it.
fn fault(text: &str) -> (CsvFault, String) {
    let error = open(text, &CsvOptions::default()).expect_err("a broken file");
    assert!(!error.hint().is_empty());
    let message = error.to_string();
    assert!(message.contains("market.csv"), "{message}");
    (error.fault, message)
}

#[test]
fn one_turn_per_bar_and_only_closed_bars() {
    let mut world = world(&hours(&[0, 1, 2, 3]), CsvMode::PerBar);
    assert_eq!(world.epoch(), Timestamp(START + HOUR));
    assert_eq!(world.natural_interval_s(), Some(3_600));
    assert_eq!(world.ends_at(), Some(VirtualTime(3 * 3_600_000)));
    assert_eq!(world.bars(), 4);
    let seen = see(&mut world, 0).expect("the first bar");
    assert_eq!((seen.price, seen.volume), (Some(100.0), Some(200.0)));
    assert_eq!((seen.gas_gwei, seen.fee_yield, seen.protocol), (None, None, None));
    // One second before the close of the second bar, the first is still all there is, and nothing new was traded.
    let seen = see(&mut world, 3_599).expect("still the first bar");
    assert_eq!((seen.price, seen.volume), (Some(100.0), Some(0.0)));
    let seen = see(&mut world, 3_600).expect("the second bar");
    assert_eq!((seen.price, seen.volume), (Some(101.0), Some(202.0)));
    // Two bars at once: the last close, and the volume of both.
    let seen = see(&mut world, 10_800).expect("the last bar");
    assert_eq!((seen.price, seen.volume), (Some(103.0), Some(204.0 + 206.0)));
    assert_eq!(see(&mut world, 10_800), Some(seen), "the same question again");
    assert_eq!(see(&mut world, 10_801), None);
    assert_eq!(see(&mut world, u64::MAX / 1_000), None);
}

#[test]
fn a_gap_keeps_the_last_bar() {
    for mode in [CsvMode::PerBar, CsvMode::Bridge { seed: 1 }] {
        let mut world = world(&hours(&[0, 1, 2, 9, 10, 11]), mode);
        // The bar of hour 2 closes at age 2 h; the next one opens at age 8 h and closes at 9 h.
        for age_h in 2..8 {
            let at = if mode == CsvMode::PerBar { 0 } else { 1 };
            assert!((price(&mut world, age_h * HOUR + at) - 102.0).abs() < 1e-9, "{mode:?}, {age_h} h");
        }
        assert_eq!(see(&mut world, 8 * 3_600 - 1).and_then(|seen| seen.volume), Some(0.0));
        assert!(price(&mut world, 9 * HOUR) > 107.0);
    }
}

#[test]
fn volume_in_usdc_is_taken_as_it_is() {
    let options = CsvOptions { volume_unit: VolumeUnit::Usdc, ..CsvOptions::default() };
    let mut world = open(&text(&hours(&[0, 1])), &options).expect("sound");
    assert_eq!(see(&mut world, 0).and_then(|seen| seen.volume), Some(2.0));
}

#[test]
fn a_window_leaves_out_what_is_outside() {
    let bars = hours(&[0, 1, 2, 3, 4, 5]);
    let options = CsvOptions {
        from: Some(Timestamp(START + HOUR)),
        until: Some(Timestamp(START + 4 * HOUR)),
        ..CsvOptions::default()
    };
    let mut world = open(&text(&bars), &options).expect("sound");
    assert_eq!((world.bars(), world.epoch()), (3, Timestamp(START + 2 * HOUR)));
    assert!((price(&mut world, 2 * HOUR) - 103.0).abs() < 1e-9);
    let of = |from, until| {
        let moment = |h: i64| Some(Timestamp(START + h * HOUR));
        let options = CsvOptions { from: moment(from), until: moment(until), ..CsvOptions::default() };
        open(&text(&bars), &options).expect_err("no window").fault
    };
    let (first, last) = (Timestamp(START), Timestamp(START + 6 * HOUR));
    assert!(matches!(of(100, 200), CsvFault::NotCovered { first: f, last: l } if f == first && l == last));
    assert!(matches!(of(-9, -3), CsvFault::NotCovered { .. }));
    assert!(matches!(of(4, 4), CsvFault::Backwards { .. }) && matches!(of(5, 1), CsvFault::Backwards { .. }));
    assert!(matches!(of(2, 3), CsvFault::TooFew { found: 1 }));
}

#[test]
fn a_survey_tells_what_is_missing_silent_and_jumping() {
    let sound = open(&text(&hours(&[0, 1, 2, 3])), &CsvOptions::default()).expect("sound").survey();
    assert_eq!((sound.bars, sound.missing, sound.gaps, sound.silent, sound.jumps), (4, 0, 0, 0, 0));
    assert_eq!((sound.first, sound.last, sound.bar_s), (Timestamp(START), Timestamp(START + 4 * HOUR), 3_600));
    let mut bars = hours(&[0, 1, 2, 5, 6, 8, 9]);
    bars[1].cells[4] = 0.0;
    for cell in &mut bars[4].cells[..4] {
        *cell *= 0.5;
    }
    let found = open(&text(&bars), &CsvOptions::default()).expect("sound").survey();
    assert_eq!((found.bars, found.missing, found.gaps, found.silent, found.jumps), (7, 3, 2, 1, 2));
    let longest = found.longest_gap.expect("a gap");
    assert_eq!((longest.from, longest.bars), (Timestamp(START + 3 * HOUR), 2));
    let (up, closes) = (found.largest_move.expect("a move"), hours(&[6, 8]));
    assert_eq!(up.at, Timestamp(START + 9 * HOUR), "back up is the larger share");
    assert!((up.change - (closes[1].cells[3] / (closes[0].cells[3] * 0.5) - 1.0)).abs() < 1e-12);
}

#[test]
fn a_fee_yield_column_is_seen_when_its_bar_has_closed() {
    let text = format!("{HEADER},fee_yield\n0,1,1,1,1,1,0.001\n3600,1,1,1,1,1,\n7200,1,1,1,1,1,0.003\n");
    for mode in [CsvMode::PerBar, CsvMode::Bridge { seed: 1 }] {
        let mut world = open(&text, &CsvOptions { mode, ..CsvOptions::default() }).expect("sound");
        let mut at = |age| see(&mut world, age).and_then(|seen| seen.fee_yield);
        assert_eq!(
            [at(0), at(3_599), at(3_600), at(7_199), at(7_200)],
            [Some(0.001), Some(0.001), None, None, Some(0.003)]
        );
    }
}

#[test]
fn gas_is_joined_by_time_once_its_period_is_over() {
    let (_dir, path) =
        file(&format!("timestamp,avg_gas_gwei,other\n{},7,x\n{},0,x\n{},9,x\n", START - HOUR, START, START + HOUR));
    let options = CsvOptions { gas: Some(path), ..CsvOptions::default() };
    let mut world = open(&text(&hours(&[0, 1, 2, 3, 4, 5, 6, 7])), &options).expect("sound");
    let mut at = |age_h: u64| see(&mut world, age_h * 3_600).and_then(|seen| seen.gas_gwei);
    // At birth, the hour of the zero is over: nothing was measured in it. The 9 is known from its end, for 3 hours.
    assert_eq!([at(0), at(1), at(2), at(3), at(4), at(5)], [None, Some(9.0), Some(9.0), Some(9.0), None, None]);
}

#[test]
fn a_missing_file_is_named() {
    let error = CsvWorld::open("/nowhere/market.csv", &CsvOptions::default()).expect_err("no such file");
    assert!(matches!(error.fault, CsvFault::Unreadable(_)));
    assert!(error.to_string().starts_with("/nowhere/market.csv: cannot be read: "), "{error}");
    let options = CsvOptions { gas: Some("/nowhere/gas.csv".into()), ..CsvOptions::default() };
    let error = open(&text(&hours(&[0, 1])), &options).expect_err("no gas file");
    assert_eq!(error.path.to_str(), Some("/nowhere/gas.csv"));
}

#[test]
fn every_fault_names_its_place() {
    let row = |line: &str| fault(&format!("{HEADER}\n0,2,3,1,2,5\n{line}\n7200,2,3,1,2,5\n"));
    assert!(matches!(fault("").0, CsvFault::Empty));
    assert!(matches!(fault(HEADER).0, CsvFault::Empty));
    assert!(matches!(fault(&format!("{HEADER}\n0,2,3,1,2,5\n")).0, CsvFault::TooFew { found: 1 }));
    let (_, message) = fault("time,open,close\n1,2,3\n");
    assert!(message.ends_with("has no column high; it has: time, open, close"), "{message}");
    let (_, message) = row("3600,2,3,1,two,5");
    assert!(message.ends_with("line 3, close: \"two\" is not a number"), "{message}");
    assert!(matches!(row("3600,2,3,1,NaN,5").0, CsvFault::NotANumber { line: 3, column: "close", .. }));
    assert!(matches!(row("3600,inf,3,1,2,5").0, CsvFault::NotANumber { column: "open", .. }));
    assert!(matches!(row("0,2,3,1,2,5").0, CsvFault::NotAscending { line: 3, before: 0, now: 0 }));
    assert!(matches!(row("3600,2,3,0,2,5").0, CsvFault::TooLow { line: 3, column: "low", .. }));
    assert!(matches!(row("3600,-2,3,1,2,5").0, CsvFault::TooLow { line: 3, column: "open", .. }));
    assert!(matches!(row("3600,2,3,1,2,-5").0, CsvFault::TooLow { line: 3, column: "volume", .. }));
    assert!(matches!(row("3600,2,1e16,1,2,5").0, CsvFault::TooFar { line: 3, column: "high", .. }));
    assert!(matches!(row("3600,2,3,1e-10,2,5").0, CsvFault::TooFar { line: 3, column: "low", .. }));
    assert!(matches!(row("3600,2,1,3,2,5").0, CsvFault::Crossed { line: 3 }));
    assert!(matches!(row("3600,2,3,1,2").0, CsvFault::Broken { line: 3, .. }));
    assert!(matches!(row("1600000000000,2,3,1,2,5").0, CsvFault::NotATime { line: 3, .. }));
    assert!(matches!(row("2023-01-01,2,3,1,2,5").0, CsvFault::NotATime { line: 3, .. }));
    let mixed = format!("{HEADER}\n0,1,1,1,1,1\n60,1,1,1,1,1\n120,1,1,1,1,1\n150,1,1,1,1,1\n");
    assert!(matches!(fault(&mixed).0, CsvFault::Overlapping { line: 5, gap_s: 30, bar_s: 60 }));
}

#[test]
fn header_case_spaces_and_a_byte_order_mark_do_no_harm() {
    let text = "\u{feff}Timestamp, Open, High, Low, Close, Volume\r\n0.0, 1, 1, 1, 1, 1\r\n3600, 1, 1, 1, 1, 1\r\n";
    assert_eq!(open(text, &CsvOptions::default()).expect("sound").bars(), 2);
}

#[test]
fn bars_that_cannot_be_filled_in_are_refused() {
    let options = CsvOptions { mode: CsvMode::Bridge { seed: 1 }, ..CsvOptions::default() };
    for bar_s in [60, 159, 1_000_000] {
        let error = open(&text(&world_help::random_walk(1, 3, bar_s)), &options).expect_err("no room");
        assert!(matches!(error.fault, CsvFault::Unfillable { .. }), "{error}");
    }
}
