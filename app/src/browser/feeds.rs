//! Files as inputs of a run: pictures are decoded by the browser, arrays are read as they are.

use executor::elements::words_of_floats;
use js_sys::Uint8Array;
use planner::graph::DType;
use planner::{Message, message};
use runner::array;
use runner::picture::Frame;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, CanvasRenderingContext2d, HtmlCanvasElement, ImageBitmap};

/// An input that a file is to feed.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) dtype: DType,
    pub(crate) dims: Vec<u64>,
}

/// The elements of an input from a file: a picture, resized, or an array.
///
/// # Errors
/// Why the file does not fit, in words.
pub(crate) async fn elements(file: &Blob, wanted: &Wanted) -> Result<Vec<u8>, Message> {
    if file.type_().starts_with("image/") {
        return picture(file, wanted).await;
    }
    let needed = array::bytes_of(wanted.dtype, &wanted.dims).unwrap_or(u64::MAX);
    // A header has a few hundred bytes: nothing larger is read at all.
    #[expect(clippy::cast_precision_loss, reason = "a rough limit")]
    let most = needed as f64 + 65_536.0 + 16.0;
    if file.size() > most {
        let error = array::ArrayError::Size {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a file's size is a whole number below 2^53"
            )]
            found: file.size() as u64,
            wanted: needed,
        };
        return Err(error.message());
    }
    let bytes = bytes_of(file).await?;
    let elements = array::elements(&bytes, wanted.dtype, &wanted.dims);
    elements
        .map(<[u8]>::to_vec)
        .map_err(|error| error.message())
}

/// The bytes of a file.
///
/// # Errors
/// Why the browser does not give them.
pub(crate) async fn bytes_of(file: &Blob) -> Result<Vec<u8>, Message> {
    let read = JsFuture::from(file.array_buffer()).await;
    let buffer = read.map_err(|error| described(&error))?;
    Ok(Uint8Array::new(&buffer).to_vec())
}

async fn picture(file: &Blob, wanted: &Wanted) -> Result<Vec<u8>, Message> {
    if !matches!(wanted.dtype, DType::F32 | DType::F16) {
        return Err(message!(
            "pictures feed floats, this is {}",
            wanted.dtype.name()
        ));
    }
    let frame = Frame::of(&wanted.dims).ok_or_else(|| message!("this input takes no picture"))?;
    let pixels = decode(file, frame).await;
    let pixels = pixels.map_err(|error| described(&error))?;
    let words = words_of_floats(wanted.dtype, &frame.elements(&pixels));
    let mut bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    let needed = array::bytes_of(wanted.dtype, &wanted.dims);
    bytes.truncate(
        needed
            .and_then(|bytes| usize::try_from(bytes).ok())
            .unwrap_or(0),
    );
    Ok(bytes)
}

/// The pixels of a picture, stretched to the frame.
async fn decode(file: &Blob, frame: Frame) -> Result<Vec<u8>, JsValue> {
    let window = web_sys::window().ok_or(JsValue::NULL)?;
    let bitmap = JsFuture::from(window.create_image_bitmap_with_blob(file)?).await?;
    let bitmap: ImageBitmap = bitmap.unchecked_into();
    let document = window.document().ok_or(JsValue::NULL)?;
    let canvas: HtmlCanvasElement = document.create_element("canvas")?.unchecked_into();
    canvas.set_width(frame.width);
    canvas.set_height(frame.height);
    let context = canvas.get_context("2d")?.ok_or(JsValue::NULL)?;
    let context: CanvasRenderingContext2d = context.unchecked_into();
    let (width, height) = (f64::from(frame.width), f64::from(frame.height));
    context.draw_image_with_image_bitmap_and_dw_and_dh(&bitmap, 0.0, 0.0, width, height)?;
    bitmap.close();
    let data = context.get_image_data(0.0, 0.0, width, height)?;
    Ok(data.data().0)
}

fn described(error: &JsValue) -> Message {
    let error: Option<&js_sys::Error> = error.dyn_ref();
    error.map_or_else(
        || message!("the browser cannot read it"),
        |error| Message::verbatim(error.message()),
    )
}
