//! Knowledge from elsewhere, examined in four layers before anything of it may inform: does it lie outside all that is known,
//! does it contradict what is known, is what it says of the chain so, and is it true here. The last is shadow execution: the
//! grimoire asks its claim against the golem's own base rates, and nothing is active before that proved it.
//!
//! What the admission gate refuses is refused here by the gate itself; this room adds what only the receiver of a bundle can
//! know. Nothing that an entry says of itself is believed.

pub mod anomaly;
pub mod chain_claims;
mod instruction;
mod quarantine;
mod verdict;

pub use anomaly::KnowledgeCloud;
pub use chain_claims::{ChainSaid, asked_of_chain, chain_claims};
pub use instruction::speaks_to_reader;
pub use quarantine::{QuarantinedEntry, quarantine};
pub use verdict::{IngestRefusal, IngestVerdict, promoted_by};

use crate::barrier::{Boundary, Crossings, WrongCarrier};
use crate::provenance::{
    Forgery, Lineage, Passport, TravelledValidation, TravellingEntry, ValidationWord, distinct_validators,
};
use golem_core::{GolemId, Timestamp, VirtualTime};
use golem_grimoire::admission::{AdmissionReason, AdmissionVerdict, ESTABLISHED, Neighbours, Ruling, judge};
use golem_grimoire::embed::StaticEmbedder;
use golem_grimoire::grimoire::{Foreign, STRANGER, Vouched, as_hearsay};
use golem_grimoire::shelf::Shelf;
use golem_grimoire::standing::Support;
use golem_grimoire::{EntryBody, EntryOrigin, Provenance};

/// Whoever hands knowledge over, as far as the receiver can tell. Nothing of it comes from the entries.
#[derive(Debug, Clone, Copy)]
pub struct KnowledgeSource<'a> {
    /// By which way it came.
    pub channel: Provenance,
    /// The line of whoever signed it, and when it was closed; none when nobody did.
    pub signed: Option<(&'a Lineage, Timestamp)>,
    /// Validations whose signatures were checked.
    pub validations: &'a [TravelledValidation],
    /// It was read from the grave of whoever vouches for it: then its blood is believed.
    pub grave: bool,
}

/// The heir, as far as an examination needs it.
#[derive(Clone, Copy)]
pub struct IngestMoment<'a> {
    /// Who receives.
    pub heir: GolemId,
    /// The line that it stands in: what another line has proven counts for nothing there.
    pub line: GolemId,
    /// Its age.
    pub now: VirtualTime,
    /// The time that it lives in.
    pub world: Timestamp,
    /// What it knows.
    pub shelf: &'a Shelf,
    /// What is like a text there.
    pub near: &'a dyn Neighbours,
    /// How near its own knowledge usually is to itself.
    pub cloud: &'a KnowledgeCloud,
    /// What makes vectors of texts.
    pub embedder: &'a StaticEmbedder,
    /// What the chain has said.
    pub chain: &'a ChainSaid,
}

/// Something that may come in, as the grimoire takes it, with the passport that it has on this side.
#[derive(Debug, Clone, PartialEq)]
pub struct Arrival {
    /// For [`golem_grimoire::Grimoire::take_in_vouched`].
    pub entry: Foreign,
    /// The same.
    pub vouched: Vouched,
    /// For [`crate::provenance::PassportBook::accept`].
    pub passport: Passport,
}

/// Examine one entry: what is to be done with it, and, where it may come in, how it arrives.
#[must_use]
pub fn ingest(
    one: &TravellingEntry,
    source: &KnowledgeSource<'_>,
    heir: &IngestMoment<'_>,
) -> (IngestVerdict, Option<Arrival>) {
    let Some((vouched, passport)) = vouched_for(one, source, heir.heir, heir.line) else {
        return (IngestVerdict::Refused { why: IngestRefusal::Forged { how: Forgery::Carrier } }, None);
    };
    let verdict = examine(one, vouched, source, heir);
    let arrival = match &verdict {
        IngestVerdict::OnTrial { vouched } | IngestVerdict::KeptAside { vouched, .. } => {
            Some(Arrival { entry: one.entry.clone(), vouched: *vouched, passport })
        }
        IngestVerdict::Known { .. } | IngestVerdict::Refused { .. } => None,
    };
    (verdict, arrival)
}

