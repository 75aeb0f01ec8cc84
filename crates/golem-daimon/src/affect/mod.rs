//! Affect: appraisal of events by rules, mood over a personality, and the channels through which it colours behaviour.
