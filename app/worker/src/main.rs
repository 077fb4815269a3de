//! The worker that plans. It begins with what the first picture needs.

#[cfg(target_arch = "wasm32")]
mod browser;

fn main() {
    #[cfg(target_arch = "wasm32")]
    browser::listen();
}
