//! When it may sleep and what wakes it: schedule, windows, thresholds of the market.

use super::daytime::{DayTime, zone};
use super::text::{DreamSpan, shortened};
use golem_core::problem::ranges;
use golem_core::{Elapsed, Problem};
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// Who decides when it sleeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DreamScheduleMode {
    /// The owner's windows and orders alone.
    Owner,
    /// Interval and urgency; windows are not looked at.
    Autonomous,
    /// Both.
    #[default]
    Hybrid,
}

/// `[dream.schedule]`, or the plain word: `schedule = "hybrid"`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DreamSchedule {
    pub mode: DreamScheduleMode,
    /// No threshold of urgency is higher than this.
    pub autonomous_threshold: f64,
}

impl Default for DreamSchedule {
    fn default() -> Self {
        Self { mode: DreamScheduleMode::Hybrid, autonomous_threshold: 0.8 }
    }
}

/// The table as it is written.
#[derive(Deserialize)]
#[serde(default)]
struct ScheduleTable {
    mode: DreamScheduleMode,
    #[serde(alias = "autonomousThreshold")]
    autonomous_threshold: f64,
}

impl Default for ScheduleTable {
    fn default() -> Self {
        let DreamSchedule { mode, autonomous_threshold } = DreamSchedule::default();
        Self { mode, autonomous_threshold }
    }
}

impl From<ScheduleTable> for DreamSchedule {
    fn from(t: ScheduleTable) -> Self {
        Self { mode: t.mode, autonomous_threshold: t.autonomous_threshold }
    }
}

impl<'de> Deserialize<'de> for DreamSchedule {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        // A compact form does not say what comes next, and has only ever been written from the table.
        if d.is_human_readable() {
            d.deserialize_any(WordOrTable)
        } else {
            ScheduleTable::deserialize(d).map(Into::into)
        }
    }
}

struct WordOrTable;

impl<'de> Visitor<'de> for WordOrTable {
    type Value = DreamSchedule;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("owner, autonomous or hybrid, or a table with mode and autonomous_threshold")
    }
    fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<DreamSchedule, E> {
        let mode = DreamScheduleMode::deserialize(serde::de::value::StrDeserializer::new(word))?;
        Ok(DreamSchedule { mode, ..DreamSchedule::default() })
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<DreamSchedule, A::Error> {
        ScheduleTable::deserialize(MapAccessDeserializer::new(map)).map(Into::into)
    }
}

impl DreamSchedule {
    pub(super) fn problems(&self) -> Vec<Problem> {
        ranges(&[("autonomous_threshold", self.autonomous_threshold, 0.05, 1.0)])
    }
}

/// `[dream.windows]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SleepWindows {
    pub windows: Vec<SleepWindow>,
}

impl Default for SleepWindows {
    fn default() -> Self {
        let window =
            |start: &str, end: &str| SleepWindow { start: start.into(), end: end.into(), ..Default::default() };
        Self { windows: vec![window("02:00", "06:00")] }
    }
}

/// Hours of every day in which it may sleep; one that ends before it begins goes over midnight.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SleepWindow {
    pub start: String,
    pub end: String,
    /// An IANA name such as Europe/Berlin.
    pub timezone: String,
}

impl Default for SleepWindow {
    fn default() -> Self {
        Self { start: String::new(), end: String::new(), timezone: "UTC".to_owned() }
    }
}

impl SleepWindows {
    pub(super) fn problems(&self) -> Vec<Problem> {
        let mut all = Vec::new();
        for (n, window) in self.windows.iter().enumerate() {
            let mut wrong = |key: &str, message: String| all.push(Problem::new(format!("windows.{n}.{key}"), message));
            for (key, text) in [("start", &window.start), ("end", &window.end)] {
                if DayTime::read(text).is_none() {
                    let hint = "write hours and minutes from 00:00 to 24:00, such as \"02:00\"";
                    wrong(key, format!("{:?} is not a time of day: {hint}", shortened(text)));
                }
            }
            if DayTime::read(&window.start).is_some() && DayTime::read(&window.start) == DayTime::read(&window.end) {
                wrong("end", "is the window's start; for the whole day write 00:00 to 24:00".to_owned());
            }
            if zone(&window.timezone).is_none() {
                let hint = "write an IANA name, such as \"UTC\", \"Europe/Berlin\" or \"America/New_York\"";
                wrong("timezone", format!("{:?} is not a time zone: {hint}", shortened(&window.timezone)));
            }
        }
        all
    }
}

/// `[dream.wake_interrupts]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WakeInterruptsConfig {
    /// Whether the market and letters may wake it; the owner always may.
    pub enabled: bool,
    #[serde(alias = "marketThresholds")]
    pub market_thresholds: Vec<MarketThreshold>,
}

impl Default for WakeInterruptsConfig {
    fn default() -> Self {
        Self { enabled: true, market_thresholds: vec![MarketThreshold::default()] }
    }
}

/// A move that wakes it, in either direction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MarketThreshold {
    pub asset: String,
    #[serde(alias = "changePercent")]
    pub change_percent: f64,
    pub window: DreamSpan,
}

impl Default for MarketThreshold {
    fn default() -> Self {
        Self { asset: "ETH".to_owned(), change_percent: 10.0, window: DreamSpan::secs(300) }
    }
}

/// What can be watched in a dream: the one market there is.
const WATCHED: [&str; 2] = ["ETH", "WETH"];

impl WakeInterruptsConfig {
    pub(super) fn problems(&self) -> Vec<Problem> {
        let mut all = Vec::new();
        for (n, threshold) in self.market_thresholds.iter().enumerate() {
            let under = format!("market_thresholds.{n}");
            let mut found = ranges(&[("change_percent", threshold.change_percent, 0.1, 1_000.0)]);
            found.extend(threshold.window.problem("window"));
            if threshold.window.elapsed() > Elapsed::secs(3_600) {
                let message = format!("{} is too long: a sleeper remembers the prices of an hour", threshold.window);
                found.push(Problem::new("window", message));
            }
            if !WATCHED.contains(&threshold.asset.as_str()) {
                let message = format!("{:?} is not watched; ETH is", shortened(&threshold.asset));
                found.push(Problem::new("asset", message));
            }
            all.extend(found.into_iter().map(|p| p.under(&under)));
        }
        all
    }
}
