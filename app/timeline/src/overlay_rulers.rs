//! The rulers of bytes and steps.

use crate::axis::{byte_ticks, step_ticks};
use crate::camera::{Camera, Range};
use crate::overlay::{
    Area, FONT, Ink, Item, Taken, Words, boxed, line, push_text, shortened, text_width, whole_step,
};

/// Both rulers; their grid goes into `items` at once, under everything else.
pub(crate) fn rulers(
    camera: &Camera,
    words: &Words<'_>,
    plot: &Area,
    taken: &mut Taken,
    items: &mut Vec<Item>,
) -> Vec<Item> {
    let mut rulers = vec![
        Item::Band(Area {
            left: 0.0,
            right: plot.left,
            top: 0.0,
            bottom: camera.height,
        }),
        Item::Band(Area {
            top: plot.bottom,
            bottom: camera.height,
            ..*plot
        }),
    ];
    for tick in byte_ticks(camera.y, camera.height, 44.0, words.bytes) {
        let (_, y) = camera.screen_from_data(0.0, tick.at);
        if y < FONT || y > plot.bottom + 1.0 {
            continue;
        }
        items.push(line(&[(plot.left, y), (plot.right, y)], Ink::Grid, false));
        rulers.push(line(
            &[(plot.left - 5.0, y), (plot.left, y)],
            Ink::Text,
            false,
        ));
        let room = plot.left - 10.0;
        let width = text_width(&tick.label).min(room);
        let area = boxed(plot.left - 8.0 - width, y, width);
        push_text(&mut rulers, taken, tick.label, area, Ink::Text, false);
    }
    let gap = 72.0;
    let seen = Range::new(camera.x.start.max(0.0), camera.x.end.max(0.0));
    let pixels = seen.len() * camera.pixels_per_step();
    let ticks = step_ticks(seen, pixels, gap);
    let spacing = match ticks.as_slice() {
        [first, second, ..] => (second.at - first.at) * camera.pixels_per_step(),
        _ => plot.width(),
    };
    for tick in ticks {
        let (x, _) = camera.screen_from_data(tick.at, 0.0);
        if x < plot.left || x > plot.right {
            continue;
        }
        items.push(line(&[(x, plot.top), (x, plot.bottom)], Ink::Grid, false));
        rulers.push(line(
            &[(x, plot.bottom), (x, plot.bottom + 5.0)],
            Ink::Text,
            false,
        ));
        let room = (spacing - 8.0).min(plot.right - x - 4.0);
        let name = (words.step)(whole_step(tick.at));
        let number = Some(tick.label).filter(|label| text_width(label) <= room);
        let name = name.and_then(|name| shortened(&name, room));
        for (text, below) in [(number, 10.0), (name, 25.0)] {
            let Some(text) = text else { continue };
            let area = boxed(x + 4.0, plot.bottom + below, text_width(&text));
            push_text(&mut rulers, taken, text, area, Ink::Text, false);
        }
    }
    rulers
}
