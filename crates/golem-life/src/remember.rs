//! What happened in a turn becomes episodes: what was done, and now and then what was only watched.

use crate::life::Life;
use crate::scratch::Wished;
use golem_core::{Intent, Receipt, Usdc, UsdcDelta};
use golem_grimoire::choices::{Choices, OtherChoice};
use golem_grimoire::episode::EpisodeDeed;
use golem_grimoire::grimoire::{Awaited, TwinDifference};
use golem_grimoire::situation::SituationAct;
use golem_grimoire::{Episode, EpisodeId, EpisodeKind, Importance, Went};
use golem_mind::policy::action_vector;
use golem_mind::twin::DecisionShape;

impl Life {
    /// Write down what happened in this turn.
    pub(crate) fn remember(&mut self, wished: &[Wished], receipts: &[Receipt]) {
        if self.grimoire.is_none() {
            return;
        }
        let done: Vec<(usize, &Receipt)> = receipts
            .iter()
            .enumerate()
            .filter(|(n, r)| wished[*n].permit.is_some() && r.was_done() && r.intent != Intent::Hold)
            // What leaves the books teaches nothing about the market.
            .filter(|(_, r)| !r.intent.needs_leave())
            .collect();
        if !done.is_empty() {
            // Whatever acted on it is credited by its twin, where the decision is made.
            self.state.diary.decisions = self.state.diary.decisions.saturating_add(1);
        }
        let acted = !done.is_empty();
        for (n, receipt) in done {
            self.write_action(n, receipt);
        }
        if !acted && wished.is_empty() && self.decides() {
            self.write_holding();
        }
        self.write_watched();
    }

    /// To hold is a decision too: now and then it is written down, with what else there was to do.
    fn write_holding(&mut self) {
        let (now, regime) = (self.state.core.age, self.state.mind.regime());
        let Some(price) = self.state.portfolio.price.map(golem_core::Positive::get) else { return };
        if !self.state.diary.is_holding_again(now) {
            return;
        }
        let text = format!(
            "hold with {:.1} % of wealth at risk in {} weather at {price:.2}",
            self.state.core.exposure * 100.0,
            regime.name(),
        );
        let deed = EpisodeDeed {
            intent: Intent::Hold,
            // Where it held is asked for by dreams alone.
            point: self.turn.point.filter(|_| self.state.dreams.is_some()).unwrap_or_default(),
            // It begins and ends no trade.
            trade: 0,
            predicted_bps: None,
            actual_bps: None,
            realised: UsdcDelta(0),
            outcome: None,
            on_paper: false,
        };
        let act = SituationAct { intent: &Intent::Hold, share: 0.0 };
        let written = self.write(
            EpisodeKind::Action,
            text,
            Some(act),
            Some(deed),
            Went::Neutral,
            Importance::Routine,
            Usdc::ZERO,
        );
        let choices = self.choices();
        let awaited = written.map(|episode| Awaited {
            episode,
            // No entry is credited: what kept it still is judged where it acts.
            decision: 0,
            at: now,
            price,
            beyond: TwinDifference::default(),
            taken: Some(OtherChoice::Hold),
            choices,
        });
        if let (Some(grimoire), Some(awaited)) = (&mut self.grimoire, awaited) {
            grimoire.await_outcome(awaited);
        }
    }

    /// What there is to choose with, as shares of wealth: half of what is in the pool follows the price.
    fn choices(&self) -> Choices {
        let (value, exposure) = (self.turn.valued, self.state.core.exposure);
        let pooled = value.liquidity.0 as f64 / value.nav.0.max(1) as f64;
        let share = |x: f64| x.clamp(0.0, 1.0);
        Choices { asset: share(exposure - pooled / 2.0), free: share(1.0 - exposure - pooled / 2.0) }
    }

