//! Answers to requests. Every run has a device of its own, so that what goes wrong in a run
//! stays in the run.

use std::cell::Cell;

use executor::engine::{Connection, connect};
use executor::measure::report::Progress;
use planner::load::Source;

use crate::door;
use crate::feeds;
use crate::{Adapter, Execution, Failure, MachineKind, Output, Reply, Request, Run, Surroundings};

/// Progress is told at most this often, in milliseconds: the page draws no more than that.
const TELL_EVERY_MS: f64 = 30.0;

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
        Request::Execute { id, execution } => match execute(&execution, file).await {
            Ok(outputs) => Reply::Outputs { id, outputs },
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

/// A device, or none for the CPU.
async fn machine(kind: MachineKind) -> Result<Option<Connection>, Failure> {
    Ok(match kind {
        MachineKind::Gpu => Some(connect().await?),
        MachineKind::Cpu => None,
    })
}

async fn confirm(
    id: u32,
    run: &Run,
    file: Option<&dyn Source>,
    around: &dyn Surroundings,
) -> Result<Reply, Failure> {
    let inputs = feeds::words(&run.graph, &run.inputs, run.seed)?;
    let machine = machine(run.machine).await?;
    let told = Cell::new(None::<(f64, Progress)>);
    let mut hear = |progress: Progress| {
        let now = around.now();
        let due = told
            .get()
            .is_none_or(|(at, last)| now - at >= TELL_EVERY_MS || last.phase != progress.phase);
        if due {
            told.set(Some((now, progress)));
            around.reply(&Reply::Progress { id, progress });
        }
    };
    let confirmed = door::confirm(machine.as_ref(), run, &inputs, file, around, &mut hear).await;
    let adapter = machine.as_ref().map(Adapter::of);
    if let Some(connection) = &machine {
        connection.device.destroy();
    }
    let report = Box::new(confirmed?);
    Ok(Reply::Confirmed {
        id,
        report,
        adapter,
    })
}

async fn execute(
    _execution: &Execution,
    _file: Option<&dyn Source>,
) -> Result<Vec<Output>, Failure> {
    Ok(Vec::new())
}
