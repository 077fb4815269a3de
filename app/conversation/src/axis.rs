//! What is across in pictures: steps one after the other, or as long as they took.

use planner::deployed::Clock;
use worker::CaseId;

use crate::model::appearance::Window;
use crate::model::case::Case;
use crate::model::state::State;

impl State {
    /// Whether a case can have times across: it has a clock, and so have those whose axes are
    /// linked to it.
    #[must_use]
    pub fn can_be_timed(&self, id: CaseId) -> bool {
        let linked = *self.page.linked;
        let mut together = self
            .shown()
            .filter(|case| case.id == id || linked && case.prepared.is_some());
        self.case(id).has_clock() && together.all(Case::has_clock)
    }

    /// Labels the horizontal axis of a case and of those linked to it with times, or with steps where
    /// there are none.
    pub(crate) fn time_axis(&mut self, id: CaseId, timed: bool) {
        let linked = *self.page.linked;
        if timed && !self.can_be_timed(id) {
            return;
        }
        for case in &mut self.cases {
            if case.id == id || linked && case.is_shown() {
                case.put_timed(timed);
            }
        }
    }

    /// Steps are across again where there is no clock, and where linked axes would differ.
    pub(crate) fn follow_clocks(&mut self) {
        let known = |case: &&Case| case.prepared.is_some();
        let mixed = *self.page.linked && self.shown().filter(known).any(|case| !*case.timed);
        for case in &mut self.cases {
            let differs = mixed && case.is_shown();
            if case.prepared.is_some() && (differs || !case.has_clock()) {
                case.put_timed(false);
            }
        }
    }
}

impl Case {
    /// Whether the file says when each step began.
    #[must_use]
    pub fn has_clock(&self) -> bool {
        let clock = self.prepared.as_ref().map(|it| &it.subject.clock);
        clock.is_some_and(|clock| !clock.is_empty())
    }

    /// What says where steps are across, while times are across.
    #[must_use]
    pub fn clock(&self) -> Option<&Clock> {
        let prepared = self.prepared.as_ref()?;
        (*self.timed && self.has_clock()).then_some(&prepared.subject.clock)
    }

    /// What is in view stays in view.
    fn put_timed(&mut self, timed: bool) {
        if *self.timed == timed {
            return;
        }
        self.timed.put(timed);
        let clock = self.prepared.as_ref().map(|it| &it.subject.clock);
        let seen = |window: Window| {
            let clock = clock.filter(|clock| !clock.is_empty())?;
            let of = |x: f64| match timed {
                true => clock.at(x),
                false => clock.step(x),
            };
            let x = (of(window.x.0), of(window.x.1));
            (x.0 < x.1).then_some(Window { x, ..window })
        };
        let window = self.window.and_then(seen);
        self.window.put(window);
        self.views.each(seen);
    }
}
