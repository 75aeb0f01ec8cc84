//! The shapes of answers, for the description: each field of each read with what stands in it. A field that is added to an answer is
//! added here, and a test holds every answer against it.

use crate::routes::ReadWord;
use serde_json::{Value, json};

/// What a golem of the library is held as, in a list and alone.
const HELD: &str = "id:any kind:text text:text in_words:text confidence:number effective:number inflow:any provenance:any \
    is_bloodstain:flag blood:text? battle_tested:flag disputed:flag tags:list validated_by:whole contradicted_by:whole equipped:whole \
    templates:list";
const DREAM: &str = "id:text timestamp:text tier:text trigger:text end:any onset:object phase1_summary:object phase2_summary:object \
    phase3_summary:object total_cost_usdc:whole dream_duration_ticks:whole dream_quality_score:number later:object nothing_because:list \
    ~thoughts:any ~inherited:list";
const SETTINGS: &str = "golem:object heartbeat:object world:object chain:object market:object mind:object policy:object cage:object \
    grimoire:object mortality:object diagnostics:object inference:object suffering:object dream:object phages:object fleet:object \
    succession:object defaults:any styx:object testament:object";

/// What a read answers.
pub(crate) fn of(word: ReadWord) -> Value {
    match word {
        ReadWord::Golems => list(
            "id:text name:text standing:text phase:text? tick:whole age_days:number balance_micro_usdc:whole? worth_micro_usdc:whole? \
             safe_mode:flag ~cause:text ~died_of:text ~problem:text glance:object?",
        ),
        ReadWord::Status => one(
            "id:text name:text tick:whole age_ticks:whole age_days:number at:text standing:text phase:text shadow_phase:text mode:text \
             heartbeat:any vitality:object domains:object hit_rates:object senescence:object lead:number fitness_trend:number \
             forecasts:list ~dreams:object ~attributed:list ~phages:object thought:object balance_micro_usdc:whole ~home:object ~coin:any \
             operating_micro_usdc:whole capital_micro_usdc:whole positions_micro_usdc:whole ~open:list reserve_micro_usdc:whole \
             funded_micro_usdc:whole spent_micro_usdc:whole earned_micro_usdc:whole burn_rate_micro_usdc_per_tick:number \
             projected_life_h:number? hazard_rate:number hazard_band:text survival_24h:number trades:whole exposure:number regime:text \
             price:number? locked:list affect:object? load:number? band:text? suffering:object? cortical:object information:object? \
             bits_budget:any cage:object vigil:whole? would_have_died_at:object? death:object? safe_mode:flag models:object?",
        ),
        ReadWord::Vitals => {
            one("tick:whole phase:text vitality:object domains:object hazard_rate:number survival_24h:number \
             expected_remaining_days:number? median_remaining_days:number? balance_micro_usdc:whole projected_life_h:number?")
        }
        ReadWord::Forecast => one("p_alive:list p_alive_hours:list causes:any median_days:number? method:list"),
        ReadWord::Facts => list("seq:whole tick:whole at:text name:text cause:whole? words:text? event:flag body:any"),
        ReadWord::Logs => list("seq:whole tick:whole at:text cause:any ..."),
        ReadWord::Series => list(
            "at:text tick:whole age_days:number phase:text vitality:object domains:object lead:number balance_micro_usdc:whole \
             operating_micro_usdc:whole positions_micro_usdc:whole spent_micro_usdc:whole hazard_rate:number trades:whole \
             exposure:number regime:text price:number? mood:any load:number? mi_bits:number?",
        ),
        ReadWord::Trades => list(
            "tick:whole number:whole at:text what:text done:flag refused:any taken_back:flag amount:object price:number? fee:object \
             gas_micro_usdc:whole realised_micro_usdc:whole pnl_micro_usdc:whole? because:any why:text came:object",
        ),
        ReadWord::Predictions => one("scores:list settled:list"),
        ReadWord::Suffering => one(
            "load:number raw:number band:text stressors:list locked:list crisis_cycles:whole respites:whole affect:object? \
             remedies:object",
        ),
        ReadWord::SufferingHistory => list("tick:whole ..."),
        ReadWord::Dreams => one("dreams:list inherited:list"),
        ReadWord::Dream => one(DREAM),
        ReadWord::DreamStats => one(
            "state:any cycles:whole broken_off:whole runs:whole staged:whole promoted:whole turned_away:whole refuted:whole \
             expired:whole by_owner:whole held:whole fallen:whole precision:number? came_true:number? threats:object mean_quality:number \
             last_quality:number cost_micro_usdc:whole cost_per_confirmed_micro_usdc:whole?",
        ),
        ReadWord::Staging => one("staged:list"),
        ReadWord::Phages => maybe(
            "born:whole replicants:whole survived:whole failed:whole indifferent:whole untested:whole runs:whole shadow_ticks:whole \
             signals:object felt:number alive:list ends:list tried:list",
        ),
        ReadWord::Playbook => one("playbook:object text:text"),
        ReadWord::PlaybookLint => one("problems:list findings:list"),
        ReadWord::PlaybookDiff => one("edited:flag diff:text"),
        ReadWord::Causes => list(
            "id:any from:any to:any lag:whole weight:number confidence_bp:whole held:whole failed:whole failed_in_a_row:whole \
             fired:whole last_fired:whole? created:whole invalidated:whole? judged:whole holds:flag words:object",
        ),
        ReadWord::GrimoireSearch => one("as_of_tick:whole entries:list episodes:list"),
        ReadWord::GrimoireEntry => one(
            "id:text hash:text body:object standing:object effective:number testament:text? learnt_by:text? worth:object?",
        ),
        ReadWord::GrimoireWhy => one("tick:whole recall:object of_others:list"),
        ReadWord::GrimoireStats => one(
            "active:whole archived:whole candidates:whole quarantined:whole burnt:whole junk_share:number junk:any episodes:whole \
             edges:whole staged:whole",
        ),
        ReadWord::Testament => one("testament:object death_secret:text? signature:text? page:text"),
        ReadWord::Obituary => one(
            "id:text name:text standing:text cause:text death:object? age_ticks:whole age_days:number born_at:text ended_at:text \
             turns:whole funded_micro_usdc:whole final_nav_micro_usdc:whole spent_micro_usdc:whole fed_micro_usdc:whole budget:object \
             earned_micro_usdc:whole trades:whole fitness:number domains:object phases:object chapters:list reckoning:object \
             holding_micro_usdc:whole? nothing_micro_usdc:whole rule:object? rules:whole guesses_kept:whole guesses_dropped:whole \
             testament:object? hash:text heir:object? cause_in_words:text? last_words:text? rule_in_words:text? naive_fitness:number",
        ),
        ReadWord::Lineage => list(
            "id:text name:text generation:whole parent:text? standing:text? cause:text? died_of:text? age_days:number? \
             worth_micro_usdc:whole? inherits:flag verdict:text? ratchet:number? refuted:list \
             attributed:list brought:object?",
        ),
        ReadWord::Clade => list(
            "id:text name:text relay:text owner:text? told:whole waiting:whole siblings:whole queued:whole dropped:whole \
             met_s_ago:whole? backed_up_tick:whole? notices:list",
        ),
        ReadWord::Siblings => {
            list("id:text phase:text? vitality:number? terms:text? tick:whole? dreaming:flag? pulse_s_ago:whole?")
        }
        ReadWord::Config | ReadWord::Settings => one(SETTINGS),
        ReadWord::Models => one("models:list embedder:text daily_budget_micro_usdc:whole max_daily_calls:whole"),
        ReadWord::Snapshots => list("tick:whole at:text set_aside:flag"),
        ReadWord::Verify => one(
            "id:text ticks:whole ok:flag first_difference:object? hash:text commitment_ok:flag rolls:any chain:text? \
             revealed_secret:text?",
        ),
        ReadWord::Replay => one("ticks:whole ok:flag first_difference:object? ~head:text"),
        ReadWord::Graveyard => one("graves:list unreadable:list"),
        ReadWord::Library => one("key:text? entries:list deposits:list"),
        ReadWord::LibrarySearch => one("entries:list"),
        ReadWord::LibraryEntry => one(&format!("{HELD} holding:object")),
        ReadWord::LibraryBundles => one("~bundles:list ~name:text ~template:any ~standing:text ~entries:list"),
        ReadWord::Treasury => one(
            "credited_micro_usdc:whole free_micro_usdc:whole held_micro_usdc:whole moved_micro_usdc:whole credits:list moves:list \
             authorizations:list successions:list identities:list notices:any",
        ),
    }
}

