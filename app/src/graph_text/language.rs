//! The language in short.

use leptos::prelude::*;

use crate::state::session::session;
use crate::strings::GraphWord as W;

/// A line of each kind, and what it says.
const LINES: [(&str, W); 9] = [
    ("graph tiny onnx 17", W::GraphLine),
    ("let batch = 1", W::LetLine),
    ("input x: f32[batch, 3, 64, 64]", W::InputLine),
    ("const w: f32[16, 3, 3, 3]", W::ConstLine),
    ("state h: f32[1, 128]", W::StateLine),
    ("y = Conv(x, w) pads=[1, 1, 1, 1]", W::OpLine),
    ("output y", W::OutputLine),
    ("order x, y", W::OrderLine),
    ("# …", W::CommentLine),
];

/// A table of its lines.
#[component]
pub(super) fn Language() -> impl IntoView {
    let session = session();
    let rows = LINES.map(|(line, says)| {
        view! {
            <tr>
                <th scope="row"><code>{line}</code></th>
                <td>{move || session.say(says)}</td>
            </tr>
        }
    });
    view! {
        <details>
            <summary>{move || session.say(W::Language)}</summary>
            <table><tbody>{rows.collect_view()}</tbody></table>
            <p class="soft">{move || session.say(W::Order)}</p>
        </details>
    }
}
