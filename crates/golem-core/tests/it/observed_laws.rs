//! Laws that hold for every text and every snapshot: no panic, one canonical form, agreement with a reference.

use cel::common::ast::{CallExpr, Expr};
use cel::parser::{Expression as Tree, Parser, PrattParser};
use golem_core::observed::{Expression, Fault, Field, Kind, Snapshot, Value, Verdict};
use proptest::prelude::*;

/// Whatever is compiled has one text, means the same when it is compiled from it, and has a verdict.
fn hold_to_the_laws(source: &str, seen: &Snapshot) {
    let Ok(expression) = Expression::compile(source) else { return };
    let again = Expression::compile(expression.source()).expect("a canonical text compiles");
    assert_eq!(again.source(), expression.source(), "{source}");
    assert_eq!(again.fields(), expression.fields(), "{source}");
    let verdict = expression.evaluate(seen);
    assert_eq!(again.evaluate(seen), verdict, "{source}");
    assert_ne!(verdict, Verdict::Failed { why: Fault::Evaluator }, "{source}");
    if let Verdict::Unknown { missing } = verdict {
        assert!(seen.get(missing).is_none() && expression.fields().contains(&missing), "{source}");
    }
    if let Some(distance) = expression.distance(seen) {
        assert_eq!(distance.holds, verdict.holds(), "{source}");
        assert!(distance.gap >= 0.0 && distance.gap.is_finite() && (0.0..=2.0).contains(&distance.share()), "{source}");
        assert!(!distance.to_string().is_empty());
    }
    // The parser that cel uses by default must read a canonical text as the one that is used here does.
    let ours = PrattParser::default().parse(expression.source()).map(without_ids);
    let theirs = Parser::default().parse(expression.source()).map(without_ids);
    assert_eq!(ours.unwrap(), theirs.unwrap(), "{}", expression.source());
}

/// The same tree with every id zero: the two parsers count differently.
fn without_ids(tree: Tree) -> Tree {
    let all = |trees: Vec<Tree>| trees.into_iter().map(without_ids).collect();
    let expr = match tree.expr {
        Expr::Call(c) => {
            let target = c.target.map(|t| Box::new(without_ids(*t)));
            Expr::Call(CallExpr { func_name: c.func_name, target, args: all(c.args) })
        }
        Expr::Select(mut s) => {
            s.operand = Box::new(without_ids(*s.operand));
            Expr::Select(s)
        }
        Expr::List(mut l) => {
            l.elements = all(l.elements);
            Expr::List(l)
        }
        other => other,
    };
    Tree { id: 0, expr }
}

/// Any values at all, and any field absent.
fn snapshots() -> impl Strategy<Value = Snapshot> {
    proptest::collection::vec((any::<u64>(), 0..4_u8), Field::COUNT).prop_map(|draws| {
        let mut seen = Snapshot::new();
        for (field, (bits, luck)) in Field::ALL.iter().copied().zip(draws) {
            let small = (bits % 21) as i64 - 10;
            let value = match (luck, field.kind()) {
                (0, _) => continue,
                (1, Kind::Number) => Value::number(f64::from_bits(bits)).unwrap_or(Value::number(0.0).unwrap()),
                (_, Kind::Number) => Value::number(small as f64 / 4.0).unwrap(),
                (1, Kind::Integer) => Value::Integer(bits as i64),
                (_, Kind::Integer) => Value::Integer(small),
                (_, Kind::Bool) => Value::Bool(bits & 1 == 1),
                (_, Kind::Text(words)) => Value::Text(words[bits as usize % words.len()]),
            };
            seen.set(field, value).unwrap();
        }
        seen
    })
}

/// Scraps of the language and its neighbourhood, parted by spaces.
const SCRAPS: &str = "( ) [ ] ! - . && || ? : , == < >= != in + * / % has( math.abs( int( a.exists(x, market.price \
     market.regime golem.tick golem.senescent market 1 2.5 0x 1e 5u 'volatile' \"stable\" ' \" b' r\" ''' // { } \n \
     _ \\ true null if \u{e9} \0";

