//! Writes a slide as one SVG file that needs nothing else: for papers and lectures.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::camera::Camera;
use crate::labelling::FONT_FAMILY;
use crate::overlay::{Area, Ink, Item, Overlay, Text, WASH};
use crate::palette::{FILLS, PATTERNS, Rgb, Theme};
use crate::renderer::Marks;
use crate::scene::{Fill, Scene};
use crate::slide::Slide;
use crate::snap::{Cell, Snap};

/// A picture on a slide.
#[derive(Clone, Copy, Debug)]
pub struct Pictured<'a> {
    /// The rectangles.
    pub scene: &'a Scene,
    /// What is seen of them; as large as the picture's place.
    pub camera: &'a Camera,
    /// What lies under them and over them.
    pub overlay: &'a Overlay,
    /// Buffers to dim, by index.
    pub dim: Option<&'a [bool]>,
}

/// A slide with its pictures, in the order of their places; one `<rect data-buffer="i">` for each
/// visible rectangle, on the pixels that the renderers would paint. What is out of sight is left
/// out.
#[must_use]
pub fn write(slide: &Slide, pictures: &[Pictured<'_>], theme: &Theme, title: &str) -> String {
    let (width, height) = (slide.size.0.round(), slide.size.1.round());
    let mut body = String::new();
    let mut tiles = BTreeSet::new();
    for texts in &slide.texts {
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(body, "<g font-size=\"{}\">", texts.font);
        for item in &texts.items {
            over(&mut body, &mut tiles, item, theme);
        }
        body.push_str("</g>\n");
    }
    for (area, picture) in slide.pictures.iter().zip(pictures) {
        pictured(&mut body, &mut tiles, area, picture, theme);
    }
    let (title, background) = (escaped(title), hex(theme.background));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"{FONT_FAMILY}\">\n\
         <title>{title}</title>\n"
    );
    definitions(&mut svg, &tiles, theme);
    let _ = writeln!(
        svg,
        "<path fill=\"{background}\" d=\"M0 0H{width}V{height}H0z\"/>"
    );
    svg + &body + "</svg>\n"
}

/// A picture at its place, cut off at its edges.
fn pictured(
    svg: &mut String,
    tiles: &mut BTreeSet<Tile>,
    area: &Area,
    picture: &Pictured<'_>,
    theme: &Theme,
) {
    let snap = Snap::new(picture.camera, 1.0);
    let (width, height) = (snap.columns, snap.rows);
    let (left, top) = (area.left, area.top);
    let font = picture.overlay.font;
    let _ = writeln!(
        svg,
        "<svg x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-size=\"{font}\">"
    );
    for item in &picture.overlay.under {
        over(svg, tiles, item, theme);
    }
    snap.for_each_cell(picture.scene, |index, cell| {
        rectangle(svg, tiles, picture, theme, &snap, index, &cell);
    });
    for item in &picture.overlay.items {
        over(svg, tiles, item, theme);
    }
    svg.push_str("</svg>\n");
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

/// A fill, a pattern, and how it is told from others.
type Tile = (usize, usize, Tone);

/// How a fill is told from others of its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Tone {
    Plain,
    /// A pause: pale, in the ink of the fill.
    Pause,
    /// What a search does not match.
    Dim,
}

fn tile_name((color, pattern, tone): Tile) -> String {
    let tone = match tone {
        Tone::Plain => "",
        Tone::Pause => "g",
        Tone::Dim => "d",
    };
    format!("p{color}-{pattern}{tone}")
}

/// Fill and ink of a colour.
fn colors(theme: &Theme, color: u8, tone: Tone) -> (String, String) {
    let (fill, ink) = (theme.fill(color), theme.ink(color));
    match tone {
        Tone::Plain => (hex(fill), hex(ink)),
        Tone::Pause => (hex(theme.dimmed(fill)), hex(fill)),
        Tone::Dim => (hex(theme.dimmed(fill)), hex(theme.dimmed(ink))),
    }
}

