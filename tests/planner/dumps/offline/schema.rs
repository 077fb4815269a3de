//! The tables of TFLite's schema that a new root refers to, for the verifier of the
//! `flatbuffers` crate, which shares no code with our reader and writer. Field numbers are
//! those of the schema.

use flatbuffers::{
    ForwardsUOffset, InvalidFlatbuffer, VOffsetT, Vector, Verifiable, Verifier, VerifierOptions,
};

type Result = std::result::Result<(), InvalidFlatbuffer>;
type Text = ForwardsUOffset<&'static str>;
type List<T> = ForwardsUOffset<Vector<'static, T>>;
type Tables<T> = List<ForwardsUOffset<T>>;

/// Whether `bytes` are a sound FlatBuffers file of a TFLite model, as far as the fields below
/// go.
pub(super) fn verify(bytes: &[u8]) -> Result {
    let options = VerifierOptions::default();
    <ForwardsUOffset<Model>>::run_verifier(&mut Verifier::new(&options, bytes), 0)
}

/// Where the vtable has the field with this number.
const fn field(id: u16) -> VOffsetT {
    4 + 2 * id
}

struct Model;
struct Code;
struct Subgraph;
struct Tensor;
struct Operator;
struct Buffer;
struct Metadata;
struct Signature;

impl Verifiable for Model {
    fn run_verifier(v: &mut Verifier<'_, '_>, pos: usize) -> Result {
        v.visit_table(pos)?
            .visit_field::<u32>("version", field(0), true)?
            .visit_field::<Tables<Code>>("operator_codes", field(1), true)?
            .visit_field::<Tables<Subgraph>>("subgraphs", field(2), true)?
            .visit_field::<Text>("description", field(3), false)?
            .visit_field::<Tables<Buffer>>("buffers", field(4), true)?
            .visit_field::<List<i32>>("metadata_buffer", field(5), false)?
            .visit_field::<Tables<Metadata>>("metadata", field(6), true)?
            .visit_field::<Tables<Signature>>("signature_defs", field(7), false)?
            .finish();
        Ok(())
    }
}

impl Verifiable for Code {
    fn run_verifier(v: &mut Verifier<'_, '_>, pos: usize) -> Result {
        v.visit_table(pos)?
            .visit_field::<i8>("deprecated_builtin_code", field(0), false)?
            .visit_field::<Text>("custom_code", field(1), false)?
            .visit_field::<i32>("version", field(2), false)?
            .visit_field::<i32>("builtin_code", field(3), false)?
            .finish();
        Ok(())
    }
}

impl Verifiable for Subgraph {
    fn run_verifier(v: &mut Verifier<'_, '_>, pos: usize) -> Result {
        v.visit_table(pos)?
            .visit_field::<Tables<Tensor>>("tensors", field(0), false)?
            .visit_field::<List<i32>>("inputs", field(1), false)?
            .visit_field::<List<i32>>("outputs", field(2), false)?
            .visit_field::<Tables<Operator>>("operators", field(3), false)?
            .visit_field::<Text>("name", field(4), false)?
            .finish();
        Ok(())
    }
}

impl Verifiable for Tensor {
    fn run_verifier(v: &mut Verifier<'_, '_>, pos: usize) -> Result {
        v.visit_table(pos)?
            .visit_field::<List<i32>>("shape", field(0), false)?
            .visit_field::<i8>("type", field(1), false)?
            .visit_field::<u32>("buffer", field(2), false)?
            .visit_field::<Text>("name", field(3), false)?
            .finish();
        Ok(())
    }
}

impl Verifiable for Operator {
    fn run_verifier(v: &mut Verifier<'_, '_>, pos: usize) -> Result {
        v.visit_table(pos)?
            .visit_field::<u32>("opcode_index", field(0), false)?
            .visit_field::<List<i32>>("inputs", field(1), false)?
            .visit_field::<List<i32>>("outputs", field(2), false)?
            .finish();
        Ok(())
    }
}

impl Verifiable for Buffer {
    fn run_verifier(v: &mut Verifier<'_, '_>, pos: usize) -> Result {
        v.visit_table(pos)?
            .visit_field::<List<u8>>("data", field(0), false)?
            .finish();
        Ok(())
    }
}

impl Verifiable for Metadata {
    fn run_verifier(v: &mut Verifier<'_, '_>, pos: usize) -> Result {
        v.visit_table(pos)?
            .visit_field::<Text>("name", field(0), true)?
            .visit_field::<u32>("buffer", field(1), true)?
            .finish();
        Ok(())
    }
}

impl Verifiable for Signature {
    fn run_verifier(v: &mut Verifier<'_, '_>, pos: usize) -> Result {
        v.visit_table(pos)?
            .visit_field::<u32>("subgraph_index", field(4), false)?
            .finish();
        Ok(())
    }
}
