//! Reads over HTTP: one table, from which the answers and their description are both made.

use crate::desk::{DeskFault, RelayDesk};
use crate::relay::Relay;
use crate::token::owner_of;
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use golem_core::OwnerId;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use styx_wire::{FieldScope, RefuseReason, SenseQuery};

/// Who may ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReadBy {
    Anybody,
    Owner,
}

type StoreReading = fn(&RelayDesk, OwnerId) -> Result<Value, DeskFault>;

/// What answers.
#[derive(Clone, Copy)]
enum ReadKind {
    Health,
    Ready,
    Metrics,
    Description,
    Pulse,
    Store(StoreReading),
}

struct ReadRoute {
    path: &'static str,
    name: &'static str,
    about: &'static str,
    by: ReadBy,
    kind: ReadKind,
}

const ROUTES: &[ReadRoute] = &[
    route("/health", "health", "Whether the relay runs.", ReadBy::Anybody, ReadKind::Health),
    route("/ready", "ready", "Whether its store answers.", ReadBy::Anybody, ReadKind::Ready),
    route("/metrics", "metrics", "Figures for Prometheus.", ReadBy::Anybody, ReadKind::Metrics),
    route("/openapi.json", "openapi", "This description.", ReadBy::Anybody, ReadKind::Description),
    route("/v1/styx/pulse", "pulse", "How many golems are here.", ReadBy::Anybody, ReadKind::Pulse),
    route("/v1/styx/public", "public", "What everybody may know.", ReadBy::Anybody, ReadKind::Store(public)),
    route("/v1/styx/log", "log", "How far the owner's log goes.", ReadBy::Owner, ReadKind::Store(log)),
    route("/v1/styx/siblings", "siblings", "The owner's golems.", ReadBy::Owner, ReadKind::Store(siblings)),
    route("/v1/styx/graveyard", "graveyard", "The owner's dead.", ReadBy::Owner, ReadKind::Store(graveyard)),
    route("/v1/styx/archives", "archives", "The owner's backups.", ReadBy::Owner, ReadKind::Store(archives)),
    route("/v1/styx/field", "field", "The owner's field.", ReadBy::Owner, ReadKind::Store(field)),
];

const fn route(path: &'static str, name: &'static str, about: &'static str, by: ReadBy, kind: ReadKind) -> ReadRoute {
    ReadRoute { path, name, about, by, kind }
}

/// Answer a read.
pub(crate) async fn answer(relay: &Arc<Relay>, head: &Parts) -> Response {
    let Some(route) = ROUTES.iter().find(|route| route.path == head.uri.path()) else {
        return refused(StatusCode::NOT_FOUND, "not_found", "there is nothing at that path", "see /openapi.json");
    };
    match route.kind {
        ReadKind::Health => told(&json!({ "status": "ok" })),
        ReadKind::Ready => {
            let owner = OwnerId([0; 20]);
            match relay.at_desk(move |desk| Ok(desk.bounds(owner)?)).await {
                Ok(_) if !relay.is_stopping() && relay.writer.is_open() => told(&json!({ "status": "ready" })),
                Ok(_) | Err(_) => refused(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "unavailable",
                    "the store does not answer",
                    "try again later",
                ),
            }
        }
        ReadKind::Metrics => {
            let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
            (kind, relay.counts.page()).into_response()
        }
        ReadKind::Description => told(&description()),
        ReadKind::Pulse => told(&json!({ "connected": relay.counts.connections.load(Ordering::Relaxed) })),
        ReadKind::Store(read) => {
            let token = bearer(head).filter(|_| route.by == ReadBy::Owner).map(ToOwned::to_owned);
            let needs = route.by == ReadBy::Owner;
            let found = relay.at_desk(move |desk| {
                let owner = match token {
                    Some(token) => owner_of(desk, &token)?,
                    None => None,
                };
                match owner {
                    None if needs => Err(RefuseReason::NotAdmitted.into()),
                    owner => read(desk, owner.unwrap_or(OwnerId([0; 20]))),
                }
            });
            match found.await {
                Ok(value) => told(&value),
                Err(DeskFault::Refused(RefuseReason::NotAdmitted)) => {
                    let hint = "send authorization: Bearer TOKEN; a golem of the owner asks for it at its socket";
                    refused(StatusCode::UNAUTHORIZED, "unauthorized", "this needs an owner's token", hint)
                }
                Err(DeskFault::Refused(_)) => {
                    refused(StatusCode::NOT_FOUND, "not_found", "there is none of that here", "see /openapi.json")
                }
                Err(_) => refused(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "unavailable",
                    "the store does not answer",
                    "try again later",
                ),
            }
        }
    }
}

