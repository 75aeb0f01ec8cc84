//! Nodes that are slow, broken, stale, lying or on another chain: what is asked still ends on time, and nothing is
//! believed that should not be.

use crate::kit::{Anvil, Behave, Proxy, anvil};
use alloy_primitives::U256;
use golem_chain::rpc::{Node, NodeAsk, RpcConfig};
use golem_venue::VenueError;
use serde_json::{Value, json};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Settings that suit a machine of our own: short patience, and heads that are as old as the test's script makes them.
pub fn config(urls: Vec<String>) -> RpcConfig {
    RpcConfig {
        urls,
        chain_id: 31_337,
        max_age_s: 3_600,
        request_timeout_ms: 800,
        turn_budget_ms: 10_000,
        max_answer_bytes: 1 << 20,
        confirmations: 0,
        poll_ms: 10,
        ..RpcConfig::default()
    }
}

/// The machine's clock, in seconds.
pub fn wall() -> u64 {
    wall_ms() / 1_000
}

/// The machine's clock, in milliseconds.
pub fn wall_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    u64::try_from(since.as_millis()).expect("before the end of time")
}

pub fn node(config: &RpcConfig) -> Node {
    // Half of every pause: the same each time.
    Node::new(config, Box::new(|| 0.5), Box::new(wall_ms)).expect("a node")
}

fn balance(who: &str) -> NodeAsk {
    NodeAsk::new("eth_getBalance", json!([who, "latest"]))
}

const WHO: &str = "0x00000000000000000000000000000000000000aa";

/// So many nodes with the same history, each behind a proxy.
fn group(count: usize) -> (Vec<Anvil>, Vec<Proxy>, RpcConfig) {
    // The same first moment, so that the chains are the same, block by block.
    let genesis = wall().to_string();
    let nodes: Vec<Anvil> = (0..count).map(|_| Anvil::with(&["--timestamp", &genesis])).collect();
    for node in &nodes {
        node.call("anvil_setBlockTimestampInterval", json!([1]));
        node.call("anvil_setBalance", json!([WHO, "0x64"]));
        node.mine(3);
    }
    let proxies: Vec<Proxy> = nodes.iter().map(|n| Proxy::before(&n.address)).collect();
    let config = config(proxies.iter().map(Proxy::url).collect());
    (nodes, proxies, config)
}

