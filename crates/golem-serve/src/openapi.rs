//! The description of the API, made from the table of routes.

use crate::query::{QueryWord, WordKind};
use crate::routes::{ROUTES, RouteKind, ServedRoute};
use crate::shapes;
use serde_json::{Map, Value, json};

/// The whole of it.
pub(crate) fn description() -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for route in ROUTES {
        let method = if route.is_post() { "post" } else { "get" };
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[method] = operation(route);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "bardo",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "An owner's golems: what can be read of them, what happens as it happens, and orders to them.",
        },
        "security": [{ "token": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "schemas": { "Error": error_schema(), "Order": order_schema(), "OrderAnswer": answer_schema() },
        },
    })
}

fn operation(route: &ServedRoute) -> Value {
    let mut parameters: Vec<Value> = Vec::new();
    if route.path.contains("{id}") {
        parameters.push(json!({
            "name": "id", "in": "path", "required": true, "schema": { "type": "string" },
            "description": "a golem's name, its id, or a unique beginning of either",
        }));
    }
    parameters.extend(route.words.iter().map(parameter));
    if matches!(route.kind, RouteKind::GolemEvents | RouteKind::HomeEvents) {
        parameters.push(json!({
            "name": "Last-Event-ID", "in": "header", "schema": { "type": "string" },
            "description": "the id of the last event that was heard",
        }));
    }
    let content = match route.kind {
        RouteKind::GolemEvents | RouteKind::HomeEvents => {
            json!({ "text/event-stream": { "schema": { "type": "string" } } })
        }
        RouteKind::Metrics => json!({ "text/plain": { "schema": { "type": "string" } } }),
        RouteKind::Report => json!({ "text/html": { "schema": { "type": "string" } } }),
        RouteKind::Order => {
            json!({ "application/json": { "schema": { "$ref": "#/components/schemas/OrderAnswer" } } })
        }
        RouteKind::Read(word) | RouteKind::Relive(word) => {
            json!({ "application/json": { "schema": shapes::of(word) } })
        }
        RouteKind::Description => json!({ "application/json": { "schema": { "type": "object" } } }),
    };
    let mut told = json!({
        "operationId": route.name, "summary": route.about, "parameters": parameters,
        "responses": { "200": { "description": "what was asked for", "content": content } },
    });
    for (code, what) in REFUSALS.iter().filter(|(code, _)| *code != "415" && *code != "413" || route.is_post()) {
        told["responses"][code] = json!({
            "description": what,
            "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } },
        });
    }
    if route.is_post() {
        told["requestBody"] = json!({
            "required": true,
            "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Order" } } },
        });
    }
    told
}

const REFUSALS: [(&str, &str); 9] = [
    ("400", "the question is not understood"),
    ("401", "the owner's token is missing"),
    ("403", "a page from elsewhere asks, or a gate refuses"),
    ("404", "there is no such golem, or it has none of that"),
    ("409", "as things stand, this cannot be had"),
    ("413", "too long"),
    ("415", "an order is JSON"),
    ("421", "the server does not go by that name"),
    ("503", "a file cannot be read or written at the moment"),
];

fn parameter(word: &QueryWord) -> Value {
    let schema = match word.kind {
        WordKind::Number { least, most, default } => {
            let mut schema = json!({ "type": "integer", "minimum": least, "maximum": most });
            if let Some(default) = default {
                schema["default"] = json!(default);
            }
            schema
        }
        WordKind::Text | WordKind::MaybeText => json!({ "type": "string", "maxLength": 250 }),
        WordKind::OneOf(all) => json!({ "type": "string", "enum": all, "default": all.first() }),
    };
    let required = word.kind == WordKind::Text;
    json!({ "name": word.name, "in": "query", "required": required, "description": word.about, "schema": schema })
}

fn error_schema() -> Value {
    let text = json!({ "type": "string" });
    json!({
        "type": "object", "required": ["error"],
        "properties": { "error": {
            "type": "object", "required": ["kind", "message", "hint"],
            "properties": { "kind": text, "message": text, "hint": { "type": ["string", "null"] } },
        } },
    })
}

fn order_schema() -> Value {
    let text = json!({ "type": "string", "maxLength": 4000 });
    let one = |order: &str, more: &[(&str, Value)]| {
        let mut properties = json!({ "order": { "const": order } });
        let mut required = vec!["order"];
        for (name, schema) in more {
            properties[name] = schema.clone();
            required.push(name);
        }
        json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
    };
    let number = json!({ "type": "integer", "minimum": 0 });
    let usdc = json!({ "type": "string", "description": "USDC as text, such as \"12.50\"" });
    let name = json!({ "type": "string", "description": "the golem's name, as a word that it is meant" });
    json!({ "oneOf": [
        one("pause", &[]),
        one("resume", &[]),
        one("halt", &[("reason", text.clone())]),
        one("feed", &[("usdc", usdc)]),
        one("kill", &[("reason", text.clone()), ("confirm", name)]),
        one("tell", &[("text", text.clone())]),
        one("dream", &[]),
        one("wake", &[("reason", text)]),
        one("approve", &[("proposal", number.clone())]),
        one("reject", &[("proposal", number)]),
    ] })
}

fn answer_schema() -> Value {
    json!({
        "type": "object", "required": ["order", "reply", "waiting", "running"],
        "properties": {
            "order": { "type": "integer" }, "reply": { "type": ["string", "null"] },
            "waiting": { "type": "boolean" }, "running": { "type": "boolean" },
        },
    })
}
