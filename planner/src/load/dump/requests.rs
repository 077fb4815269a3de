//! Requests to a language model as a table: `id,arrival,prompt,output`, and what its key-value
//! cache becomes under each placement.
//!
//! ```text
//! # arenascope requests
//! # bytes_per_token=131072
//! # page=16
//! # capacity=17179869184
//! id,arrival,prompt,output,prefix,prefix_tokens
//! r0,0,512,128,system,64
//! ```
//! Arrivals are steps of the model, lengths are tokens. Lines that begin with `#` may set
//! `bytes_per_token`, `page` and `window` (tokens), `longest` (the most tokens of a request, for
//! which the first placement reserves) and `capacity` (bytes). The last two columns may be left
//! out.

use std::collections::{BTreeMap, BTreeSet};

use super::Dump;
use super::draft::{Draft, Row};
use super::line::{Line, lines};
use crate::deployed::{Arena, Deployed, Lane, LaneKind};
use crate::kv_cache::{MOST_REQUESTS, MOST_TOKENS, Placement, Replay, Request, Workload, replay};
use crate::load::text::{self, BYTE_ORDER_MARK};
use crate::load::{Fault, LoadError, Source, Warning};
use crate::units::{Bytes, Span, Step};
use crate::{Message, message};

/// The columns, the last two of which may be left out.
const HEADER: &str = "id,arrival,prompt,output";
const PREFIX: &str = ",prefix,prefix_tokens";

/// What lines that begin with `#` may set.
const KEYS: [&str; 5] = ["bytes_per_token", "page", "window", "longest", "capacity"];

/// Whether a file that begins with `head` is one.
pub(in crate::load) fn sniff(head: &[u8]) -> bool {
    let head = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
    let lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with(b"#"));
    let plain = |line: &[u8]| {
        line.iter()
            .copied()
            .filter(|it| !it.is_ascii_whitespace())
            .collect::<Vec<u8>>()
    };
    lines.next().is_some_and(|line| {
        let line = plain(line);
        line.strip_prefix(HEADER.as_bytes())
            .is_some_and(|rest| rest.is_empty() || rest == PREFIX.as_bytes())
    })
}

/// Reads the requests alone.
///
/// # Errors
/// See [`LoadError`], with the line.
pub(in crate::load) fn requests(
    source: &dyn Source,
) -> Result<(Workload, Vec<Warning>), LoadError> {
    let text = text::read(source)?;
    let mut warnings = Vec::new();
    let workload = workload(&text, &mut warnings)?;
    Ok((workload, warnings))
}

/// Reads it and plays it under every placement that says something of it.
///
/// # Errors
/// See [`LoadError`], with the line.
pub(in crate::load) fn read(source: &dyn Source) -> Dump {
    let (workload, mut warnings) = requests(source)?;
    let mut arenas = Vec::new();
    for placement in workload.placements() {
        match replay(&workload, placement) {
            Ok(played) => {
                arenas.extend(self::arenas(&workload, placement, &played, &mut warnings)?);
            }
            Err(why) => warnings.push(Warning::new(placement.title(&workload), why)),
        }
    }
    if arenas.is_empty() {
        let why = warnings.pop().map(|it| it.message);
        return Err(Fault::Limit.in_file(why.unwrap_or_default()));
    }
    let deployed = Deployed {
        toolchain: "key-value cache".into(),
        arenas,
        ..Deployed::default()
    };
    Ok((deployed, warnings))
}

/// The requests of `text`, and the cache that they share.
fn workload(text: &str, warnings: &mut Vec<Warning>) -> Result<Workload, LoadError> {
    let mut said: BTreeMap<&str, u64> = BTreeMap::new();
    for line in lines(text).filter(|line| line.text.starts_with('#')) {
        let pair = line.text[1..].split_once('=');
        let pair = pair.map(|(key, value)| (key.trim(), value));
        let Some((key, value)) = pair else { continue };
        if !KEYS.contains(&key) {
            // Other remarks have spaces before their first "=".
            if !key.contains(char::is_whitespace) {
                let known = KEYS.join(", ");
                let key = Message::verbatim(key);
                let why = message!("{} is left out: known are {}", key, known);
                warnings.push(Warning::new(line.place(), why));
            }
            continue;
        }
        let what = Message::verbatim(key);
        let number = line.number(what.clone(), value)?;
        if number == 0 {
            let message = message!("{} is 0, and has to be at least 1", what);
            return Err(line.fault(Fault::Malformed, message));
        }
        if said.insert(key, number).is_some() {
            return Err(line.fault(Fault::Duplicate, message!("{} is said twice", what)));
        }
    }
    let mut rows = lines(text).filter(|line| !line.text.starts_with('#'));
    let header = rows.next();
    let columns = header.map_or(0, |line| line.text.split(',').count());
    let (mut requests, mut ids) = (Vec::new(), BTreeSet::new());
    for line in rows {
        if requests.len() == MOST_REQUESTS {
            let message = message!("more than {} requests", MOST_REQUESTS);
            return Err(line.fault(Fault::Limit, message));
        }
        let request = request(line, columns)?;
        if !ids.insert(request.id.clone()) {
            let id = Message::verbatim(request.id);
            return Err(line.fault(Fault::Duplicate, message!("the id {} is there twice", id)));
        }
        requests.push(request);
    }
    if requests.is_empty() {
        return Err(Fault::Malformed.in_file(message!("there is no request")));
    }
    let usual = Workload::of(requests);
    let of = |key: &str| said.get(key).copied();
    if of("bytes_per_token").is_none() {
        warnings.push(Warning::of_file(message!(
            "bytes_per_token is not said: {} bytes are taken, those of Llama 3 8B in 16 bits",
            usual.token.0
        )));
    }
    if let Some(said) = of("longest").filter(|it| *it < usual.longest) {
        warnings.push(Warning::of_file(message!(
            "longest is {}, and a request has {} tokens: that is taken",
            said,
            usual.longest
        )));
    }
    Ok(Workload {
        token: Bytes(of("bytes_per_token").unwrap_or(usual.token.0)),
        page: of("page").unwrap_or(usual.page),
        longest: of("longest").unwrap_or(0).max(usual.longest),
        window: of("window"),
        capacity: of("capacity").map(Bytes),
        ..usual
    })
}

