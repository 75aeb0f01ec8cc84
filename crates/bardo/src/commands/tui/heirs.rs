//! Who comes after: what would be born of a wish, and its birth, by the rules of the commands.

use crate::cli::Successor;
use crate::commands::{create, successor};
use crate::departed::Departed;
use crate::fail::Fail;
use crate::home::{Home, Place};
use crate::out::Out;
use crate::succession::{heirs_of, similarity, strategy};
use golem_core::{GolemId, Name};
use golem_grimoire::testament::SuccessorRecommendations;
use golem_tui::{FreshWish, SuccessorOffer, SuccessorWish};
use golem_view::story::in_words;
use std::collections::BTreeMap;

/// What would be born.
pub fn offer(wish: &SuccessorWish, home: &Home) -> Result<SuccessorOffer, Fail> {
    let place = home.golem(&wish.dead.to_string())?;
    let dead = Departed::read(&place)?;
    let plan = successor::planned(&asked(wish)?, None, &dead, home)?;
    let near = similarity(&dead, &plan.file, &plan.inheritance.choice);
    let advised = successor::advised(&dead);
    let advice = dead.testament.as_ref().map(|t| advice_lines(&t.successor_recommendations)).unwrap_or_default();
    Ok(SuccessorOffer {
        name: plan.name.to_string(),
        budget: plan.budget,
        generation: dead.origin.birth.generation.saturating_add(1),
        fields: fields(&dead),
        advice,
        advised: advised.iter().filter_map(|line| line.split_once('=')).map(|(k, v)| (k.into(), v.into())).collect(),
        preview: plan.inheritance.preview(),
        changes: successor::diff(&near).into_iter().map(|line| line.trim().to_owned()).collect(),
        too_near: near.shortfall.filter(|_| wish.inherit).map(|why| format!("it would be {} again: {why}", place.name)),
        heir: heirs_of(place.id, home)?.first().map(|(heir, _)| heir.name.to_string()),
    })
}

/// Give birth.
pub fn summon(wish: &SuccessorWish, home: &Home, out: &Out) -> Result<(GolemId, String), Fail> {
    let (place, origin) = successor::summon(&asked(wish)?, home, out)?;
    let generation = origin.birth.generation;
    Ok((place.id, born(&place, &format!("generation {generation}"))))
}

/// Somebody new.
pub fn fresh(wish: &FreshWish, home: &Home, out: &Out) -> Result<(GolemId, String), Fail> {
    let place = create::fresh(name(&wish.name)?, wish.budget, &wish.template, wish.seed, home, out)?;
    Ok((place.id, born(&place, &wish.template)))
}

fn born(place: &Place, what: &str) -> String {
    format!("{} is born: {what}. Let it live: bardo golem run {} --speed max", place.name, place.name)
}

fn name(text: &str) -> Result<Name, Fail> {
    text.parse().map_err(|e: golem_core::ids::BadName| Fail::owner(e.to_string()))
}

/// The wish as an owner would type it.
fn asked(wish: &SuccessorWish) -> Result<Successor, Fail> {
    Ok(Successor {
        id: wish.dead.to_string(),
        budget: wish.budget,
        inherit_grimoire: wish.inherit,
        no_inherit: !wish.inherit,
        auto: false,
        force_similarity: wish.force_similarity,
        domains: Vec::new(),
        exclude: Vec::new(),
        name: wish.name.as_deref().map(name).transpose()?,
        seed: None,
        set: wish.sets.iter().map(|(key, value)| format!("{key}={value}")).collect(),
        take_advice: false,
        another: false,
        dry_run: false,
    })
}

/// The settings of the dead one: its strategy, then whatever else it was given.
fn fields(dead: &Departed) -> Vec<(String, String)> {
    let mut all: BTreeMap<String, String> = BTreeMap::new();
    if let Ok(table) = dead.origin.settings_given.parse::<toml::Table>() {
        flat("", &table, &mut all);
    }
    // Who it was, and where in its world it began, is not handed on.
    all.retain(|key, _| !key.starts_with("golem.") && key != "chain.joined_at");
    let own = strategy(&dead.file);
    all.retain(|key, _| !own.contains_key(key));
    let plain = |value: &String| value.trim_matches('"').to_owned();
    own.iter().map(|(key, value)| (key.clone(), plain(value))).chain(all).collect()
}

fn flat(before: &str, table: &toml::Table, into: &mut BTreeMap<String, String>) {
    for (key, value) in table {
        let key = if before.is_empty() { key.clone() } else { format!("{before}.{key}") };
        match value {
            toml::Value::Table(inner) => flat(&key, inner, into),
            toml::Value::String(text) => drop(into.insert(key, text.clone())),
            other => drop(into.insert(key, other.to_string())),
        }
    }
}

/// What to change, what to keep and what to look into, line by line.
fn advice_lines(advice: &SuccessorRecommendations) -> Vec<String> {
    let config =
        advice.config.iter().map(|a| format!("change {}: {} → {}. {}", a.key, a.was, a.to, in_words(a.because.text())));
    let rules =
        advice.playbook.iter().map(|a| format!("{} this rule: {}", a.change.name(), in_words(a.because.text())));
    let stale = advice.stale_heuristics.iter().map(|a| format!("stale: {}", in_words(a.because.text())));
    let first = advice.priorities.iter().map(|p| format!("{}: {}", p.weight.name(), in_words(p.what.text())));
    config.chain(first).chain(rules).chain(stale).collect()
}
