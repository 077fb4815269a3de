//! Slides: nothing lies over anything else, nothing leaves the page, nothing is left out silently.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may fail loudly")]

use planner::bounds::bounds;
use planner::{Buffer, Bytes, Lifetimes, Offset, Plan, Span, Step, profile};
use timeline::camera::Camera;
use timeline::labelling::Labelling;
use timeline::overlay::{Area, Item, Overlay};
use timeline::palette::{FILLS, PATTERNS, Theme};
use timeline::scene::{Fill, Scene};
use timeline::slide::{Content, Head, Meaning, Room, Slide, WIDE};
use timeline::svg::{self, Pictured};

const SAYS: &str = "At step 12 (block_3/depthwise) 448 B are empty: 240 B above the bound and \
    208 B that are not needed there. The largest hole lies under block_3/expand, which cannot lie \
    lower because block_2/project is live from step 9 to step 13.";
const IN_CHINESE: &str = "在第 12 步（block_3/depthwise）有 448 B 空闲：比下界多出的 240 B，以及该处不需要的 \
    208 B。最大的空洞位于 block_3/expand 之下。";

fn heads(count: usize, says: &str) -> Vec<Head> {
    let head = |index: usize| Head {
        name: format!("strategy_{index}"),
        figures: format!("Arena {index}.25 MiB · +12.5 % over the bound · valid"),
        says: says.to_owned(),
    };
    (0..count).map(head).collect()
}

fn meanings(count: usize) -> Vec<Meaning> {
    let meaning = |index: usize| Meaning {
        fill: Fill {
            color: u8::try_from(index % FILLS).unwrap(),
            pattern: u8::try_from(index % PATTERNS.len()).unwrap(),
        },
        text: format!("Operator{index} {index} · 3.2 MiB"),
    };
    (0..count).map(meaning).collect()
}

fn slide(heads: &[Head], legend: &[Meaning], columns: usize, room: Room) -> Slide {
    Slide::new(&Content {
        title: "A model with a rather long name: 352 MiB → 4.88 MiB, 72× less; no plan needs less",
        caption: "Each rectangle is a tensor: as long as it lives, as high as it is large",
        heads,
        legend,
        more: &|count| format!("{count} more"),
        columns,
        room,
        font: 16.0,
    })
}

/// The boxes of texts and swatches, and what each text says.
fn boxes(slide: &Slide) -> Vec<(Area, String)> {
    let items = slide.texts.iter().flat_map(|overlay| &overlay.items);
    let boxes = items.map(|item| match item {
        Item::Text(text) => (text.area, text.text.clone()),
        Item::Swatch(area, _) => (*area, String::new()),
        other => panic!("{other:?}"),
    });
    boxes.collect()
}

#[test]
fn nothing_overlaps_and_nothing_leaves_the_page() {
    let rooms = [
        Room::Whole(WIDE.0, WIDE.1),
        Room::Picture(640.0, 420.0),
        Room::Picture(1100.0, 300.0),
    ];
    for room in rooms {
        for count in 1..=8 {
            for (columns, says) in [(1, ""), (2, SAYS), (3, IN_CHINESE), (4, SAYS)] {
                // One below the other leaves eight no room on a slide.
                if matches!(room, Room::Whole(..)) && count > 3 * columns {
                    continue;
                }
                let slide = slide(&heads(count, says), &meanings(30), columns, room);
                let page = Area {
                    left: 0.0,
                    top: 0.0,
                    right: slide.size.0,
                    bottom: slide.size.1,
                };
                let texts = boxes(&slide);
                let pictures = slide
                    .pictures
                    .iter()
                    .map(|area| (*area, "picture".to_owned()));
                let all: Vec<(Area, String)> = texts.iter().cloned().chain(pictures).collect();
                assert_eq!(slide.pictures.len(), count);
                for (index, (area, what)) in all.iter().enumerate() {
                    assert_eq!(
                        area.within(&page),
                        *area,
                        "{what} leaves {room:?} {count} {columns}"
                    );
                    for (other, says) in &all[..index] {
                        assert!(
                            !area.overlaps(other),
                            "{what} over {says} {room:?} {count} {columns}"
                        );
                    }
                }
                if let Room::Picture(width, height) = room
                    && count % columns == 0
                {
                    let first = slide.pictures[0];
                    assert!((first.width() - width).abs() <= 1.0);
                    assert!((first.height() - height).abs() <= 1.0);
                }
            }
        }
    }
}

