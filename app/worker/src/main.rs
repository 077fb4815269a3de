//! The worker that is there from the start: everything but dumps and program JSONs.

#[cfg(target_arch = "wasm32")]
mod browser;

fn main() {
    #[cfg(target_arch = "wasm32")]
    browser::listen(worker::Desk::without_dumps());
}
