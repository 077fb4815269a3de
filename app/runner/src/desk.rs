//! Answers to requests. Every run has a device of its own, so that what goes wrong in a run
//! stays in the run.

use executor::engine::connect;
use executor::measure::inputs::{self, Inputs};
use executor::measure::{self, Machine, Question};
use planner::graph::{Graph, infer};
use planner::load::Source;

use crate::execution::execute;
use crate::{Adapter, Failure, Feed, MachineKind, Reply, Request, Run, Surroundings, array};

/// Answers one request. `file` is the file that came with it, if one did.
pub async fn answer(request: Request, file: Option<&dyn Source>, around: &dyn Surroundings) {
    let reply = match request {
        Request::Connect { id } => Reply::Connected {
            id,
            adapter: adapter().await,
        },
        Request::Confirm { id, run } => match confirm(id, &run, file, around).await {
            Ok(reply) => reply,
            Err(failure) => Reply::Failed { id, failure },
        },
        Request::Execute { id, execution } => match execute(id, &execution, file, around).await {
            Ok(reply) => reply,
            Err(failure) => Reply::Failed { id, failure },
        },
    };
    around.reply(&reply);
}

async fn adapter() -> Result<Adapter, String> {
    let connection = connect().await.map_err(|error| error.to_string())?;
    let adapter = Adapter::of(&connection);
    connection.device.destroy();
    Ok(adapter)
}

/// A device of its own, or the CPU.
pub(crate) async fn machine(kind: MachineKind) -> Result<Machine, Failure> {
    Ok(match kind {
        MachineKind::Gpu => Machine::Gpu(connect().await?),
        MachineKind::Cpu => Machine::Twins,
    })
}

/// Gives the device back.
pub(crate) fn leave(machine: &Machine) {
    if let Machine::Gpu(connection) = machine {
        connection.device.destroy();
    }
}

async fn confirm(
    id: u32,
    run: &Run,
    file: Option<&dyn Source>,
    around: &dyn Surroundings,
) -> Result<Reply, Failure> {
    let inputs = fed(&run.graph, &run.inputs, run.seed)?;
    let values = infer::infer(&mut run.graph.clone(), &run.bindings);
    let machine = machine(run.machine).await?;
    let question = Question {
        graph: &run.graph,
        values: &values,
        lifetimes: &run.lifetimes,
        plan: &run.plan,
        file,
        inputs,
        clock: &|| around.now(),
        // Nothing else happens in this thread; whoever wants it to stop ends it.
        pause: None,
        spoiled: run.spoiled,
        naive: run.naive,
        reference: run.reference,
    };
    let mut hear = |progress| around.reply(&Reply::Progress { id, progress });
    let confirmed = measure::confirm(&machine, &question, &mut hear).await;
    let adapter = match &machine {
        Machine::Gpu(connection) => Some(Adapter::of(connection)),
        Machine::Twins => None,
    };
    leave(&machine);
    let report = Box::new(confirmed?);
    Ok(Reply::Confirmed {
        id,
        report,
        adapter,
    })
}

/// What the graph's inputs are fed with: what was given, else elements from the seed.
///
/// # Errors
/// [`Failure::Input`] names the first that does not fit.
pub(crate) fn fed(graph: &Graph, feeds: &[Feed], seed: u64) -> Result<Inputs, Failure> {
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
                message: format!("{} B are there, {needed} B are needed", bytes.len()),
            });
        }
        *words = array::words(bytes);
    }
    Ok(Inputs::Given(given.into_iter().map(Some).collect()))
}
