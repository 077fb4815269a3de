//! Short messages are shown, and go by themselves where they only confirm.

use crate::model::effect::Effect;
use crate::model::notice::{Message, Notice};
use crate::model::state::State;
use crate::model::timer::Timer;

/// What only confirms goes after so many milliseconds.
const FADE_MS: u32 = 5_000;

impl State {
    /// Tells the person something short.
    pub(crate) fn say(&mut self, message: Message) {
        self.page.notice.set(Some(Notice::Said(message)));
        if message.fades() {
            let timer = Timer::Fade(self.page.notice.changes());
            self.effects.push(Effect::After(FADE_MS, timer));
        }
    }

    /// The message that was the latest then goes, unless there is another.
    pub(crate) fn fade(&mut self, number: u64) {
        if self.page.notice.changes() == number {
            self.page.notice.put(None);
        }
    }
}
