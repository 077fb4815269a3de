//! What is described keeps so much, by formulas that the graph's own sums equal.

use leptos::prelude::*;
use planner::Message;
use planner::generate::closed_forms::{cache_bits, forward_flops, parameters};
use planner::load::Described;

use super::Form;
use crate::format;
use crate::state::session::{Session, session};
use crate::strings::{GenerateWord as W, filled};
use crate::text::fault::said;

/// Why there is no such transformer.
pub(super) fn refused(form: &Described) -> Option<Message> {
    let own = form.transformer.check();
    let all = own.and_then(|()| form.execution.check(&form.transformer));
    all.err().map(|why| why.message())
}

/// The live figures.
#[component]
pub(super) fn Totals(form: Form) -> impl IntoView {
    let session = session();
    let body = move || {
        form.with(|form| match refused(form) {
            Some(why) => view! { <p role="alert">{said(session, &why)}</p> }.into_any(),
            None => figures(session, form),
        })
    };
    view! {
        <fieldset class="totals" aria-live="polite">
            <legend>{move || session.say(W::Keeps)}</legend>
            {body}
        </fieldset>
    }
}

fn figures(session: Session, form: &Described) -> AnyView {
    let (of, run) = (&form.transformer, &form.execution);
    let bits = |dtype: planner::graph::DType| u128::from(dtype.bits().unwrap_or_default());
    let count = parameters(of);
    let token = bytes(cache_bits(
        of,
        (1, 1),
        u64::try_from(bits(run.cache)).unwrap_or(0),
    ));
    let (_, kept) = run.mode.tokens();
    let all = cache_bits(
        of,
        (run.batch, kept),
        u64::try_from(bits(run.cache)).unwrap_or(0),
    );
    let cache_label = [run.batch, kept].map(format::grouped);
    let cache_label = filled(
        session.say(W::Cache),
        &cache_label.each_ref().map(String::as_str),
    );
    let cache = match run.mode.keeps() {
        true => bytes(all),
        false => session.say(W::NoCache).to_owned(),
    };
    let rows = [
        (session.say(W::Parameters).to_owned(), whole(count)),
        (
            session.say(W::Weights).to_owned(),
            bytes(count.saturating_mul(bits(run.weights))),
        ),
        (session.say(W::CacheOfToken).to_owned(), token),
        (cache_label, cache),
        (
            session.say(W::Operations).to_owned(),
            whole(forward_flops(of, run)),
        ),
    ];
    let row = |(name, value): (String, String)| view! { <dt>{name}</dt><dd>{value}</dd> };
    view! { <dl>{rows.map(row).collect_view()}</dl> }.into_any()
}

/// Bits as bytes with a unit; as a number where they are beyond what a file could have.
fn bytes(bits: u128) -> String {
    match u64::try_from(bits.div_ceil(8)) {
        Ok(bytes) => format::bytes(bytes),
        Err(_) => format!("{} B", bits.div_ceil(8)),
    }
}

fn whole(number: u128) -> String {
    u64::try_from(number).map_or_else(|_| number.to_string(), format::grouped)
}
