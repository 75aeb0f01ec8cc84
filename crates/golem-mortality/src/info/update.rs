//! One round of the diagnostics: estimate, correct, and judge the alerts that are in question.
//!
//! Pure: the dice arrive as an argument. Between rounds nothing is computed, so this may be called on every tick.

use super::config::InfoConfig;
use super::entropy::{entropy_rate, letter};
use super::ksg::KsgSample;
use super::report::{InfoAlert, MiDiagnostics, changed};
use super::state::{Estimate, InfoState};
use super::surrogate::{SurrogateEnd, judge};
use serde::{Deserialize, Serialize};

/// What the diagnostics look at besides the pairs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct InfoSeen {
    /// Age in nominal ticks.
    pub nominal_tick: u64,
    /// Composite vitality by the three clocks.
    pub composite: f64,
}

/// The newest window in one round.
struct Newest<'a> {
    sample: &'a KsgSample,
    raw_bits: f64,
    seen: InfoSeen,
}

impl InfoState {
    /// Makes an estimate when one is due, and returns the alerts that changed.
    pub fn update(&mut self, seen: InfoSeen, config: &InfoConfig, uniform: &mut dyn FnMut() -> f64) -> Vec<InfoAlert> {
        let tick = seen.nominal_tick;
        if !self.due(tick, config) {
            return Vec::new();
        }
        self.ledger.estimated_at = Some(tick);
        let pairs = self.pairs.len().min(config.window_pairs);
        let sample = self.sample(0, pairs, config, uniform);
        let enough = pairs >= config.min_pairs.max(1);
        let Some(raw_bits) = enough.then(|| sample.bits(config.k)).flatten() else {
            self.insufficient(tick, pairs, config);
            return Vec::new();
        };
        let before = self.ledger.estimates.back().map(|last| (last.tick, last.raw_bits));
        self.ledger.remember(Estimate { tick, last_pair: self.pairs.pushed(), pairs, raw_bits });

        let newest = Newest { sample: &sample, raw_bits, seen };
        let decoupling = self.judge_decoupling(&newest, config, uniform);
        if self.ledger.false_part.is_some() {
            // Only corrected values count: what two self-similar series share by accident may exceed 1 bit, and would
            // stay the measure of this life for ever.
            self.ledger.highest_bits = self.ledger.highest_bits.max(self.ledger.corrected(raw_bits));
        }
        let overfitting = self.judge_overfitting(&newest, config, uniform);

        let ledger = &mut self.ledger;
        let i_max_bits = ledger.i_max_bits(config);
        let mi_bits = ledger.corrected(raw_bits);
        let letters: Vec<u8> = self.pairs.window(0, pairs).map(|pair| letter(&pair.action)).collect();
        ledger.diagnostics = MiDiagnostics {
            tick,
            pairs,
            mi_bits: Some(mi_bits),
            raw_bits: Some(raw_bits),
            false_bits: ledger.false_part.as_ref().map(|part| part.mean_bits),
            i_max_bits,
            vitality: Some((mi_bits / i_max_bits).clamp(0.0, 1.0)),
            information_rate: before
                .filter(|(then, _)| tick > *then)
                .map(|(then, bits)| (raw_bits - bits) / (tick - then) as f64),
            entropy_rate: entropy_rate(&letters),
            decoupled: ledger.decoupling.raised(),
            overfitted: ledger.overfitting.raised(),
            redundant: ledger.redundancy.raised(),
            redundancy_index: ledger.diagnostics.redundancy_index,
        };
        decoupling.into_iter().chain(overfitting).collect()
    }

    fn insufficient(&mut self, tick: u64, pairs: usize, config: &InfoConfig) {
        let redundancy_index = self.ledger.diagnostics.redundancy_index;
        let i_max_bits = self.ledger.i_max_bits(config);
        self.ledger.diagnostics = MiDiagnostics {
            redundant: self.ledger.redundancy.raised(),
            redundancy_index,
            ..MiDiagnostics::insufficient(tick, pairs, i_max_bits)
        };
    }

