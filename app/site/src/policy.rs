//! The content security policy, once for the page itself and once for the server.
//!
//! Nothing inline, nothing foreign: WebAssembly compiles, pictures may come from blobs and
//! data URLs because exports are made in the page, and everything else is this origin.

/// The rules that a `<meta>` element and a header both understand.
pub(crate) const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
     style-src 'self'; img-src 'self' blob: data:; font-src 'self'; connect-src 'self'; \
     worker-src 'self'; base-uri 'none'; form-action 'none'";

/// The rules as the server sends them for what `url` names: only a header can forbid framing.
/// Others may frame the page as they embed it, `?embed=1`, and nothing else.
pub(crate) fn header(url: &str) -> String {
    let query = url.split('#').next().and_then(|url| url.split_once('?'));
    let embedded = query.is_some_and(|(_, query)| query.split('&').any(|it| it == "embed=1"));
    match embedded {
        true => POLICY.to_owned(),
        false => format!("{POLICY}; frame-ancestors 'none'"),
    }
}
