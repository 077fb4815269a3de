//! Requests to the key-value cache of what is described, drawn from a seed.

use leptos::prelude::*;
use planner::Bytes;
use planner::kv_cache::{MOST_REQUESTS, MOST_TOKENS, Range, Seeded, Workload, seeded};

use super::fit::Fits;
use super::{Form, Wrong, opened};
use crate::state::session::{Session, session};
use crate::strings::GenerateWord as W;
use crate::text::fault::said;

/// What is typed, field by field.
#[derive(Clone)]
struct Typed {
    count: u64,
    seed: u64,
    every: u64,
    page: u64,
    /// In MiB; 0 for no limit.
    capacity: u64,
    prompt: String,
    output: String,
}

type Wanted = RwSignal<Typed>;

/// A whole number of them.
type Number = (
    &'static str,
    W,
    (u64, u64),
    fn(&Typed) -> u64,
    fn(&mut Typed, u64),
);

const NUMBERS: [Number; 5] = [
    (
        "count",
        W::Count,
        (1, 20_000),
        |it| it.count,
        |it, to| it.count = to,
    ),
    (
        "every",
        W::Every,
        (0, 1 << 20),
        |it| it.every,
        |it, to| it.every = to,
    ),
    (
        "page",
        W::Page,
        (1, 1 << 20),
        |it| it.page,
        |it, to| it.page = to,
    ),
    (
        "capacity",
        W::Capacity,
        (0, 1 << 40),
        |it| it.capacity,
        |it, to| it.capacity = to,
    ),
    (
        "seed",
        W::Seed,
        (0, u64::MAX),
        |it| it.seed,
        |it, to| it.seed = to,
    ),
];

/// The section.
#[component]
pub(super) fn Requests(form: Form) -> impl IntoView {
    let session = session();
    let typed = RwSignal::new(Typed {
        count: 100,
        seed: 1,
        every: 4,
        page: 16,
        capacity: 4096,
        prompt: "16..1024".to_owned(),
        output: "16..512".to_owned(),
    });
    let wrong = expect_context::<Wrong>();
    let ready = Memo::new(move |_| typed.with(|it| range(&it.prompt).zip(range(&it.output))));
    let described = move || {
        let lengths = ready.get().filter(|_| !wrong.any("requests-"))?;
        let requests = typed.with(|it| workload(it, lengths));
        let made = form.with(|form| {
            let bits = form.execution.cache.bits().unwrap_or(16);
            requests.with_model(&form.transformer, bits)
        });
        Some(made.map_err(|why| why.message()))
    };
    let made = Memo::new(move |_| described());
    let described = Memo::new(move |_| Some(made.get()?.ok()?.0));
    // Why there are none, or what is counted otherwise.
    let told = move || match made.get()? {
        Ok((_, said)) => said.map(|said| (said, None)),
        Err(why) => Some((why, Some("alert"))),
    };
    let play = move |_| {
        if let Some(workload) = described.get_untracked() {
            opened(session, "requests.csv", &workload.text());
        }
    };
    let choose = Callback::new(move |bytes: Bytes| {
        typed.update(|it| it.capacity = bytes.0.div_ceil(1 << 20));
    });
    let lengths = |id: &'static str, word, field: fn(&mut Typed) -> &mut String| {
        let value = move || typed.with(|it| field(&mut it.clone()).clone());
        let change = move |event| typed.update(|it| *field(it) = event_target_value(&event));
        let wrong = move || range(&value()).is_none();
        view! {
            <label title=move || session.say(W::LengthsHint)>
                <span>{move || session.say(word)}</span>
                <input type="text" id=format!("requests-{id}") prop:value=value on:input=change
                    aria-invalid=move || wrong().then_some("true")/>
            </label>
        }
    };
    view! {
        <details class="requests">
            <summary>{move || session.say(W::Requests)}</summary>
            <p class="soft">{move || session.say(W::RequestsHint)}</p>
            <div class="row">
                {NUMBERS.map(|field| number(session, typed, field)).collect_view()}
                {lengths("prompt", W::Prompts, |it| &mut it.prompt)}
                {lengths("output", W::Outputs, |it| &mut it.output)}
            </div>
            <p class="soft">{move || session.say(W::LengthsHint)}</p>
            {move || told().map(|(why, role)| view! { <p class="soft" role=role>{said(session, &why)}</p> })}
            {move || ready.get().is_none().then(|| view! { <p role="alert">{session.say(W::WrongRange)}</p> })}
            <p><button data-do="play-requests" disabled=move || described.with(Option::is_none) on:click=play>
                {move || session.say(W::Play)}
            </button></p>
            <Fits workload=described choose/>
        </details>
    }
}

fn number(
    session: Session,
    typed: Wanted,
    (id, word, (low, high), get, set): Number,
) -> impl IntoView {
    let value = move || typed.with(get).to_string();
    let id = format!("requests-{id}");
    let wrong = expect_context::<Wrong>();
    let field = StoredValue::new(id.clone());
    let change = move |event| {
        let number = event_target_value(&event).trim().parse::<u64>().ok();
        let number = number.filter(|it| (low..=high).contains(it));
        field.with_value(|id| wrong.set(id, number.is_none()));
        if let Some(number) = number {
            typed.update(|it| set(it, number));
        }
    };
    let marked = move || field.with_value(|id| wrong.of(id));
    let hint = move || match word {
        W::Capacity => session.say(W::CapacityHint),
        _ => "",
    };
    view! {
        <label title=hint>
            <span>{move || session.say(word)}</span>
            <input type="number" id=id aria-invalid=marked min=low.to_string() max=high.to_string()
                step="1" prop:value=value on:input=change/>
        </label>
    }
}

/// Numbers as in `16..1024`.
fn range(text: &str) -> Option<Range> {
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    let range = Range {
        from: from.trim().parse().ok()?,
        to: to.trim().parse().ok()?,
    };
    let fits = 1 <= range.from && range.from <= range.to && range.to <= MOST_TOKENS;
    fits.then_some(range)
}

fn workload(typed: &Typed, (prompt, output): (Range, Range)) -> Workload {
    let count = usize::try_from(typed.count).unwrap_or(MOST_REQUESTS);
    let requests = seeded(&Seeded {
        seed: typed.seed,
        count: count.clamp(1, MOST_REQUESTS),
        every: typed.every,
        prompt,
        output,
    });
    let capacity = typed.capacity.checked_mul(1 << 20).filter(|it| *it > 0);
    Workload {
        page: typed.page,
        capacity: capacity.map(Bytes),
        ..Workload::of(requests)
    }
}
