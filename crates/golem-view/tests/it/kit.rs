//! Lives in memory on a paper chain, with every fact of them.

use golem_core::fact::Envelope;
use golem_core::{Timestamp, Usdc};
use golem_lab::Subject;
use golem_lab::world::{Synthetic, SyntheticConfig};
use golem_life::{Ask, Fact, Settings};
use golem_mind::policy::Template;

/// Every template.
pub const TEMPLATES: [Template; 4] =
    [Template::LpManagement, Template::TrendFollowing, Template::EthDca, Template::StableYield];

/// A busy golem of a template.
pub fn busy(template: Template, seed: u64) -> Subject {
    let mut settings = Settings::default();
    settings.policy.template = template;
    settings.policy.cooldown_ticks = 15;
    settings.policy.eth_dca.every_ticks = 60;
    settings.policy.eth_dca.amount_usdc = Usdc::whole(100);
    let world = Synthetic::new(SyntheticConfig::default(), seed).unwrap();
    Subject::new(seed, Usdc::whole(10_000), &settings, world).unwrap()
}

/// Live so many turns and keep every fact, and the price of every turn.
pub fn live(subject: &mut Subject, turns: u64) -> (Vec<Envelope<Fact>>, Vec<(Timestamp, f64)>) {
    let (mut facts, mut prices) = (Vec::new(), Vec::new());
    for _ in 0..turns {
        if !subject.turn() {
            break;
        }
        facts.append(&mut subject.facts);
        let status = subject.status();
        prices.extend(status.price.map(|price| (status.at, price)));
    }
    (facts, prices)
}

/// A life to which everything happens that an owner can do to it, and its end.
pub fn eventful() -> Vec<Envelope<Fact>> {
    let mut subject = busy(Template::LpManagement, 7);
    let mut all = Vec::new();
    let asks = [
        Ask::Feed { amount: Usdc(5_000_000) },
        Ask::Tell { text: "mind\nthe gap {and} \"quotes\"".to_owned() },
        Ask::Learn { entries: vec!["{\"body\": {}}".repeat(40); 30] },
        Ask::Halt { reason: "a look at the books".to_owned() },
        Ask::Resume,
        Ask::Suffer { text: "{}".to_owned() },
        Ask::Peer { from: "eve".into(), text: "beware".into(), died: true, at: Timestamp(0) },
        Ask::Kill { reason: "it was time".to_owned() },
    ];
    for ask in asks {
        all.extend(live(&mut subject, 300).0);
        subject.ask(ask);
    }
    all.extend(live(&mut subject, 10).0);
    assert!(subject.is_dead());
    all
}
