//! Published architectures with their true shapes, each a function from nothing to the bytes
//! of an ONNX model whose weights are not there.

mod blazeface;
mod densenet;
mod inception;
mod layers;
mod mobilenet;
mod transformer;
mod unet;

pub use blazeface::blazeface;
pub use densenet::densenet;
pub use inception::inception;
pub use mobilenet::mobilenet_v2;
pub use transformer::transformer;
pub use unet::unet;
