//! Flags of toolchains that choose a schedule of less memory, each for its platform.

use serde::{Deserialize, Serialize};

/// A flag that chooses a schedule of less memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Flag {
    /// Of XLA for CPUs (its `CpuCompiler::CreateHloSchedule`): depth first, where it otherwise schedules for
    /// concurrency.
    XlaCpu,
    /// Of XLA for GPUs: the share of the memory, in percent, that schedule and rematerialization
    /// keep to, 95 where nothing is said (XLA's `gpu_hlo_schedule.cc`, NVIDIA's JAX-Toolbox).
    XlaGpu,
    /// Of XLA for TPUs: how often the schedule is made anew with a lower limit, once where nothing
    /// is said ("Memory Flags" of XLA's "Flags guidance").
    XlaTpuRerun,
    /// Of XLA for TPUs: communication waits instead of running beside the computation (the same).
    XlaTpuSerial,
    /// Of IREE: dispatches run at the same time only where that needs no more.
    Iree,
    /// Of Vela, for Ethos-U (seen with 5.2): the schedule that needs least SRAM, in which
    /// operators run stripe by stripe, where it is otherwise made for speed.
    Vela,
}

impl Flag {
    /// Those for what made a plan.
    pub(super) fn of(toolchain: &str) -> &'static [Self] {
        let xla = const {
            &[
                Self::XlaCpu,
                Self::XlaGpu,
                Self::XlaTpuRerun,
                Self::XlaTpuSerial,
            ]
        };
        match toolchain {
            "XLA" => xla,
            "XLA for CPU" => &[Self::XlaCpu],
            "XLA for GPU" => &[Self::XlaGpu],
            "XLA for TPU" => &[Self::XlaTpuRerun, Self::XlaTpuSerial],
            "IREE" => &[Self::Iree],
            "Vela" => &[Self::Vela],
            _ => &[],
        }
    }

    /// Whether it is one of XLA, whatever it compiles for.
    #[must_use]
    pub const fn is_xla(self) -> bool {
        !matches!(self, Self::Iree | Self::Vela)
    }

    /// As it is written on a command line.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::XlaCpu => "XLA_FLAGS=--xla_cpu_enable_concurrency_optimized_scheduler=false",
            Self::XlaGpu => "XLA_FLAGS=--xla_gpu_memory_limit_slop_factor=80",
            Self::XlaTpuRerun => "LIBTPU_INIT_ARGS=--xla_latency_hiding_scheduler_rerun=5",
            Self::XlaTpuSerial => {
                "LIBTPU_INIT_ARGS=--xla_tpu_enable_latency_hiding_scheduler=false"
            }
            Self::Iree => "--iree-stream-partitioning-favor=min-peak-memory",
            Self::Vela => "--optimise Size",
        }
    }
}
