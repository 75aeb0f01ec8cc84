//! Lives in which a stressor is provoked by its own rule: it is over sooner where the golem does something about it. The
//! owner of these lives answers when asked, and does not look in otherwise.
//!
//! `cargo run --release -p golem-lab --example remedies`
#![expect(clippy::print_stdout, reason = "it is a program whose result is a table")]

use golem_core::Usdc;
use golem_daimon::suffering::{Remedy, SufferingFact};
use golem_lab::Subject;
use golem_lab::world::{Synthetic, SyntheticConfig};
use golem_life::fact::DaimonFact;
use golem_life::{Ask, Fact, Settings};
use golem_mortality::config::Deaths;

/// Hours that a stressor was open until it eased (none if it did not, or never began), and the steps that were taken.
fn hours_open(stressor: &str, remedies: bool, usdc: u64, spoken_to: bool, days: u64) -> (Option<u64>, Vec<Remedy>) {
    let mut settings = Settings::default();
    settings.suffering.remedies = remedies;
    settings.heartbeat.tick_interval_s = 3_600;
    settings.mortality.deaths = Deaths::Recorded;
    assert!(settings.problems().is_empty(), "{:?}", settings.problems());
    let world = Synthetic::new(SyntheticConfig::default(), 3).expect("a world");
    let mut subject = Subject::new(3, Usdc::whole(usdc), &settings, world).expect("a market");
    let (mut began, mut eased, mut taken) = (None, None, Vec::new());
    for hour in 0..days * 24 {
        if spoken_to && hour < 100 && hour % 25 == 0 {
            subject.ask(Ask::Tell { text: "how are you?".to_owned() });
        }
        if !subject.turn() {
            break;
        }
        let mut asked = None;
        for fact in &subject.facts {
            let Fact::Daimon(fact) = &fact.body else { continue };
            match &**fact {
                DaimonFact::Suffering(SufferingFact::Onset { stressor: s, .. }) if s == stressor => {
                    began = began.or(Some(hour));
                }
                DaimonFact::Suffering(SufferingFact::Resolved(row)) if row.stressor == stressor => {
                    eased = eased.or(Some(hour));
                }
                DaimonFact::Suffering(SufferingFact::Remedied { remedy, note, .. }) => {
                    taken.push(*remedy);
                    asked = note.starts_with("to the owner").then_some(*remedy).or(asked);
                }
                _ => {}
            }
        }
        match asked {
            Some(Remedy::AskOwner) => subject.ask(Ask::Feed { amount: Usdc::whole(20) }),
            Some(_) => subject.ask(Ask::Tell { text: "I am here".to_owned() }),
            None => {}
        }
    }
    (eased.zip(began).map(|(eased, began)| eased - began), taken)
}

fn main() {
    for (stressor, usdc, spoken_to, days) in [("existential_threat", 2, false, 12), ("invisibility", 50, true, 20)] {
        for remedies in [true, false] {
            let (hours, taken) = hours_open(stressor, remedies, usdc, spoken_to, days);
            println!("{stressor:<20} remedies {remedies:<5} open for {hours:?} hours, steps {taken:?}");
        }
    }
}
