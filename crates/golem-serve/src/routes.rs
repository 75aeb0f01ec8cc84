//! The table of what can be asked: the router and the OpenAPI description are both made from it, so that neither can say
//! what the other does not.

use crate::query::{QueryWord, WordKind};

/// What answers a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RouteKind {
    /// A read, answered with JSON.
    Read(ReadWord),
    /// A read that lives a whole life again, answered with JSON, one at a time.
    Relive(ReadWord),
    /// A whole life as one page, answered with HTML, one at a time.
    Report,
    /// What happens in one golem's life, as it happens.
    GolemEvents,
    /// How all golems stand, as it changes.
    HomeEvents,
    /// An order to a golem.
    Order,
    /// Figures for Prometheus.
    Metrics,
    /// The description of all this.
    Description,
}

/// What is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadWord {
    Golems,
    Status,
    Vitals,
    Forecast,
    Facts,
    Logs,
    Series,
    Trades,
    Predictions,
    Suffering,
    SufferingHistory,
    Dreams,
    Dream,
    DreamStats,
    Staging,
    Phages,
    Playbook,
    PlaybookLint,
    PlaybookDiff,
    Causes,
    GrimoireSearch,
    GrimoireEntry,
    GrimoireWhy,
    GrimoireStats,
    Testament,
    Obituary,
    Lineage,
    Clade,
    Siblings,
    Config,
    Models,
    Snapshots,
    Verify,
    Replay,
    Graveyard,
    Library,
    LibrarySearch,
    LibraryEntry,
    LibraryBundles,
    Treasury,
    Settings,
}

/// One route.
#[derive(Debug, Clone, Copy)]
pub struct ServedRoute {
    pub path: &'static str,
    /// Its name in the description.
    pub name: &'static str,
    pub about: &'static str,
    pub kind: RouteKind,
    pub words: &'static [QueryWord],
}

impl ServedRoute {
    /// GET, or POST for what changes something.
    #[must_use]
    pub fn is_post(&self) -> bool {
        self.kind == RouteKind::Order
    }
}

const fn number(name: &'static str, least: u64, most: u64, default: Option<u64>, about: &'static str) -> QueryWord {
    QueryWord { name, kind: WordKind::Number { least, most, default }, about }
}

const fn read(
    path: &'static str,
    name: &'static str,
    word: ReadWord,
    words: &'static [QueryWord],
    about: &'static str,
) -> ServedRoute {
    ServedRoute { path, name, about, kind: RouteKind::Read(word), words }
}

/// The greatest place in history and turn that anybody can name.
const MOST: u64 = i64::MAX as u64;
/// The greatest number of a dream.
const MOST_SMALL: u64 = u32::MAX as u64;

const fn maybe(name: &'static str, about: &'static str) -> QueryWord {
    QueryWord { name, kind: WordKind::MaybeText, about }
}

const AS_OF: QueryWord = number("as_of", 0, MOST, None, "as of this turn; what came later is not there");
const SINCE: QueryWord =
    maybe("since", "only since then: 2026-01-31, RFC 3339, or how long before its now (90min, 3h, 2d)");
const ENTRY: QueryWord = QueryWord { name: "entry", kind: WordKind::Text, about: "its id, or the beginning of it" };
const SEARCH: QueryWord = QueryWord { name: "q", kind: WordKind::Text, about: "what to look for" };
const AFTER_SEQ: QueryWord =
    number("after", 0, MOST, None, "facts behind this place in history; without it the newest");
const FACTS: QueryWord = QueryWord {
    name: "facts",
    kind: WordKind::OneOf(&["all", "events", "none"]),
    about: "which facts: all, those that whoever watches wants to hear at once, or none (only how it stands)",
};

