//! The content security policy, once for the page itself and once for the server.
//!
//! Nothing inline, nothing foreign: WebAssembly compiles, pictures may come from blobs and
//! data URLs because exports are made in the page, and everything else is this origin.

/// The rules that a `<meta>` element and a header both understand.
pub(crate) const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
     style-src 'self'; img-src 'self' blob: data:; font-src 'self'; connect-src 'self'; \
     worker-src 'self'; base-uri 'none'; form-action 'none'";

/// The rules as the server sends them: only a header can forbid framing.
pub(crate) fn header() -> String {
    format!("{POLICY}; frame-ancestors 'none'")
}
