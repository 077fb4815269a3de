//! Tensors and their types in an ONNX file.

use rten_onnx::protobuf::{FieldValue, Fields, ReadValue};

use super::messages::{self, Limits};
use crate::graph::infer::element_type;
use crate::graph::{Content, DType};
use crate::load::Fault;
use crate::load::protobuf::{Blob, Broken, Kept, MAX_INLINE, integers};

/// Largest rank.
pub(super) const MAX_RANK: usize = 64;

/// `TensorProto`.
#[derive(Debug, Default)]
pub(super) struct RawTensor {
    pub name: String,
    pub dims: Vec<i64>,
    pub kind: i32,
    raw: Option<Blob>,
    /// A typed field that is too long to be kept.
    located: Option<(u64, u64)>,
    ints: Vec<i64>,
    floats: Vec<f32>,
    external: Option<External>,
}

/// `external_data` of a `TensorProto`.
#[derive(Debug, Default)]
struct External {
    path: String,
    start: u64,
    len: Option<u64>,
}

/// `ValueInfoProto`.
#[derive(Debug, Default)]
pub(super) struct RawInfo {
    pub name: String,
    pub dtype: Option<DType>,
    pub dims: Option<Vec<RawDim>>,
}

/// A declared dimension.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RawDim {
    Fixed(u64),
    Named(String),
    Unknown,
}

/// Decodes a tensor.
pub(super) fn tensor<R: ReadValue<Types = Kept>>(
    mut fields: Fields<'_, R>,
    limits: &mut Limits,
) -> Result<RawTensor, Broken> {
    let mut tensor = RawTensor::default();
    let mut outside = false;
    let mut external = External::default();
    while let Some(mut field) = fields.next()? {
        match field.number() {
            1 => {
                if !integers(&mut field, &mut tensor.dims, || limits.element())?
                    || tensor.dims.len() > MAX_RANK
                {
                    return Err(rank(&tensor.name));
                }
            }
            2 => tensor.kind = field.get_enum()?,
            8 => tensor.name = field.read_string()?,
            9 => tensor.raw = Some(field.read_bytes()?),
            number @ (4 | 5 | 7 | 10 | 11) => match field.value() {
                FieldValue::Len(len) if len > MAX_INLINE => {
                    let blob = field.read_bytes()?;
                    tensor.located = Some((blob.start, blob.len));
                }
                _ if number == 4 => {
                    messages::floats(&mut field, &mut tensor.floats, limits)?;
                }
                // Doubles are not followed; nothing that shapes depend on has them.
                _ if number == 10 => field.skip()?,
                _ => {
                    integers(&mut field, &mut tensor.ints, || limits.element())?;
                }
            },
            13 => external.entry(field.read_message(Some("StringStringEntryProto"))?)?,
            14 => outside = field.get_enum()? == 1,
            _ => field.skip()?,
        }
    }
    tensor.external = outside.then_some(external);
    Ok(tensor)
}

fn rank(name: &str) -> Broken {
    let message = format!("tensor \"{name}\" has more than {MAX_RANK} dimensions");
    Broken::Content(Fault::Limit, message)
}

impl External {
    fn entry<R: ReadValue<Types = Kept>>(
        &mut self,
        mut fields: Fields<'_, R>,
    ) -> Result<(), Broken> {
        let (mut key, mut value) = (String::new(), String::new());
        while let Some(mut field) = fields.next()? {
            match field.number() {
                1 => key = field.read_string()?,
                2 => value = field.read_string()?,
                _ => field.skip()?,
            }
        }
        match key.as_str() {
            "location" => self.path = value,
            "offset" => self.start = value.parse().unwrap_or(0),
            "length" => self.len = value.parse().ok(),
            _ => {}
        }
        Ok(())
    }
}

/// Decodes a sparse tensor to a dense one without elements.
pub(super) fn sparse<R: ReadValue<Types = Kept>>(
    mut fields: Fields<'_, R>,
    limits: &mut Limits,
) -> Result<RawTensor, Broken> {
    let mut dense = RawTensor::default();
    while let Some(mut field) = fields.next()? {
        match field.number() {
            1 => {
                let values = tensor(field.read_message(Some("TensorProto"))?, limits)?;
                (dense.name, dense.kind) = (values.name, values.kind);
            }
            3 => {
                if !integers(&mut field, &mut dense.dims, || limits.element())?
                    || dense.dims.len() > MAX_RANK
                {
                    return Err(rank(&dense.name));
                }
            }
            _ => field.skip()?,
        }
    }
    Ok(dense)
}

impl RawTensor {
    /// The element type.
    pub(super) fn dtype(&self) -> DType {
        element_type(self.kind.into())
    }

