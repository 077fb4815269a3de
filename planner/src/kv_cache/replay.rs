//! Requests played one event after the other: ends, pages that are needed or given back, then
//! admissions.

use std::collections::{BTreeMap, BTreeSet};

use super::blocks::Blocks;
use super::found::{Replay, Stay};
use super::ramp::Ramp;
use super::running::{Running, Waiting, tokens_at};
use super::{MOST_STAYS, Placement, Workload};
use crate::sorting::Sorting as _;
use crate::units::Bytes;
use crate::{Message, message};

/// Plays `workload`.
///
/// # Errors
/// Why it cannot be played: a request that the cache cannot hold alone, too many blocks, or bytes
/// beyond 64 bits.
pub fn replay(workload: &Workload, placement: Placement) -> Result<Replay, Message> {
    let mut run = Run::new(workload, placement)?;
    let mut order: Vec<usize> = (0..workload.requests.len()).collect();
    order.order_by_key(|&index| workload.requests[index].arrival);
    let mut coming = order.iter().enumerate().peekable();
    loop {
        let arrival = coming
            .peek()
            .map(|(_, index)| workload.requests[**index].arrival);
        let event = run.events.first().map(|it| it.0);
        let Some(step) = arrival.into_iter().chain(event).min() else {
            break;
        };
        while let Some((rank, &index)) =
            coming.next_if(|(_, index)| workload.requests[**index].arrival <= step)
        {
            run.waiting.insert(
                rank,
                Waiting {
                    index,
                    generated: 0,
                    swapped: Vec::new(),
                },
            );
        }
        let before = run.found.preemptions;
        while let Some(&(_, ends, rank)) = run.events.first().filter(|it| it.0 == step) {
            run.events.pop_first();
            match ends {
                false => run.end(rank, step),
                true => run.turn(rank, step)?,
            }
        }
        if run.found.preemptions == before {
            run.admit(step)?;
        }
        let too_small = run.blocks.too_small() * run.page;
        run.external_from(step, too_small);
        run.found.most_running = run.found.most_running.max(run.running.len() as u64);
    }
    Ok(run.finish())
}

struct Run<'a> {
    workload: &'a Workload,
    placement: Placement,
    blocks: Blocks,
    host: Blocks,
    /// By rank, in the order of arrival.
    waiting: BTreeMap<usize, Waiting>,
    running: BTreeMap<usize, Running>,
    /// Step, whether it is a turn rather than an end, and rank.
    events: BTreeSet<(u64, bool, usize)>,
    /// Pages of prefixes: how many hold them, and the stay.
    shared: BTreeMap<(&'a str, u64), (usize, usize)>,
    /// First page of each stay of the cache, for giving it back.
    first: Vec<u64>,
    /// Tokens of a page; of the longest request where each has one block for that.
    page: u64,
    page_bytes: u64,
    found: Replay,
    tokens: Ramp,
    allocated: Ramp,
    reserved: Ramp,
    internal: Ramp,
    external: Ramp,
    /// The step since when so many tokens' bytes are free and too small.
    outside: (u64, u64),
}

impl<'a> Run<'a> {
    fn new(workload: &'a Workload, placement: Placement) -> Result<Self, Message> {
        let beyond = || message!("the cache is beyond 64 bits");
        let page = match placement {
            Placement::Longest => workload.longest,
            _ => workload.page,
        };
        let page_bytes = workload.token.0.checked_mul(page).ok_or_else(beyond)?;
        if page_bytes == 0 {
            return Err(message!("a token, or a page, has no bytes"));
        }
        let most = match workload.capacity {
            Some(bytes) => bytes.0 / page_bytes.max(1),
            None => u64::MAX / page_bytes.max(1) / 2,
        };
        let largest = workload
            .requests
            .iter()
            .map(|it| workload.pages(it.tokens()))
            .max();
        let largest = largest.unwrap_or(1);
        let blocks = match placement {
            Placement::Longest => Blocks::equal(1, most),
            Placement::Buddy => Blocks::buddies(largest, most),
            _ => Blocks::equal(1, most),
        };
        let run = Self {
            workload,
            placement,
            blocks,
            host: Blocks::equal(1, u64::MAX / page_bytes.max(1) / 2),
            waiting: BTreeMap::new(),
            running: BTreeMap::new(),
            events: BTreeSet::new(),
            shared: BTreeMap::new(),
            first: Vec::new(),
            page,
            page_bytes,
            found: Replay {
                ends: vec![0; workload.requests.len()],
                ..Replay::default()
            },
            tokens: Ramp::default(),
            allocated: Ramp::default(),
            reserved: Ramp::default(),
            internal: Ramp::default(),
            external: Ramp::default(),
            outside: (0, 0),
        };
        for request in &workload.requests {
            let needed = run.pages_alone(request.tokens());
            if needed > most {
                let id = Message::verbatim(&*request.id);
                return Err(message!(
                    "{} needs {} bytes alone, and the cache has {}",
                    id,
                    needed.saturating_mul(page_bytes),
                    most.saturating_mul(page_bytes)
                ));
            }
        }
        Ok(run)
    }

