//! The end of a turn, inwards: what happened is felt, what is recorded is suffered, and both are told. The mind has no way
//! to write here: what a model says of itself comes in as words, and is checked.

use crate::fact::{DaimonFact, LifeFact};
use crate::life::Life;
use golem_core::Elapsed;
use golem_core::observed::Snapshot;
use golem_daimon::affect::AffectSample;
use golem_daimon::suffering::{SufferingFact, SufferingSeen, read_assessment};
use golem_mind::Severity;

/// An action against a rule is remembered for this long.
const VIOLATIONS_WITHIN: Elapsed = Elapsed::secs(7 * 86_400);
/// At most this many problems of an assessment are told.
const MOST_FLAWS: usize = 8;
/// The fleet is told of a crisis at most this often.
const CRIES_APART: Elapsed = Elapsed::secs(6 * 3_600);

impl Life {
    pub(crate) fn feel(&mut self) {
        let snapshot = std::mem::take(&mut self.turn.known.snapshot);
        self.be_affected();
        self.suffer(&snapshot);
        self.take_remedies();
    }

    fn be_affected(&mut self) {
        let Some(mut affect) = self.state.inner.affect.take() else { return };
        let (now, aware, mortality) = (self.state.core.age, self.awareness(), &self.state.mortality);
        let probes = self.state.mind.senses().probes();
        let sample = AffectSample {
            vitality: aware.vitality,
            phase: aware.phase,
            balance_ratio: mortality.vitality.economic,
            runway_days: aware.projected_life_h.map(|h| h / 24.0),
            fitness: mortality.vitality.epistemic,
            fitness_trend: mortality.epistemic.trend,
            hazard: mortality.stochastic.current_hazard,
            prediction_error: probes.prediction_error,
            anomalies: probes.all().iter().map(|s| u32::from(*s != Severity::None)).sum(),
        };
        let (events, said) = (std::mem::take(&mut self.turn.felt.events), self.turn.felt.appraisal.take());
        let told = affect.feel(now, &events, said.as_ref(), &sample, self.affect_config());
        self.state.inner.affect = Some(affect);
        for fact in told {
            self.tell_inner(DaimonFact::Affect(fact));
        }
    }

    fn suffer(&mut self, snapshot: &Snapshot) {
        let Some(mut suffering) = self.state.inner.suffering.take() else { return };
        let now = self.state.core.age;
        let violations = &mut self.state.inner.violations;
        while violations.front().is_some_and(|(at, _)| now.since(*at) >= VIOLATIONS_WITHIN) {
            violations.pop_front();
        }
        let recorded = self.recorded();
        let seen = SufferingSeen { now, recorded: &recorded, snapshot };
        let (mut told, mut heard) = (suffering.turn(seen), None);
        if let Some(said) = self.turn.felt.assessment.take() {
            let (assessment, flaws) = read_assessment(&said);
            let assessed = suffering.assess(&assessment, seen);
            told.extend(assessed.facts);
            heard = Some((assessed.new, assessed.resolved, flaws));
        }
        self.state.inner.suffering = Some(suffering);
        if let Some((new, resolved, flaws)) = heard.filter(|(n, r, f)| !(n.is_empty() && r.is_empty() && f.is_empty()))
        {
            let flaws = flaws.iter().take(MOST_FLAWS).map(ToString::to_string).collect();
            self.tell(LifeFact::Assessed { new, resolved, flaws });
        }
        for fact in told {
            if let SufferingFact::Crisis { message, .. } = &fact {
                self.cry_out(message);
                self.state.diary.event(format!("a crisis: {message}"));
            }
            self.tell_inner(DaimonFact::Suffering(fact));
        }
    }

    /// Tell the fleet of a crisis, at most once in [`CRIES_APART`]: a golem that falls from one crisis into the next has
    /// told it already.
    fn cry_out(&mut self, message: &str) {
        let (now, told) = (self.state.core.age, &mut self.state.inner.cried);
        if told.is_none_or(|at| now.since(at) >= CRIES_APART) {
            *told = Some(now);
            let word = self.word(message.to_owned(), false);
            self.turn.peers.push(word);
        }
    }
}
