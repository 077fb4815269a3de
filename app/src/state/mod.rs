//! What the page knows: signals, the address bar, and what it remembers between visits.

mod appearance;
pub(crate) mod column;
pub(crate) mod difference;
pub(crate) mod film;
pub(crate) mod fragment;
pub(crate) mod handiwork;
pub(crate) mod insight;
pub(crate) mod link;
pub(crate) mod lookup;
pub(crate) mod memory;
pub(crate) mod planning;
pub(crate) mod run;
pub(crate) mod session;
pub(crate) mod share;
pub(crate) mod shipped;
pub(crate) mod what_if;
pub(crate) mod witness;
