//! Answers to requests. Runs have a device of their own, apart from the page's, so that what
//! goes wrong in a run stays in the run.

use std::cell::Cell;
use std::collections::BTreeMap;

use executor::engine::{Connection, RunError, connect};
use executor::lower::families::{Families, Family};
use executor::verify::inputs::{self, Inputs};
use executor::verify::report::{Phase, Progress};
use executor::verify::values::values;
use executor::verify::zeros::{Zeros, zeros};
use executor::verify::{self, Machine, Question};
use planner::graph::{DType, Graph, TensorId, Value};
use planner::load::Source;
use planner::message;

use crate::{
    Adapter, Execution, Failure, Feed, MachineKind, Output, Reply, Request, Run, Surroundings,
    array,
};

/// What the runner keeps between requests: the device, with what was compiled for it, and the
/// parts of this program that were fetched. A device that failed is not used again.
#[derive(Debug, Default)]
pub struct Server {
    device: Option<Connection>,
    families: Families,
}

impl Server {
    /// Answers one request. `file` is the file that came with it, if one did.
    pub async fn answer(
        &mut self,
        request: Request,
        file: Option<&dyn Source>,
        around: &dyn Surroundings,
    ) {
        let reply = match request {
            Request::Connect { id } => {
                let adapter = self.connected().await;
                let adapter = adapter.map(Adapter::of).map_err(|error| error.message());
                Reply::Connected { id, adapter }
            }
            Request::Confirm { id, run } => match self.confirm(id, &run, file, around).await {
                Ok(reply) => reply,
                Err(failure) => Reply::Failed { id, failure },
            },
            Request::Values { id, run, tensors } => {
                match self.values(id, &run, &tensors, file, around).await {
                    Ok(reply) => reply,
                    Err(failure) => Reply::Failed { id, failure },
                }
            }
            Request::Zeros { id, run } => match self.zeros(id, &run, file, around).await {
                Ok(zeros) => Reply::Zeros { id, zeros },
                Err(failure) => Reply::Failed { id, failure },
            },
            Request::Execute { id, execution } => {
                match self.execute(id, &execution, file, around).await {
                    Ok(reply) => reply,
                    Err(failure) => Reply::Failed { id, failure },
                }
            }
        };
        around.reply(&reply);
    }

    async fn connected(&mut self) -> Result<&Connection, RunError> {
        if self.device.is_none() {
            self.device = Some(connect().await?);
        }
        let none = || RunError::Unavailable(message!("there is no device"));
        self.device.as_ref().ok_or_else(none)
    }

    /// Fetches the kernels that a graph needs.
    ///
    /// # Errors
    /// [`Failure::Unfetched`].
    async fn fetch(&mut self, graph: &Graph, around: &dyn Surroundings) -> Result<(), Failure> {
        for family in Family::needed(graph) {
            if !self.families.has(family) {
                let operators = around.operators(family).await;
                self.families
                    .add(family, operators.ok_or(Failure::Unfetched)?);
            }
        }
        Ok(())
    }

    async fn machine(&mut self, kind: MachineKind) -> Result<Machine, Failure> {
        Ok(match kind {
            MachineKind::Gpu => Machine::Gpu(self.connected().await?.clone()),
            MachineKind::Cpu => Machine::Cpu,
        })
    }

    /// Gives a device back that is in an unknown state.
    fn leave(&mut self) {
        if let Some(connection) = self.device.take() {
            connection.device.destroy();
        }
    }

    async fn confirm(
        &mut self,
        id: u32,
        run: &Run,
        file: Option<&dyn Source>,
        around: &dyn Surroundings,
    ) -> Result<Reply, Failure> {
        let known = run.program.known(&run.bindings);
        self.fetch(&run.program.graph, around).await?;
        let clock = || around.now();
        let question = Question {
            families: self.families,
            ..question(run, &known, file, &clock)?
        };
        let begun = Cell::new(false);
        let mut on_progress = |progress: Progress| {
            begun.set(!matches!(progress.phase, Phase::Load | Phase::Compile));
            around.reply(&Reply::Progress { id, progress });
        };
        loop {
            let kept = self.device.is_some();
            let machine = self.machine(run.machine).await?;
            let adapter = match &machine {
                Machine::Gpu(connection) => Some(Adapter::of(connection)),
                Machine::Cpu => None,
            };
            match verify::confirm(&machine, &question, &mut on_progress).await {
                Ok(report) => {
                    let report = Box::new(report);
                    return Ok(Reply::Confirmed {
                        id,
                        report,
                        adapter,
                    });
                }
                Err(failure) => self.judge(failure, kept && !begun.get())?,
            }
        }
    }

