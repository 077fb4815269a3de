//! The worker's door to the browser: messages in, messages out, files read in parts.

#[cfg(target_arch = "wasm32")]
mod browser;

fn main() {
    #[cfg(target_arch = "wasm32")]
    browser::listen();
}
