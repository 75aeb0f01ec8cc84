//! Pictures made of cells: the golem that falls apart and comes together, the stone, and ash. Every cell is a function of a seed,
//! so that the same death looks the same again.

use ratatui::layout::Rect;

/// How long the scene before a stone lasts, and the one after a birth.
pub const SCENE_MS: u64 = 2_600;

/// The golem.
const FIGURE: [&str; 9] = [
    "   ▄███▄   ",
    "  ███████  ",
    "  █ ▀█▀ █  ",
    "  ███████  ",
    " ▄███████▄ ",
    "██ █████ ██",
    "██ █████ ██",
    "   ██ ██   ",
    "  ▄██ ██▄  ",
];

/// Stones, for little room and for much. Blanks in them are written on.
const SMALL_STONE: [&str; 8] = [
    "      ▄▄▄▄▄▄▄▄▄▄▄      ",
    "   ▄███████████████▄   ",
    " █████████████████████ ",
    " ██                 ██ ",
    " ██                 ██ ",
    " ██                 ██ ",
    " █████████████████████ ",
    "▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀",
];
const LARGE_STONE: [&str; 14] = [
    "          ▄▄▄▄▄▄▄▄▄▄▄▄▄          ",
    "      ▄███████████████████▄      ",
    "   ▄█████████████████████████▄   ",
    "  █████████████████████████████  ",
    "  █████████████ † █████████████  ",
    "  █████████████████████████████  ",
    "  ███                       ███  ",
    "  ███                       ███  ",
    "  ███                       ███  ",
    "  █████████████████████████████  ",
    "  █████████████████████████████  ",
    "  █████████████████████████████  ",
    "  █████████████████████████████  ",
    "▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀",
];
/// Of a hundred pixels of a stone so many are lost.
const DROPOUT: u64 = 5;
/// Of a hundred cells beside a bloodstain so many hold ash.
const ASH: u64 = 9;

/// A character somewhere, and how much light is on it, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LitCell {
    pub x: u16,
    pub y: u16,
    pub symbol: char,
    pub light: f64,
}