/// What the receiver vouches for of an entry, and the passport that it has on this side; none when whoever sends it does not
/// have it. `line` is the one that the receiver stands in.
#[must_use]
pub fn vouched_for(
    one: &TravellingEntry,
    source: &KnowledgeSource<'_>,
    heir: GolemId,
    line: GolemId,
) -> Option<(Vouched, Passport)> {
    vouch(one, source, heir, line).ok()
}

/// The layers, one after the other. Replicants are examined lightly: what they find is meant to be unlike what is known.
fn examine(
    one: &TravellingEntry,
    vouched: Vouched,
    source: &KnowledgeSource<'_>,
    heir: &IngestMoment<'_>,
) -> IngestVerdict {
    let body = as_hearsay(one.entry.body.clone(), &vouched, heir.now);
    let judged = judge(heir.shelf, &body, vouched.support, heir.near.nearest(&body), heir.now);
    let refused = form(&body, &judged)
        .or_else(|| passport(one, source, heir.world))
        .or_else(|| anomaly(&body, source.channel, heir));
    if let Some(why) = refused {
        return IngestVerdict::Refused { why };
    }
    let aside = match on_chain(&body, heir.chain) {
        Err(why) => return IngestVerdict::Refused { why },
        Ok(unknown) => unknown.or_else(|| contradiction(&body, heir)),
    };
    match (judged.ruling, aside) {
        (Ruling::Skip { same } | Ruling::Merge { into: same }, _) => IngestVerdict::Known { same },
        (Ruling::Refuse, _) => IngestVerdict::Refused { why: IngestRefusal::Gate { reasons: judged.reasons } },
        (Ruling::Admit { .. } | Ruling::Quarantine { .. }, Some(why)) => {
            IngestVerdict::KeptAside { why, vouched: Vouched { kept_aside: true, ..vouched } }
        }
        (Ruling::Admit { .. } | Ruling::Quarantine { .. }, None) => IngestVerdict::OnTrial { vouched },
    }
}

/// What the receiver vouches for, and the passport on its side of the boundary. What nobody signed is a stranger's: a hop
/// away, without blood, line or generations.
fn vouch(
    one: &TravellingEntry,
    source: &KnowledgeSource<'_>,
    heir: GolemId,
    line: GolemId,
) -> Result<(Vouched, Passport), WrongCarrier> {
    let (passport, channel) = (&one.passport, channel(source));
    let Some((lineage, _)) = source.signed else {
        let told = EntryBody { provenance: channel, ..one.entry.body.clone() };
        let stranger = Vouched::stranger(&Foreign { body: told, standing: one.entry.standing.clone() });
        let vouched = Vouched { support: Support::default(), ..stranger };
        let crossings = Crossings::learnt_by(heir, vouched.confidence_bp);
        return Ok((vouched, Passport { learnt_by: STRANGER, crossings, blood: None, ..passport.clone() }));
    };
    let boundary = Boundary::of(channel).unwrap_or(Boundary::Hop);
    let mut crossings = passport.crossings.cross(boundary, lineage.golem, heir)?;
    let inherited = channel == Provenance::Testament;
    if !inherited || passport.lineage != lineage.id || lineage.id != line {
        // Generations of another line have proven nothing to this one, whether they are handed over by the living or left by
        // their dead; and of what was learnt in another line nobody can tell in whose generations it was validated.
        crossings.survived = 0;
    }
    let origin = EntryOrigin { golem: passport.learnt_by.golem, generation: passport.learnt_by.generation };
    // The living cannot mark anything by their death.
    let blood = passport.blood.filter(|_| inherited || source.grave);
    let count = |word| distinct_validators(source.validations, passport.root, word);
    let support =
        Support { confirmed: count(ValidationWord::Confirmed), contradicted: count(ValidationWord::Contradicted) };
    let vouched = Vouched {
        provenance: channel,
        origin,
        is_bloodstain: blood.is_some(),
        confidence_bp: crossings.confidence_bp(),
        support,
        kept_aside: false,
    };
    Ok((vouched, Passport { crossings, blood, ..passport.clone() }))
}