    async fn values(
        &mut self,
        id: u32,
        run: &Run,
        tensors: &[TensorId],
        file: Option<&dyn Source>,
        around: &dyn Surroundings,
    ) -> Result<Reply, Failure> {
        let known = run.program.known(&run.bindings);
        self.fetch(&run.program.graph, around).await?;
        let clock = || around.now();
        let question = Question {
            families: self.families,
            ..question(run, &known, file, &clock)?
        };
        let mut on_progress = |progress| around.reply(&Reply::Progress { id, progress });
        loop {
            let kept = self.device.is_some();
            let machine = self.machine(run.machine).await?;
            let begun = around.now();
            match values(&machine, &question, tensors, &mut on_progress).await {
                Ok(values) => {
                    let mut outputs: Vec<Output> = values.into_iter().map(Output::of).collect();
                    let neighbours = neighbours(&run.program.graph, &question.inputs);
                    if let Some(inputs) = neighbours.filter(|_| around.now() - begun < LONG) {
                        let moved = Question {
                            inputs,
                            ..question.clone()
                        };
                        let found = values_again(&machine, &moved, tensors).await;
                        note_rounding(&mut outputs, found);
                    }
                    return Ok(Reply::Outputs {
                        id,
                        outputs,
                        times: Vec::new(),
                        ledger: Vec::new(),
                    });
                }
                Err(failure) => self.judge(failure, kept)?,
            }
        }
    }

    async fn zeros(
        &mut self,
        id: u32,
        run: &Run,
        file: Option<&dyn Source>,
        around: &dyn Surroundings,
    ) -> Result<Zeros, Failure> {
        let known = run.program.known(&run.bindings);
        self.fetch(&run.program.graph, around).await?;
        let clock = || around.now();
        let question = Question {
            families: self.families,
            ..question(run, &known, file, &clock)?
        };
        let mut on_progress = |progress| around.reply(&Reply::Progress { id, progress });
        Ok(zeros(&Machine::Cpu, &question, &mut on_progress).await?)
    }

    /// Leaves a device that failed. A device that was lost since its last run is no failure
    /// of this one, which then begins again.
    ///
    /// # Errors
    /// The failure, unless the run is to begin again.
    fn judge(&mut self, failure: verify::Failure, kept: bool) -> Result<(), Failure> {
        if let verify::Failure::Run(error) = &failure {
            self.leave();
            if kept && matches!(error, RunError::Lost(_)) {
                return Ok(());
            }
        }
        Err(failure.into())
    }

    async fn execute(
        &mut self,
        id: u32,
        execution: &Execution,
        file: Option<&dyn Source>,
        around: &dyn Surroundings,
    ) -> Result<Reply, Failure> {
        let opener = around.opener().await.ok_or(Failure::Unfetched)?;
        let made = (opener.0)(execution, file)?;
        self.fetch(&made.program.graph, around).await?;
        let question = Question {
            program: &made.program,
            values: &made.values,
            bindings: &execution.bindings,
            lifetimes: &made.lifetimes,
            plan: &made.plan,
            file,
            inputs: fed(&made.program.graph, &made.feeds, execution.seed)?,
            families: self.families,
            clock: &|| around.now(),
            pause: None,
            corrupted: false,
            naive: false,
            reference: false,
            until: None,
        };
        loop {
            let kept = self.device.is_some();
            let machine = self.machine(execution.machine).await?;
            match verify::execute(&machine, &question, execution.runs).await {
                Ok(executed) => {
                    return Ok(Reply::Outputs {
                        id,
                        outputs: made.outputs(&executed),
                        times: executed.times,
                        ledger: executed.ledger,
                    });
                }
                Err(failure) => self.judge(failure, kept)?,
            }
        }
    }
}

/// Milliseconds beyond which a run is not repeated to see what rounding does.
const LONG: f64 = 2000.0;