/// An object: fields as `name:kind`, with `~` before what may be missing, `?` behind what may be null, and `...` where more stands in it
/// that depends on what it tells of.
fn one(fields: &str) -> Value {
    let mut shape = json!({ "type": "object", "properties": {}, "required": [] });
    for field in fields.split_whitespace() {
        let Some((name, kind)) = field.split_once(':') else {
            shape["additionalProperties"] = json!(true);
            continue;
        };
        let (may_miss, name) = (name.starts_with('~'), name.trim_start_matches('~'));
        shape["properties"][name] = what(name, kind);
        if let Some(required) = shape["required"].as_array_mut().filter(|_| !may_miss) {
            required.push(json!(name));
        }
    }
    shape
}

fn maybe(fields: &str) -> Value {
    let mut shape = one(fields);
    shape["type"] = json!(["object", "null"]);
    shape
}

fn list(fields: &str) -> Value {
    json!({ "type": "array", "items": one(fields) })
}

fn what(name: &str, kind: &str) -> Value {
    let (plain, may_be_null) = kind.strip_suffix('?').map_or((kind, false), |kind| (kind, true));
    let word = match plain {
        "text" => "string",
        "number" => "number",
        "whole" => "integer",
        "flag" => "boolean",
        "list" => "array",
        "object" => "object",
        // Whatever it is: a word, or an object with one.
        _ => return json!({}),
    };
    let mut told = json!({ "type": if may_be_null { json!([word, "null"]) } else { json!(word) } });
    if name.ends_with("micro_usdc") {
        told["description"] = json!("millionths of a USDC");
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_spelled_with_what_may_be_missing_or_null() {
        let told = one("a:text ~b:whole? c_micro_usdc:whole d:any");
        let properties = json!({
            "a": { "type": "string" }, "b": { "type": ["integer", "null"] },
            "c_micro_usdc": { "type": "integer", "description": "millionths of a USDC" }, "d": {},
        });
        assert_eq!(told, json!({ "type": "object", "properties": properties, "required": ["a", "c_micro_usdc", "d"] }));
        assert_eq!(one("a:text ...")["additionalProperties"], json!(true));
        assert_eq!(list("a:flag")["items"]["properties"]["a"]["type"], json!("boolean"));
    }
}