    /// The dimensions.
    pub(super) fn shape(&self) -> Result<Vec<u64>, Broken> {
        let convert = |&dim: &i64| u64::try_from(dim);
        let dims: Result<Vec<u64>, _> = self.dims.iter().map(convert).collect();
        dims.map_err(|_error| {
            let message = format!("tensor \"{}\" has a negative dimension", self.name);
            Broken::Content(Fault::Malformed, message)
        })
    }

    /// Where the elements are.
    pub(super) fn content(&mut self) -> Content {
        if let Some(External { path, start, len }) = self.external.take() {
            return Content::External { path, start, len };
        }
        if let Some(Blob { start, len, bytes }) = self.raw.take() {
            return match bytes {
                Some(bytes) => Content::Inline(bytes),
                None => Content::Range { start, len },
            };
        }
        if let Some((start, len)) = self.located {
            return Content::Range { start, len };
        }
        if self.dims.contains(&0) {
            return Content::Inline(Vec::new());
        }
        match self.typed_bytes() {
            Some(bytes) => Content::Inline(bytes),
            None => Content::Stripped,
        }
    }

    /// The elements of the typed fields as raw little-endian bytes.
    fn typed_bytes(&self) -> Option<Vec<u8>> {
        if !self.floats.is_empty() {
            let bytes = self.floats.iter().flat_map(|x| x.to_le_bytes());
            return Some(bytes.collect());
        }
        // 16-bit floats stand here as the bits of integers; packed 4-bit elements as bytes.
        let width = self.dtype().bits()?.div_ceil(8).min(8);
        let width = usize::try_from(width).unwrap_or(8);
        let bytes = self.ints.iter();
        let bytes = bytes.flat_map(|x| x.to_le_bytes().into_iter().take(width));
        (!self.ints.is_empty()).then(|| bytes.collect())
    }
}

/// Decodes a declared value: its name, element type and shape.
pub(super) fn info<R: ReadValue<Types = Kept>>(
    mut fields: Fields<'_, R>,
    limits: &mut Limits,
) -> Result<RawInfo, Broken> {
    let mut info = RawInfo::default();
    while let Some(mut field) = fields.next()? {
        match field.number() {
            1 => info.name = field.read_string()?,
            2 => value_type(field.read_message(Some("TypeProto"))?, &mut info, limits)?,
            _ => field.skip()?,
        }
    }
    Ok(info)
}

fn value_type<R: ReadValue<Types = Kept>>(
    mut fields: Fields<'_, R>,
    info: &mut RawInfo,
    limits: &mut Limits,
) -> Result<(), Broken> {
    while let Some(mut field) = fields.next()? {
        match field.number() {
            1 => tensor_type(field.read_message(Some("TypeProto.Tensor"))?, info, limits)?,
            4 | 5 | 7 | 8 | 9 => {
                // Sequences, maps, optionals and sparse tensors have no fixed size.
                info.dtype = Some(DType::Other);
                field.skip()?;
            }
            _ => field.skip()?,
        }
    }
    Ok(())
}

fn tensor_type<R: ReadValue<Types = Kept>>(
    mut fields: Fields<'_, R>,
    info: &mut RawInfo,
    limits: &mut Limits,
) -> Result<(), Broken> {
    while let Some(mut field) = fields.next()? {
        match field.number() {
            1 => info.dtype = Some(element_type(field.get_enum()?.into())),
            2 => {
                let mut dims = Vec::new();
                let mut shape = field.read_message(Some("TensorShapeProto"))?;
                while let Some(mut field) = shape.next()? {
                    match field.number() {
                        1 if dims.len() == MAX_RANK => return Err(rank(&info.name)),
                        1 => {
                            limits.element()?;
                            dims.push(dimension(field.read_message(Some("Dimension"))?)?);
                        }
                        _ => field.skip()?,
                    }
                }
                info.dims = Some(dims);
            }
            _ => field.skip()?,
        }
    }
    Ok(())
}

fn dimension<R: ReadValue<Types = Kept>>(mut fields: Fields<'_, R>) -> Result<RawDim, Broken> {
    let mut dim = RawDim::Unknown;
    while let Some(mut field) = fields.next()? {
        match field.number() {
            // Some exporters write -1 where they mean nothing.
            1 => dim = u64::try_from(field.get_int64()?).map_or(RawDim::Unknown, RawDim::Fixed),
            2 => {
                let name = field.read_string()?;
                dim = match name.is_empty() {
                    true => RawDim::Unknown,
                    false => RawDim::Named(name),
                };
            }
            _ => field.skip()?,
        }
    }
    Ok(dim)
}
