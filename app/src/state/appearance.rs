//! What the person chooses of how the page looks.

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Theme {
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
pub(crate) enum Drawing {
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
pub(crate) enum Coloring {
    /// The type of the operator that writes it.
    #[default]
    Operator,
    /// The part that it plays.
    Role,
    /// Its size.
    Size,
    /// For how many steps it is live.
    Age,
    /// The function that allocated it.
    Frame,
    /// The part of the arena that it makes.
    Waste,
}

impl Theme {
    /// For storage and the page's attribute.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The theme with this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let mut all = [Self::System, Self::Light, Self::Dark].into_iter();
        all.find(|theme| theme.name() == name)
    }
}

impl Coloring {
    /// Each with its name for the link, the usual one first.
    pub(crate) const ALL: [(Self, &'static str); 6] = [
        (Self::Operator, "operator"),
        (Self::Role, "role"),
        (Self::Size, "size"),
        (Self::Age, "age"),
        (Self::Frame, "frame"),
        (Self::Waste, "waste"),
    ];

    /// For the link and the choice.
    pub(crate) fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(coloring, _)| *coloring == self);
        found.map_or("operator", |(_, name)| name)
    }

    /// The choice with this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|(_, known)| *known == name);
        found.map(|(coloring, _)| *coloring)
    }
}

impl Drawing {
    /// For storage and `?renderer=`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Automatic => "auto",
            Self::Raster => "raster",
            Self::Wgpu => "wgpu",
        }
    }

    /// The choice with this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let mut all = [Self::Automatic, Self::Raster, Self::Wgpu].into_iter();
        all.find(|drawing| drawing.name() == name)
    }
}
