//! What a rule of a playbook may look at, and what it may scale.

use super::{cell, code, keep};
use golem_core::observed::{Field, Kind};
use golem_mind::Template;

const ABOUT: &str = "# Fields and parameters

For [playbooks](../playbook.md): what a `when` may look at, and what a `do` may scale.
";

#[test]
fn the_reference_of_fields_is_what_a_rule_may_say() {
    let mut page = String::from("\n## Observed fields\n\n| field | holds | unit | what it is |\n|---|---|---|---|\n");
    for field in Field::ALL {
        let holds = match field.kind() {
            Kind::Text(words) => words.iter().map(|word| code(word)).collect::<Vec<_>>().join(", "),
            kind => kind.noun().to_owned(),
        };
        page.push_str(&format!("| {} | {holds} | {} | {} |\n", code(field.name()), field.unit(), cell(field.about())));
    }
    page.push_str("\n## Parameters\n\nOf each template. As settings they stand under `policy.`; a rule scales one within its bounds.\n");
    for template in Template::ALL {
        page.push_str(&format!(
            "\n### `{template}`\n\n| parameter | default | from | to | what it is |\n|---|---|---|---|---|\n"
        ));
        for p in template.parameters() {
            page.push_str(&format!(
                "| {} | {} | {} | {} | {} |\n",
                code(p.key),
                p.default,
                p.low,
                p.high,
                cell(p.what)
            ));
        }
    }
    keep("fields.md", ABOUT, &page);
}