fn scraps() -> impl Strategy<Value = String> {
    let scrap = proptest::sample::select(SCRAPS.split(' ').collect::<Vec<_>>());
    (proptest::collection::vec(scrap, 0..60), any::<bool>())
        .prop_map(|(scraps, spaced)| scraps.join(if spaced { " " } else { "" }))
}

/// Sums, products and functions of numeric fields and constants, with more brackets than they need.
fn sums() -> impl Strategy<Value = String> {
    let whole = prop_oneof![any::<i64>().prop_map(|n| n.to_string()), (-9..9_i64).prop_map(|n| n.to_string())];
    let float = any::<f64>().prop_filter("finite", |x| x.is_finite()).prop_map(|x| format!("{x:?}"));
    let numeric: Vec<_> = Field::ALL.iter().filter(|f| matches!(f.kind(), Kind::Number | Kind::Integer)).collect();
    let field = proptest::sample::select(numeric).prop_map(|f| f.name().to_owned());
    prop_oneof![2 => whole, 1 => float, 4 => field].prop_recursive(3, 8, 2, |inner| {
        let sign = proptest::sample::select(vec!["+", "-", "*", "/", "%"]);
        let call = proptest::sample::select(vec!["-", "double", "int", "math.abs", ""]);
        prop_oneof![
            2 => (inner.clone(), sign.clone(), inner.clone()).prop_map(|(a, s, b)| format!("({a}){s}({b})")),
            2 => (inner.clone(), sign, inner.clone()).prop_map(|(a, s, b)| format!("{a} {s} {b}")),
            2 => (call, inner.clone()).prop_map(|(f, a)| format!("{f}({a})")),
            1 => (inner.clone(), inner).prop_map(|(a, b)| format!("math.least({a}, {b})")),
        ]
    })
}

/// Texts that are expressions, or would be but for a division or remainder of the wrong kind.
fn expressions() -> impl Strategy<Value = String> {
    let sign = proptest::sample::select(vec!["==", "!=", "<", "<=", ">", ">="]);
    let has = proptest::sample::select(Field::ALL).prop_map(|f| format!("has({f})"));
    let word = proptest::sample::select(vec!["unknown", "volatile", "trending_up"]);
    let leaf = prop_oneof![
        6 => (sums(), sign, sums()).prop_map(|(a, s, b)| format!("{a} {s} {b}")),
        1 => (sums(), -5..5_i32, -5.0..5.0).prop_map(|(a, b, c)| format!("({a}) in [{b}, {c:?}]")),
        1 => word.clone().prop_map(|w| format!("market.regime != '{w}'")),
        1 => word.prop_map(|w| format!("market.regime in [\"{w}\", 'range_bound']")),
        1 => Just("golem.senescent".to_owned()),
        1 => Just("true".to_owned()),
        1 => has,
    ];
    leaf.prop_recursive(4, 12, 3, |inner| {
        let sign = proptest::sample::select(vec!["&&", "&&", "||", "==", "!="]);
        prop_oneof![
            3 => (inner.clone(), sign.clone(), inner.clone()).prop_map(|(a, s, b)| format!("({a}){s}({b})")),
            2 => (inner.clone(), "&&|[|][|]", inner.clone()).prop_map(|(a, s, b)| format!("{a} {s} {b}")),
            1 => inner.clone().prop_map(|a| format!("!({a})")),
            1 => (inner.clone(), inner.clone(), inner).prop_map(|(a, b, c)| format!("({a}) ? ({b}) : {c}")),
        ]
    })
}

