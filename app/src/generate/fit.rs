//! How many requests run at once, as curves over the size of the cache.

use gloo::timers::future::sleep;
use leptos::prelude::*;
use planner::Bytes;
use planner::kv_cache::Workload;
use planner::kv_cache::fit::{Fit, SIZES, fits, whole};

use crate::format;
use crate::state::session::{Session, session, to_f64};
use crate::strings::{GenerateWord as W, filled};
use crate::text::fault::said;

/// The picture's size and margins, in its own units.
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 42.0;

/// So many requests are replayed between two frames.
const MOST: usize = 5_000;

/// What was tried, of which workload.
#[derive(Clone, PartialEq)]
struct Tried {
    of: Workload,
    whole: Bytes,
    sizes: Vec<Fit>,
}

/// The curves, once they are asked for; `choose` takes a size of the cache.
#[component]
pub(super) fn Fits(workload: Memo<Option<Workload>>, choose: Callback<Bytes>) -> impl IntoView {
    let session = session();
    // Its own size is none of those that are tried.
    let workload = Memo::new(move |_| {
        let free = |it| Workload {
            capacity: None,
            ..it
        };
        workload.get().map(free)
    });
    let tried = RwSignal::new(None::<Tried>);
    // The last one that was begun goes on, those before it end.
    let runs = StoredValue::new(0_u32);
    // What is typed meanwhile ends it.
    let current = move || {
        tried
            .get()
            .filter(|it| workload.with(|now| now.as_ref() == Some(&it.of)))
    };
    let current = Memo::new(move |_| current());
    let large = move || workload.with(|it| it.as_ref().is_some_and(|it| it.requests.len() > MOST));
    let start = move |_| {
        let Some(of) = workload.get_untracked() else {
            return;
        };
        let whole = whole(&of);
        let run = runs.get_value() + 1;
        runs.set_value(run);
        let begun = Tried {
            of: of.clone(),
            whole,
            sizes: Vec::new(),
        };
        tried.set(Some(begun));
        leptos::task::spawn_local(async move {
            for fit in fits(&of, whole) {
                let wanted = current.try_get_untracked().flatten().is_some();
                if !wanted || runs.try_get_value() != Some(run) {
                    return;
                }
                tried.try_update(|tried| {
                    if let Some(tried) = tried {
                        tried.sizes.push(fit);
                    }
                });
                sleep(std::time::Duration::ZERO).await;
            }
        });
    };
    view! {
        <p>
            <button data-do="how-many" disabled=move || workload.with(Option::is_none) || large() on:click=start>
                {move || session.say(W::Fit)}
            </button>
            {move || large().then(|| view! { <span class="soft">{filled(session.say(W::FitLimit), &[&format::grouped(MOST as u64)])}</span> })}
        </p>
        {move || current.get().map(|it| picture(session, &it, choose))}
    }
}

/// Where what is drawn.
struct Scale {
    whole: f64,
    most: f64,
}

impl Scale {
    fn x(&self, bytes: Bytes) -> f64 {
        LEFT + to_f64(bytes.0) / self.whole * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, count: u64) -> f64 {
        HEIGHT - BOTTOM - to_f64(count) / self.most * (HEIGHT - TOP - BOTTOM)
    }
}

