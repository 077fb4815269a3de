//! How the blocks of a task fall into parts, and in which order those are solved.

use std::cmp::Reverse;

use super::{Part, Task, Tree, Turn};
use crate::strategies::exact::field::Preorder;
use crate::strategies::exact::sections::count;
use crate::strategies::exact::state::PLACED;

impl Tree<'_> {
    /// Makes tasks of the parts into which the unplaced blocks of `task` fall, and begins
    /// with the first.
    pub(super) fn split(&mut self, task: usize, from: (u64, u32), torn: bool) -> Turn {
        let known = self.tasks[task];
        self.parts.clear();
        let mut begin = known.range.0;
        for section in known.range.0..known.range.1 {
            self.part_of[section as usize] = count(self.parts.len());
            let tied = self.state.ties[section as usize] > 0 || !self.state.rules.decomposition;
            if section + 1 == known.range.1 || !tied {
                self.parts.push(Part {
                    range: (begin, section + 1),
                    count: 0,
                    end: 0,
                    before: 0,
                });
                begin = section + 1;
            }
        }
        let ranges = &self.state.field.sections.ranges;
        let of_task = known.members.0..known.members.1;
        for (rank, place) in (0_u32..).zip(of_task.clone()) {
            let block = self.members[place] as usize;
            if self.state.low[block] != PLACED {
                let part = self.part_of[ranges[block].0 as usize];
                let part = &mut self.parts[part as usize];
                part.count += 1;
                part.before += u32::from(rank < from.1);
            }
        }
        let mut end = self.members.len();
        for part in &mut self.parts {
            part.end = end;
            end += part.count;
        }
        self.members.resize(end, 0);
        for place in of_task {
            let block = self.members[place];
            if self.state.low[block as usize] != PLACED {
                let part = self.part_of[ranges[block as usize].0 as usize];
                let part = &mut self.parts[part as usize];
                self.members[part.end] = block;
                part.end += 1;
            }
        }
        self.parts.sort_unstable_by_key(|part| part.range);
        let torn_by = self.frames.len().checked_sub(1);
        let first = self.tasks.len();
        let parts = std::mem::take(&mut self.parts);
        let again = torn && self.state.rules.dynamic_order;
        for part in parts.iter().filter(|part| part.count > 0) {
            let again = again && self.rank_again(part.end - part.count, part.end);
            let from = (from.0, if again { 0 } else { part.before });
            let index = self.tasks.len();
            if index > first {
                self.tasks[index - 1].next = Some(index);
            }
            self.tasks.push(Task {
                members: (part.end - part.count, part.end),
                range: part.range,
                from,
                next: None,
                whole: Some(task),
                torn_by,
            });
        }
        self.parts = parts;
        self.begin(first)
    }

    /// Sorts members by the preorder with what is left of each section; false where the
    /// preorder does not ask for that first.
    fn rank_again(&mut self, begin: usize, end: usize) -> bool {
        let field = self.state.field;
        if field.order.preorder == Preorder::WidthAreaTotal {
            return false;
        }
        for &block in &self.members[begin..end] {
            self.fullest[block as usize] = self.state.fullest(block);
        }
        let fullest = &self.fullest;
        self.members[begin..end].sort_unstable_by_key(|&block| {
            (
                Reverse(fullest[block as usize]),
                field.rank[block as usize],
                block,
            )
        });
        true
    }

    fn begin(&self, task: usize) -> Turn {
        let known = self.tasks[task];
        Turn::Enter(task, known.members.1 - known.members.0, known.from)
    }

    /// What comes when `task` is solved.
    pub(super) fn behind(&self, mut task: usize) -> Option<Turn> {
        loop {
            let known = self.tasks[task];
            if let Some(next) = known.next {
                return Some(self.begin(next));
            }
            task = known.whole?;
        }
    }
}
