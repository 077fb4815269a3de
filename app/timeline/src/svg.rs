//! Writes a picture as one SVG file that needs nothing else: for papers and slides.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::camera::Camera;
use crate::labelling::FONT_FAMILY;
use crate::overlay::{Area, Item, Overlay, Text, WASH};
use crate::palette::{FILLS, PATTERNS, Rgb, Theme};
use crate::scene::Scene;
use crate::snap::{Cell, Snap};

/// The picture that `camera` sees, one `<rect data-buffer="i">` for each visible rectangle,
/// on the pixels that the renderers would paint. What is out of sight is left out.
#[must_use]
pub fn write(
    scene: &Scene,
    camera: &Camera,
    theme: &Theme,
    overlay: &Overlay,
    title: &str,
) -> String {
    let snap = Snap::new(camera, 1.0);
    let mut svg = String::new();
    let (width, height) = (snap.columns, snap.rows);
    let (title, font) = (escaped(title), overlay.font);
    // Writing to a string cannot fail, here and below.
    let _ = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"{FONT_FAMILY}\" \
         font-size=\"{font}\">\n<title>{title}</title>\n"
    );
    let mut body = String::new();
    let mut patterns = BTreeSet::new();
    snap.for_each_cell(scene, |index, cell| {
        rectangle(&mut body, &mut patterns, scene, theme, &snap, index, &cell);
    });
    definitions(&mut svg, &patterns, theme);
    let background = hex(theme.background);
    let _ = writeln!(
        svg,
        "<path fill=\"{background}\" d=\"M0 0H{width}V{height}H0z\"/>"
    );
    for item in &overlay.under {
        over(&mut svg, item, theme);
    }
    svg.push_str(&body);
    for item in &overlay.items {
        over(&mut svg, item, theme);
    }
    svg.push_str("</svg>\n");
    svg
}

/// Text made safe inside elements and attributes; characters that XML forbids are left out.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\u{fffe}' | '\u{ffff}' => {}
            _ if letter.is_control() && !matches!(letter, '\t' | '\n' | '\r') => {}
            _ => safe.push(letter),
        }
    }
    safe
}

/// A fill, a pattern, and whether it is a pause.
type Tile = (usize, usize, bool);

fn tile_name((color, pattern, pause): Tile) -> String {
    let pause = if pause { "g" } else { "" };
    format!("p{color}-{pattern}{pause}")
}

/// Fill and ink of a colour.
fn colors(theme: &Theme, color: u8, pause: bool) -> (String, String) {
    let fill = theme.fill(color);
    if pause {
        (hex(theme.dimmed(fill)), hex(fill))
    } else {
        (hex(fill), hex(theme.ink(color)))
    }
}

fn rectangle(
    svg: &mut String,
    patterns: &mut BTreeSet<Tile>,
    scene: &Scene,
    theme: &Theme,
    snap: &Snap,
    index: usize,
    cell: &Cell,
) {
    let own = scene.fill[index];
    let color = usize::from(own) % FILLS;
    let pattern = usize::from(scene.pattern[index]) % PATTERNS.len();
    let edged = snap.has_edge(cell);
    let pause = scene.is_outline(index);
    let (plain, ink) = colors(theme, own, pause);
    let fill = if edged && pattern != 0 {
        patterns.insert((color, pattern, pause));
        format!("url(#{})", tile_name((color, pattern, pause)))
    } else {
        plain
    };
    let index = scene.owner(index);
    let (mut x, mut y) = (f64::from(cell.left), f64::from(cell.top));
    let (mut width, mut height) = (f64::from(cell.width()), f64::from(cell.height()));
    let mut edge = String::new();
    if edged {
        // A stroke lies half outside its path; the edge belongs inside the rectangle.
        (x, y, width, height) = (x + 0.5, y + 0.5, width - 1.0, height - 1.0);
        edge = format!(" stroke=\"{ink}\"");
    }
    let _ = writeln!(
        svg,
        "<rect data-buffer=\"{index}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" \
         height=\"{height}\" fill=\"{fill}\"{edge}/>"
    );
}