    /// The most pages that a request of so many tokens ever has at once.
    fn pages_alone(&self, tokens: u64) -> u64 {
        match (self.placement, self.workload.window) {
            (Placement::Longest, _) => 1,
            (Placement::Buddy, _) => self.blocks.taken_for(self.workload.pages(tokens)),
            (Placement::PagedWindow, Some(window)) => {
                let kept = self
                    .workload
                    .pages(window.saturating_add(self.workload.page));
                self.workload.pages(tokens).min(kept)
            }
            _ => self.workload.pages(tokens),
        }
    }

    /// Takes a block of `pages` for `index`.
    fn take(
        &mut self,
        index: usize,
        (page, pages): (u64, u64),
        step: u64,
    ) -> Result<Option<usize>, Message> {
        let Some(first) = self.blocks.take(pages) else {
            return Ok(None);
        };
        let taken = self.blocks.taken_for(pages);
        self.stay((index, page), (first, taken), step, false)
            .map(Some)
    }

    fn stay(
        &mut self,
        (request, page): (usize, u64),
        (first, pages): (u64, u64),
        step: u64,
        host: bool,
    ) -> Result<usize, Message> {
        if self.found.stays.len() == MOST_STAYS {
            return Err(message!("more than {} blocks are taken", MOST_STAYS));
        }
        self.first.push(first);
        self.found.stays.push(Stay {
            request,
            shared: false,
            page,
            offset: Bytes(first.saturating_mul(self.page_bytes)),
            size: Bytes(pages.saturating_mul(self.page_bytes)),
            payload: Bytes::ZERO,
            steps: (step, step),
            host,
        });
        Ok(self.found.stays.len() - 1)
    }

    /// Gives a block back that held so many tokens.
    fn give(&mut self, stay: usize, tokens: u64, step: u64) {
        let first = self.first[stay];
        let known = &mut self.found.stays[stay];
        known.steps.1 = step;
        known.payload = Bytes(tokens.saturating_mul(self.workload.token.0)).min(known.size);
        let pages = known.size.0 / self.page_bytes;
        match known.host {
            true => self.host.give(first, pages),
            false => self.blocks.give(first, pages),
        }
    }

    /// Admits requests in the order of their arrival until one does not fit.
    fn admit(&mut self, step: u64) -> Result<(), Message> {
        while let Some((&rank, waiting)) = self.waiting.first_key_value() {
            let (index, generated) = (waiting.index, waiting.generated);
            let workload = self.workload;
            let request = &workload.requests[index];
            let tokens = request.prompt + generated + 1;
            let Some((stays, shared, room)) = self.blocks_for(index, tokens, step)? else {
                break;
            };
            if let Some(waiting) = self.waiting.remove(&rank) {
                for stay in waiting.swapped {
                    let pages = self.found.stays[stay].size;
                    self.found.swapped.0 = self.found.swapped.0.saturating_add(pages.0);
                    let held = self.found.stays[stay].payload.0 / workload.token.0.max(1);
                    self.give(stay, held, step);
                }
            }
            if generated > 0 && self.placement != Placement::PagedSwap {
                self.found.recomputed += tokens - 1;
            }
            let mut running = Running {
                index,
                lead: i128::from(tokens) - i128::from(step),
                steps: (step, step + (request.output - generated)),
                stays,
                shared,
                room,
                since: step,
                next: (step, false),
            };
            running.next = self.next(&running, step);
            self.events.insert((running.next.0, running.next.1, rank));
            self.running.insert(rank, running);
        }
        Ok(())
    }

