//! What somebody sees first: the plan without reuse, out of which the picture comes.

use std::sync::Arc;

use conversation::Mode;
use leptos::prelude::*;
use timeline::camera::Camera;
use timeline::scene::{Extents, Scene};

use crate::drawing::painter::Picture;
use crate::drawing::view::View;
use crate::state::memory;

/// Under this, that it was seen.
const SEEN: &str = "arenascope.introduction.seen";

/// The picture of the plan without reuse, once in this browser and where that plan stands small
/// beside this one.
pub(crate) fn introduction(here: View, shown: &Picture) -> Option<Picture> {
    let session = here.session;
    let naive = session.silhouette().filter(|naive| *naive != here.column)?;
    let planned = session.planned(naive)?;
    let prepared = shown.of.clone()?;
    let clock = session.clock.get();
    let embedded = session.frame.with(|frame| frame.mode == Mode::Embedded);
    if memory::kept::<bool>(SEEN).unwrap_or(false) || clock.is_some() || embedded {
        return None;
    }
    memory::keep(SEEN, &true);
    let plan = &planned.judged.plan;
    let scene = session.colors.with(|colors| {
        let fill = |index: usize| colors.fills.get(index).copied().unwrap_or_default();
        let figures = (&prepared.bounds, &prepared.profile);
        Scene::new(&prepared.subject.lifetimes, plan, figures, &fill)
    });
    let Camera {
        width,
        height,
        labelling,
        ..
    } = shown.camera;
    let Extents { horizon, top } = scene.extents;
    Some(Picture {
        camera: Camera::fitted(Extents { horizon, top }, width, height, labelling),
        scene: Arc::new(scene),
        holes: Arc::default(),
        ..shown.clone()
    })
}