/// The inputs with every float moved to a neighbour, its last bit turned over; `None` where none
/// is fed.
fn neighbours(graph: &Graph, inputs: &Inputs) -> Option<Inputs> {
    let dtypes = || graph.inputs.iter().map(|&id| graph.tensor(id).dtype);
    if !dtypes().any(|dtype| !exponents(dtype).is_empty()) {
        return None;
    }
    let mut words = inputs::words(graph, inputs);
    for (dtype, own) in dtypes().zip(&mut words) {
        for word in own {
            for (exponent, last) in exponents(dtype) {
                // Infinite or NaN where all bits of the exponent are set.
                if *word & exponent != *exponent {
                    *word ^= last;
                }
            }
        }
    }
    Some(Inputs::Given(words.into_iter().map(Some).collect()))
}

/// The bits of the exponent of each float in a word, and its last; none of other types, and of 64
/// bits: these are computed as 32.
fn exponents(dtype: DType) -> &'static [(u32, u32)] {
    match dtype {
        DType::F32 => &[(0x7f80_0000, 1)],
        DType::F16 => &[(0x7c00, 1), (0x7c00_0000, 1 << 16)],
        DType::BF16 => &[(0x7f80, 1), (0x7f80_0000, 1 << 16)],
        _ => &[],
    }
}

async fn values_again(
    machine: &Machine,
    question: &Question<'_>,
    tensors: &[TensorId],
) -> Vec<Output> {
    let found = values(machine, question, tensors, &mut |_| {}).await;
    found.map_or_else(
        |_| Vec::new(),
        |all| all.into_iter().map(Output::of).collect(),
    )
}

/// Notes how far each output is from what the moved inputs give.
fn note_rounding(outputs: &mut [Output], moved: Vec<Output>) {
    for (output, moved) in outputs.iter_mut().zip(moved) {
        // Where a count is another one, there is no element beside each.
        if output.dims != moved.dims {
            continue;
        }
        let [own, moved] = [&*output, &moved].map(crate::values::numbers);
        let apart = own.iter().zip(&moved).map(|(a, b)| (a - b).abs());
        let largest = apart.filter(|apart| apart.is_finite()).fold(0.0, f64::max);
        output.rounding = Some(largest);
    }
}

/// What is asked of a machine about a plan.
///
/// # Errors
/// [`Failure::Input`] names the first input that does not fit.
fn question<'a>(
    run: &'a Run,
    known: &'a BTreeMap<TensorId, Value>,
    file: Option<&'a dyn Source>,
    clock: &'a dyn Fn() -> f64,
) -> Result<Question<'a>, Failure> {
    Ok(Question {
        program: &run.program,
        values: known,
        bindings: &run.bindings,
        lifetimes: &run.lifetimes,
        plan: &run.plan,
        file,
        inputs: fed(&run.program.graph, &run.inputs, run.seed)?,
        families: Families::NONE,
        clock,
        // Nothing else happens in this thread; to stop it, it is ended.
        pause: None,
        corrupted: run.corrupted,
        naive: run.naive,
        reference: run.reference,
        until: run.until,
    })
}

/// What the graph's inputs are fed with: what was given, else elements from the seed.
///
/// # Errors
/// [`Failure::Input`] names the first that does not fit.
fn fed(graph: &Graph, feeds: &[Feed], seed: u64) -> Result<Inputs, Failure> {
    let seeded = Inputs::Seeded(seed);
    if feeds.iter().all(|feed| *feed == Feed::Seeded) {
        return Ok(seeded);
    }
    let mut given = inputs::words(graph, &seeded);
    let all = graph.inputs.iter().zip(&mut given).zip(feeds);
    for ((&id, words), feed) in all {
        let Feed::Elements(bytes) = feed else {
            continue;
        };
        let tensor = graph.tensor(id);
        let dims = tensor.dims.as_deref().unwrap_or_default();
        let needed = array::bytes_of(tensor.dtype, dims);
        if needed != Some(bytes.len() as u64) {
            let needed = needed.unwrap_or_default();
            return Err(Failure::Input {
                name: tensor.name.clone(),
                message: message!("{} B are there, {} B are needed", bytes.len(), needed),
            });
        }
        *words = array::words(bytes);
    }
    Ok(Inputs::Given(given.into_iter().map(Some).collect()))
}
