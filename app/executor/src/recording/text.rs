//! A recording as text, for people and for golden tests: one line per upload, dispatch and
//! readback, with addresses in words.

use std::fmt;

use super::{Dispatch, Operand, Origin, Recording, Region, Space};

impl fmt::Display for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "arena {} B, io {} B", self.arena.0, self.io.0)?;
        for (index, weights) in self.weights.iter().enumerate() {
            writeln!(f, "weights {index}: {} B", weights.0)?;
        }
        for upload in &self.uploads {
            writeln!(f, "upload {} from {}", upload.operand, upload.origin)?;
        }
        for (index, step) in self.steps.iter().enumerate() {
            writeln!(f, "step {index} {} {}", step.kind, step.name)?;
            for dispatch in &step.dispatches {
                writeln!(f, "  {dispatch}")?;
            }
        }
        for output in &self.outputs {
            writeln!(f, "read {output}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Dispatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.kernel.name())?;
        for (index, input) in self.inputs.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{input}")?;
        }
        write!(f, ") ->")?;
        for output in &self.outputs {
            write!(f, " {output}")?;
        }
        let [x, y, z] = self.grid;
        write!(f, " grid {x}x{y}x{z}")?;
        for (name, value) in &self.constants {
            write!(f, " {name}={value}")?;
        }
        write!(f, " params")?;
        for word in &self.params {
            write!(f, " {word:x}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dims = self.dims.iter().map(ToString::to_string);
        let dims = dims.collect::<Vec<_>>().join("x");
        write!(
            f,
            "{} {}[{dims}] {}",
            self.name,
            self.dtype.name(),
            self.region
        )
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{}:{}+{}", self.space, self.word, self.words)
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Arena => write!(f, "arena"),
            Self::Weights(chunk) => write!(f, "weights{chunk}"),
            Self::Io => write!(f, "io"),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(position) => write!(f, "input {position}"),
            Self::Inline(bytes) => write!(f, "{} B of the graph", bytes.len()),
            Self::File { start, len } => write!(f, "{len} B of the file at {start}"),
            Self::Seeded {
                seed,
                scale,
                around,
            } => write!(f, "seed {seed:x}, {around} ± {scale}"),
            Self::SeededInts { seed, below } => write!(f, "seed {seed:x}, below {below}"),
            Self::Stored(stored) => {
                let sparse = if stored.sparsity.is_some() {
                    "sparse "
                } else {
                    ""
                };
                write!(f, "{sparse}{} from {}", stored.dtype.name(), stored.origin)
            }
            Self::Words(words) => write!(f, "{} words", words.len()),
            Self::Folded(output) => write!(f, "folded {output}"),
            Self::Zeros => write!(f, "zeros"),
        }
    }
}