    /// Blocks for a request that has `tokens`: stays, shared pages, and the tokens that its own
    /// blocks have room for. `None` where they are not free.
    #[allow(clippy::type_complexity, reason = "it is taken apart at once")]
    fn blocks_for(
        &mut self,
        index: usize,
        tokens: u64,
        step: u64,
    ) -> Result<Option<(Vec<usize>, u64, (u64, u64))>, Message> {
        let workload = self.workload;
        let request = &workload.requests[index];
        let page = self.page;
        if !self.placement.is_paged() {
            let pages = match self.placement {
                Placement::Longest => 1,
                _ => workload.pages(request.tokens()),
            };
            let room = self.blocks.taken_for(pages) * page;
            let stay = self.take(index, (0, pages), step)?;
            return Ok(stay.map(|stay| (vec![stay], 0, (0, room))));
        }
        let prefix = request.prefix.as_ref();
        let prefix = prefix.filter(|_| self.placement == Placement::PagedPrefix);
        let shared = prefix.map_or(0, |(_, tokens)| (*tokens).min(request.prompt) / page);
        let name = prefix.map_or("", |(name, _)| name.as_str());
        let missing = (0..shared).filter(|&page| !self.shared.contains_key(&(name, page)));
        let missing: Vec<u64> = missing.collect();
        let skipped = self.dropped(tokens) / page;
        let from = shared.max(skipped);
        let pages = workload.pages(tokens);
        let needed = pages - from + missing.len() as u64;
        if self.blocks.left() < needed {
            return Ok(None);
        }
        for page in missing {
            if let Some(stay) = self.take(index, (page, 1), step)? {
                self.found.stays[stay].shared = true;
                self.shared.insert((name, page), (0, stay));
            }
        }
        for page in 0..shared {
            if let Some(known) = self.shared.get_mut(&(name, page)) {
                known.0 += 1;
            }
        }
        let mut stays = Vec::new();
        for page in from..pages {
            stays.extend(self.take(index, (page, 1), step)?);
        }
        Ok(Some((stays, shared, (from * page, pages * page))))
    }

    /// Tokens of a request with `tokens` that attention looks back to no more.
    fn dropped(&self, tokens: u64) -> u64 {
        let window = self.workload.window;
        let window = window.filter(|_| self.placement == Placement::PagedWindow);
        window.map_or(0, |window| tokens.saturating_sub(window))
    }

    /// When something next happens to `running` after `step`: its end, or a turn.
    fn next(&self, running: &Running, step: u64) -> (u64, bool) {
        let end = running.steps.1;
        if !self.placement.is_paged() {
            return (end, false);
        }
        let at = |tokens: u64| i128::from(tokens) - running.lead;
        let mut turns = vec![at(running.room.1 + 1)];
        if let Some(window) = self.workload.window
            && self.placement == Placement::PagedWindow
        {
            turns.push(at(window));
            turns.push(at(running.room.0 + self.page + window));
        }
        let later = turns
            .into_iter()
            .filter(|&turn| turn > i128::from(step))
            .min();
        let later = later.and_then(|turn| u64::try_from(turn).ok());
        match later.filter(|&turn| turn < end) {
            Some(turn) => (turn, true),
            None => (end, false),
        }
    }

    /// Adds up what `running` had from its last event until before `step`.
    fn add_up(&mut self, running: &mut Running, step: u64) {
        let steps = (running.since, step);
        running.since = step;
        let tokens = tokens_at(running, steps.0);
        let dropped = self.dropped(tokens).max(running.room.0);
        let sliding = self.dropped(tokens + 1) > dropped;
        let last = self.workload.requests[running.index].tokens();
        let (from, to) = running.room;
        let used_to = to.min(last);
        self.tokens.add(steps, tokens - dropped, i8::from(!sliding));
        self.reserved.add(steps, used_to.saturating_sub(tokens), -1);
        self.internal
            .add(steps, to - used_to + (dropped - from), i8::from(sliding));
        self.allocated.add(steps, to - from, 0);
    }

