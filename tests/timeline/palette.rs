//! Colours that can be seen, read and distinguished.

use timeline::operator_fills::operator_fills;
use timeline::palette::{
    CATEGORIES, FILLS, NEUTRAL, RAMP, RAMP_START, Rgb, Theme, assigned, class, contrast, neutral,
};

type Matrix = [[f64; 3]; 3];

/// How colours look, on linear RGB: normally, then with protanopia, deuteranopia and
/// tritanopia. Machado, Oliveira and Fernandes 2009, table 1, severity 1.
const VIEWS: [Matrix; 4] = [
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
];

/// From linear RGB to cone responses, and from their cube roots to OKLab: Ottosson 2020.
const CONES: Matrix = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
];
const OKLAB: Matrix = [
    [0.2104542553, 0.7936177850, -0.0040720468],
    [1.9779984951, -2.4285922050, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.8086757660],
];

fn times(matrix: &Matrix, vector: [f64; 3]) -> [f64; 3] {
    matrix.map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum())
}

fn oklab(color: Rgb, view: &Matrix) -> [f64; 3] {
    let linear = color.map(|channel| {
        let value = f64::from(channel) / 255.0;
        if value <= 0.04045 {
            value / 12.92
        } else {
            ((value + 0.055) / 1.055).powf(2.4)
        }
    });
    times(&OKLAB, times(&CONES, times(view, linear)).map(f64::cbrt))
}

/// In OKLab 0.02 is about the least difference seen side by side; six times that can be seen
/// apart across a picture.
#[test]
fn categories_can_be_told_apart_in_every_kind_of_colour_vision() {
    for theme in [Theme::light(), Theme::dark()] {
        for view in &VIEWS {
            for first in 0..CATEGORIES {
                for second in 0..first {
                    let a = oklab(theme.fill(first), view);
                    let b = oklab(theme.fill(second), view);
                    let squares = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b));
                    let distance = squares.sum::<f64>().sqrt();
                    assert!(distance >= 0.12, "{first} {second}: {distance}");
                }
            }
        }
    }
}

/// WCAG 2.2, 1.4.11: 3 to 1 for graphics; 1.4.3: 4.5 to 1 for text.
#[test]
fn colours_stand_out_from_the_background() {
    for theme in [Theme::light(), Theme::dark()] {
        for fill in theme.fills {
            let ratio = contrast(fill, theme.background);
            assert!(ratio >= 3.0, "{fill:?} {ratio}");
        }
        for graphic in [theme.curve, theme.selected, theme.hovered] {
            assert!(contrast(graphic, theme.background) >= 3.0);
        }
        for text in [theme.text, theme.bound, theme.arena] {
            assert!(contrast(text, theme.background) >= 4.5);
        }
        for color in (0_u8..).take(FILLS) {
            assert!(
                contrast(theme.label(color), theme.fill(color)) >= 4.5,
                "{color}"
            );
        }
        let ramp: Vec<f64> = (RAMP_START..32)
            .map(|color| contrast(theme.fill(color), theme.background))
            .collect();
        assert!(
            ramp.is_sorted(),
            "more is farther from the background: {ramp:?}"
        );
    }
    const { assert!(CATEGORIES >= 8) };
}

/// 0.05 is two and a half times what is seen side by side; the grey also has a pattern.
#[test]
fn the_neutral_grey_is_no_category() {
    for theme in [Theme::light(), Theme::dark()] {
        for view in &VIEWS {
            for category in 0..CATEGORIES {
                let a = oklab(theme.fill(NEUTRAL), view);
                let b = oklab(theme.fill(category), view);
                let squares = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b));
                let distance = squares.sum::<f64>().sqrt();
                assert!(distance >= 0.05, "{category}: {distance}");
            }
        }
        let [r, g, b] = theme.fill(NEUTRAL);
        assert!(r.abs_diff(g).max(g.abs_diff(b)) <= 10, "it is grey");
    }
    assert_ne!(neutral(1).pattern, 0);
}