/// One `<pattern>` for each combination of fill and pattern that is used.
fn definitions(svg: &mut String, patterns: &BTreeSet<Tile>, theme: &Theme) {
    svg.push_str("<defs>\n");
    for &(color, pattern, pause) in patterns {
        let name = tile_name((color, pattern, pause));
        let (fill, ink) = colors(theme, u8::try_from(color).unwrap_or(0), pause);
        let mut path = String::new();
        for (row, bits) in PATTERNS[pattern].iter().enumerate() {
            for column in (0..8).filter(|column| bits >> column & 1 == 1) {
                let _ = write!(path, "M{column} {row}h1v1h-1z");
            }
        }
        let _ = writeln!(
            svg,
            "<pattern id=\"{name}\" width=\"8\" height=\"8\" \
             patternUnits=\"userSpaceOnUse\"><path fill=\"{fill}\" d=\"M0 0h8v8h-8z\"/>\
             <path fill=\"{ink}\" d=\"{path}\"/></pattern>"
        );
    }
    svg.push_str("</defs>\n");
}

fn over(svg: &mut String, item: &Item, theme: &Theme) {
    match item {
        Item::Line {
            points,
            ink,
            width,
            dashed,
        } => {
            let mut list = String::new();
            for (x, y) in points {
                let _ = write!(list, "{x:.2},{y:.2} ");
            }
            let color = hex(theme.rgb(*ink));
            let dashes = if *dashed {
                " stroke-dasharray=\"6 4\""
            } else {
                ""
            };
            let _ = writeln!(
                svg,
                "<polyline fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\"{dashes} \
                 points=\"{}\"/>",
                list.trim_end()
            );
        }
        Item::Fill {
            points,
            bottom,
            ink,
        } => {
            let Some((first, last)) = points.first().zip(points.last()) else {
                return;
            };
            let mut path = format!("M{:.2} {bottom:.2}", first.0);
            for (x, y) in points {
                let _ = write!(path, "L{x:.2} {y:.2}");
            }
            let color = hex(theme.rgb(*ink));
            let _ = writeln!(
                svg,
                "<path fill=\"{color}\" fill-opacity=\"{WASH}\" stroke=\"{color}\" \
                 d=\"{path}L{:.2} {bottom:.2}z\"/>",
                last.0
            );
        }
        Item::Band(area) => {
            let color = hex(theme.background);
            let _ = writeln!(svg, "<path fill=\"{color}\" d=\"{}\"/>", outline(area));
        }
        Item::Outline(area, ink) => {
            let color = hex(theme.rgb(*ink));
            let path = outline(area);
            let _ = writeln!(
                svg,
                "<path fill=\"none\" stroke=\"{color}\" stroke-width=\"2\" d=\"{path}\"/>"
            );
        }
        Item::Solid(area, ink) => {
            let color = hex(theme.rgb(*ink));
            let _ = writeln!(svg, "<path fill=\"{color}\" d=\"{}\"/>", outline(area));
        }
        Item::Wash(area, ink) => {
            let color = hex(theme.rgb(*ink));
            let path = outline(area);
            let _ = writeln!(
                svg,
                "<path fill=\"{color}\" fill-opacity=\"{WASH}\" d=\"{path}\"/>"
            );
        }
        Item::Text(text) => written(svg, text, theme),
    }
}

fn written(svg: &mut String, text: &Text, theme: &Theme) {
    let halo = if text.halo {
        let color = hex(theme.background);
        format!(" stroke=\"{color}\" stroke-width=\"3\" paint-order=\"stroke\"")
    } else {
        String::new()
    };
    let _ = writeln!(
        svg,
        "<text x=\"{:.2}\" y=\"{:.2}\" fill=\"{}\"{halo} textLength=\"{:.2}\" \
         lengthAdjust=\"spacingAndGlyphs\" dominant-baseline=\"central\">{}</text>",
        text.area.left,
        f64::midpoint(text.area.top, text.area.bottom),
        hex(theme.rgb(text.ink)),
        text.area.width(),
        escaped(&text.text)
    );
}

fn outline(area: &Area) -> String {
    format!(
        "M{:.2} {:.2}H{:.2}V{:.2}H{:.2}z",
        area.left, area.top, area.right, area.bottom, area.left
    )
}

fn hex([red, green, blue]: Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
