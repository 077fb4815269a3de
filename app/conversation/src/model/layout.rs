//! How the window is divided: the panels around the pictures, how much of the page is seen, and
//! the rows in which pictures stand.

use serde::{Deserialize, Serialize};

/// A panel around the pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panel {
    /// What is open, and the settings; at the left.
    Document,
    /// What is known of the selected tensor; at the right.
    Inspector,
    /// The tabs' tables; below.
    Sheet,
}

/// What a person chose of a panel; `None` leaves it to the size of the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Fold {
    /// Whether it is open.
    pub open: Option<bool>,
    /// Its width, or height, in CSS pixels.
    pub size: Option<u32>,
}

/// What a person chose of every panel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Layout {
    /// The panel at the left.
    pub document: Fold,
    /// The panel at the right.
    pub inspector: Fold,
    /// The panel below.
    pub sheet: Fold,
}

/// How much of the page is seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// All of it.
    #[default]
    Work,
    /// Pictures and headline in large type, panels closed: for a projector.
    Presenter,
    /// Headline and pictures, in the frame of another page: from its beginning to its end.
    Embedded,
}

/// Size of the window in CSS pixels: width and height.
pub type WindowSize = (f64, f64);

/// Windows narrower than this stack everything in one column, in CSS pixels.
pub const NARROW: f64 = 761.0;

/// Frames of other pages that are narrower than this stack pictures, in CSS pixels.
const SIDE_BY_SIDE: f64 = 560.0;

/// From these widths on a side panel is open by itself, and from this height on the one below.
pub(crate) const DOCUMENT_FROM: f64 = 1100.0;

pub(crate) const INSPECTOR_FROM: f64 = 1400.0;

pub(crate) const SHEET_FROM: f64 = 1200.0;

/// Share of the window that tables have before an audience, who look at the pictures.
pub(crate) const SHEET_PRESENTED: f64 = 0.26;

/// Lanes open by themselves in windows that are at least this high.
pub(crate) const LANES_FROM: f64 = 1000.0;

/// What a pane has beside its plot, in CSS pixels: rulers, head and sentence.
pub(crate) const AROUND_PLOT: (f64, f64) = (84.0, 96.0);

/// A plot is best this many times as wide as high: both neighbours and addresses are seen.
pub(crate) const PROPORTION: f64 = 1.2;

/// What a last row that is not full costs.
pub(crate) const UNEVEN: f64 = 0.85;

/// How many panes stand beside each other at most.
pub(crate) const MOST_COLUMNS: usize = 4;

impl Layout {
    /// What was chosen of a panel.
    #[must_use]
    pub fn fold(&self, panel: Panel) -> Fold {
        match panel {
            Panel::Document => self.document,
            Panel::Inspector => self.inspector,
            Panel::Sheet => self.sheet,
        }
    }

    pub(crate) fn fold_mut(&mut self, panel: Panel) -> &mut Fold {
        match panel {
            Panel::Document => &mut self.document,
            Panel::Inspector => &mut self.inspector,
            Panel::Sheet => &mut self.sheet,
        }
    }

    /// Width, or height, of an open panel in CSS pixels: what was chosen, as far as the window
    /// has room.
    #[must_use]
    pub fn size(&self, panel: Panel, window: WindowSize) -> f64 {
        let (least, most, usual) = limits(panel, window);
        let chosen = self.fold(panel).size.map_or(usual, f64::from);
        chosen.clamp(least, most).round()
    }
}

/// Least, most and usual size of a panel, in CSS pixels.
#[must_use]
pub fn limits(panel: Panel, (width, height): WindowSize) -> (f64, f64, f64) {
    let (least, most, usual) = match panel {
        Panel::Document => (200.0, width * 0.4, 268.0),
        Panel::Inspector => (220.0, width * 0.4, 308.0),
        Panel::Sheet => (120.0, height * 0.7, height * 0.38),
    };
    (least, f64::max(least, most), usual)
}

/// How the window is divided now.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Size of the window.
    pub window: WindowSize,
    /// What was chosen of the panels.
    pub layout: Layout,
    /// How much of the page is seen.
    pub mode: Mode,
    /// Whether the pictures are seen alone, at work or before an audience.
    pub focus: bool,
    /// The panels that were opened before an audience.
    pub(crate) opened: Vec<Panel>,
    /// The tables are open because a link or a tab asked for them: that is not remembered.
    pub(crate) revealed: bool,
    /// A scene of a lesson has the place of the panels; whether it wants the tables.
    pub(crate) taught: Option<bool>,
}

