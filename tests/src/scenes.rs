//! Scenes to draw: arbitrary ones from a seed, an arena of 60 GiB, and a small one with what is
//! laid over it.

use planner::{Buffer, Bytes, Lifetimes, Pause, Span};
use timeline::camera::Insets;
use timeline::camera::{Camera, Range};
use timeline::labelling::Labelling;
use timeline::overlay::{Area, Ink, Item};

/// The room for the usual rulers.
pub const INSETS: Insets = Labelling::USUAL.insets();
use timeline::palette::categorical;
use timeline::scene::{Lines, Rect, Scene};

use crate::random::Random;

/// Bytes in the middle of [`huge_arena`].
pub const HUGE: f64 = 60.0 * 1024.0 * 1024.0 * 1024.0;

/// `count` rectangles in order of first step, a few without length or size.
#[must_use]
pub fn arbitrary_rects(count: usize, seed: u64) -> Vec<Rect> {
    let mut random = Random::new(seed);
    let rect = |index: usize| {
        let x0 = index as f64;
        let y0 = random.below(1 << 24) as f64 * 64.0;
        let longest = if index.is_multiple_of(50) {
            count as u64 / 4
        } else {
            24
        };
        let length = random.below(longest + 1) as f64;
        let size = random.below(1 << (2 + index % 20)) as f64 * 64.0;
        Rect {
            x0,
            x1: x0 + length,
            y0,
            y1: y0 + size,
        }
    };
    (0..count).map(rect).collect()
}

/// A scene of [`arbitrary_rects`], in colours and patterns by turns.
#[must_use]
pub fn arbitrary(count: usize, seed: u64) -> Scene {
    let rects = arbitrary_rects(count, seed);
    Scene::from_rects(&rects, &categorical, Lines::default())
}

/// Like [`arbitrary`], but every fifth buffer, from the third on, needs nothing in the second
/// quarter of its span and half of its bytes in the third.
#[must_use]
pub fn paused(count: usize, seed: u64) -> Scene {
    let rects = arbitrary_rects(count, seed);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the rectangles lie on whole steps and bytes from 0 up"
    )]
    let whole = |value: f64| value as u64;
    let buffer = |(index, rect): (usize, &Rect)| {
        let (start, end) = (whole(rect.x0), whole(rect.x1));
        let size = whole(rect.y1 - rect.y0);
        let mut buffer = Buffer::new("", size, Span::new(start, end));
        let quarter = (end - start) / 4;
        if index % 5 == 2 && quarter > 0 {
            let pause = |from: u64, window| Pause {
                span: Span::new(start + from * quarter, start + (from + 1) * quarter),
                window,
            };
            let half = (Bytes(size / 4), Bytes(size / 4 + size / 2));
            buffer.pauses = vec![pause(1, None), pause(2, Some(half))];
        }
        buffer
    };
    let lifetimes = Lifetimes {
        buffers: rects.iter().enumerate().map(buffer).collect(),
        ..Lifetimes::default()
    };
    Scene::from_rects(&rects, &categorical, Lines::default()).with_parts(&lifetimes)
}

/// Blocks of 64 KiB and of one byte, around an offset of 60 GiB.
#[must_use]
pub fn huge_arena() -> Scene {
    let block = 65_536.0;
    let rect = |x0: f64, y0: f64, size: f64| Rect {
        x0,
        x1: x0 + 4.0,
        y0,
        y1: y0 + size,
    };
    let rects = [
        rect(0.0, HUGE, block),
        rect(0.0, HUGE + block, 1.0),
        rect(4.0, HUGE - block, block),
        rect(4.0, HUGE + 1.0, block),
        rect(8.0, HUGE, 1.0),
        rect(9.0, 0.0, HUGE),
    ];
    let lines = Lines {
        arena: 2.0 * HUGE,
        ..Lines::default()
    };
    Scene::from_rects(&rects, &categorical, lines)
}

/// Two rectangles, of 2 steps × 100 bytes and of 3 × 50.
#[must_use]
pub fn two_rects() -> Scene {
    let rect = |x0, x1, y0, y1| Rect { x0, x1, y0, y1 };
    let rects = [rect(0.0, 2.0, 0.0, 100.0), rect(1.0, 4.0, 100.0, 150.0)];
    Scene::from_rects(&rects, &categorical, Lines::default())
}

/// Sees [`two_rects`]: ten pixels a step and one a byte, with room for both rulers, which
/// leaves 100 × 200 pixels.
#[must_use]
pub fn near_camera() -> Camera {
    Camera {
        x: Range::new(-INSETS.left / 10.0, 10.0),
        y: Range::new(-INSETS.bottom, 200.0),
        width: INSETS.left + 100.0,
        height: INSETS.bottom + 200.0,
        labelling: Labelling::USUAL,
    }
}

/// The outlines of one ink.
#[must_use]
pub fn outlines(items: &[Item], wanted: Ink) -> Vec<Area> {
    let outline = |item: &Item| match item {
        Item::Outline(area, ink) if *ink == wanted => Some(*area),
        _ => None,
    };
    items.iter().filter_map(outline).collect()
}