/// A number that looks like chance and is none.
pub fn mixed(seed: u64, n: u64) -> u64 {
    let mut z = seed ^ n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A golem that falls apart, from 0 (whole) to 1 (gone). Read backwards it comes together.
pub fn dispersal(progress: f64, area: Rect, seed: u64) -> Vec<LitCell> {
    let t = progress.clamp(0.0, 1.0);
    let left = i32::from(area.x) + (i32::from(area.width) - 11) / 2;
    let top = i32::from(area.y) + (i32::from(area.height) - 9) / 2;
    let mut cells = Vec::new();
    for (row, line) in FIGURE.iter().enumerate() {
        for (col, symbol) in line.chars().enumerate().filter(|(_, c)| *c != ' ') {
            let n = (row * 16 + col) as u64;
            let unit = |k: u64| (mixed(seed, n * 4 + k) % 1_000) as f64 / 1_000.0;
            // The upper parts go first, each at a time and a speed of its own; what goes, drifts up and aside.
            let begins = (1.0 - row as f64 / 9.0) * 0.2 + unit(0) * 0.35;
            let own = ((t - begins) / (1.0 - begins)).clamp(0.0, 1.0);
            let (dx, dy) = ((unit(1) - 0.5) * 44.0 * own * own, -(unit(2) * 16.0 + 2.0) * own * own);
            let (x, y) = (left + col as i32 + dx as i32, top + row as i32 + dy as i32);
            let inside = x >= i32::from(area.left())
                && x < i32::from(area.right())
                && y >= i32::from(area.top())
                && y < i32::from(area.bottom());
            let worn = match own {
                o if o <= 0.0 => symbol,
                o if o < 0.25 => '▓',
                o if o < 0.5 => '▒',
                o if o < 0.7 => '░',
                o if o < 0.9 => '·',
                _ => continue,
            };
            if inside {
                cells.push(LitCell { x: x as u16, y: y as u16, symbol: worn, light: 1.0 - own });
            }
        }
    }
    cells
}

/// How many rows a stone takes where there is so much room.
pub fn stone_height(rows: u16) -> u16 {
    if rows >= 36 { 14 } else { 8 }
}

/// A stone with what is written on it, in an area of at least [`stone_height`] rows: every second line is a scan line, and
/// some of its pixels are lost.
pub fn stone(area: Rect, written: [&str; 3], seed: u64) -> Vec<LitCell> {
    let picture: &[&str] = if area.height >= 14 { &LARGE_STONE } else { &SMALL_STONE };
    let (width, first) = if area.height >= 14 { (33, 6) } else { (23, 3) };
    let (left, middle) = (area.x + area.width.saturating_sub(width) / 2, width / 2);
    let mut cells = Vec::new();
    for (row, line) in picture.iter().enumerate().take(usize::from(area.height)) {
        let scan = row % 2 == 1;
        let y = area.y + row as u16;
        for (col, symbol) in line.chars().enumerate() {
            let x = left + col as u16;
            if symbol == ' ' || x >= area.right() {
                continue;
            }
            let lost = symbol == '█' && mixed(seed, (row * 64 + col) as u64) % 100 < DROPOUT;
            let symbol = match symbol {
                '█' if lost => ' ',
                '█' if scan => '▒',
                '█' => '▓',
                other => other,
            };
            cells.push(LitCell { x, y, symbol, light: if scan { 0.35 } else { 0.6 } });
        }
        let text = row.checked_sub(first).and_then(|n| written.get(n)).copied().unwrap_or("");
        let text: Vec<char> = text.chars().take(usize::from(width) - 8).collect();
        let from = left + middle.saturating_sub(text.len() as u16 / 2);
        for (n, symbol) in text.into_iter().enumerate() {
            let x = from + n as u16;
            if x < area.right() {
                cells.push(LitCell { x, y, symbol, light: 1.0 });
            }
        }
    }
    cells
}

/// What lies in a cell beside a bloodstain: ash, or nothing. It falls by a row with every beat.
pub fn ash(seed: u64, x: u16, y: u16, beat: u64) -> Option<char> {
    let fallen = u64::from(y).wrapping_sub(beat);
    let roll = mixed(seed, fallen.wrapping_mul(4_096).wrapping_add(u64::from(x)));
    (roll % 100 < ASH).then(|| ['.', '\'', ',', '·', '`'][(roll >> 8) as usize % 5])
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: Rect = Rect { x: 0, y: 0, width: 80, height: 24 };

    #[test]
    fn a_golem_falls_apart_and_is_gone() {
        let whole = dispersal(0.0, ROOM, 7);
        assert_eq!(whole.len(), FIGURE.iter().flat_map(|l| l.chars()).filter(|c| *c != ' ').count());
        let counts: Vec<usize> = (0..=10).map(|n| dispersal(f64::from(n) / 10.0, ROOM, 7).len()).collect();
        assert_eq!(counts.last(), Some(&0));
        assert!(counts.windows(2).all(|w| w[1] <= w[0]), "{counts:?}");
    }

    #[test]
    fn a_stone_has_scan_lines_and_lost_pixels_and_is_the_same_again() {
        let cells = stone(Rect { height: 8, ..ROOM }, ["alma", "born", "died"], 3);
        assert_eq!(cells, stone(Rect { height: 8, ..ROOM }, ["alma", "born", "died"], 3));
        for symbol in ['▓', '▒', ' ', 'a'] {
            assert!(cells.iter().any(|c| c.symbol == symbol), "{symbol:?}");
        }
        let other = stone(Rect { height: 8, ..ROOM }, ["alma", "born", "died"], 4);
        assert_ne!(cells, other, "another death loses other pixels");
    }

    #[test]
    fn ash_falls() {
        let at = |beat| (0..60).flat_map(|x| (0..8).map(move |y| ash(1, x, y, beat))).collect::<Vec<_>>();
        assert!(at(0).iter().flatten().count() > 10);
        for x in 0..60 {
            for y in 1..8 {
                assert_eq!(ash(1, x, y, 5), ash(1, x, y - 1, 4));
            }
        }
    }
}
