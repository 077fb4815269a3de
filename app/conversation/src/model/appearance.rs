//! What the person chooses of how the page looks.

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system says.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// The renderer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Drawing {
    /// WebGPU where it pays, otherwise pixels.
    #[default]
    Automatic,
    /// Pixels computed here.
    Raster,
    /// WebGPU.
    Wgpu,
}

/// What a rectangle's colour means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coloring {
    /// The type of the operator that writes it.
    #[default]
    Operator,
    /// The part that it plays.
    Role,
    /// Its size.
    Size,
    /// For how many steps it is live.
    Age,
    /// The line of the program that allocated it.
    Caller,
    /// The module that allocated it.
    Module,
    /// The phase of the training step.
    Phase,
    /// The stream that it was allocated for.
    Stream,
    /// The part of the arena that it makes.
    Waste,
}

impl Theme {
    /// For storage and the page's attribute.
    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The theme with this name.
    pub fn named(name: &str) -> Option<Self> {
        let mut all = [Self::System, Self::Light, Self::Dark].into_iter();
        all.find(|theme| theme.name() == name)
    }
}

impl Coloring {
    /// Each with its name for the link, the usual one first.
    pub const ALL: [(Self, &'static str); 9] = [
        (Self::Operator, "operator"),
        (Self::Role, "role"),
        (Self::Size, "size"),
        (Self::Age, "age"),
        (Self::Caller, "caller"),
        (Self::Module, "module"),
        (Self::Phase, "phase"),
        (Self::Stream, "stream"),
        (Self::Waste, "waste"),
    ];

    /// For the link and the choice.
    pub fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(coloring, _)| *coloring == self);
        found.map_or("operator", |(_, name)| name)
    }

    /// The choice with this name.
    pub fn named(name: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|(_, known)| *known == name);
        found.map(|(coloring, _)| *coloring)
    }
}

impl Drawing {
    /// For storage and `?renderer=`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Automatic => "auto",
            Self::Raster => "raster",
            Self::Wgpu => "wgpu",
        }
    }

    /// The choice with this name.
    pub fn named(name: &str) -> Option<Self> {
        let mut all = [Self::Automatic, Self::Raster, Self::Wgpu].into_iter();
        all.find(|drawing| drawing.name() == name)
    }
}

/// What part of memory × time is in view, in data units: steps and bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// First and last moment.
    pub x: (f64, f64),
    /// Lowest and highest address.
    pub y: (f64, f64),
}

/// A dialog over the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialog {
    /// Keys and mouse.
    Help,
    /// A link or a file with the plan in it.
    Share,
    /// What the columns of a table mean, which events of a recording to hold, or what a text says
    /// of memory.
    Columns,
    /// The lessons.
    Learn,
    /// A transformer without a file.
    Generate,
}

/// What lies under the panes, by its name in links. Which there are the page knows; here are
/// those that something else goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tab(pub &'static str);

impl Tab {
    /// The table of strategies.
    pub const COMPARE: Self = Self("compare");
    /// Where the bytes of an arena go.
    pub const WASTE: Self = Self("waste");
    /// What could be changed.
    pub const ADVICE: Self = Self("advice");
    /// The model after each of its passes.
    pub const STAGES: Self = Self("stages");
    /// The model as a training step.
    pub const TRAINING: Self = Self("training");
    /// The graph as text.
    pub const GRAPH: Self = Self("graph");
    /// One value after the other.
    pub const SWEEP: Self = Self("sweep");
    /// The decisions of strategies, one by one.
    pub const FILM: Self = Self("film");
    /// What two plans, or two dumps, do not have in common.
    pub const DIFFERENCES: Self = Self("differences");
    /// The plan on the GPU.
    pub const RUN: Self = Self("run");
    /// What was left out, and what the reader had to say.
    pub const NOTES: Self = Self("notes");
}

impl Default for Tab {
    fn default() -> Self {
        Self::COMPARE
    }
}
