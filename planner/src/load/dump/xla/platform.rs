//! What a program was compiled for. A dump does not say it, but each backend leaves words of its
//! own: in the targets of custom calls, in `backend_config`, and TPUs in tiled layouts.

/// What a program was compiled for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Platform {
    /// Nothing in the file tells.
    #[default]
    Unknown,
    Cpu,
    Gpu,
    Tpu,
}

/// Words of the backends: targets of custom calls, and names within `backend_config`.
const WORDS: [(Platform, &[&str]); 3] = [
    (
        Platform::Gpu,
        &[
            "__cublas$",
            "__cudnn$",
            "__triton",
            "\"operation_queue_id\"",
            "\"fusion_backend_config\"",
            "\"gemm_backend_config\"",
            "\"collective_backend_config\"",
        ],
    ),
    (
        Platform::Cpu,
        &[
            "__ynn_fusion",
            "__onednn$",
            "\"outer_dimension_partitions\"",
            "\"onednn_matmul_config\"",
        ],
    ),
    (
        Platform::Tpu,
        &[
            "tpu_custom_call",
            "\"window_config\"",
            "\"scoped_memory_configs\"",
        ],
    ),
];

impl Platform {
    /// The platform that a target or a configuration tells.
    pub(super) fn told(text: &str) -> Self {
        let found = WORDS
            .iter()
            .find(|(_, words)| words.iter().any(|it| text.contains(it)));
        found.map_or(Self::Unknown, |(platform, _)| *platform)
    }

    /// This one, or the other where nothing is known.
    pub(super) fn or(self, other: impl FnOnce() -> Self) -> Self {
        match self {
            Self::Unknown => other(),
            known => known,
        }
    }

    /// What made the plan, as people call it.
    pub(super) const fn toolchain(self) -> &'static str {
        match self {
            Self::Unknown => "XLA",
            Self::Cpu => "XLA for CPU",
            Self::Gpu => "XLA for GPU",
            Self::Tpu => "XLA for TPU",
        }
    }
}
