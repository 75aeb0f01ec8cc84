//! `bardo pheromone sense|deposit`: marks without an author in the field of the relay.

use crate::cli::{DepositMark, FieldWhose, MarkLayer, PheromoneCommand, SenseField};
use crate::fail::Fail;
use crate::ferry;
use crate::home::Home;
use crate::out::Out;
use golem_core::Regime;
use golem_ferry::RelayVisit;
use serde::Serialize;
use styx_wire::{FieldScope, FieldWord, PheromoneDeposit, PheromoneLayer, Scent, ScentKey, SenseQuery};

/// A mark, for people and programs.
#[derive(Debug, Serialize)]
struct MarkSmelt {
    layer: PheromoneLayer,
    class: String,
    domain: String,
    regime: Regime,
    intensity: f64,
    confirmations: u8,
}

impl From<&Scent> for MarkSmelt {
    fn from(scent: &Scent) -> Self {
        let ScentKey { layer, class, domain, regime } = scent.key.clone();
        let intensity = f64::from(scent.intensity) / 1_000.0;
        let (class, domain) = (class.to_string(), domain.to_string());
        Self { layer, class, domain, regime, intensity, confirmations: scent.confirmations }
    }
}

pub fn run(command: &PheromoneCommand, home: &Home, out: &Out) -> Result<(), Fail> {
    match command {
        PheromoneCommand::Sense(args) => sense(args, home, out),
        PheromoneCommand::Deposit(args) => deposit(args, home, out),
    }
}

fn scope(whose: FieldWhose) -> FieldScope {
    match whose {
        FieldWhose::Clade => FieldScope::Clade,
        FieldWhose::Public => FieldScope::Public,
    }
}

fn layer(of: MarkLayer) -> PheromoneLayer {
    match of {
        MarkLayer::Threat => PheromoneLayer::Threat,
        MarkLayer::Opportunity => PheromoneLayer::Opportunity,
        MarkLayer::Wisdom => PheromoneLayer::Wisdom,
    }
}

fn word(text: &str) -> Result<FieldWord, Fail> {
    text.parse().map_err(|e: styx_wire::field::BadFieldWord| Fail::owner(format!("{text:?}: {e}")))
}

fn sense(args: &SenseField, home: &Home, out: &Out) -> Result<(), Fail> {
    let domain = args.domain.as_deref().map(word).transpose()?;
    let place = home.golem(&args.visit.id)?;
    let visit = RelayVisit::of(ferry::passenger(home, &place, args.visit.relay.as_deref())?);
    let query = SenseQuery { scope: scope(args.scope), layer: args.layer.map(layer), domain };
    let found: Vec<MarkSmelt> = visit.sense(query).map_err(|e| ferry::fail(&e))?.iter().map(MarkSmelt::from).collect();
    out.result(&found, || {
        if found.is_empty() {
            return "nothing is smelt here".to_owned();
        }
        let line = |m: &MarkSmelt| {
            format!(
                "{:<12} {} · {} · {} · {:.2} · confirmed {} times",
                golem_core::plain::word(&m.layer),
                m.class,
                m.domain,
                m.regime.name(),
                m.intensity,
                m.confirmations
            )
        };
        found.iter().map(line).collect::<Vec<_>>().join("\n")
    })
}

fn deposit(args: &DepositMark, home: &Home, out: &Out) -> Result<(), Fail> {
    if !(args.intensity > 0.0 && args.intensity <= 1.0) {
        return Err(Fail::owner(format!("{} is no intensity; it lies between 0 and 1", args.intensity)));
    }
    let regime = Regime::ALL.into_iter().find(|regime| regime.name() == args.regime).ok_or_else(|| {
        let all = Regime::ALL.map(Regime::name).join(", ");
        Fail::hint(format!("{:?} is no weather", args.regime), format!("there are: {all}"))
    })?;
    let key = ScentKey { layer: layer(args.layer), class: word(&args.class)?, domain: word(&args.domain)?, regime };
    let mark = PheromoneDeposit { scope: scope(args.scope), key, intensity: (args.intensity * 1_000.0) as u16 };
    let place = home.golem(&args.visit.id)?;
    let visit = RelayVisit::of(ferry::passenger(home, &place, args.visit.relay.as_deref())?);
    visit.deposit(mark.clone()).map_err(|e| ferry::fail(&e))?;
    out.result(&mark, || "left".to_owned())
}
