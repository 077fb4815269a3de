//! Storage tokens as lesson 7 tells of them: free ones are asked for by size, and an operator may
//! take over the token of an input that nobody reads after it.

use std::cmp::Reverse;

use super::problem::Problem;

/// A token may be so many times as large as what asks for it, or as small.
const RANGE: u64 = 16;

/// A free token.
struct Free {
    token: usize,
    size: u64,
    /// How many were given back before it.
    turn: usize,
}

struct Tokens {
    sizes: Vec<u64>,
    /// The buffer that each has now, or had last.
    holders: Vec<usize>,
    of_buffer: Vec<Option<usize>>,
    free: Vec<Free>,
    turns: usize,
}

/// The token of each buffer, from 0.
pub(crate) fn tokens(problem: &Problem) -> Vec<usize> {
    let buffers = &problem.buffers;
    let mut all = Tokens {
        sizes: Vec::new(),
        holders: Vec::new(),
        of_buffer: vec![None; buffers.len()],
        free: Vec::new(),
        turns: 0,
    };
    for step in 0..problem.steps {
        let ended = (0..buffers.len()).filter(|&it| buffers[it].end == step);
        let mut ended: Vec<usize> = ended.collect();
        // What nobody reads goes after what was read, as outputs come after inputs.
        ended.sort_by_key(|&it| buffers[it].end - buffers[it].first == 1);
        for index in ended {
            all.give_back(index);
        }
        for pair in problem.handed_over.iter().filter(|it| it.step == step) {
            let own = &buffers[pair.after];
            let is_read = own.end - own.first > 1;
            let before = all.of_buffer[pair.before].filter(|it| all.holders[*it] == pair.before);
            if let (Some(token), true) = (before, is_read && pair.is_whole) {
                all.take(pair.after, own.size, Some(token));
            }
        }
        let begun = (0..buffers.len()).filter(|&it| buffers[it].first == step);
        let mut begun: Vec<usize> = begun.filter(|&it| all.of_buffer[it].is_none()).collect();
        begun.sort_by_key(|&it| (Reverse(buffers[it].size), Reverse(it)));
        for index in begun {
            let token = all.closest(buffers[index].size);
            all.take(index, buffers[index].size, token);
        }
    }
    let of_buffer = all.of_buffer.into_iter();
    of_buffer
        .map(|it| it.expect("every buffer has begun"))
        .collect()
}

impl Tokens {
    /// Unless another has taken it over.
    fn give_back(&mut self, index: usize) {
        let token = self.of_buffer[index].expect("it has begun");
        if self.holders[token] == index {
            let (size, turn) = (self.sizes[token], self.turns);
            self.free.push(Free { token, size, turn });
            self.turns += 1;
        }
    }

    /// Of those that hold `size` the smallest, of equal ones the first that was given back; else
    /// the largest, the last that was.
    fn closest(&mut self, size: u64) -> Option<usize> {
        let free = || self.free.iter().enumerate();
        let large = free().filter(|it| it.1.size >= size && it.1.size <= size * RANGE);
        let small = free().filter(|it| it.1.size < size && it.1.size >= size / RANGE);
        let found = large.min_by_key(|it| (it.1.size, it.1.turn));
        let found = found.or_else(|| small.max_by_key(|it| (it.1.size, it.1.turn)));
        let place = found?.0;
        Some(self.free.remove(place).token)
    }

    fn take(&mut self, index: usize, size: u64, token: Option<usize>) {
        let token = token.unwrap_or(self.sizes.len());
        self.sizes.resize(self.sizes.len().max(token + 1), 0);
        self.holders.resize(self.sizes.len(), index);
        self.sizes[token] = self.sizes[token].max(size);
        self.holders[token] = index;
        self.of_buffer[index] = Some(token);
    }
}