/// Nobody else's own experience, owner or dream is one's own. A will that nobody signed is a stranger's word as well; see
/// [`Vouched::stranger`].
fn channel(source: &KnowledgeSource<'_>) -> Provenance {
    match source.channel {
        Provenance::Testament | Provenance::Replicant | Provenance::Marketplace => source.channel,
        Provenance::SelfGenerated | Provenance::Owner | Provenance::Dream | Provenance::Clade => Provenance::Clade,
    }
}

/// Size, form and words: what the gate refuses whoever says it, and what speaks to a reader.
fn form(body: &EntryBody, judged: &AdmissionVerdict) -> Option<IngestRefusal> {
    let said = |reason| judged.reasons.contains(&reason);
    let texts = || body.tags.iter().chain([&body.text]).find_map(|text| speaks_to_reader(text));
    match () {
        () if said(AdmissionReason::Untidy) => Some(IngestRefusal::Untidy),
        () if said(AdmissionReason::Hollow) => Some(IngestRefusal::Hollow),
        () => texts().map(|phrase| IngestRefusal::Instruction { phrase: phrase.to_owned() }),
    }
}

/// What a passport says of itself, where somebody signed it; and that nothing comes from the future.
fn passport(one: &TravellingEntry, source: &KnowledgeSource<'_>, world: Timestamp) -> Option<IngestRefusal> {
    let forged = |(lineage, closed)| one.passport.forgery(&one.entry.body, lineage, closed);
    if let Some(how) = source.signed.and_then(forged) {
        return Some(IngestRefusal::Forged { how });
    }
    let learnt = one.passport.times.learnt;
    (learnt > world).then_some(IngestRefusal::NotYetLearnt { learnt })
}

/// The first layer. It is skipped for replicants: they were sent to find what is unlike the rest.
fn anomaly(body: &EntryBody, channel: Provenance, heir: &IngestMoment<'_>) -> Option<IngestRefusal> {
    if channel == Provenance::Replicant {
        return None;
    }
    // Hashes and addresses are like nothing; what they say is the chain's business.
    let words: Vec<&str> = body.text.split_whitespace().filter(|word| !word.contains("0x")).collect();
    heir.cloud.is_outside(&words.join(" "), heir.embedder).then_some(IngestRefusal::Anomalous)
}

/// The second layer: what denies what is well established here is tested before it informs, whoever vouches for it.
fn contradiction(body: &EntryBody, heir: &IngestMoment<'_>) -> Option<IngestRefusal> {
    let (known, sure) = heir.shelf.contradicting(body, heir.now)?;
    (sure >= ESTABLISHED).then_some(IngestRefusal::Contradicts { against: known.id })
}

/// The third layer: nothing false of the chain comes in, and what cannot be checked waits.
fn on_chain(body: &EntryBody, chain: &ChainSaid) -> Result<Option<IngestRefusal>, IngestRefusal> {
    let claims = chain_claims(body).map_err(|e| IngestRefusal::FalseOnChain { claim: e.0 })?;
    let mut unknown = None;
    for claim in claims {
        match chain.of_claim(&claim) {
            Some(true) => {}
            Some(false) => return Err(IngestRefusal::FalseOnChain { claim: claim.to_string() }),
            None => unknown = Some(IngestRefusal::UnknownOnChain { claim: claim.to_string() }),
        }
    }
    Ok(unknown)
}