fn holds<T: std::fmt::Debug>(answer: Result<T, VenueError>, word: &str) {
    match answer {
        Err(VenueError::Unreachable(why)) => assert!(why.contains(word), "{why:?} has no {word:?}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn one_bad_node_of_three_changes_no_answer_and_takes_no_time() {
    if anvil::is_missing() {
        return;
    }
    let (_nodes, proxies, config) = group(3);
    type Bad = fn() -> Behave;
    let bad: [(&str, Bad); 9] = [
        ("429", || Behave::Status(429)),
        ("500", || Behave::Status(500)),
        ("503", || Behave::Status(503)),
        ("hang", || Behave::Hang),
        ("slow-loris", || Behave::Drip),
        ("huge", || Behave::Huge),
        ("garbage", || Behave::Garbage("<html>")),
        ("half", || Behave::Garbage("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":")),
        ("cut", || Behave::Cut),
    ];
    for (name, how) in bad {
        for worst in 0..3 {
            proxies.iter().for_each(Proxy::reform);
            proxies[worst].behave(move |_, _| how());
            let node = node(&config);
            let start = Instant::now();
            assert_eq!(node.head().map(|h| h.number), Ok(3), "{name} at {worst}");
            assert_eq!(node.agreed_one::<U256>(balance(WHO)), Ok(U256::from(100)), "{name} at {worst}");
            assert!(start.elapsed() < Duration::from_millis(5_000), "{name} at {worst}: {:?}", start.elapsed());
        }
    }
}

#[test]
fn a_turn_ends_on_time_when_nobody_answers() {
    if anvil::is_missing() {
        return;
    }
    let (_nodes, proxies, mut config) = group(2);
    config.turn_budget_ms = 1_000;
    config.retries = 20;
    type Bad = fn() -> Behave;
    let bad: [Bad; 5] =
        [|| Behave::Hang, || Behave::Drip, || Behave::Status(429), || Behave::Status(502), || Behave::Cut];
    for how in bad {
        proxies.iter().for_each(|p| p.behave(move |_, _| how()));
        let node = node(&config);
        let start = Instant::now();
        assert!(matches!(node.agreed_one::<U256>(balance(WHO)), Err(VenueError::Unreachable(_))));
        let quick = node.first(&[balance(WHO)], &|_, answer| answer);
        assert!(matches!(quick, Err(VenueError::Unreachable(_))));
        assert!(start.elapsed() < Duration::from_millis(1_300), "{:?}", start.elapsed());
        assert!(matches!(node.head(), Err(VenueError::Unreachable(_))), "the rest of the turn has no time either");
        assert!(start.elapsed() < Duration::from_millis(1_400), "{:?}", start.elapsed());
    }
}

#[test]
fn a_node_that_comes_back_is_heard_after_a_retry_and_a_bad_one_is_left_alone() {
    if anvil::is_missing() {
        return;
    }
    let (_nodes, proxies, mut config) = group(1);
    let mut left = 2;
    proxies[0].behave(move |_, _| {
        left -= 1;
        if left >= 0 { Behave::Status(503) } else { Behave::Pass }
    });
    assert_eq!(node(&config).agreed_one::<U256>(balance(WHO)), Ok(U256::from(100)));

    // Three failures, and it rests: further questions do not reach it.
    config.retries = 2;
    proxies[0].behave(|_, _| Behave::Status(500));
    let node = node(&config);
    assert!(node.agreed_one::<U256>(balance(WHO)).is_err());
    let before = proxies[0].asked();
    assert!(node.agreed_one::<U256>(balance(WHO)).is_err());
    assert_eq!(proxies[0].asked(), before);
}

#[test]
fn what_has_no_value_is_asked_of_the_next_when_one_fails() {
    if anvil::is_missing() {
        return;
    }
    let (_nodes, proxies, config) = group(2);
    proxies[0].behave(|_, _| Behave::Status(500));
    let said = node(&config).first(&[balance(WHO)], &|_, answer| answer);
    assert_eq!(said, Ok(vec![json!("0x64")]));
}

#[test]
fn an_address_with_https_is_spoken_to_with_tls() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("https://{}", listener.local_addr().expect("an address"));
    let mut config = config(vec![url]);
    (config.retries, config.turn_budget_ms) = (0, 2_000);
    let heard = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a caller");
        let mut first = [0; 2];
        std::io::Read::read_exact(&mut stream, &mut first).expect("two bytes");
        first
    });
    holds(node(&config).agreed_one::<U256>(balance(WHO)), "node 1 (https://127.0.0.1");
    assert_eq!(heard.join().expect("what was heard"), [0x16, 0x03], "the beginning of a handshake");
}

#[test]
fn a_lie_about_value_is_outvoted_by_three_and_holds_two() {
    if anvil::is_missing() {
        return;
    }
    let (_nodes, proxies, config) = group(3);
    let lie = |method: &str, _: &Value| match method {
        "eth_getBalance" => Behave::Answer(json!("0xffffff")),
        _ => Behave::Pass,
    };
    for liar in 0..3 {
        proxies.iter().for_each(Proxy::reform);
        proxies[liar].behave(lie);
        assert_eq!(node(&config).agreed_one::<U256>(balance(WHO)), Ok(U256::from(100)));
    }
    proxies.iter().for_each(Proxy::reform);
    proxies[0].behave(lie);
    let two = RpcConfig { urls: config.urls[..2].to_vec(), ..config.clone() };
    holds(node(&two).agreed_one::<U256>(balance(WHO)), "disagree");
    // Two different lies leave nobody to believe.
    proxies[1].behave(|method, _| if method == "eth_getBalance" { Behave::Answer(json!("0x1")) } else { Behave::Pass });
    holds(node(&config).agreed_one::<U256>(balance(WHO)), "disagree");
    // A liar and a dead one: one honest answer is not enough.
    proxies[1].behave(|_, _| Behave::Cut);
    assert!(matches!(node(&config).agreed_one::<U256>(balance(WHO)), Err(VenueError::Unreachable(_))));
}

#[test]
fn a_lagging_node_is_left_out_and_two_that_are_apart_hold() {
    if anvil::is_missing() {
        return;
    }
    let (nodes, proxies, config) = group(3);
    nodes[1].mine(50);
    nodes[2].mine(50);
    assert_eq!(node(&config).head().map(|h| h.number), Ok(53));
    let fresh = node(&config);
    fresh.head().expect("a head");
    let before = proxies[0].asked();
    fresh.agreed_one::<U256>(balance(WHO)).expect("an answer of the other two");
    assert_eq!(proxies[0].asked(), before, "the lagging one is not asked about value");

    let two = RpcConfig { urls: config.urls[..2].to_vec(), ..config.clone() };
    holds(node(&two).head(), "too far");
    // Within the bound, the common block is what both have.
    nodes[0].mine(48);
    assert_eq!(node(&two).head().map(|h| h.number), Ok(51));
}

#[test]
fn a_head_that_is_old_by_the_clock_holds() {
    if anvil::is_missing() {
        return;
    }
    let (_nodes, proxies, mut config) = group(2);
    config.max_age_s = 600;
    let late: Node = Node::new(&config, Box::new(|| 0.5), Box::new(|| (wall() + 1_200) * 1_000)).expect("a node");
    holds(late.head(), "stale");
    // A node that serves one old head for ever.
    let frozen = node(&config).head().expect("a head");
    assert_eq!(frozen.number, 3);
    proxies[0].behave(|method, _| match method {
        "eth_getBlockByNumber" => Behave::Change(Box::new(|block| block["timestamp"] = json!("0x1"))),
        _ => Behave::Pass,
    });
    holds(node(&config).head(), "stale");
}

#[test]
fn another_chain_is_refused_and_one_stray_of_three_is_left_out() {
    if anvil::is_missing() {
        return;
    }
    let (nodes, proxies, mut config) = group(3);
    config.chain_id = 31_337;
    proxies[2].behave(|method, _| if method == "eth_chainId" { Behave::Answer(json!("0x1")) } else { Behave::Pass });
    assert_eq!(node(&config).head().map(|h| h.number), Ok(3));
    proxies[1].behave(|method, _| if method == "eth_chainId" { Behave::Answer(json!("0x1")) } else { Behave::Pass });
    assert!(matches!(node(&config).head(), Err(VenueError::Changed(_))));

    // Taken at first contact, held from then on: the node's id really changes.
    let alone = RpcConfig { urls: vec![nodes[0].url()], chain_id: 0, ..config };
    let node = node(&alone);
    assert_eq!(node.chain_id(), Ok(31_337));
    nodes[0].call("anvil_setChainId", json!([5]));
    node.begin_turn();
    assert!(matches!(node.head(), Err(VenueError::Changed(_))));
}
