"""ResNet-18 in NumPy and loops: what of its loss hangs on which weight, and its computation graph, block by block.

Four stages of two blocks, each block two convolutions with batch norm and a shortcut (He and others, 2015). The first
convolution is that for small images, 3 by 3 without pooling. `width` is the number of channels of the first stage, 64 in
the paper. The weights are random.
"""

import math
from typing import NamedTuple

import numpy as np

import backsweep as bs


class Norm(NamedTuple):
    """Scale, offset, mean and variance of each channel, of shape (c,)."""

    scale: np.ndarray
    offset: np.ndarray
    mean: np.ndarray
    variance: np.ndarray


class Block(NamedTuple):
    """Weights (3, 3, c_out, c_in) and (3, 3, c_out, c_out), a shortcut's (1, 1, c_out, c_in), a norm for each."""

    first: np.ndarray
    norm1: Norm
    second: np.ndarray
    norm2: Norm
    across: np.ndarray
    norm3: Norm


class Network(NamedTuple):
    """The first convolution (3, 3, width, colours), eight blocks, a linear layer (classes, 8 width)."""

    stem: np.ndarray
    norm: Norm
    b1: Block
    b2: Block
    b3: Block
    b4: Block
    b5: Block
    b6: Block
    b7: Block
    b8: Block
    dense: np.ndarray
    bias: np.ndarray


def conv(x, w, stride):
    """The convolution of an image (c_in, rows, columns) with weights (k, k, c_out, c_in), zeros around the image."""
    k, pad = w.shape[0], w.shape[0] // 2
    rows, columns = (x.shape[1] - 1) // stride + 1, (x.shape[2] - 1) // stride + 1
    padded = np.zeros((x.shape[0], x.shape[1] + 2 * pad, x.shape[2] + 2 * pad))
    padded[:, pad : pad + x.shape[1], pad : pad + x.shape[2]] = x
    y = np.zeros((w.shape[2], rows * columns))
    for i in range(k):
        for j in range(k):
            seen = padded[:, i : i + stride * rows : stride, j : j + stride * columns : stride].copy()
            y += w[i, j] @ seen.reshape(x.shape[0], rows * columns)
    return y.reshape(w.shape[2], rows, columns)


def batch_norm(x, norm):
    """Each channel of an image (c, rows, columns) moved and scaled by the statistics of the training images."""
    y = np.empty_like(x)
    for c in range(x.shape[0]):
        y[c] = norm.scale[c] * (x[c] - norm.mean[c]) / math.sqrt(norm.variance[c] + 1e-5) + norm.offset[c]
    return y


def block(x, p, stride):
    """Two convolutions and the shortcut around them."""
    h = np.maximum(batch_norm(conv(x, p.first, stride), p.norm1), 0.0)
    h = batch_norm(conv(h, p.second, 1), p.norm2)
    if p.across.shape[0] > 0:
        x = batch_norm(conv(x, p.across, stride), p.norm3)
    return np.maximum(h + x, 0.0)


def loss(net, image, label):
    """The cross-entropy of the network's answer for an image (colours, rows, columns)."""
    x = np.maximum(batch_norm(conv(image, net.stem, 1), net.norm), 0.0)
    x = block(x, net.b1, 1)
    x = block(x, net.b2, 1)
    x = block(x, net.b3, 2)
    x = block(x, net.b4, 1)
    x = block(x, net.b5, 2)
    x = block(x, net.b6, 1)
    x = block(x, net.b7, 2)
    x = block(x, net.b8, 1)
    pooled = np.sum(x.reshape(x.shape[0], -1), axis=1) / (x.shape[1] * x.shape[2])
    scores = net.dense @ pooled + net.bias
    top = np.max(scores)
    return top - scores[label] + math.log(np.sum(np.exp(scores - top)))


gradient = bs.value_and_grad(loss)
