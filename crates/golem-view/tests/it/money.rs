//! Money reads as people write it.

use golem_core::intent::Asset;
use golem_core::{Usdc, UsdcDelta};
use golem_view::money;

#[test]
fn as_many_digits_as_are_read() {
    for (micro, words) in [
        (0, "0.00"),
        (1, "0.000001"),
        (12_345, "0.0123"),
        (300_000, "0.30"),
        (999_999, "1.00"),
        (694_901, "0.695"),
        (30_000, "0.03"),
        (1_000_000, "1.00"),
        (12_345_678, "12.35"),
        (1_234_567_890_000, "1,234,567.89"),
    ] {
        assert_eq!(money::usdc(Usdc(micro)), words, "{micro}");
    }
    assert_eq!(money::signed(UsdcDelta(-12_345_678)), "-12.35");
    assert_eq!(money::signed(UsdcDelta(0)), "0.00");
    assert_eq!(money::exact(UsdcDelta(-12_345_678)), "-12.345678");
    for (wei, words) in [
        (0, "0"),
        (1, "under 0.00000001"),
        (12_345_678_901, "0.00000001235"),
        (1_234_567_800_000_000, "0.001235"),
        (10_699_979_636_121_214, "0.01070"),
        (500_000_000_000_000_000, "0.5000"),
        (1_234_567_890_000_000_000, "1.2346"),
    ] {
        assert_eq!(money::eth(Asset(wei)), words, "{wei}");
    }
}
