//! A plan goes home: the open TFLite model with a column's plan in it, as a download.

use js_sys::{Array, Uint8Array};
use leptos::prelude::*;
use planner::offline::{Unwritable, Written};
use web_sys::{Blob, BlobPropertyBag};
use worker::{Reply, Request};

use super::flow;
use crate::links::aside::Aside;
use crate::links::files::download_blob;
use crate::state::column::Column;
use crate::state::session::{Notice, Session};

/// Offers the open file with the plan of `column`, and says what it needs; or why it cannot.
pub(super) fn take(session: Session, column: Column) {
    let planned = session
        .plans
        .with_untracked(|plans| plans.get(&column)?.planned().cloned());
    let prepared = session.prepared.get_untracked();
    let name = session
        .file
        .with_untracked(|file| file.as_ref().map(|file| file.name.clone()));
    let (Some(planned), Some(prepared), Some(name), Some(blob)) =
        (planned, prepared, name, flow::blob())
    else {
        return;
    };
    let request = Request::TakeHome {
        id: 0,
        lifetimes: Box::new(prepared.subject.lifetimes.clone()),
        plan: Box::new(planned.judged.plan.clone()),
    };
    let files = [blob.clone()];
    Aside::Home.ask(&request, &files, move |answer| {
        let written = match answer {
            Ok(Reply::TakenHome { written, .. }) => written,
            Ok(_) => return,
            Err(reason) => Err(Unwritable(reason)),
        };
        let offered = written.and_then(|made| {
            let whole = joined(&made, &blob);
            let whole = whole.ok_or_else(|| Unwritable("the browser cannot join it".into()))?;
            let stem = name.strip_suffix(".tflite").unwrap_or(&name);
            download_blob(&format!("{stem}.{}.tflite", column.name()), &whole);
            Ok(made.arena)
        });
        session.notice.set(Some(match offered {
            Ok(arena) => Notice::TakenHome(arena),
            Err(Unwritable(why)) => Notice::NotTakenHome(why),
        }));
    });
}

/// The new start of the file and the rest of the old one, which stays where it is.
fn joined(made: &Written, original: &Blob) -> Option<Blob> {
    #[expect(
        clippy::cast_precision_loss,
        reason = "files that take a plan have less than 2^31 bytes"
    )]
    let rest = made.file.rest as f64;
    let rest = original
        .slice_with_f64_and_f64(rest, original.size())
        .ok()?;
    let parts = Array::of2(&Uint8Array::from(made.file.head.as_slice()), &rest);
    let options = BlobPropertyBag::new();
    options.set_type("application/octet-stream");
    Blob::new_with_blob_sequence_and_options(&parts, &options).ok()
}