fn bearer(head: &Parts) -> Option<&str> {
    let mut all = head.headers.get_all(header::AUTHORIZATION).iter();
    let (given, None) = (all.next()?.to_str().ok()?, all.next()) else { return None };
    given.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")).map(|(_, token)| token.trim())
}

fn told(value: &Value) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

fn refused(code: StatusCode, kind: &str, message: &str, hint: &str) -> Response {
    let value = json!({ "error": { "kind": kind, "message": message, "hint": hint } });
    let mut response = (code, [(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response();
    if code == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, header::HeaderValue::from_static("Bearer"));
    }
    response
}

fn public(desk: &RelayDesk, _owner: OwnerId) -> Result<Value, DeskFault> {
    let smelt = desk.sense(OwnerId([0; 20]), &SenseQuery { scope: FieldScope::Public, layer: None, domain: None })?;
    Ok(json!({ "deaths": desk.notices()?, "threats": smelt }))
}

fn log(desk: &RelayDesk, owner: OwnerId) -> Result<Value, DeskFault> {
    let bounds = desk.bounds(owner)?;
    Ok(json!({ "log": desk.store.identity().log, "head": bounds.head, "oldest": bounds.oldest, "bytes": bounds.bytes }))
}

fn siblings(desk: &RelayDesk, owner: OwnerId) -> Result<Value, DeskFault> {
    let (mut all, mut from) = (Vec::new(), 0);
    loop {
        let (page, more) = desk.siblings(owner, from)?;
        from += u32::try_from(page.len()).unwrap_or(u32::MAX);
        for (certificate, pulse) in page {
            let words = certificate.words;
            let cursor = desk.store.cursor(owner, words.origin)?;
            let pulse = pulse.map(|pulse| pulse.words);
            all.push(json!({ "golem": words.golem, "origin": words.origin, "epoch": words.epoch,
                "expires_s": words.expires_s, "cursor": cursor, "pulse": pulse }));
        }
        if !more {
            return Ok(json!({ "siblings": all }));
        }
    }
}

fn graveyard(desk: &RelayDesk, owner: OwnerId) -> Result<Value, DeskFault> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let (page, more) = desk.graves(owner, after)?;
        for grave in page {
            let words = grave.words;
            after = Some(words.certificate.words.origin);
            all.push(json!({ "golem": words.certificate.words.golem, "origin": words.certificate.words.origin,
                "generation": words.generation, "cause": words.cause, "tick": words.tick, "at": words.at,
                "testament": words.testament, "marks": words.marks, "public": words.public }));
        }
        if !more {
            return Ok(json!({ "graves": all }));
        }
    }
}

fn archives(desk: &RelayDesk, owner: OwnerId) -> Result<Value, DeskFault> {
    let found = desk.manifests(owner)?;
    let each = |(at, manifest): &(u64, styx_wire::ArchiveManifest)| {
        let words = &manifest.words;
        json!({ "id": manifest.id(), "golem": words.golem, "origin": words.origin, "tick": words.tick, "bytes": words.bytes,
            "chunks": words.chunks.len(), "received_ms": at })
    };
    Ok(json!({ "archives": found.iter().map(each).collect::<Vec<_>>() }))
}

fn field(desk: &RelayDesk, owner: OwnerId) -> Result<Value, DeskFault> {
    let query = SenseQuery { scope: FieldScope::Clade, layer: None, domain: None };
    Ok(json!({ "scents": desk.sense(owner, &query)? }))
}

/// The description of all this.
fn description() -> Value {
    let mut paths = serde_json::Map::new();
    for route in ROUTES {
        let content = match route.kind {
            ReadKind::Metrics => json!({ "text/plain": { "schema": { "type": "string" } } }),
            _ => json!({ "application/json": { "schema": { "type": "object" } } }),
        };
        let security = if route.by == ReadBy::Owner { json!([{ "token": [] }]) } else { json!([]) };
        let error = json!({ "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } });
        let mut responses = json!({ "200": { "description": "what was asked for", "content": content } });
        let refusals = [
            ("401", "the owner's token is missing"),
            ("404", "there is none of that"),
            ("503", "the store does not answer"),
        ];
        for (code, about) in refusals {
            responses[code] = json!({ "description": about, "content": error });
        }
        let get =
            json!({ "operationId": route.name, "summary": route.about, "security": security, "responses": responses });
        paths.insert(route.path.to_owned(), json!({ "get": get }));
    }
    let text = json!({ "type": "string" });
    json!({
        "openapi": "3.1.0",
        "info": { "title": "styx", "version": env!("CARGO_PKG_VERSION"),
            "description": "The relay between siblings: what can be read of it. Golems speak at the socket /v1/styx/ws." },
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "schemas": { "Error": { "type": "object", "required": ["error"], "properties": { "error": {
                "type": "object", "required": ["kind", "message", "hint"],
                "properties": { "kind": text, "message": text, "hint": text } } } } },
        },
    })
}