/// What to fill with; takes note of a pattern.
fn filled(tiles: &mut BTreeSet<Tile>, theme: &Theme, fill: Fill, tone: Tone) -> String {
    let color = usize::from(fill.color) % FILLS;
    let pattern = usize::from(fill.pattern) % PATTERNS.len();
    if pattern == 0 {
        return colors(theme, fill.color, tone).0;
    }
    tiles.insert((color, pattern, tone));
    format!("url(#{})", tile_name((color, pattern, tone)))
}

fn rectangle(
    svg: &mut String,
    tiles: &mut BTreeSet<Tile>,
    picture: &Pictured<'_>,
    theme: &Theme,
    snap: &Snap,
    index: usize,
    cell: &Cell,
) {
    let scene = picture.scene;
    let marks = Marks {
        dim: picture.dim,
        ..Marks::default()
    };
    let tone = match (scene.is_outline(index), marks.is_dim(scene.owner(index))) {
        (_, true) => Tone::Dim,
        (true, false) => Tone::Pause,
        (false, false) => Tone::Plain,
    };
    let edged = snap.has_edge(cell);
    let own = Fill {
        color: scene.fill[index],
        // Too small to be seen in what has no edge.
        pattern: if edged { scene.pattern[index] } else { 0 },
    };
    let ink = colors(theme, own.color, tone).1;
    let fill = filled(tiles, theme, own, tone);
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
fn definitions(svg: &mut String, tiles: &BTreeSet<Tile>, theme: &Theme) {
    svg.push_str("<defs>\n");
    for &(color, pattern, tone) in tiles {
        let name = tile_name((color, pattern, tone));
        let (fill, ink) = colors(theme, u8::try_from(color).unwrap_or(0), tone);
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

fn over(svg: &mut String, tiles: &mut BTreeSet<Tile>, item: &Item, theme: &Theme) {
    let color = |ink: Ink| hex(theme.rgb(ink));
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
            let dashes = match dashed {
                true => " stroke-dasharray=\"6 4\"",
                false => "",
            };
            let color = color(*ink);
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
            let (Some(path), color) = (washed(points, *bottom), color(*ink)) else {
                return;
            };
            let _ = writeln!(
                svg,
                "<path fill=\"{color}\" fill-opacity=\"{WASH}\" stroke=\"{color}\" d=\"{path}\"/>"
            );
        }
        Item::Band(area) => {
            let color = hex(theme.background);
            let _ = writeln!(svg, "<path fill=\"{color}\" d=\"{}\"/>", outline(area));
        }
        Item::Outline(area, ink) => {
            let (color, path) = (color(*ink), outline(area));
            let _ = writeln!(
                svg,
                "<path fill=\"none\" stroke=\"{color}\" stroke-width=\"2\" d=\"{path}\"/>"
            );
        }
        Item::Solid(area, ink) => {
            let (color, path) = (color(*ink), outline(area));
            let _ = writeln!(svg, "<path fill=\"{color}\" d=\"{path}\"/>");
        }
        Item::Wash(area, ink) => {
            let (color, path) = (color(*ink), outline(area));
            let _ = writeln!(
                svg,
                "<path fill=\"{color}\" fill-opacity=\"{WASH}\" d=\"{path}\"/>"
            );
        }
        Item::Swatch(area, fill) => {
            let fill = filled(tiles, theme, *fill, Tone::Plain);
            let _ = writeln!(svg, "<path fill=\"{fill}\" d=\"{}\"/>", outline(area));
        }
        Item::Text(text) => written(svg, text, theme),
    }
}

/// What lies between a line and `bottom`, as a path; `None` where there is no line.
fn washed(points: &[(f64, f64)], bottom: f64) -> Option<String> {
    let (first, last) = points.first().zip(points.last())?;
    let mut path = format!("M{:.2} {bottom:.2}", first.0);
    for (x, y) in points {
        let _ = write!(path, "L{x:.2} {y:.2}");
    }
    Some(format!("{path}L{:.2} {bottom:.2}z", last.0))
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