fn picture(session: Session, tried: &Tried, choose: Callback<Bytes>) -> impl IntoView + use<> {
    let counts = tried.sizes.iter().flat_map(|it| &it.running);
    let most = counts.filter_map(|(_, count)| *count).max().unwrap_or(1);
    let scale = Scale {
        whole: to_f64(tried.whole.0.max(1)),
        most: to_f64(most.max(1)),
    };
    let placements = tried.sizes.first().map_or(&[][..], |it| &it.running);
    let names: Vec<String> = placements
        .iter()
        .map(|(it, _)| said(session, &it.title(&tried.of)))
        .collect();
    let curves = placements.iter().enumerate().map(|(at, _)| {
        let points = tried.sizes.iter().filter_map(|fit| {
            let (_, count) = fit.running.get(at)?;
            Some((scale.x(fit.capacity), scale.y((*count)?)))
        });
        let path: Vec<String> = points.map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        // Of curves that lie on one another each is seen.
        let width = 2 + 2 * (placements.len() - 1 - at);
        view! { <polyline class=format!("curve c{at}") stroke-width=width.to_string() points=path.join(" ")/> }
    });
    let legend = names.iter().enumerate();
    let legend = legend.map(|(at, name)| {
        view! { <li><i class=format!("c{at}")></i>{name.clone()}</li> }
    });
    let tried_of = filled(
        session.say(W::FitSizes),
        &[&tried.sizes.len().to_string(), &SIZES.to_string()],
    );
    view! {
        <figure class="fit">
            <svg viewBox=format!("0 0 {WIDTH} {HEIGHT}") role="img" aria-label=move || session.say(W::FitUp)>
                {axes(session, &scale, (tried.whole, most))}
                {curves.collect_view()}
            </svg>
            <figcaption>
                <ul class="legend-of-parts">{legend.collect_view()}</ul>
                <span role="status">{tried_of}</span>
            </figcaption>
        </figure>
        {table(session, tried, &names, choose)}
    }
}

/// The same as numbers; a size is taken by a click.
fn table(
    session: Session,
    tried: &Tried,
    names: &[String],
    choose: Callback<Bytes>,
) -> impl IntoView + use<> {
    let heads = names
        .iter()
        .map(|name| view! { <th scope="col">{name.clone()}</th> });
    let row = |fit: &Fit| {
        let capacity = fit.capacity;
        let counts = fit.running.iter().map(|(_, count)| {
            let text = count.map_or_else(|| "–".to_owned(), format::grouped);
            view! { <td class="number">{text}</td> }
        });
        view! {
            <tr>
                <th scope="row"><button class="quiet" title=session.say(W::FitTake) on:click=move |_| choose.run(capacity)>{format::bytes(capacity.0)}</button></th>
                {counts.collect_view()}
            </tr>
        }
    };
    view! {
        <details class="fit-table">
            <summary>{session.say(W::FitTable)}</summary>
            <table>
                <thead><tr><th scope="col">{session.say(W::FitAcross)}</th>{heads.collect_view()}</tr></thead>
                <tbody>{tried.sizes.iter().map(row).collect_view()}</tbody>
            </table>
        </details>
    }
}

fn axes(session: Session, scale: &Scale, (whole, most): (Bytes, u64)) -> impl IntoView + use<> {
    let foot = HEIGHT - BOTTOM;
    let text = |x: f64, y: f64, anchor: &'static str, text: String| {
        view! { <text x=format!("{x:.1}") y=format!("{y:.1}") text-anchor=anchor>{text}</text> }
    };
    let across = [0, 1, 2, 3, 4].map(|quarter| {
        let bytes = Bytes(whole.0 / 4 * quarter);
        let anchor = if quarter == 4 { "end" } else { "middle" };
        let x = scale.x(bytes) + if quarter == 4 { RIGHT } else { 0.0 };
        text(x, foot + 16.0, anchor, format::bytes(bytes.0))
    });
    let mut ticks = vec![0, most.div_ceil(2), most];
    ticks.dedup();
    let up = ticks.into_iter().map(|count| {
        let y = scale.y(count);
        let right = (WIDTH - RIGHT).to_string();
        view! {
            <line x1=LEFT.to_string() x2=right y1=format!("{y:.1}") y2=format!("{y:.1}")/>
            {text(LEFT - 6.0, y + 4.0, "end", format::grouped(count))}
        }
    });
    view! {
        <g class="axes">
            {up.collect_view()}
            {across.collect_view()}
            {text(0.0, TOP - 12.0, "start", session.say(W::FitUp).to_owned())}
            {text((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 6.0, "middle", session.say(W::FitAcross).to_owned())}
        </g>
    }
}
