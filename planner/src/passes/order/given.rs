//! Program → problem: which steps may change places, and what each keeps in memory.

use super::Limits;
use super::constraints::before;
use super::problem::{Kept, Problem, Stored};
use crate::graph::{Op, TensorId};
use crate::liveness::lifetimes;
use crate::passes::LeftAlone;
use crate::program::Program;
use crate::settings::{Io, Parallel, Settings};
use crate::storage::{StorageId, StorageKind};
use crate::units::narrow;

impl Problem {
    /// The steps of `program` and what they keep in memory under `settings`.
    ///
    /// # Errors
    /// Why its order can only stay as it is.
    pub(super) fn of(
        program: &Program,
        settings: &Settings,
        limits: &Limits,
    ) -> Result<Self, LeftAlone> {
        if !program.schedule.only_computes() {
            return Err(LeftAlone::DoesMore);
        }
        if settings.parallel != Parallel::Serial {
            return Err(LeftAlone::Parallel);
        }
        let has_offsets = program.graph.offline.iter().any(Option::is_some);
        if settings.io == Io::Tflm && has_offsets {
            return Err(LeftAlone::Offsets);
        }
        let (uses, users) = operands(program);
        let before = before(program, &users, &limits.control).ok_or(LeftAlone::TooLarge)?;
        let mut after = vec![Vec::new(); before.len()];
        for (step, own) in before.iter().enumerate() {
            for &earlier in own {
                after[earlier as usize].push(narrow(step));
            }
        }
        let window = limits
            .window
            .map(|it| usize::try_from(it).unwrap_or(usize::MAX));
        let mut problem = Self {
            total: before.len(),
            uses: vec![Vec::new(); before.len()],
            over: vec![None; before.len()],
            before,
            after,
            storages: Vec::new(),
            always: 0,
            first: 0,
            position: 0,
            window,
        };
        problem.store(program, settings, (&uses, users))?;
        Ok(problem)
    }

    /// Takes in the storages that have a place in the arena.
    fn store(
        &mut self,
        program: &Program,
        settings: &Settings,
        (uses, users): (&[Vec<StorageId>], Vec<Vec<u32>>),
    ) -> Result<(), LeftAlone> {
        // Sizes are the same in every order, and add up to less than 2^62.
        let lifetimes = lifetimes(program, settings)
            .ok()
            .ok_or(LeftAlone::TooLarge)?;
        let mut sizes = vec![0; program.storages.list.len()];
        for buffer in &lifetimes.buffers {
            if let Some(storage) = buffer.storage {
                sizes[storage.index()] = buffer.size.0;
            }
        }
        let stays = stays(program, settings.io);
        let mut index = vec![None; sizes.len()];
        for (storage, users) in users.into_iter().enumerate() {
            let (bytes, (opened, kept)) = (sizes[storage], stays[storage]);
            match kept {
                _ if bytes == 0 => {}
                _ if !users.is_empty() => {
                    index[storage] = Some(narrow(self.storages.len()));
                    self.storages.push(Stored {
                        bytes,
                        users,
                        opened,
                        kept,
                    });
                }
                Kept::End => self.always += bytes,
                Kept::No | Kept::Later => self.first += bytes,
            }
        }
        let found = |storage: &StorageId| index[storage.index()];
        for (own, uses) in self.uses.iter_mut().zip(uses) {
            own.extend(uses.iter().filter_map(found));
        }
        self.over = over(program, &|storage| found(&storage), &self.uses);
        Ok(())
    }
}

/// The storages that each step uses, and the steps that use each storage; both ascending.
fn operands(program: &Program) -> (Vec<Vec<StorageId>>, Vec<Vec<u32>>) {
    let mut users = vec![Vec::new(); program.storages.list.len()];
    let mut uses = Vec::with_capacity(program.schedule.len());
    for (step, op) in program.operators().enumerate() {
        let tensors = op.read().chain(op.written());
        let bases = tensors.filter_map(|it| Some(program.storages.view(it)?.base));
        let mut bases: Vec<StorageId> = bases.collect();
        bases.sort_unstable();
        bases.dedup();
        for base in &bases {
            users[base.index()].push(narrow(step));
        }
        uses.push(bases);
    }
    (uses, users)
}

/// Whether each storage is live before the first step, and whether it stays after its last
/// user: as [`lifetimes`] pins them.
fn stays(program: &Program, io: Io) -> Vec<(bool, Kept)> {
    let base = |tensor: TensorId| Some(program.storages.view(tensor)?.base.index());
    let mut read = vec![false; program.storages.list.len()];
    for storage in program.operators().flat_map(Op::read).filter_map(base) {
        read[storage] = true;
    }
    let mut returned = vec![false; read.len()];
    for storage in program.graph.outputs.iter().copied().filter_map(base) {
        returned[storage] = true;
    }
    let stays = |(index, kind): (usize, StorageKind)| {
        let (input, output) = (kind == StorageKind::Input, kind == StorageKind::Output);
        let (opened, kept) = match io {
            Io::Beside => (false, false),
            Io::WholeRun => (input || output, input || output),
            Io::Litert => {
                let unread = kind == StorageKind::Activation && !read[index];
                (input, input || output || unread)
            }
            Io::Tflm | Io::Ggml => (input, returned[index]),
        };
        (opened, if kept { Kept::End } else { Kept::No })
    };
    let kinds = program.storages.list.iter().map(|it| it.kind);
    kinds.enumerate().map(stays).collect()
}

/// Where each step may write over what it reads, both of which are whole storages.
fn over(
    program: &Program,
    found: &dyn Fn(StorageId) -> Option<u32>,
    uses: &[Vec<u32>],
) -> Vec<Option<(u32, u32)>> {
    let mut of_op = vec![None; program.graph.ops.len()];
    for alias in &program.in_place {
        if let Some(of_op) = of_op.get_mut(alias.op.index()) {
            *of_op = program.handed_over(alias);
        }
    }
    let pair = |(step, uses): (usize, &Vec<u32>)| {
        let (input, output) = of_op[program.schedule.op(step)?.index()]?;
        let pair = (found(input)?, found(output)?);
        let used = uses.contains(&pair.0) && uses.contains(&pair.1);
        used.then_some(pair)
    };
    uses.iter().enumerate().map(pair).collect()
}
