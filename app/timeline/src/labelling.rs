//! How a picture is labelled: the size of its letters, how wide texts are, and the room that
//! rulers take.

use crate::camera::Insets;
use crate::overlay::Area;

/// Height of the letters in CSS pixels, as usual.
pub const FONT: f64 = 11.0;

/// Height of the letters in CSS pixels, before an audience.
pub const LARGE: f64 = 16.0;

/// The typeface, a fixed-width one so that widths are known without a browser.
pub const FONT_FAMILY: &str = "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace";

/// Narrower or lower pictures have no rulers, in letters: they are thumbnails.
const THUMBNAIL: (f64, f64) = (20.0, 10.0);

/// Lower pictures have rulers without titles, in letters.
const UNTITLED: f64 = 17.0;

/// How a picture is labelled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Labelling {
    /// Height of the letters in CSS pixels.
    pub font: f64,
    /// What stands beside the plot.
    pub rulers: Rulers,
}

/// What stands beside the plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rulers {
    /// Nothing.
    None,
    /// Rulers.
    Plain,
    /// Rulers, and what they count.
    Titled,
}

impl Labelling {
    /// The usual one.
    pub const USUAL: Self = Self {
        font: FONT,
        rulers: Rulers::Titled,
    };

    /// No rulers.
    pub const BARE: Self = Self {
        font: FONT,
        rulers: Rulers::None,
    };

    /// That of a picture of `width` × `height` CSS pixels in letters of `font` CSS pixels.
    #[must_use]
    pub fn of((width, height): (f64, f64), font: f64) -> Self {
        let rulers = if width < THUMBNAIL.0 * font || height < THUMBNAIL.1 * font {
            Rulers::None
        } else if height < UNTITLED * font {
            Rulers::Plain
        } else {
            Rulers::Titled
        };
        Self { font, rulers }
    }

    /// The room beside the plot.
    #[must_use]
    pub const fn insets(self) -> Insets {
        let font = self.font;
        match self.rulers {
            Rulers::None => Insets {
                left: 0.0,
                right: 0.0,
                top: 0.0,
                bottom: 0.0,
            },
            Rulers::Plain => Insets {
                left: 7.0 * font,
                right: font,
                top: 1.6 * font,
                bottom: 3.2 * font,
            },
            Rulers::Titled => Insets {
                left: 7.0 * font,
                right: font,
                top: 1.6 * font,
                bottom: 4.6 * font,
            },
        }
    }

    /// Width of a text in CSS pixels: 0.61 em for each narrow character, 1 em for wide ones.
    #[must_use]
    pub fn width(self, text: &str) -> f64 {
        let ems = text
            .chars()
            .map(|letter| if letter < '\u{1100}' { 0.61 } else { 1.0 });
        ems.sum::<f64>() * self.font
    }

    /// `text`, or its beginning and end around an ellipsis, so that it is at most `width` CSS
    /// pixels wide; `None` when fewer than six characters would be left, which would name
    /// nothing.
    #[must_use]
    pub fn shortened(self, text: &str, width: f64) -> Option<String> {
        self.cut(text, width, None)
    }

    /// A text in at most `most` lines of `width` CSS pixels, broken between words or beside wide
    /// characters; what finds no room is left out, and an ellipsis says so.
    #[must_use]
    pub fn wrapped(self, text: &str, width: f64, most: usize) -> Vec<String> {
        let wide = |letter: char| self.width(letter.encode_utf8(&mut [0; 4]));
        let mut lines = Vec::new();
        let mut rest = text.trim();
        while !rest.is_empty() && lines.len() < most {
            if self.width(rest) <= width {
                lines.push(rest.to_owned());
                break;
            }
            let is_last = lines.len() + 1 == most;
            let mut room = width - if is_last { wide('…') } else { 0.0 };
            // Where the line may end, and where it must.
            let (mut may, mut must) = (0, 0);
            for (index, letter) in rest.char_indices() {
                if letter == ' ' || letter >= '\u{2e80}' {
                    may = index;
                }
                room -= wide(letter);
                if room < 0.0 {
                    break;
                }
                must = index + letter.len_utf8();
            }
            let first = rest.chars().next().map_or(0, char::len_utf8);
            let end = if may == 0 || is_last { must } else { may }.max(first);
            let (line, after) = rest.split_at(end);
            lines.push(if is_last {
                format!("{}…", line.trim_end())
            } else {
                line.trim_end().to_owned()
            });
            rest = after.trim_start();
        }
        lines
    }

