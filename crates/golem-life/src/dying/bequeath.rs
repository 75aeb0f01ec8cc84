//! Legacy: what a death taught is kept as entries that are marked by it. A death by chance or by order teaches nothing about
//! the market, and leaves no such mark.

use crate::fact::LifeFact;
use crate::life::Life;
use golem_core::Regime;
use golem_grimoire::{DecayClass, EntryBody, EntryKind, WarningSeverity};
use golem_mortality::{Death, DeathCause, Domain};

impl Life {
    /// Keep what the death taught; says what came of it.
    pub(super) fn bequeath(&mut self) -> String {
        let bodies = self.state.mortality.death.as_ref().map(|death| self.lessons_of(death)).unwrap_or_default();
        let now = self.state.core.age;
        let stained: Vec<_> = match &mut self.grimoire {
            Some(grimoire) => bodies.into_iter().filter_map(|body| grimoire.stain(body, now)).collect(),
            None => Vec::new(),
        };
        let said = match stained.len() {
            0 => "its death taught nothing about the market".to_owned(),
            1 => "one entry is marked by its death".to_owned(),
            n => format!("{n} entries are marked by its death"),
        };
        self.tell(LifeFact::Bequeathed { bloodstains: stained });
        said
    }

    fn lessons_of(&self, death: &Death) -> Vec<EntryBody> {
        let Some(origin) = self.grimoire.as_ref().map(golem_grimoire::Grimoire::origin) else { return Vec::new() };
        let (now, weather) = (self.state.core.age, self.state.mind.regime());
        let entry = |kind, text: String| EntryBody {
            decay_class: DecayClass::Regime,
            regime: (weather != Regime::Unknown).then_some(weather),
            tags: vec!["death".to_owned(), death.cause.name().to_owned()],
            true_from: death.age,
            ..EntryBody::own(kind, text, origin, now)
        };
        match &death.cause {
            DeathCause::Economic { balance, .. } => {
                let core = &self.state.core;
                let mut lessons = Vec::new();
                if core.loss > core.profit
                    && let Some((tick, worst)) = self.state.chronicle.worst
                {
                    let text = format!(
                        "Losses of {} USDC against profits of {} were part of a death by poverty with {balance} left; \
                         the worst was {worst} at turn {tick}.",
                        core.loss, core.profit
                    );
                    let severity = Some(WarningSeverity::Medium);
                    lessons.push(EntryBody { severity, ..entry(EntryKind::Warning, text) });
                }
                lessons
            }
            DeathCause::EpistemicSenescence { failing_domains, final_fitness, fitness_at_peak, .. } => {
                let failing = Domain::ALL.into_iter().filter(|d| failing_domains.iter().any(|name| name == d.name()));
                failing
                    .map(|domain| {
                        let text = format!(
                            "Forecasts of {} fell behind what a newborn knows: fitness went from {fitness_at_peak:.3} to \
                             {final_fitness:.3} before a death by ignorance. What changed?",
                            domain.name()
                        );
                        EntryBody { is_question: true, domain: Some(domain), ..entry(EntryKind::Insight, text) }
                    })
                    .collect()
            }
            DeathCause::Stochastic { .. } | DeathCause::OwnerKill { .. } | DeathCause::KillSwitch { .. } => Vec::new(),
        }
    }
}
