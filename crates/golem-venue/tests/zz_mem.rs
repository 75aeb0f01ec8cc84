//! scratch
use golem_core::{Dice, Strand, Usdc, Point};
use golem_venue::{GenesisConfig, Header, PaperVenue, Trade, Venue, spot};
fn rss() -> usize { std::fs::read_to_string("/proc/self/statm").unwrap().split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096 }
#[test]
fn mem() {
    let price = spot::sqrt_price_of(3_000.0, true);
    let mut venue = PaperVenue::genesis(&GenesisConfig::deep(true, price, Usdc::whole(2_000_000), 1_700_000_000, 10_000_000)).unwrap();
    let dice = Dice::open(5, Strand::World);
    let mut price = 3000.0;
    let r0 = rss();
    let t = std::time::Instant::now();
    for n in 0..200_000u64 {
        price *= libm::exp(0.0007 * dice.draws(n).normals().0);
        venue.begin_block(Header { timestamp: 1_700_000_000 + 12 * n, base_fee: 10_000_000 + u128::from(n)*1000 }).unwrap();
        venue.trade(&Trade::ToPrice { sqrt_price_x96: spot::sqrt_price_of(price, true) }).unwrap();
    }
    println!("grown {} history {} in {:?}", rss() - r0, venue.history_bytes(), t.elapsed());
    let mut worst = std::time::Duration::ZERO; let mut sum = worst;
    for k in 0..1000u64 { let t = std::time::Instant::now(); let v = venue.fork(Point{block: 2 + k * 199, index: 1}).unwrap(); let e = t.elapsed(); worst = worst.max(e); sum += e; drop(v); }
    println!("fork worst {worst:?} mean {:?}", sum / 1000);
}