    /// Decoupled: the clocks are content (composite > 0.5), V < 0.2, and the information is *not* above its surrogates.
    ///
    /// While the false part is unknown or old the question counts as open, because V cannot be read without it: two
    /// independent series with a memory of ten ticks show half a bit. The first few surrogates measure it; when V turns
    /// out well above 0.2 no more are drawn.
    ///
    /// The alert has hysteresis, or a golem on the edge would flicker: once raised it is cleared by V > 0.25, by
    /// information that stands well clear of the surrogates, or by clocks that are no longer content.
    fn judge_decoupling(
        &mut self,
        newest: &Newest<'_>,
        config: &InfoConfig,
        uniform: &mut dyn FnMut() -> f64,
    ) -> Option<InfoAlert> {
        let (tick, raw_bits) = (newest.seen.nominal_tick, newest.raw_bits);
        let ledger = &mut self.ledger;
        ledger.decoupling.see(raw_bits, true, config);
        let i_max_bits = ledger.i_max_bits(config);
        let vitality = |false_bits: f64| {
            let bits = (raw_bits - false_bits).max(0.0);
            (bits / i_max_bits.max(bits)).clamp(0.0, 1.0)
        };
        let margin = if ledger.decoupling.raised() { config.decoupling_clear_margin } else { 0.0 };
        let low = |false_bits: f64| vitality(false_bits) < config.decoupling_vitality + margin;
        let content = newest.seen.composite > config.decoupling_composite;
        let open = content
            && ledger.fresh_false_part(tick, newest.sample.len(), config).is_none_or(|part| low(part.mean_bits));
        if open && ledger.decoupling.may_ask(tick) && ledger.may_draw(tick, config) {
            let mut plan = config.surrogates.clone();
            if ledger.decoupling.raised() {
                // To be believed again it must stand clear of them, which the first few show.
                plan.max = plan.max.min(plan.clear_from.saturating_mul(2));
            }
            let judgement = judge(newest.sample, raw_bits, config.k, &plan, uniform, &mut |mean| low(mean));
            ledger.surrogates_at = Some(tick);
            ledger.note_false_part(tick, newest.sample.len(), &judgement);
            if judgement.ended != SurrogateEnd::NoQuestion {
                let coupled =
                    judgement.ended == SurrogateEnd::Clear || (judgement.above && !ledger.decoupling.raised());
                ledger.decoupling.note(tick, !coupled, raw_bits, judgement.deviation_bits, config);
            }
        }
        let false_bits = ledger.false_part.as_ref().map_or(0.0, |part| part.mean_bits);
        // Between two drawings the last answer stands.
        let raised = content && ledger.false_part.is_some() && low(false_bits) && ledger.decoupling.answer();
        let change = changed(ledger.decoupling.set(raised), raised)?;
        let mi_bits = (raw_bits - false_bits).max(0.0);
        Some(InfoAlert::Decoupling { change, mi_bits, vitality: vitality(false_bits) })
    }

    /// Overfitted: past over recent information > 3, recent < 0.3 I_max, and the past was real knowledge.
    ///
    /// Both halves of two independent series are noise around zero, and a ratio of noises exceeds anything. So the past
    /// must have been above its surrogates by a clear margin, worth as much as the present must now lack, and the fall
    /// itself must be larger than the surrogates vary.
    fn judge_overfitting(
        &mut self,
        newest: &Newest<'_>,
        config: &InfoConfig,
        uniform: &mut dyn FnMut() -> f64,
    ) -> Option<InfoAlert> {
        let window = config.window_pairs;
        let tick = newest.seen.nominal_tick;
        let i_max_bits = self.ledger.i_max_bits(config);
        let recent_bits = self.ledger.corrected(newest.raw_bits);
        let mut past_bits = None;
        let mut raised = false;
        // The past is looked at only when it can matter.
        if self.pairs.len() >= window.saturating_mul(2) && recent_bits < config.overfitting_recent_share * i_max_bits {
            let remembered = self.ledger.remembered(self.pairs.pushed().saturating_sub(window as u64), window);
            let mut sample = None;
            let past_raw =
                remembered.or_else(|| sample.insert(self.sample(window, window, config, uniform)).bits(config.k))?;
            let forgotten = |past: f64, recent: f64| {
                past >= config.overfitting_past_share * i_max_bits && past > config.overfitting_ratio * recent
            };
            let past = self.ledger.corrected(past_raw);
            past_bits = Some(past);
            let open = forgotten(past, recent_bits);
            raised = open && self.ledger.overfitting.raised();
            self.ledger.overfitting.see(past_raw, false, config);
            if open && self.ledger.overfitting.may_ask(tick) && self.ledger.may_draw(tick, config) {
                let sample = sample.unwrap_or_else(|| self.sample(window, window, config, uniform));
                let plan = &config.surrogates;
                let less = |raw: f64, false_bits: f64| (raw - false_bits).max(0.0);
                let judgement = judge(&sample, past_raw, config.k, plan, uniform, &mut |mean| {
                    forgotten(less(past_raw, mean), less(newest.raw_bits, mean))
                });
                let past = less(past_raw, judgement.mean_bits);
                let recent = less(newest.raw_bits, judgement.mean_bits);
                let margin = plan.clear_deviations * judgement.deviation_bits;
                let answer = judgement.above
                    && judgement.ended != SurrogateEnd::NoQuestion
                    && forgotten(past, recent)
                    && past > margin
                    && past - recent > margin;
                raised = answer;
                self.ledger.surrogates_at = Some(tick);
                self.ledger.overfitting.note(tick, answer, past_raw, judgement.deviation_bits, config);
            }
        }
        let change = changed(self.ledger.overfitting.set(raised), raised)?;
        Some(InfoAlert::Overfitting { change, past_bits, recent_bits })
    }
}
