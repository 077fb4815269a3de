//! Samples that are plans, as toolchains dump them.

use std::collections::BTreeMap;

use super::{Group, Sample, Text, text};
use crate::dumps;
use crate::snapshot::allocator::Settings;
use crate::snapshot::{Spec, USUAL};

pub(super) fn deployed() -> Vec<Sample> {
    let mut all = of_whole_programs();
    all.extend(of_one_network());
    all
}

fn of_whole_programs() -> Vec<Sample> {
    vec![
        Sample {
            id: "iree_chain",
            group: Group::Deployed,
            file: "iree_chain.ir.txt",
            title: text("IREE: six layers in a row", "IREE：六层串联"),
            about: text(
                "What iree-compile dumps of its slice layout: the plan is 39 % larger than it has to be, for one hole.",
                "iree-compile 转储的切片布局：由于一个空洞，该计划比所需大 39 %。",
            ),
            bind: BTreeMap::new(),
            show: &[],
            bytes: include_bytes!("../../data/plans/iree/chain.ir.txt").to_vec(),
        },
        Sample {
            id: "torch_training",
            group: Group::Deployed,
            file: "torch_training.pickle",
            title: text(
                "PyTorch: training runs out of memory",
                "PyTorch：训练时内存不足",
            ),
            about: text(
                "A memory snapshot of training on two streams, with stacks: a request for 27.5 MiB fails while 57.8 MiB are free, but in pieces.",
                "在两个流上训练的内存快照（含调用栈）：请求 27.5 MiB 失败，而空闲的 57.8 MiB 是碎片。",
            ),
            bind: BTreeMap::new(),
            show: &[],
            bytes: torch_training().make().bytes(4),
        },
        Sample {
            id: "vela_linear",
            group: Group::Deployed,
            file: "vela_linear.log",
            title: text("Vela: nothing is reused", "Vela：不复用内存"),
            about: text(
                "Vela's log of a small network on an Ethos-U with the allocator LinearAlloc, which lays tensor behind tensor: a plan of a third of the size exists.",
                "Vela 对小型网络（Ethos-U）的日志，分配器 LinearAlloc 将张量依次排开：存在仅占三分之一的计划。",
            ),
            bind: BTreeMap::new(),
            show: &[],
            bytes: include_bytes!("../../data/plans/vela/small_net.LinearAlloc.log").to_vec(),
        },
    ]
}

fn dump(id: &'static str, file: &'static str, title: Text, about: Text, bytes: Vec<u8>) -> Sample {
    Sample {
        id,
        group: Group::Deployed,
        file,
        title,
        about,
        bind: BTreeMap::new(),
        show: &[],
        bytes,
    }
}

/// One small network as several toolchains lay it out; 24 KiB are live at once.
fn of_one_network() -> Vec<Sample> {
    vec![
        dump(
            "xla_block",
            "xla_block-buffer-assignment.txt",
            text("XLA: a gated block", "XLA：门控块"),
            text(
                "Buffer assignment and live ranges of a small network with a skip connection: placed largest first, its temporaries take 29,696 bytes, and 24,576 are enough.",
                "一个带跳跃连接的小网络的缓冲区分配与存活区间：按从大到小放置，临时内存占 29,696 字节，而 24,576 字节就够。",
            ),
            dumps::xla_text().into_bytes(),
        ),
        dump(
            "executorch_block",
            "executorch_block.pte",
            text("ExecuTorch: the same block", "ExecuTorch：同一个块"),
            text(
                "The program itself says where its tensors lie: the greedy memory plan opens shared objects, 29,696 bytes of them, and leaves room in them unused.",
                "程序文件本身记录了张量的位置：贪心内存计划使用共享对象，共 29,696 字节，其中有空间未被利用。",
            ),
            dumps::executorch_program(),
        ),
        dump(
            "onnxruntime_block",
            "onnxruntime_block.json",
            text("ONNX Runtime: the same block", "ONNX Runtime：同一个块"),
            text(
                "A memory profile as a Chrome trace, with offsets for times: placed in order of use, the block takes 33,792 bytes, 38 % more than it has to.",
                "以 Chrome trace 形式保存的内存概况，用偏移代替时间：按使用顺序放置，该块占 33,792 字节，比所需多 38 %。",
            ),
            dumps::onnxruntime_trace().into_bytes(),
        ),
        dump(
            "tflm_block",
            "tflm_block.log",
            text("TFLite Micro: the same block", "TFLite Micro：同一个块"),
            text(
                "The log of PrintMemoryPlan: the greedy planner, the largest first, ends at 29,696 bytes for 24,576 that are live at once.",
                "PrintMemoryPlan 的日志：从大到小的贪心规划止于 29,696 字节，而同时存活的只有 24,576 字节。",
            ),
            dumps::tflm_log().into_bytes(),
        ),
        dump(
            "megengine_block",
            "megengine_block.json",
            text("MegEngine: the same block", "MegEngine：同一个块"),
            text(
                "MegEngine's StaticMemoryInfo: best fit, then pushed down, and still 29,696 bytes; look for the hole where the plan is highest.",
                "MegEngine 的 StaticMemoryInfo：最佳适配后再下推，仍需 29,696 字节；请看计划最高处的空洞。",
            ),
            dumps::megengine_info().into_bytes(),
        ),
        dump(
            "litert_net",
            "litert_net.addresses.txt",
            text("LiteRT: a small network", "LiteRT：小型网络"),
            text(
                "Addresses that LiteRT's arena gave the tensors of a small network, read with our exporter: 52,992 bytes, and 48,384 are enough.",
                "LiteRT 内存区为小型网络的张量分配的地址，由我们的导出脚本读取：52,992 字节，而 48,384 字节就够。",
            ),
            include_bytes!("../../data/plans/litert/small_net.csv").to_vec(),
        ),
    ]
}

/// A device so small that training runs out of memory although enough of it is free. The seed
/// was chosen for that.
#[must_use]
pub fn torch_training() -> Spec {
    Spec {
        devices: vec![Settings {
            capacity: 200 << 20,
            ..USUAL
        }],
        ..Spec::of(90, 260)
    }
}
