//! The samples that the page offers: models and placement problems, made here and kept under
//! `public/samples`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use crate::snapshot::allocator::Settings;
use crate::snapshot::{Spec, USUAL};
use crate::{lifetimes, networks};
use planner::Lifetimes;

/// One sample: a file and how the page presents it.
#[derive(Clone, Debug, Serialize)]
pub struct Sample {
    /// What links call it.
    pub id: &'static str,
    /// Where the menu lists it.
    pub group: Group,
    /// Name of the file, beside the index.
    pub file: &'static str,
    /// A few words.
    pub title: Text,
    /// One sentence: what there is to see.
    pub about: Text,
    /// Values that show it best, for symbols whose default is too small to show anything.
    pub bind: BTreeMap<&'static str, u64>,
    /// The file itself.
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

/// What a sample is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// A network: the page finds its lifetimes and plans them.
    Model,
    /// A plan that a toolchain made, as it dumps it.
    Deployed,
    /// Lifetimes alone.
    Problem,
}

/// A text in every language of the page.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Text {
    /// English.
    pub en: &'static str,
    /// Simplified Chinese.
    pub zh: &'static str,
}

/// Every sample, in the order in which the page lists them.
#[must_use]
pub fn samples() -> Vec<Sample> {
    let mut all = models();
    all.extend(deployed());
    all.extend(problems());
    all
}

/// The index that the page reads: a JSON list of the samples without their bytes.
///
/// # Panics
/// Never: texts become JSON without fail.
#[must_use]
pub fn index() -> String {
    let json = serde_json::to_string_pretty(&samples());
    json.expect("texts become JSON without fail") + "\n"
}

fn models() -> Vec<Sample> {
    let mut models = small_models();
    models.extend(wide_models());
    models
}

fn small_models() -> Vec<Sample> {
    vec![
        Sample {
            id: "blazeface",
            group: Group::Model,
            file: "blazeface.onnx",
            title: text("BlazeFace detector", "BlazeFace 人脸检测"),
            about: text(
                "A face detector for phones on which the size-first planners miss the lower bound by a third.",
                "手机人脸检测网络：按大小优先的规划策略比下界多用三分之一内存。",
            ),
            bind: BTreeMap::new(),
            bytes: networks::blazeface(),
        },
        Sample {
            id: "mobilenet_v2",
            group: Group::Model,
            file: "mobilenet_v2.onnx",
            title: text("MobileNet V2", "MobileNet V2"),
            about: text(
                "An image classifier of inverted residuals: wide, short-lived tensors early on set the peak.",
                "由倒残差块组成的图像分类网络：前段宽而短命的张量决定了峰值。",
            ),
            bind: BTreeMap::new(),
            bytes: networks::mobilenet_v2(),
        },
        Sample {
            id: "unet",
            group: Group::Model,
            file: "unet.onnx",
            title: text("U-Net", "U-Net"),
            about: text(
                "A segmenter whose skip connections stay live across the whole depth of the U.",
                "图像分割网络：跳跃连接的张量要横跨整个 U 形保持存活。",
            ),
            bind: BTreeMap::new(),
            bytes: networks::unet(),
        },
        Sample {
            id: "transformer",
            group: Group::Model,
            file: "transformer.onnx",
            title: text("Transformer encoder", "Transformer 编码器"),
            about: text(
                "Four encoder layers exported raw: bind batch and sequence_length and watch attention outgrow the rest.",
                "未经简化导出的四层编码器：设定 batch 与 sequence_length，看注意力张量如何超过其余部分。",
            ),
            bind: BTreeMap::from([("sequence_length", 128)]),
            bytes: networks::transformer(),
        },
    ]
}

/// Models whose tensors meet many others.
fn wide_models() -> Vec<Sample> {
    vec![
        Sample {
            id: "inception",
            group: Group::Model,
            file: "inception.onnx",
            title: text("GoogLeNet (Inception)", "GoogLeNet（Inception）"),
            about: text(
                "Parallel branches of different widths: whole shared objects waste what offsets can use.",
                "宽度各异的并行分支：整块共享对象浪费的空间，按偏移放置可以利用。",
            ),
            bind: BTreeMap::new(),
            bytes: networks::inception(),
        },
        Sample {
            id: "densenet",
            group: Group::Model,
            file: "densenet.onnx",
            title: text("DenseNet-40", "DenseNet-40"),
            about: text(
                "Every layer reads all before it: objects shared in order of use end at almost three times the bound.",
                "每一层都读取之前所有的特征：按使用顺序共享对象，结果几乎是下界的三倍。",
            ),
            bind: BTreeMap::new(),
            bytes: networks::densenet(),
        },
    ]
}

fn deployed() -> Vec<Sample> {
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
            bytes: include_bytes!("../data/plans/iree/chain.ir.txt").to_vec(),
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
            bytes: include_bytes!("../data/plans/vela/small_net.LinearAlloc.log").to_vec(),
        },
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

fn problems() -> Vec<Sample> {
    vec![
        Sample {
            id: "jigsaw",
            group: Group::Problem,
            file: "jigsaw.csv",
            title: text("Jigsaw", "拼图"),
            about: text(
                "A full rectangle cut into 40 pieces: a plan without a gap exists, and planners that place the largest first end about half above it.",
                "把一个完整矩形切成 40 块：存在没有空隙的放法，而先放最大块的策略要多用约一半。",
            ),
            bind: BTreeMap::new(),
            bytes: csv(&jigsaw()),
        },
        Sample {
            id: "leading_gap",
            group: Group::Problem,
            file: "leading_gap.csv",
            title: text("The gap at the bottom", "底部的空隙"),
            about: text(
                "Three blocks, two of which never meet: a planner that overlooks the gap at address 0 needs 240 bytes instead of 180.",
                "三个内存块，其中两个从不相遇：忽略地址 0 处空隙的规划器要用 240 字节，而不是 180。",
            ),
            bind: BTreeMap::new(),
            bytes: csv(&leading_free_range()),
        },
    ]
}

/// A tight problem on which size first, best fit ends about half above the bound. The seed
/// was chosen for that.
#[must_use]
pub fn jigsaw() -> Lifetimes {
    lifetimes::tight(86, 40, 40, 65_536)
}

/// The smallest problem with a free range below every placed block: the third block fits under the
/// second, where the first has gone.
#[must_use]
pub fn leading_free_range() -> Lifetimes {
    use planner::Span;
    lifetimes::of([
        (100, Span::new(0, 2)),
        (80, Span::new(1, 3)),
        (60, Span::new(2, 4)),
    ])
}

/// `MiniMalloc`'s columns, half-open.
fn csv(problem: &Lifetimes) -> Vec<u8> {
    let mut text = String::from("id,lower,upper,size\n");
    for buffer in &problem.buffers {
        let span = buffer.span;
        let (start, end, size) = (span.start.0, span.end.0, buffer.size.0);
        // Writing into a string does not fail.
        let _ = writeln!(text, "{},{start},{end},{size}", buffer.name);
    }
    text.into_bytes()
}

const fn text(en: &'static str, zh: &'static str) -> Text {
    Text { en, zh }
}
