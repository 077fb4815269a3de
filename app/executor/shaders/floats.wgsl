// Operands of 32-bit floats. start0 and at0 count elements from the start of the buffer, in0
// from the first of the operand; the same of the others.

fn start0() -> u32 { return u.inputs.x; }
fn start1() -> u32 { return u.inputs.y; }
fn start2() -> u32 { return u.inputs.z; }
fn target0() -> u32 { return u.more.z; }

fn at0(at: u32) -> f32 { return bitcast<f32>(load(IN0, at)); }
fn at1(at: u32) -> f32 { return bitcast<f32>(load(IN1, at)); }
fn at2(at: u32) -> f32 { return bitcast<f32>(load(IN2, at)); }
fn put0(at: u32, value: f32) { store(OUT0, at, bitcast<u32>(value)); }

fn in0(i: u32) -> f32 { return bitcast<f32>(load(IN0, u.inputs.x + i)); }
fn in1(i: u32) -> f32 { return bitcast<f32>(load(IN1, u.inputs.y + i)); }
fn in2(i: u32) -> f32 { return bitcast<f32>(load(IN2, u.inputs.z + i)); }
fn in3(i: u32) -> f32 { return bitcast<f32>(load(IN3, u.inputs.w + i)); }
fn in4(i: u32) -> f32 { return bitcast<f32>(load(IN4, u.more.x + i)); }
fn in5(i: u32) -> f32 { return bitcast<f32>(load(IN5, u.more.y + i)); }
fn in6(i: u32) -> f32 { return bitcast<f32>(load(IN6, u.last.x + i)); }
fn in7(i: u32) -> f32 { return bitcast<f32>(load(IN7, u.last.y + i)); }
fn out0(i: u32, value: f32) { store(OUT0, u.more.z + i, bitcast<u32>(value)); }
fn out1(i: u32, value: f32) { store(OUT1, u.more.w + i, bitcast<u32>(value)); }

// Element i of another operand of the space and the type of input 1, which begins at a word.
fn like1(word: u32, i: u32) -> f32 { return bitcast<f32>(load(IN1, word + i)); }