#[test]
fn two_plans_have_most_of_a_wide_slide() {
    let slide = slide(
        &heads(2, SAYS),
        &meanings(12),
        2,
        Room::Whole(WIDE.0, WIDE.1),
    );
    assert!(
        slide
            .pictures
            .iter()
            .all(|area| area.height() > 0.5 * WIDE.1)
    );
}

#[test]
fn what_the_legend_leaves_out_is_counted() {
    for count in [0, 1, 5, 17, 48] {
        let slide = slide(
            &heads(1, ""),
            &meanings(count),
            1,
            Room::Whole(WIDE.0, WIDE.1),
        );
        let texts = boxes(&slide);
        let named = texts
            .iter()
            .filter(|(_, text)| text.starts_with("Operator"));
        let left_out = texts
            .iter()
            .find_map(|(_, text)| text.strip_suffix(" more"));
        let left_out: usize = left_out.map_or(0, |count| count.parse().unwrap());
        assert_eq!(named.count() + left_out, count);
    }
}

#[test]
fn texts_are_broken_between_words_and_cut_with_an_ellipsis() {
    let letters = Labelling::USUAL;
    for text in [
        SAYS,
        IN_CHINESE,
        "one",
        "",
        "averyverylongwordwithoutanyspace in it",
    ] {
        for width in [40.0, 130.0, 900.0] {
            let lines = letters.wrapped(text, width, 100);
            assert!(
                lines.iter().all(|line| letters.width(line) <= width),
                "{lines:?}"
            );
            let without = |text: &str| text.replace(char::is_whitespace, "");
            assert_eq!(without(&lines.concat()), without(text));
            let short = letters.wrapped(text, width, 2);
            assert!(short.len() <= 2);
            assert!(
                short.iter().all(|line| letters.width(line) <= width),
                "{short:?}"
            );
            let is_cut = lines.len() > 2;
            assert_eq!(short.last().is_some_and(|line| line.ends_with('…')), is_cut);
        }
    }
    assert_eq!(
        letters.wrapped("as long as it lives", 55.0, 9),
        ["as long", "as it", "lives"]
    );
}

#[test]
fn a_slide_is_one_svg_with_a_picture_for_each_plan() {
    let lifetimes = Lifetimes {
        buffers: vec![Buffer::new("a", 64, Span::new(0, 4))],
        horizon: Step(4),
        ..Lifetimes::default()
    };
    let plan = Plan {
        offsets: vec![Offset(0)],
        arena: Bytes(64),
        ..Plan::default()
    };
    let proved = bounds(&lifetimes);
    let live = profile(&lifetimes);
    let fill = |_: usize| Fill {
        color: 3,
        pattern: 2,
    };
    let scene = Scene::new(&lifetimes, &plan, (&proved, &live), &fill);
    let slide = slide(
        &heads(2, SAYS),
        &meanings(3),
        2,
        Room::Whole(WIDE.0, WIDE.1),
    );
    let cameras = slide
        .pictures
        .iter()
        .map(|area| Camera::fitted(scene.extents, area.width(), area.height(), Labelling::BARE));
    let cameras: Vec<Camera> = cameras.collect();
    let over = Overlay::default();
    let pictured = |camera| Pictured {
        scene: &scene,
        camera,
        overlay: &over,
        dim: Some(&[true]),
    };
    let pictures: Vec<Pictured<'_>> = cameras.iter().map(pictured).collect();
    let text = svg::write(&slide, &pictures, &Theme::light(), "t");
    let document = roxmltree::Document::parse(&text).unwrap();
    let nodes = || document.descendants();
    assert_eq!(nodes().filter(|it| it.has_tag_name("svg")).count(), 3);
    let fills: Vec<&str> = nodes()
        .filter(|it| it.attribute("data-buffer").is_some())
        .filter_map(|it| it.attribute("fill"))
        .collect();
    // Dimmed, with its pattern; each pattern is there to be referred to.
    assert_eq!(fills, ["url(#p3-2d)"; 2]);
    assert!(nodes().any(|it| it.attribute("id") == Some("p3-2d")));
    let written: String = nodes().filter_map(|it| it.text()).collect();
    for says in ["72× less", "strategy_1", "Operator2", "Each rectangle"] {
        assert!(written.contains(says), "{says}");
    }
}