/// A question with an answer worked out in Rust: none when it cannot be told.
#[derive(Debug, Clone)]
enum Question {
    Compare { field: Field, times: f64, sign: &'static str, bound: f64 },
    Whole { field: Field, sign: &'static str, bound: i64 },
    And(Box<Question>, Box<Question>),
    Or(Box<Question>, Box<Question>),
    Not(Box<Question>),
}

impl Question {
    fn text(&self) -> String {
        match self {
            Self::Compare { field, times, sign, bound } => format!("{field} * {times:?} {sign} {bound:?}"),
            Self::Whole { field, sign, bound } => format!("{field} {sign} {bound}"),
            Self::And(a, b) => format!("({} && {})", a.text(), b.text()),
            Self::Or(a, b) => format!("({} || {})", a.text(), b.text()),
            Self::Not(a) => format!("!({})", a.text()),
        }
    }
    fn answer(&self, seen: &Snapshot) -> Option<bool> {
        match self {
            Self::Compare { field, times, sign, bound } => {
                let x = seen.get(*field)?.as_f64()? * times;
                x.is_finite().then(|| compare(&x, sign, bound))
            }
            Self::Whole { field, sign, bound } => match seen.get(*field)? {
                Value::Integer(n) => Some(compare(&n, sign, bound)),
                other => Some(compare(&other.as_f64()?, sign, &(*bound as f64))),
            },
            Self::And(a, b) => match (a.answer(seen), b.answer(seen)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (a, b) => Some(a? && b?),
            },
            Self::Or(a, b) => match (a.answer(seen), b.answer(seen)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (a, b) => Some(a? || b?),
            },
            Self::Not(a) => a.answer(seen).map(|x| !x),
        }
    }
}

fn compare<T: PartialOrd>(a: &T, sign: &str, b: &T) -> bool {
    match sign {
        "<" => a < b,
        "<=" => a <= b,
        ">" => a > b,
        ">=" => a >= b,
        "==" => a == b,
        _ => a != b,
    }
}

fn questions() -> impl Strategy<Value = Question> {
    let numbers: Vec<Field> = Field::ALL.iter().copied().filter(|f| f.kind() == Kind::Number).collect();
    let numeric: Vec<Field> =
        Field::ALL.iter().copied().filter(|f| f.kind() == Kind::Integer).chain(numbers.clone()).collect();
    let signs = proptest::sample::select(vec!["<", "<=", ">", ">=", "==", "!="]);
    let float = || {
        prop_oneof![(-40..40_i64).prop_map(|n| n as f64 / 4.0), any::<f64>()].prop_filter("finite", |x| x.is_finite())
    };
    let whole = prop_oneof![-12..12_i64, any::<i64>()];
    let leaf = prop_oneof![
        (proptest::sample::select(numbers), float(), signs.clone(), float())
            .prop_map(|(field, times, sign, bound)| Question::Compare { field, times, sign, bound }),
        (proptest::sample::select(numeric), signs, whole).prop_map(|(field, sign, bound)| Question::Whole {
            field,
            sign,
            bound
        }),
    ];
    leaf.prop_recursive(4, 12, 2, |inner| {
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            pair.clone().prop_map(|(a, b)| Question::And(Box::new(a), Box::new(b))),
            pair.prop_map(|(a, b)| Question::Or(Box::new(a), Box::new(b))),
            inner.prop_map(|a| Question::Not(Box::new(a))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_000) })]

    #[test]
    fn any_text_is_compiled_or_refused(source in ".{0,300}", seen in snapshots()) {
        hold_to_the_laws(&source, &seen);
    }

    #[test]
    fn any_scraps_are_compiled_or_refused(source in scraps(), seen in snapshots()) {
        hold_to_the_laws(&source, &seen);
    }

    #[test]
    fn expressions_obey_the_laws(source in expressions(), seen in snapshots()) {
        hold_to_the_laws(&source, &seen);
    }

    #[test]
    fn questions_are_answered_as_in_rust(question in questions(), seen in snapshots()) {
        let source = question.text();
        prop_assume!(source.len() <= 600);
        let verdict = Expression::compile(&source).unwrap_or_else(|e| panic!("{source}: {e}")).evaluate(&seen);
        let answer = match verdict {
            Verdict::Holds => Some(true),
            Verdict::DoesNot => Some(false),
            Verdict::Unknown { .. } | Verdict::Failed { .. } => None,
        };
        prop_assert_eq!(answer, question.answer(&seen), "{} on {:?}", source, seen);
        hold_to_the_laws(&source, &seen);
    }
}
