//! Tensors and their types in an ONNX file.

use super::messages::{self, Limits};
use crate::graph::infer::element_type;
use crate::graph::{Content, DType};
use crate::load::Fault;
use crate::load::protobuf::{Blob, Broken, Field, Message};
use crate::message;

/// Largest rank.
pub(super) const MAX_RANK: usize = 64;

/// `TensorProto`.
#[derive(Clone, Debug, Default)]
pub(super) struct RawTensor {
    pub name: String,
    pub dims: Vec<i64>,
    pub kind: i64,
    raw: Option<Blob>,
    /// A typed field that is too long to be kept.
    located: Option<(u64, u64)>,
    ints: Vec<i64>,
    floats: Vec<f32>,
    external: Option<External>,
}

/// `external_data` of a `TensorProto`.
#[derive(Clone, Debug, Default)]
struct External {
    path: String,
    start: u64,
    len: Option<u64>,
}

/// `ValueInfoProto`.
#[derive(Clone, Debug, Default)]
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
pub(super) fn tensor(
    mut fields: Message<'_, '_>,
    limits: &mut Limits,
) -> Result<RawTensor, Broken> {
    let mut tensor = RawTensor::default();
    let mut outside = false;
    let mut external = External::default();
    while let Some(mut field) = fields.next()? {
        match field.number {
            1 => dims(&mut field, &mut tensor, limits)?,
            2 => tensor.kind = field.integer()?,
            8 => tensor.name = field.text()?,
            9 => tensor.raw = Some(field.blob()?),
            4 => {
                let long = field.floats(&mut tensor.floats, || limits.element())?;
                tensor.located = long.or(tensor.located);
            }
            5 | 7 | 11 => {
                let long = field.integers(&mut tensor.ints, || limits.element())?;
                tensor.located = long.or(tensor.located);
            }
            // Nothing that shapes depend on has doubles, of which few are not kept.
            10 => tensor.located = field.long().or(tensor.located),
            13 => external.entry(field.message("StringStringEntryProto")?)?,
            14 => outside = field.integer()? == 1,
            _ => {}
        }
    }
    tensor.external = outside.then_some(external);
    Ok(tensor)
}

/// Adds the dimensions of a tensor.
fn dims(
    field: &mut Field<'_, '_>,
    tensor: &mut RawTensor,
    limits: &mut Limits,
) -> Result<(), Broken> {
    let long = field.integers(&mut tensor.dims, || limits.element())?;
    match long.is_some() || tensor.dims.len() > MAX_RANK {
        true => Err(rank(&tensor.name)),
        false => Ok(()),
    }
}

fn rank(name: &str) -> Broken {
    let message = message!("tensor \"{}\" has more than {} dimensions", name, MAX_RANK);
    Broken::new(Fault::Limit, message)
}

impl External {
    fn entry(&mut self, entry: Message<'_, '_>) -> Result<(), Broken> {
        let (key, value) = messages::texts(entry, [1, 2])?;
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
pub(super) fn sparse(
    mut fields: Message<'_, '_>,
    limits: &mut Limits,
) -> Result<RawTensor, Broken> {
    let mut dense = RawTensor::default();
    while let Some(mut field) = fields.next()? {
        match field.number {
            1 => {
                let values = tensor(field.message("TensorProto")?, limits)?;
                (dense.name, dense.kind) = (values.name, values.kind);
            }
            3 => dims(&mut field, &mut dense, limits)?,
            _ => {}
        }
    }
    Ok(dense)
}

impl RawTensor {
    /// The element type.
    pub(super) fn dtype(&self) -> DType {
        element_type(self.kind)
    }

    /// The dimensions.
    pub(super) fn shape(&self) -> Result<Vec<u64>, Broken> {
        let convert = |&dim: &i64| u64::try_from(dim);
        let dims: Result<Vec<u64>, _> = self.dims.iter().map(convert).collect();
        dims.map_err(|_error| {
            let message = message!("tensor \"{}\" has a negative dimension", self.name);
            Broken::new(Fault::Malformed, message)
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
pub(super) fn info(mut fields: Message<'_, '_>, limits: &mut Limits) -> Result<RawInfo, Broken> {
    let mut info = RawInfo::default();
    while let Some(mut field) = fields.next()? {
        match field.number {
            1 => info.name = field.text()?,
            2 => value_type(field.message("TypeProto")?, &mut info, limits)?,
            _ => {}
        }
    }
    Ok(info)
}

fn value_type(
    mut fields: Message<'_, '_>,
    info: &mut RawInfo,
    limits: &mut Limits,
) -> Result<(), Broken> {
    while let Some(mut field) = fields.next()? {
        match field.number {
            1 => tensor_type(field.message("TypeProto.Tensor")?, info, limits)?,
            4 | 5 | 7 | 8 | 9 => {
                // Sequences, maps, optionals and sparse tensors have no fixed size.
                info.dtype = Some(DType::Other);
            }
            _ => {}
        }
    }
    Ok(())
}

fn tensor_type(
    mut fields: Message<'_, '_>,
    info: &mut RawInfo,
    limits: &mut Limits,
) -> Result<(), Broken> {
    while let Some(mut field) = fields.next()? {
        match field.number {
            1 => info.dtype = Some(element_type(field.integer()?)),
            2 => {
                let mut dims = Vec::new();
                let mut shape = field.message("TensorShapeProto")?;
                while let Some(mut field) = shape.next()? {
                    match field.number {
                        1 if dims.len() == MAX_RANK => return Err(rank(&info.name)),
                        1 => {
                            limits.element()?;
                            dims.push(dimension(field.message("Dimension")?)?);
                        }
                        _ => {}
                    }
                }
                info.dims = Some(dims);
            }
            _ => {}
        }
    }
    Ok(())
}

fn dimension(mut fields: Message<'_, '_>) -> Result<RawDim, Broken> {
    let mut dim = RawDim::Unknown;
    while let Some(mut field) = fields.next()? {
        match field.number {
            // Some exporters write -1 where they mean nothing.
            1 => dim = u64::try_from(field.integer()?).map_or(RawDim::Unknown, RawDim::Fixed),
            2 => {
                let name = field.text()?;
                // Some exporters write a question mark for every dimension that has no name.
                dim = match name.as_str() {
                    "" | "?" => RawDim::Unknown,
                    _ => RawDim::Named(name),
                };
            }
            _ => {}
        }
    }
    Ok(dim)
}
