//! How a picture is labelled: the size of its letters, how wide texts are, and the room that
//! rulers take.

use std::collections::BTreeMap;

use planner::Sorting as _;

use crate::camera::Insets;
use crate::overlay::Area;

/// Height of the letters in CSS pixels, as usual.
pub const FONT: f64 = 12.0;

/// Height of the letters in CSS pixels, before an audience.
pub const LARGE: f64 = 16.0;

/// The typeface, a fixed-width one so that widths are known without a browser.
pub const FONT_FAMILY: &str = "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace";

/// Narrower or lower pictures have no rulers, in letters: they are thumbnails.
const THUMBNAIL: (f64, f64) = (20.0, 10.0);

/// Lower pictures have rulers without titles, in letters.
const UNTITLED: f64 = 17.0;

/// In so many places at most what tells a name from others is kept.
const PLACES: usize = 3;

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
                // No line begins with a sign that closes what is before it.
                let closes = matches!(letter, '，' | '。' | '：' | '；' | '、' | '）' | '”');
                if letter == ' ' || letter >= '\u{2e80}' && !closes {
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

    /// `text`, or its beginning and end around an ellipsis, so that it is at most `width` CSS
    /// pixels wide; `None` when fewer than six characters would be left, which would name
    /// nothing.
    #[must_use]
    pub fn shortened(self, text: &str, width: f64) -> Option<String> {
        if self.width(text) <= width {
            return (!text.is_empty()).then(|| text.to_owned());
        }
        let letters: Vec<char> = text.chars().collect();
        let mut room = width - self.wide('…');
        let (mut head, mut tail) = (0, letters.len());
        while head < tail {
            let from_head = head <= letters.len() - tail;
            let letter = if from_head {
                letters[head]
            } else {
                letters[tail - 1]
            };
            room -= self.wide(letter);
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

    /// The letters of `text` at `kept`, with those around them that `width` has room for and an
    /// ellipsis for each stretch of others; `None` where it has no room for them.
    fn around(self, text: &str, width: f64, kept: &[usize]) -> Option<String> {
        let letters: Vec<char> = text.chars().collect();
        let mut shown = vec![false; letters.len()];
        for &at in kept {
            *shown.get_mut(at.min(letters.len().saturating_sub(1)))? = true;
        }
        let dots = self.wide('…');
        let hidden = shown.chunk_by(|a, b| a == b).filter(|run| !run[0]);
        let mut room = width - hidden.count() as f64 * dots;
        let both = letters.iter().zip(&shown).filter(|(_, shown)| **shown);
        room -= both.map(|(letter, _)| self.wide(*letter)).sum::<f64>();
        if room < 0.0 {
            return None;
        }
        let mut grows = true;
        while grows {
            grows = false;
            for &at in kept {
                let after = (at..letters.len()).find(|&next| !shown[next]);
                let before = (0..at).rev().find(|&next| !shown[next]);
                for next in [after, before].into_iter().flatten() {
                    let seen = |at: Option<usize>| {
                        let seen = at.map(|at| shown.get(at).copied());
                        seen.flatten().unwrap_or(true)
                    };
                    let last = seen(next.checked_sub(1)) && seen(Some(next + 1));
                    let cost = self.wide(letters[next]) - if last { dots } else { 0.0 };
                    if cost <= room {
                        room -= cost;
                        shown[next] = true;
                        grows = true;
                    }
                }
            }
        }
        let mut label = String::new();
        for (index, letter) in letters.into_iter().enumerate() {
            if shown[index] {
                label.push(letter);
            } else if !label.ends_with('…') {
                label.push('…');
            }
        }
        Some(label)
    }

    /// Width of one letter.
    fn wide(self, letter: char) -> f64 {
        self.width(letter.encode_utf8(&mut [0; 4]))
    }

    /// Every name in its `width` CSS pixels. Where names that differ would be cut to the same, the
    /// places where they differ are kept instead; those that cannot be told from others then have
    /// no label.
    #[must_use]
    pub fn distinct(self, names: &[String], width: impl Fn(usize) -> f64) -> Vec<Option<String>> {
        let both = names.iter().enumerate();
        let short = both.map(|(index, name)| self.shortened(name, width(index)));
        let mut labels: Vec<Option<String>> = short.collect();
        let mut kept: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for _ in 0..PLACES {
            let groups = alike(names, &labels);
            if groups.is_empty() {
                return labels;
            }
            for group in &groups {
                // In the order of the names, the ends differ soonest from all between.
                let ends = [group.first(), group.last()].map(|end| end.map(|&end| &names[end]));
                for &index in group {
                    let name = &names[index];
                    let others = ends.iter().flatten().filter(|end| **end != name);
                    let kept = kept.entry(index).or_default();
                    kept.extend(others.map(|other| common(name, other)).min());
                    labels[index] = self.around(name, width(index), kept);
                }
            }
        }
        for index in alike(names, &labels).into_iter().flatten() {
            labels[index] = None;
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

/// The groups of names that differ and have the same label, each in the order of its names.
fn alike(names: &[String], labels: &[Option<String>]) -> Vec<Vec<usize>> {
    let mut by_label: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, label) in labels.iter().enumerate() {
        if let Some(label) = label {
            by_label.entry(label).or_default().push(index);
        }
    }
    let differ = |group: &&mut Vec<usize>| {
        let first = group.first().map(|&index| &names[index]);
        group.iter().any(|&index| Some(&names[index]) != first)
    };
    let mut groups = by_label.into_values().collect::<Vec<_>>();
    let groups = groups.iter_mut().filter(differ).map(std::mem::take);
    let mut groups: Vec<Vec<usize>> = groups.collect();
    for group in &mut groups {
        group.order_by(|&a, &b| names[a].cmp(&names[b]));
    }
    groups
}

/// How many letters two names begin with that are the same.
fn common(one: &str, other: &str) -> usize {
    let pairs = one.chars().zip(other.chars());
    pairs.take_while(|(a, b)| a == b).count()
}
