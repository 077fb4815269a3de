//! The worker that is fetched with the first dump or program JSON: everything.

#[cfg(target_arch = "wasm32")]
mod browser;

fn main() {
    #[cfg(target_arch = "wasm32")]
    browser::listen(worker::Desk::default());
}
