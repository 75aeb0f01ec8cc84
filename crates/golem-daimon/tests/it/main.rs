//! Affect, suffering and the gate from outside.

mod affect_channels;
mod affect_kit;
mod affect_life;
mod affect_properties;
mod affect_rules;
mod gate;
mod suffering_agents;
mod suffering_assessment;
mod suffering_facts;
mod suffering_import;
mod suffering_kit;
mod suffering_memory;
mod suffering_names;
mod suffering_prompt;
mod suffering_properties;
mod suffering_remedies;
mod suffering_rules;