    /// [`shortened`](Self::shortened) around the characters from `kept` on, which stay.
    fn cut(self, text: &str, width: f64, kept: Option<usize>) -> Option<String> {
        if self.width(text) <= width {
            return (!text.is_empty()).then(|| text.to_owned());
        }
        let letters: Vec<char> = text.chars().collect();
        let wide = |letter: char| self.width(letter.encode_utf8(&mut [0; 4]));
        // What is kept begins where names differ, with a little of what is before it.
        if let Some(kept) = kept {
            let from = kept.min(letters.len().saturating_sub(1));
            let mut room = width - 2.0 * wide('…');
            let mut end = from;
            while end < letters.len() && room >= wide(letters[end]) {
                room -= wide(letters[end]);
                end += 1;
            }
            let mut start = from;
            while start > 0 && room >= wide(letters[start - 1]) {
                start -= 1;
                room -= wide(letters[start]);
            }
            let shown: String = letters[start..end].iter().collect();
            let before = if start > 0 { "…" } else { "" };
            let after = if end < letters.len() { "…" } else { "" };
            return (end > from).then(|| format!("{before}{shown}{after}"));
        }
        let mut room = width - wide('…');
        let (mut head, mut tail) = (0, letters.len());
        while head < tail {
            let from_head = head <= letters.len() - tail;
            let letter = if from_head {
                letters[head]
            } else {
                letters[tail - 1]
            };
            room -= wide(letter);
            if room < 0.0 {
                break;
            }
            if from_head {
                head += 1;
            } else {
                tail -= 1;
            }
        }
        if head + letters.len() - tail < 6 {
            return None;
        }
        let head: String = letters[..head].iter().collect();
        let tail: String = letters[tail..].iter().collect();
        Some(format!("{head}…{tail}"))
    }

    /// Every name in `width` CSS pixels. Where two that differ would be cut to the same, what
    /// differs is kept instead; one that cannot be told from another then has no label.
    #[must_use]
    pub fn distinct(self, names: &[String], width: f64) -> Vec<Option<String>> {
        let mut labels: Vec<Option<String>> = names
            .iter()
            .map(|name| self.shortened(name, width))
            .collect();
        let alike = |labels: &[Option<String>], index: usize| -> Vec<usize> {
            let same = |other: &usize| {
                labels[index].is_some()
                    && labels[*other] == labels[index]
                    && names[*other] != names[index]
            };
            (0..names.len()).filter(same).collect()
        };
        let first = labels.clone();
        for index in 0..names.len() {
            let others = alike(&first, index);
            if others.is_empty() {
                continue;
            }
            let differs = others.iter().map(|&other| {
                let pairs = names[index].chars().zip(names[other].chars());
                pairs.take_while(|(a, b)| a == b).count()
            });
            let from = differs.min();
            labels[index] = self.cut(&names[index], width, from);
        }
        for index in 0..names.len() {
            if !alike(&labels, index).is_empty() {
                labels[index] = None;
            }
        }
        labels
    }

    /// The box of one line of text around a middle height.
    pub(crate) fn boxed(self, left: f64, middle: f64, width: f64) -> Area {
        Area {
            left,
            top: middle - self.font * 0.6,
            right: left + width,
            bottom: middle + self.font * 0.6,
        }
    }
}
