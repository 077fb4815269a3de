//! The page's end of the runner, which is fetched with the first run.

use std::rc::Rc;

use conversation::Event;
use runner::{Reply, Request};
use web_sys::Blob;

use crate::browser::thread::{Heard, Link};
use crate::execute;
use crate::state::driver::{Driver, Runner};

/// Its script.
const SCRIPT: &str = "runner_loader.js";

struct Own(Link<Reply>);

impl Runner for Own {
    fn ask(&self, request: &Request, files: &[Blob]) {
        self.0.ask(request, files);
    }

    fn end(&self) {
        self.0.end();
        execute::died("the runner was stopped");
    }

    fn ping(&self) -> bool {
        self.0.ping()
    }
}

/// Makes sure that the driver knows it.
pub(super) fn start(driver: &Rc<Driver>) {
    if driver.runner.borrow().is_some() {
        return;
    }
    let page = Rc::downgrade(driver);
    let link = Link::new(SCRIPT, move |heard| {
        let Some(driver) = page.upgrade() else { return };
        match heard {
            // What tests and benchmarks ask has no part in the state.
            Heard::Reply(reply) => {
                if let Some(reply) = execute::received(reply) {
                    driver.take(Event::Runner(Box::new(reply)));
                }
            }
            // Seconds of a run ask for it.
            Heard::Here => {}
            Heard::Died(words) => driver.take(Event::RunnerDied(words)),
        }
    });
    *driver.runner.borrow_mut() = Some(Box::new(Own(link)));
}
