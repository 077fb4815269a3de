//! One trait for everything that can draw a scene.

use std::fmt;
use std::sync::Arc;

use crate::camera::Camera;
use crate::palette::Theme;
use crate::scene::{Rect, Scene};

/// Everything about one picture that changes without the scene changing.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// What is seen.
    pub camera: Camera,
    /// Device pixels per CSS pixel.
    pub scale: f64,
    /// The colours.
    pub theme: &'a Theme,
    /// Whether the background is painted; else what lies under the picture is seen there.
    pub opaque: bool,
    /// What is emphasised.
    pub marks: Marks<'a>,
}

/// What is emphasised in a picture. Indices beyond the scene are ignored.
#[derive(Clone, Copy, Debug, Default)]
pub struct Marks<'a> {
    /// The buffer under the pointer.
    pub hovered: Option<usize>,
    /// The selected buffer.
    pub selected: Option<usize>,
    /// Buffers to dim, by index: what a search does not match.
    pub dim: Option<&'a [bool]>,
    /// Empty parts of the picture, to be hatched over it.
    pub holes: &'a [Rect],
}

/// Draws scenes. Pan, zoom and marks change only the frame; a scene is uploaded once.
pub trait Renderer {
    /// Takes a scene to draw from now on.
    ///
    /// # Errors
    /// [`RenderError::TooMany`] when it has more rectangles than the device can hold.
    fn upload(&mut self, scene: &Arc<Scene>) -> Result<(), RenderError>;

    /// Draws one picture of the scene.
    ///
    /// # Errors
    /// [`RenderError::TooLarge`] for a picture beyond what can be held, [`RenderError::Lost`]
    /// when the device has gone: the caller then falls back to another renderer.
    fn draw(&mut self, frame: &Frame<'_>) -> Result<(), RenderError>;
}

/// Why nothing was drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RenderError {
    /// More rectangles than the device can hold.
    TooMany {
        /// How many it can.
        limit: usize,
    },
    /// A picture of more device pixels than can be held.
    TooLarge {
        /// How many can.
        limit: usize,
    },
    /// The device cannot be had; the text says why.
    Unavailable(String),
    /// The device was there and has gone; the text says why.
    Lost(String),
}

impl fmt::Display for RenderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany { limit } => write!(f, "the device holds at most {limit} rectangles"),
            Self::TooLarge { limit } => write!(f, "a picture has at most {limit} pixels"),
            Self::Unavailable(why) => write!(f, "no graphics device: {why}"),
            Self::Lost(why) => write!(f, "the graphics device was lost: {why}"),
        }
    }
}

impl std::error::Error for RenderError {}

impl Marks<'_> {
    /// Whether buffer `index` is dimmed.
    #[must_use]
    #[inline]
    pub fn is_dim(&self, index: usize) -> bool {
        self.dim
            .and_then(|dim| dim.get(index).copied())
            .unwrap_or(false)
    }
}
