//! What a picture and everything on it share.

use std::sync::Arc;

use conversation::Column;
use leptos::prelude::*;
use timeline::camera::Camera;
use timeline::scene::Scene;

use crate::state::film::Still;
use crate::state::session::Session;

/// What a picture and the pointer on it share.
#[derive(Clone, Copy)]
pub(crate) struct View {
    pub(crate) session: Session,
    /// Whose plan it is.
    pub(crate) column: Column,
    /// Where its film stands, when that is shown instead of the plan.
    pub(crate) still: Memo<Option<Still>>,
    /// The plan as rectangles.
    pub(crate) scene: Memo<Option<Shared>>,
    /// What is in view; the same while plans that are not shown are made.
    pub(crate) camera: Memo<Camera>,
    /// Size in CSS pixels.
    pub(crate) size: RwSignal<(f64, f64)>,
    /// Where the pointer is, in CSS pixels from the top left, while it is here.
    pub(crate) pointer: RwSignal<Option<(f64, f64)>>,
    /// The same from the window's top left.
    pub(crate) on_window: RwSignal<(f64, f64)>,
}

/// A scene that is equal only to itself, so that comparing costs nothing.
#[derive(Clone)]
pub(crate) struct Shared(pub(crate) Arc<Scene>);

impl PartialEq for Shared {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
