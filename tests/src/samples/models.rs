//! Samples that are networks.

use std::collections::BTreeMap;

use super::{Group, Sample, text};
use crate::networks;

pub(super) fn models() -> Vec<Sample> {
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
                "A face detector for phones. Planners that place large tensors first need a third more than the lower bound: see them in Compare.",
                "手机人脸检测网络。先放置大张量的策略比下界多用三分之一内存：见“比较”。",
            ),
            bind: BTreeMap::new(),
            show: &[],
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
            show: &[],
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
            show: &[],
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
            show: &[],
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
            show: &[],
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
            show: &[],
            bytes: networks::densenet(),
        },
    ]
}