    fn write_action(&mut self, n: usize, receipt: &Receipt) {
        let price = self.state.portfolio.price.map_or(0.0, golem_core::Positive::get);
        let value = self.turn.valued;
        let [size, _, exposure] = action_vector(&[receipt.intent], price, &value);
        let (now, nav) = (self.state.core.age, value.nav);
        let holds = self.state.portfolio.open() > 0;
        let diary = &mut self.state.diary;
        if holds && !diary.in_trade {
            diary.trade = diary.trade.saturating_add(1);
        }
        diary.in_trade = holds;
        let judged = self.turn.outcomes.get(n).copied().flatten();
        let realised = self.turn.realised.get(n).copied().unwrap_or(UsdcDelta(0));
        let deed = EpisodeDeed {
            intent: receipt.intent,
            point: receipt.point.unwrap_or_default(),
            trade: diary.trade,
            predicted_bps: judged.map(|(predicted, _)| predicted),
            actual_bps: judged.map(|(_, actual)| actual),
            realised,
            outcome: Some(receipt.outcome),
            on_paper: false,
        };
        let decision = diary.decisions;
        let went = match realised.0 {
            0 => Went::Neutral,
            x if x > 0 => Went::Positive,
            _ => Went::Negative,
        };
        let lost = realised.0 < 0 && u128::from(realised.0.unsigned_abs()) * 100 >= u128::from(nav.0.max(1));
        let importance = if lost { Importance::Critical } else { Importance::Notable };
        let text = format!(
            "{} of {:.1} % of wealth in {} weather at {price:.2}{}",
            receipt.intent.name(),
            size.abs() * 100.0,
            self.state.mind.regime().name(),
            if realised.0 == 0 { String::new() } else { format!(", realised {realised} USDC") },
        );
        let act = SituationAct { intent: &receipt.intent, share: size.abs().min(1.0) };
        let id = self.write(EpisodeKind::Action, text, Some(act), Some(deed), went, importance, receipt.gas.cost);
        let (choices, taken) = (self.choices(), plain_choice(&receipt.intent));
        let (open, policy) = (self.state.mind.concentration(), self.policy());
        let DecisionShape { pooled, .. } = DecisionShape::of(&[receipt.intent], (price, 0.0), open, &value, &policy);
        let cost_bps = receipt.gas.cost.0 as f64 / nav.0.max(1) as f64 * 1e4 + exposure.abs() * 5.0;
        let awaited = id.map(|episode| Awaited {
            episode,
            decision,
            at: now,
            price,
            beyond: TwinDifference { exposure, pooled, cost_bps },
            taken,
            choices,
        });
        if let (Some(grimoire), Some(awaited)) = (&mut self.grimoire, awaited) {
            grimoire.await_outcome(awaited);
        }
    }

    /// What was only watched: a change of weather, a surprise, an event of its own life.
    fn write_watched(&mut self) {
        let (now, regime) = (self.state.core.age, self.state.mind.regime());
        if !self.state.diary.has_room(now) {
            return;
        }
        let (watched, plain) = (Went::Descriptive, Usdc::ZERO);
        if let Some(from) = self.turn.known.shifted_from.take() {
            let text = format!("the weather turned from {} to {}", from.name(), regime.name());
            self.write(EpisodeKind::RegimeShift, text, None, None, watched, Importance::Notable, plain);
        }
        for text in std::mem::take(&mut self.state.diary.events) {
            self.write(EpisodeKind::Event, text, None, None, watched, Importance::Critical, plain);
        }
        if self.turn.known.escalated && self.state.diary.is_surprised_again(now) {
            let error = self.state.mind.senses().probes().prediction_error;
            let loud = self.state.mind.senses().probes().loudest();
            let text = format!("expectations were off by {error:.2} in {} weather, probes {loud:?}", regime.name());
            self.write(EpisodeKind::Observation, text.to_lowercase(), None, None, watched, Importance::Routine, plain);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "an episode has many parts, and each is said once")]
    fn write(
        &mut self,
        kind: EpisodeKind,
        text: String,
        act: Option<SituationAct<'_>>,
        deed: Option<EpisodeDeed>,
        went: Went,
        importance: Importance,
        cost: Usdc,
    ) -> Option<EpisodeId> {
        let (core, mind) = (&self.state.core, &self.state.mind);
        let surprise = mind.senses().surprise();
        let (tick, age, at, regime, affect) = (core.tick, core.age, core.at, mind.regime(), self.felt());
        let grimoire = self.grimoire.as_mut()?;
        let cost = cost.plus(std::mem::take(&mut self.turn.spent));
        let situation = grimoire.situation(&self.turn.known.snapshot, act);
        let id = grimoire.next_episode();
        let surprise = surprise as f32;
        grimoire.record(Episode {
            id,
            tick,
            age,
            at,
            kind,
            situation,
            text,
            regime,
            deed,
            surprise,
            went,
            importance,
            cost,
            affect,
        });
        self.state.diary.episodes = self.state.diary.episodes.saturating_add(1);
        self.state.mind.count_episode();
        Some(id)
    }
}

/// Which of the plain choices an intent is, if one of them.
fn plain_choice(intent: &Intent) -> Option<OtherChoice> {
    match intent {
        Intent::Hold => Some(OtherChoice::Hold),
        Intent::Buy { .. } => Some(OtherChoice::Buy),
        Intent::Sell { .. } => Some(OtherChoice::Sell),
        Intent::Add { .. } | Intent::Remove { .. } | Intent::Collect | Intent::Rebalance { .. } => None,
        Intent::Home { .. } | Intent::Unwrap { .. } => None,
    }
}