impl Default for Frame {
    fn default() -> Self {
        Self {
            window: (1280.0, 720.0),
            layout: Layout::default(),
            mode: Mode::default(),
            focus: false,
            opened: Vec::new(),
            revealed: false,
            taught: None,
        }
    }
}

impl Frame {
    /// Whether everything stands in one column.
    #[must_use]
    pub fn is_narrow(&self) -> bool {
        self.window.0 < NARROW
    }

    /// Whether a link or a tab asked for the tables.
    #[must_use]
    pub fn is_revealed(&self) -> bool {
        self.revealed
    }

    /// Whether pictures stand in one column. In the frame of another page, which is low, two of them
    /// stand side by side.
    #[must_use]
    pub fn is_one_column(&self) -> bool {
        self.is_narrow() && (self.mode != Mode::Embedded || self.window.0 < SIDE_BY_SIDE)
    }

    /// Whether a panel is seen.
    #[must_use]
    pub fn is_open(&self, panel: Panel) -> bool {
        let (width, height) = self.window;
        let unasked = match panel {
            Panel::Document => width >= DOCUMENT_FROM,
            Panel::Inspector => width >= INSPECTOR_FROM,
            Panel::Sheet => height >= SHEET_FROM,
        };
        match self.mode {
            _ if self.focus => false,
            Mode::Embedded => false,
            Mode::Work | Mode::Presenter if self.taught.is_some() => {
                panel == Panel::Sheet && self.taught == Some(true)
            }
            Mode::Presenter => self.opened.contains(&panel),
            // Nothing is beside anything in one column, so that nothing has to make room.
            Mode::Work if self.is_narrow() => true,
            Mode::Work if self.revealed && panel == Panel::Sheet => true,
            Mode::Work => self.layout.fold(panel).open.unwrap_or(unasked),
        }
    }

    /// Width, or height, of an open panel in CSS pixels.
    #[must_use]
    pub fn size(&self, panel: Panel) -> f64 {
        let chosen = self.layout.fold(panel).size.is_some();
        if self.mode == Mode::Presenter && panel == Panel::Sheet && !chosen {
            return (self.window.1 * SHEET_PRESENTED).round();
        }
        self.layout.size(panel, self.window)
    }

    /// Whether the window has room for lanes that nobody asked for.
    pub(crate) fn is_roomy(&self) -> bool {
        !self.is_narrow() && self.window.1 >= LANES_FROM
    }

    /// A scene has the place of the panels, with tables or without; `None` gives it back.
    pub(crate) fn teach(&mut self, tables: Option<bool>) {
        self.taught = tables;
    }

    pub(crate) fn enter(&mut self, mode: Mode) {
        if self.mode == Mode::Embedded {
            return;
        }
        self.mode = mode;
        self.focus = false;
        self.opened.clear();
    }
}

/// In which rows panes stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiling {
    /// Panes in a row.
    pub columns: usize,
    /// Panes in the last row, which share its whole width; as many as in any other when it is
    /// full.
    pub last: usize,
}

impl Tiling {
    /// One below the other.
    #[must_use]
    pub fn column() -> Self {
        Self {
            columns: 1,
            last: 1,
        }
    }

    /// Of how many of twelve tracks a pane is, where its row is full.
    #[must_use]
    pub fn span(self) -> usize {
        12 / self.columns
    }

    /// The rows for `count` panes in a room of `width` × `height` CSS pixels: those in which
    /// plots are largest and best proportioned. No row has an empty place.
    #[must_use]
    pub fn of(count: usize, (width, height): (f64, f64)) -> Self {
        let count = count.max(1);
        let all = (1..=count.min(MOST_COLUMNS)).map(|columns| {
            let last = match count % columns {
                0 => columns,
                last => last,
            };
            Self { columns, last }
        });
        let worth = |tiling: &Self| tiling.worth(count, (width, height));
        let better = |best: Self, next: Self| match worth(&next) > worth(&best) {
            true => next,
            false => best,
        };
        all.reduce(better).unwrap_or(Self::column())
    }

    /// Height of the largest well proportioned plot in a pane.
    pub(crate) fn worth(self, count: usize, (width, height): (f64, f64)) -> f64 {
        let rows = count.div_ceil(self.columns);
        let plot = |room: f64, among: usize, around: f64| room / among as f64 - around;
        let wide = plot(width, self.columns, AROUND_PLOT.0);
        let high = plot(height, rows, AROUND_PLOT.1);
        let even = if self.last == self.columns {
            1.0
        } else {
            UNEVEN
        };
        let worth = f64::min(wide / PROPORTION, high);
        // What is worth less than nothing is worth even less where a row is not full.
        if worth < 0.0 {
            worth / even
        } else {
            worth * even
        }
    }
}