/// All of them.
pub const ROUTES: &[ServedRoute] = &[
    read("/api/golems", "golems", ReadWord::Golems, &[], "Every golem of this home at a glance (golem list)."),
    read("/api/golems/{id}/status", "status", ReadWord::Status, &[], "How a golem stands (golem status)."),
    read("/api/golems/{id}/vitals", "vitals", ReadWord::Vitals, &[], "Its clocks (golem vitals)."),
    read(
        "/api/golems/{id}/forecast",
        "forecast",
        ReadWord::Forecast,
        &[],
        "How long it may yet live (golem vitals --forecast).",
    ),
    read(
        "/api/golems/{id}/facts",
        "facts",
        ReadWord::Facts,
        &[AFTER_SEQ, number("limit", 1, 2_000, Some(200), "at most so many")],
        "What happened, the oldest first (golem logs).",
    ),
    read(
        "/api/golems/{id}/logs",
        "logs",
        ReadWord::Logs,
        &[
            number("last", 1, 2_000, Some(40), "the latest so many"),
            maybe("only", "only facts whose names begin like this, such as mortality; several with commas"),
            SINCE,
        ],
        "What happened, as it is recorded, the oldest first (golem logs).",
    ),
    read(
        "/api/golems/{id}/series",
        "series",
        ReadWord::Series,
        &[
            number("after", 0, MOST, Some(0), "points after this turn"),
            number("points", 10, 20_000, Some(2_000), "about so many, evenly chosen; the newest is always there"),
        ],
        "The downsampled series of its life.",
    ),
    read(
        "/api/golems/{id}/trades",
        "trades",
        ReadWord::Trades,
        &[SINCE, number("last", 1, 100_000, Some(1_000), "the latest so many")],
        "What it did with its money, the oldest first (golem trades).",
    ),
    read(
        "/api/golems/{id}/predictions",
        "predictions",
        ReadWord::Predictions,
        &[
            maybe("domain", "one domain only, such as price_direction"),
            number("top", 0, 1_000, Some(40), "the latest so many that are settled"),
            AS_OF,
        ],
        "What it has foretold, how well, and what came of it (predictions).",
    ),
    read("/api/golems/{id}/suffering", "suffering", ReadWord::Suffering, &[], "What weighs on it (suffering show)."),
    read(
        "/api/golems/{id}/suffering/history",
        "suffering_history",
        ReadWord::SufferingHistory,
        &[number("last", 1, 10_000, Some(50), "the latest so many")],
        "What has weighed on it (suffering history).",
    ),
    read(
        "/api/golems/{id}/dreams",
        "dreams",
        ReadWord::Dreams,
        &[number("last", 1, 500, Some(20), "the latest so many"), AS_OF],
        "What it dreamt, the newest first (dream journal).",
    ),
    read(
        "/api/golems/{id}/dreams/show",
        "dream",
        ReadWord::Dream,
        &[number("number", 0, MOST_SMALL, None, "its number; the latest without one")],
        "One dream, whole (dream show).",
    ),
    read("/api/golems/{id}/dreams/stats", "dream_stats", ReadWord::DreamStats, &[], "What came of them (dream stats)."),
    read(
        "/api/golems/{id}/staging",
        "staging",
        ReadWord::Staging,
        &[AS_OF],
        "What is being tested of it (dream staging).",
    ),
    read("/api/golems/{id}/phages", "phages", ReadWord::Phages, &[], "Its short-lived children (golem phages)."),
    read(
        "/api/golems/{id}/playbook",
        "playbook",
        ReadWord::Playbook,
        &[AS_OF],
        "The rules it lives by (playbook show).",
    ),
    read(
        "/api/golems/{id}/playbook/lint",
        "playbook_lint",
        ReadWord::PlaybookLint,
        &[],
        "What is wrong with the page beside it (playbook lint).",
    ),
    read(
        "/api/golems/{id}/playbook/diff",
        "playbook_diff",
        ReadWord::PlaybookDiff,
        &[],
        "What the page beside it says otherwise (playbook diff).",
    ),
    read(
        "/api/golems/{id}/causes",
        "causes",
        ReadWord::Causes,
        &[AS_OF],
        "What it takes for causes: what drives what, which way, after how long and how surely.",
    ),
    read(
        "/api/golems/{id}/grimoire",
        "grimoire_search",
        ReadWord::GrimoireSearch,
        &[SEARCH, number("top", 1, 200, Some(20), "at most so many of each"), AS_OF],
        "What it knows and remembers of something (grimoire search).",
    ),
    read(
        "/api/golems/{id}/grimoire/entry",
        "grimoire_entry",
        ReadWord::GrimoireEntry,
        &[ENTRY],
        "One thing that it knows, with its evidence (grimoire show).",
    ),
    read(
        "/api/golems/{id}/grimoire/why",
        "grimoire_why",
        ReadWord::GrimoireWhy,
        &[AS_OF],
        "What was recalled last, and why each of it (grimoire why).",
    ),
    read(
        "/api/golems/{id}/grimoire/stats",
        "grimoire_stats",
        ReadWord::GrimoireStats,
        &[],
        "How much it knows, and how much of it is junk (grimoire stats).",
    ),
    read("/api/golems/{id}/testament", "testament", ReadWord::Testament, &[], "What it left (golem testament)."),
    read("/api/golems/{id}/obituary", "obituary", ReadWord::Obituary, &[], "Its life as a story (golem story)."),
    ServedRoute {
        path: "/api/golems/{id}/report",
        name: "report",
        about: "Its whole life as one page with charts that needs nothing else, dead or alive (report).",
        kind: RouteKind::Report,
        words: &[],
    },
    read(
        "/api/golems/{id}/clade",
        "clade",
        ReadWord::Clade,
        &[],
        "How it stands with the relay of its clade; nothing where it speaks with no siblings (clade status).",
    ),
    read(
        "/api/golems/{id}/siblings",
        "siblings",
        ReadWord::Siblings,
        &[],
        "The siblings elsewhere that it has met (clade siblings).",
    ),
    read("/api/golems/{id}/lineage", "lineage", ReadWord::Lineage, &[], "The line that it stands in (lineage)."),
    read(
        "/api/golems/{id}/config",
        "config",
        ReadWord::Config,
        &[],
        "The settings that it was born with, without what may be a key (golem config).",
    ),
    read("/api/golems/{id}/models", "models", ReadWord::Models, &[], "The models that it may ask (models list)."),
    read(
        "/api/golems/{id}/snapshots",
        "snapshots",
        ReadWord::Snapshots,
        &[],
        "What its file can be brought back from (golem restore --list).",
    ),
    ServedRoute {
        path: "/api/golems/{id}/verify",
        name: "verify",
        about: "Whether its record is whole and its life was lived as told: lives all of it again (golem verify).",
        kind: RouteKind::Relive(ReadWord::Verify),
        words: &[],
    },
    ServedRoute {
        path: "/api/golems/{id}/replay",
        name: "replay",
        about: "Live the recorded life again and compare every turn, or compare it with another's (golem replay).",
        kind: RouteKind::Relive(ReadWord::Replay),
        words: &[
            number("until", 0, MOST, None, "stop after this turn"),
            maybe("diff", "compare with this golem's record instead"),
        ],
    },
    read(
        "/api/graveyard",
        "graveyard",
        ReadWord::Graveyard,
        &[maybe("beside", "a golem: same_market then says of each grave whether it lies on its market")],
        "The dead of this home (graveyard).",
    ),
    read("/api/library", "library", ReadWord::Library, &[], "What golems left to their owner (library list)."),
    read(
        "/api/library/search",
        "library_search",
        ReadWord::LibrarySearch,
        &[SEARCH, number("top", 1, 200, Some(10), "at most so many")],
        "What is held about something (library search).",
    ),
    read(
        "/api/library/entry",
        "library_entry",
        ReadWord::LibraryEntry,
        &[ENTRY],
        "One entry: where it came from, and who has seen it come true (library show).",
    ),
    read(
        "/api/library/bundles",
        "library_bundles",
        ReadWord::LibraryBundles,
        &[maybe("name", "which; without it all of them")],
        "Collections: all of them, or what is in one (library bundle).",
    ),
    read(
        "/api/treasury",
        "treasury",
        ReadWord::Treasury,
        &[],
        "The owner's credit, and where every succession stands (treasury show).",
    ),
    read("/api/config", "settings", ReadWord::Settings, &[], "Every setting with its default (config show)."),
    ServedRoute {
        path: "/api/golems/{id}/events",
        name: "golem_events",
        about: "What happens in its life, as it happens. The id of an event is its place in history; Last-Event-ID (or \
                after) resumes behind it, and none is left out.",
        kind: RouteKind::GolemEvents,
        words: &[number("after", 0, MOST, None, "behind this place in history; without it from now on"), FACTS],
    },
    ServedRoute {
        path: "/api/events",
        name: "home_events",
        about: "How all golems of this home stand: each card when the client comes, then each that changes. Last-Event-ID \
                resumes with what has changed since.",
        kind: RouteKind::HomeEvents,
        words: &[],
    },
    ServedRoute {
        path: "/api/golems/{id}/orders",
        name: "order",
        about: "Tell it something: pause, resume, halt, feed, kill, tell, dream, wake, approve, reject. The order goes into \
                its durable inbox; a golem that runs answers at its next turn.",
        kind: RouteKind::Order,
        words: &[],
    },
    ServedRoute {
        path: "/metrics",
        name: "metrics",
        about: "Figures for Prometheus.",
        kind: RouteKind::Metrics,
        words: &[],
    },
    ServedRoute {
        path: "/api/openapi.json",
        name: "openapi",
        about: "This description.",
        kind: RouteKind::Description,
        words: &[],
    },
];
