//! Dialogs that lie over the page.

use leptos::html::Dialog;
use leptos::prelude::*;

/// Keeps a dialog open for as long as `open` says.
pub(crate) fn keep_open(dialog: NodeRef<Dialog>, open: impl Fn() -> bool + Send + Sync + 'static) {
    Effect::new(move |_| {
        let Some(dialog) = dialog.get() else { return };
        let open = open();
        if open && !dialog.open() {
            // Fails only for a dialog that is not in the document.
            let _ = dialog.show_modal();
        } else if !open && dialog.open() {
            dialog.close();
        }
    });
}