fn request(line: Line<'_>, columns: usize) -> Result<Request, LoadError> {
    let cells: Vec<&str> = line.text.split(',').map(str::trim).collect();
    let (&[id, arrival, prompt, output], rest) = cells
        .split_first_chunk()
        .ok_or_else(|| super::litert::missing(line, cells.len(), columns))?;
    if cells.len() != columns {
        return Err(super::litert::missing(line, cells.len(), columns));
    }
    let number = |what: &'static str, cell: &str, least: u64| {
        let what = Message::verbatim(what);
        let number = line.number(what.clone(), cell)?;
        match number {
            _ if number < least => {
                let message = message!("{} is 0, and has to be at least 1", what);
                Err(line.fault(Fault::Malformed, message))
            }
            _ if number > MOST_TOKENS => {
                let message = message!("{} {} is beyond {}", what, number, MOST_TOKENS);
                Err(line.fault(Fault::Limit, message))
            }
            _ => Ok(number),
        }
    };
    if id.is_empty() {
        return Err(line.fault(Fault::Malformed, message!("the id is empty")));
    }
    let prefix = match rest {
        [name, tokens] if !name.is_empty() => {
            let tokens = number("prefix_tokens", tokens, 0)?;
            Some(((*name).to_owned(), tokens))
        }
        _ => None,
    };
    Ok(Request {
        id: id.to_owned(),
        arrival: number("arrival", arrival, 0)?,
        prompt: number("prompt", prompt, 1)?,
        output: number("output", output, 1)?,
        prefix,
    })
}

/// The cache, and the host's memory where something was copied there.
fn arenas(
    workload: &Workload,
    placement: Placement,
    played: &Replay,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<Arena>, LoadError> {
    let name = placement.title(workload);
    warnings.push(Warning::new(name.clone(), summary(played)));
    let host = message!("{}: host's memory", name.clone());
    let mut found = Vec::new();
    for (in_host, name) in [(false, name), (true, host)] {
        let mut draft = Draft::new(name, placement.name());
        for stay in played.stays.iter().filter(|it| it.host == in_host) {
            let request = &workload.requests[stay.request];
            let id = match (&request.prefix, stay.shared) {
                (Some((prefix, _)), true) => prefix,
                _ => &request.id,
            };
            let page = stay.page;
            let name = match placement.is_paged() {
                true => format!("{id} page {page}"),
                false => id.clone(),
            };
            let row = Row {
                name,
                size: stay.size.0,
                payload: Some(stay.payload.0),
                span: Span::new(stay.steps.0, stay.steps.1),
                offset: stay.offset.0,
                ..Row::default()
            };
            draft.push(|| Message::verbatim(&*request.id), row)?;
        }
        if draft.len() > 0 {
            let mut arena = draft.finish(warnings)?;
            if !in_host {
                arena.lanes = lanes(workload, played);
            }
            found.push(arena);
        }
    }
    Ok(found)
}

fn lanes(workload: &Workload, played: &Replay) -> Vec<Lane> {
    let lane = |kind, points: &Vec<(Step, Bytes)>| Lane {
        kind,
        points: points.clone(),
    };
    let mut lanes = vec![
        lane(LaneKind::Allocated, &played.allocated),
        lane(LaneKind::Tokens, &played.tokens),
        lane(LaneKind::ToCome, &played.reserved),
        lane(LaneKind::Internal, &played.internal),
        lane(LaneKind::External, &played.external),
    ];
    if let Some(capacity) = workload.capacity {
        lanes.push(lane(LaneKind::Reserved, &vec![(Step(0), capacity)]));
    }
    lanes
}

/// Requests at once, and of the bytes and steps that blocks had, how much was for what.
fn summary(played: &Replay) -> Message {
    let all: u128 = played.sums.iter().sum();
    // In tenths of a percent.
    let share = |part: u128| {
        let tenths = part.saturating_mul(1000) / all.max(1);
        format!("{}.{}", tenths / 10, tenths % 10)
    };
    let [tokens, reserved, internal, external] = played.sums.map(share);
    let end = played.ends.iter().copied().max().unwrap_or(0);
    message!(
        "at most {} requests at once, the last one ends at step {}; preempted: {}. Of memory times \
         time {} % held tokens, {} % waited for tokens to come, {} % was wasted inside blocks and \
         {} % outside",
        played.most_running,
        end,
        played.preemptions,
        tokens,
        reserved,
        internal,
        external
    )
}
