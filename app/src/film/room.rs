//! Which sentences of a film are the longest: a caption keeps room for them from the first step
//! on, so that none is cut off and no picture jumps from step to step.

use std::sync::Arc;

use conversation::{Column, Recording};
use planner::trace::Picture;

use super::scene::{narrated, sentence_of};
use crate::state::film::Still;
use crate::state::session::Session;

/// So many of the longest are laid out: which of them has the most lines depends on where they
/// break.
const LAID_OUT: usize = 3;

/// Steps times buffers that are looked at. Of longer films that is a part of the steps, those with
/// most reasons among them; a sentence that is longer still makes the caption grow.
const WORK: usize = 400_000;

/// The longest sentences of a film, its decisive one and its last.
pub(super) fn longest(session: Session, column: Column, recording: &Arc<Recording>) -> Vec<String> {
    let Some(prepared) = session.prepared.get() else {
        return Vec::new();
    };
    let lifetimes = &prepared.subject.lifetimes;
    let alignment = session.settings.with(|settings| settings.alignment);
    let steps = looked_at(recording, WORK / lifetimes.buffers.len().max(1));
    let always = [
        recording.survey.decisive.map(|frame| frame + 1),
        Some(recording.len()),
    ];
    let mut picture = Picture::new(lifetimes.buffers.len());
    let mut kept = Vec::new();
    let mut others: Vec<(usize, String)> = Vec::new();
    for step in steps {
        picture.show(&recording.trace, step);
        let still = Still {
            recording: Arc::clone(recording),
            step,
            layout: Arc::new(picture.layout(lifetimes, alignment)),
            alignment,
        };
        let said = narrated(session, column, (lifetimes, &still), sentence_of);
        if always.contains(&Some(step)) {
            kept.push(said);
            continue;
        }
        let width = width(&said);
        if others.len() == LAID_OUT && others.iter().all(|other| other.0 >= width) {
            continue;
        }
        others.push((width, said));
        if others.len() > LAID_OUT {
            let least = (0..others.len()).min_by_key(|&index| others[index].0);
            others.swap_remove(least.unwrap_or_default());
        }
    }
    kept.extend(others.into_iter().map(|(_, said)| said));
    kept
}

/// The steps whose sentences are made, in order: all, or those of most reasons and some evenly
/// between them.
fn looked_at(recording: &Recording, most: usize) -> Vec<usize> {
    let len = recording.len();
    if len <= most {
        return (0..=len).collect();
    }
    let mut steps: Vec<usize> = (1..=len).collect();
    let reasons = |step: usize| recording.trace.reasons(step - 1).len();
    steps.sort_by_key(|&step| (std::cmp::Reverse(reasons(step)), step));
    steps.truncate(most / 2);
    let stride = len.div_ceil((most / 2).max(1));
    steps.extend((0..=len).step_by(stride.max(1)));
    steps.extend(recording.survey.decisive.map(|frame| frame + 1));
    steps.push(len);
    steps.sort_unstable();
    steps.dedup();
    steps
}

/// About how wide a sentence is: a Chinese character is as wide as two Latin letters.
fn width(said: &str) -> usize {
    said.chars()
        .map(|letter| if letter < '\u{2e80}' { 1 } else { 2 })
        .sum()
}
