//! A plan goes home: the open TFLite model with a column's plan in it, as a download.

use planner::tflm_offline_plan::{Unwritable, Written};
use worker::CaseId;

use planner::message;

use crate::model::column::Column;
use crate::model::effect::Effect;
use crate::model::notice::Notice;
use crate::model::state::State;

impl State {
    /// Asks the worker to write the plan of `column` into the open file.
    pub(crate) fn export(&mut self, id: CaseId, column: Column) {
        if let Some(case) = self.case_mut(id)
            // The file has another graph than the one that was edited.
            && case.text.planned.is_none()
            && let Some(planned) = case.planned(column).cloned()
        {
            case.queue.export = Some((column, planned));
        }
    }

    /// Offers the file with the plan in it, and says what it needs; or why it cannot.
    pub(crate) fn exported(
        &mut self,
        id: CaseId,
        column: Column,
        written: Result<Written, Unwritable>,
    ) {
        let written = match written {
            Ok(written) => written,
            Err(Unwritable(why)) => {
                self.page.notice.set(Some(Notice::NotExported(why)));
                return;
            }
        };
        let case = self.case(id);
        let source = case.queue.source.as_ref();
        let file = source.and_then(|source| source.files.first());
        let (Some(file), Some(open)) = (file, case.file.as_ref()) else {
            return;
        };
        let stem = open.name.strip_suffix(".tflite").unwrap_or(&open.name);
        let effect = Effect::Join {
            name: format!("{stem}.{}.tflite", column.name()),
            file: file.content.clone(),
            written: Box::new(written.clone()),
        };
        self.effects.push(effect);
        let notice = Notice::Exported(written.arena);
        self.page.notice.set(Some(notice));
    }

    /// The browser has joined the file, or could not.
    pub(crate) fn joined(&mut self, joined: bool) {
        if !joined {
            let why = message!("the browser cannot join it");
            self.page.notice.set(Some(Notice::NotExported(why)));
        }
    }
}
