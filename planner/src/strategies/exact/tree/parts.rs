//! How the blocks of a task fall into parts, and in which order those are solved.

use core::cmp::Reverse;

use super::{Members, Part, PlaceableBlock, Task, Tree, Turn};
use crate::strategies::exact::field::Preorder;
use crate::strategies::exact::sections::Range;
use crate::strategies::exact::state::PLACED;
use crate::units::narrow;

impl Tree<'_> {
    /// Makes tasks of the parts into which the unplaced blocks of `task` fall, and begins
    /// with the first.
    pub(super) fn split(&mut self, task: usize, from: PlaceableBlock, torn: bool) -> Turn {
        let known = self.tasks[task];
        self.parts.clear();
        let mut start = known.range.start;
        for section in known.range.start..known.range.end {
            self.part_of[section as usize] = narrow(self.parts.len());
            let tied = self.state.ties[section as usize] > 0 || !self.state.rules.decomposition;
            let end = section + 1;
            if end == known.range.end || !tied {
                self.parts.push(Part {
                    range: Range { start, end },
                    count: 0,
                    end: 0,
                    before: 0,
                });
                start = end;
            }
        }
        let ranges = &self.state.field.sections.ranges;
        let of_task = known.members.indices();
        for (rank, place) in (0_u32..).zip(of_task.clone()) {
            let block = self.members[place] as usize;
            if self.state.low[block] != PLACED {
                let part = self.part_of[ranges[block].start as usize];
                let part = &mut self.parts[part as usize];
                part.count += 1;
                part.before += u32::from(rank < from.rank);
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
                let part = self.part_of[ranges[block as usize].start as usize];
                let part = &mut self.parts[part as usize];
                self.members[part.end] = block;
                part.end += 1;
            }
        }
        self.parts.sort_unstable_by_key(|part| part.range);
        let torn_by = self.frames.len().checked_sub(1);
        let first = self.tasks.len();
        let parts = core::mem::take(&mut self.parts);
        let again = torn && self.state.rules.dynamic_order;
        for part in parts.iter().filter(|part| part.count > 0) {
            let members = Members {
                start: part.end - part.count,
                end: part.end,
            };
            let again = again && self.rank_again(members);
            let rank = if again { 0 } else { part.before };
            let index = self.tasks.len();
            if index > first {
                self.tasks[index - 1].next = Some(index);
            }
            self.tasks.push(Task {
                members,
                range: part.range,
                from: PlaceableBlock { rank, ..from },
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
    fn rank_again(&mut self, members: Members) -> bool {
        let field = self.state.field;
        if field.order.preorder == Preorder::WidthAreaTotal {
            return false;
        }
        for &block in &self.members[members.indices()] {
            self.fullest[block as usize] = self.state.fullest(block);
        }
        let fullest = &self.fullest;
        self.members[members.indices()].sort_unstable_by_key(|&block| {
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
        Turn::Enter {
            task,
            left: known.members.len(),
            from: known.from,
        }
    }

    /// What comes when `task` is solved.
    pub(super) fn after(&self, mut task: usize) -> Option<Turn> {
        loop {
            let known = self.tasks[task];
            if let Some(next) = known.next {
                return Some(self.begin(next));
            }
            task = known.whole?;
        }
    }
}