    /// A page is needed, or one is no longer.
    fn turn(&mut self, rank: usize, step: u64) -> Result<(), Message> {
        let Some(mut running) = self.running.remove(&rank) else {
            return Ok(());
        };
        self.add_up(&mut running, step);
        let (page, tokens) = (self.page, tokens_at(&running, step));
        while running.room.0 + page <= self.dropped(tokens) && !running.stays.is_empty() {
            let oldest = running.stays.remove(0);
            self.give(oldest, page, step);
            running.room.0 += page;
        }
        while running.room.1 < tokens {
            let wanted = (running.room.1 / page, 1);
            if let Some(stay) = self.take(running.index, wanted, step)? {
                running.stays.push(stay);
                running.room.1 += page;
                continue;
            }
            // Who arrived last goes, which may be this one.
            match self.running.pop_last() {
                Some((last, victim)) if last > rank => self.preempt((last, victim), step)?,
                other => {
                    self.running.extend(other);
                    return self.preempt((rank, running), step);
                }
            }
        }
        running.next = self.next(&running, step);
        self.events.insert((running.next.0, running.next.1, rank));
        self.running.insert(rank, running);
        Ok(())
    }

    fn preempt(&mut self, (rank, mut running): (usize, Running), step: u64) -> Result<(), Message> {
        self.events.remove(&(running.next.0, running.next.1, rank));
        // This step's token is not there yet.
        let tokens = tokens_at(&running, step).saturating_sub(1);
        let request = &self.workload.requests[running.index];
        self.found.preemptions += 1;
        let pages: Vec<(u64, Bytes, u64)> = self.release(&mut running, tokens, step);
        let mut swapped = Vec::new();
        if self.placement == Placement::PagedSwap {
            for (page, payload, count) in pages {
                let Some(first) = self.host.take(count) else {
                    continue;
                };
                let stay = self.stay((running.index, page), (first, count), step, true)?;
                self.found.stays[stay].payload = payload;
                let size = self.found.stays[stay].size;
                self.found.swapped.0 = self.found.swapped.0.saturating_add(size.0);
                swapped.push(stay);
            }
        }
        let generated = tokens - request.prompt;
        self.waiting.insert(
            rank,
            Waiting {
                index: running.index,
                generated,
                swapped,
            },
        );
        Ok(())
    }

    fn end(&mut self, rank: usize, step: u64) {
        if let Some(mut running) = self.running.remove(&rank) {
            let tokens = self.workload.requests[running.index].tokens();
            self.release(&mut running, tokens, step);
            self.found.ends[running.index] = step;
        }
    }

    /// Gives back all that `running` holds at `tokens`: page, bytes that were held, pages of each.
    fn release(&mut self, running: &mut Running, tokens: u64, step: u64) -> Vec<(u64, Bytes, u64)> {
        self.add_up(running, step);
        let page = self.page;
        let mut given = Vec::with_capacity(running.stays.len());
        for stay in std::mem::take(&mut running.stays) {
            let number = self.found.stays[stay].page;
            self.give(stay, tokens.saturating_sub(number * page), step);
            let known = &self.found.stays[stay];
            given.push((number, known.payload, known.size.0 / self.page_bytes));
        }
        let workload = self.workload;
        let prefix = workload.requests[running.index].prefix.as_ref();
        let name = prefix.map_or("", |(name, _)| name.as_str());
        for number in 0..running.shared {
            let Some(known) = self.shared.get_mut(&(name, number)) else {
                continue;
            };
            known.0 -= 1;
            if let (0, stay) = *known {
                self.shared.remove(&(name, number));
                let start = self.found.stays[stay].steps.0;
                self.tokens.add((start, step), page, 0);
                self.allocated.add((start, step), page, 0);
                self.give(stay, page, step);
            }
        }
        given
    }

    /// So many tokens' bytes are free and too small from `step` on.
    fn external_from(&mut self, step: u64, tokens: u64) {
        if tokens != self.outside.1 {
            self.external.add((self.outside.0, step), self.outside.1, 0);
            self.outside = (step, tokens);
        }
    }

    fn finish(mut self) -> Replay {
        let last = self.found.ends.iter().copied().max().unwrap_or(0);
        self.external_from(last, 0);
        let unit = self.workload.token;
        let sums = [&self.tokens, &self.reserved, &self.internal, &self.external];
        Replay {
            sums: sums.map(|it| it.total().saturating_mul(u128::from(unit.0))),
            tokens: self.tokens.points(unit),
            allocated: self.allocated.points(unit),
            reserved: self.reserved.points(unit),
            internal: self.internal.points(unit),
            external: self.external.points(unit),
            ..self.found
        }
    }
}
