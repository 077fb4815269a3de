"""MobileNet v2 as exported for inference, and a U-Net with four ways up."""

import numpy

from .network import Network, picture

# Expansion, channels, repeats, stride of the first: table 2 of Sandler et al. 2018.
BOTTLENECKS = [
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
]
# Channels of the U-Net's levels, from the picture's size down. Not powers of two on purpose.
LEVELS = [12, 24, 48, 96, 192]


def made(_folder):
    """Name, model and feeds of each."""
    for name, write in (("mobilenet_v2", mobilenet_v2), ("unet", unet)):
        network = write(name)
        yield name, network.model(), network.feeds


def mobilenet_v2(name, side=64):
    net = Network(name, opset=13)
    low, high = net.scalar(0.0), net.scalar(6.0)

    def conv(label, x, inputs, outputs, kernel=1, stride=1, group=1, clip=True):
        fan_in = inputs // group * kernel * kernel
        w = net.matrix(f"{label}.weight", [outputs, inputs // group, kernel, kernel], fan_in, 2.0 if clip else 1.0)
        b = net.around(f"{label}.bias", [outputs], -0.1, 0.3)
        pads = [kernel // 2] * 4
        y = net.op("Conv", x, w, b, kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=pads, group=group, dilations=[1, 1])
        return net.op("Clip", y, low, high) if clip else y

    x = conv("stem", net.input("picture", picture(name, [1, 3, side, side])), 3, 32, kernel=3, stride=2)
    channels = 32
    for block, (expansion, outputs, repeats, first) in enumerate(BOTTLENECKS):
        for repeat in range(repeats):
            label, stride = f"block{block}.{repeat}", first if repeat == 0 else 1
            wide, y = channels * expansion, x
            if expansion > 1:
                y = conv(f"{label}.expand", y, channels, wide)
            y = conv(f"{label}.depthwise", y, wide, wide, kernel=3, stride=stride, group=wide)
            y = conv(f"{label}.project", y, wide, outputs, clip=False)
            x = net.op("Add", x, y) if stride == 1 and channels == outputs else y
            channels = outputs
    x = conv("last", x, channels, 1280)
    x = net.op("Flatten", net.op("GlobalAveragePool", x), axis=1)
    w = net.matrix("classifier.weight", [1000, 1280], 1280, 2.0)
    x = net.op("Gemm", x, w, net.around("classifier.bias", [1000], -0.5, 0.5), transB=1)
    net.output("logits", x, [1, 1000])
    return net


def unet(name):
    net = Network(name, opset=13)

    def conv(label, x, inputs, outputs):
        w = net.matrix(f"{label}.weight", [outputs, inputs, 3, 3], inputs * 9, 2.0)
        y = net.op("Conv", x, w, kernel_shape=[3, 3], pads=[1] * 4)
        limits = [("scale", 0.5, 1.5), ("bias", -0.25, 0.25), ("mean", -0.25, 0.25), ("variance", 0.5, 1.5)]
        normal = [net.around(f"{label}.{part}", [outputs], low, high) for part, low, high in limits]
        return net.op("Relu", net.op("BatchNormalization", y, *normal))

    def twice(label, x, inputs, outputs):
        return conv(f"{label}.1", conv(f"{label}.0", x, inputs, outputs), outputs, outputs)

    x = net.input("picture", picture(name, [1, 3, 48, 64]))
    skips, channels = [], 3
    for level, outputs in enumerate(LEVELS):
        x = twice(f"down{level}", x, channels, outputs)
        skips.append(x)
        channels = outputs
        if outputs != LEVELS[-1]:
            x = net.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    for level in reversed(range(len(LEVELS) - 1)):
        outputs = LEVELS[level]
        x = up(net, f"up{level}", level, x, channels, outputs)
        # The way up first: channels 0.. of what the next convolution reads.
        x = twice(f"join{level}", net.op("Concat", x, skips[level], axis=1), 2 * outputs, outputs)
        channels = outputs
    w, b = net.matrix("mask.weight", [2, channels, 1, 1], channels, 0.5), net.around("mask.bias", [2], -0.5, 0.5)
    x = net.op("Conv", x, w, b, kernel_shape=[1, 1])
    net.output("mask", net.op("Sigmoid", x), [1, 2, 48, 64])
    return net


def up(net, label, level, x, inputs, outputs):
    """Twice the size: two kinds of ConvTranspose, two kinds of Resize, one a level."""
    if level in (0, 3):
        # A kernel as large as the stride, then one that overlaps itself.
        side = 2 if level == 3 else 3
        w = net.matrix(f"{label}.weight", [inputs, outputs, side, side], inputs * side * side / 4, 1.0)
        b = net.around(f"{label}.bias", [outputs], -0.25, 0.25)
        size = {"kernel_shape": [side] * 2, "strides": [2, 2], "pads": [side - 2] * 4}
        if side == 3:
            size["output_padding"] = [1, 1]
        return net.op("ConvTranspose", x, w, b, **size)
    scales = net.constant(f"{label}.scales", numpy.array([1, 1, 2, 2], numpy.float32))
    how = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    if level == 1:
        how = {"mode": "linear", "coordinate_transformation_mode": "half_pixel"}
    x = net.op("Resize", x, "", scales, **how)
    w = net.matrix(f"{label}.weight", [outputs, inputs, 1, 1], inputs, 1.0)
    return net.op("Conv", x, w, net.around(f"{label}.bias", [outputs], -0.25, 0.25), kernel_shape=[1, 1])