/// The same colour has the same hue in both themes: within 18 degrees of OKLCh, and no nearer to
/// another's lightness than needs be.
#[test]
fn themes_share_their_hues() {
    let (light, dark) = (Theme::light(), Theme::dark());
    for color in 0..CATEGORIES {
        let [a, b] = [light, dark].map(|theme| oklab(theme.fill(color), &VIEWS[0]));
        let hue = |lab: [f64; 3]| lab[2].atan2(lab[1]).to_degrees();
        let apart = (hue(a) - hue(b) + 540.0).rem_euclid(360.0) - 180.0;
        assert!(apart.abs() <= 18.5, "{color}: {apart}");
        assert!((a[0] - b[0]).abs() <= 0.31, "{color}");
    }
}

/// A type has one fill, whatever else is in the file: what is compared side by side is the same.
#[test]
fn operator_types_have_one_fill_everywhere() {
    let known = [
        "Conv",
        "Relu",
        "Add",
        "MatMul",
        "Mul",
        "Transpose",
        "MaxPool",
        "Softmax",
    ];
    let fills = operator_fills(&known);
    for (index, name) in known.iter().enumerate() {
        assert_eq!(operator_fills(&[name])[0], fills[index], "{name}");
        assert!(!fills[..index].contains(&fills[index]), "{name}");
    }
    let mut turned = known;
    turned.reverse();
    assert!(operator_fills(&turned).iter().rev().eq(&fills));
    // The usual ones are plain, and the same in the words of both formats.
    assert!(fills[..7].iter().all(|fill| fill.pattern == 0));
    let pairs = [
        ("Conv", "CONV_2D"),
        ("Gemm", "FULLY_CONNECTED"),
        ("Concat", "CONCATENATION"),
        ("Sigmoid", "LOGISTIC"),
        ("MaxPool", "MAX_POOL_2D"),
    ];
    for (onnx, tflite) in pairs {
        assert_eq!(operator_fills(&[onnx]), operator_fills(&[tflite]), "{onnx}");
    }
    // Types that nobody listed are told from each other and from all that are listed.
    let strange: Vec<String> = (0..16).map(|index| format!("Strange{index}")).collect();
    let mut all: Vec<&str> = strange.iter().map(String::as_str).collect();
    all.extend(known);
    let fills = operator_fills(&all);
    for (index, fill) in fills.iter().enumerate() {
        assert!(!fills[..index].contains(fill), "{}", all[index]);
    }
    // Beyond those there are too many for their patterns, and nothing fails.
    let many: Vec<String> = (0..200).map(|index| format!("Strange{index}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(operator_fills(&many).len(), 200);
}

#[test]
fn names_keep_their_colours() {
    let names = [
        "Conv", "Relu", "Add", "MaxPool", "Gemm", "Concat", "Softmax", "Mul", "Pad", "Exp",
    ];
    let fills = assigned(&names);
    // All differ; the first eight are plain.
    for (index, fill) in fills.iter().enumerate() {
        assert!(!fills[..index].contains(fill), "{}", names[index]);
        assert_eq!(fill.pattern == 0, index < usize::from(CATEGORIES));
    }
    // The rank within the first eight says nothing.
    let mut turned = names;
    turned[..8].reverse();
    let other = assigned(&turned);
    for index in 0..8 {
        assert_eq!(other[7 - index], fills[index], "{}", names[index]);
    }
    // Alone, a name gets the colour that it wishes for, in every file.
    let alone = |name| assigned(&[name])[0];
    assert_eq!(alone("Conv"), alone("Conv"));
    let all: Vec<_> = names.into_iter().map(alone).collect();
    assert!(
        all.iter().any(|fill| *fill != all[0]),
        "not all wish for one"
    );
    assert!(assigned(&[]).is_empty());
}

#[test]
fn classes_go_from_one_end_of_the_ramp_to_the_other() {
    let colors = |count: usize| (0..count).map(move |index| class(index, count).color);
    for count in 2..=usize::from(RAMP) {
        let colors: Vec<u8> = colors(count).collect();
        assert_eq!(
            (colors[0], colors[count - 1]),
            (RAMP_START, RAMP_START + RAMP - 1)
        );
        assert!(
            colors.windows(2).all(|pair| pair[0] < pair[1]),
            "{colors:?}"
        );
    }
}
