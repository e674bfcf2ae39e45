"""ResNet-18 in NumPy and loops: its gradient, and its computation graph, folded by block.

Four stages of two blocks, each two convolutions with batch norm and a shortcut (He and others, 2015), for small images:
the first convolution is 3 by 3. `width` is the number of channels in the first stage, 64 in the paper. All weights are
one vector, in the order of their use, and so are the means and variances that batch norm goes by.
"""

import math

import numpy as np

import backsweep as bs


def size(k, c_in, c_out):
    """The number of weights of a layer: k by k filters, a scale and an offset for each channel."""
    return c_out * (k * k * c_in + 2)


def layer(x, weights, statistics, start, channel, k, c_out, stride):
    """Convolution and batch norm of an image (c_in, rows, columns), weights from `start`, statistics from `channel`."""
    c_in, pad = x.shape[0], k // 2
    rows, columns = (x.shape[1] - 1) // stride + 1, (x.shape[2] - 1) // stride + 1
    filters = weights[start : start + k * k * c_out * c_in].reshape(k, k, c_out, c_in)
    norm = weights[start + filters.size : start + filters.size + 2 * c_out]
    padded = np.zeros((c_in, x.shape[1] + 2 * pad, x.shape[2] + 2 * pad))
    padded[:, pad : pad + x.shape[1], pad : pad + x.shape[2]] = x
    y = np.zeros((c_out, rows * columns))
    for i in range(k):
        for j in range(k):
            seen = padded[:, i : i + stride * rows : stride, j : j + stride * columns : stride].copy()
            y += filters[i, j] @ seen.reshape(c_in, rows * columns)
    mean, variance = statistics[0, channel:], statistics[1, channel:]
    for c in range(c_out):
        y[c] = norm[c] * (y[c] - mean[c]) / math.sqrt(variance[c] + 1e-5) + norm[c_out + c]
    return y.reshape(c_out, rows, columns)


def block(x, weights, statistics, start, channel, c, stride):
    """Two layers, and around them a shortcut, with a layer of its own where the shape changes."""
    h = np.maximum(layer(x, weights, statistics, start, channel, 3, c, stride), 0.0)
    second = start + size(3, x.shape[0], c)
    h = layer(h, weights, statistics, second, channel + c, 3, c, 1)
    if stride > 1:
        x = layer(x, weights, statistics, second + size(3, c, c), channel + 2 * c, 1, c, stride)
    return np.maximum(h + x, 0.0)


def loss(weights, statistics, image, label, width):
    """The cross-entropy of what the network says of an image (colours, rows, columns)."""
    c, start, channel = width, size(3, image.shape[0], width), width
    x = np.maximum(layer(image, weights, statistics, 0, 0, 3, width, 1), 0.0)
    for b in range(8):
        stride = 2 if b > 0 and b % 2 == 0 else 1
        c *= stride
        x = block(x, weights, statistics, start, channel, c, stride)
        start += size(3, c // stride, c) + size(3, c, c) + (size(1, c // stride, c) if stride > 1 else 0)
        channel += (2 if stride == 1 else 3) * c
    pooled = np.sum(x.reshape(c, -1), axis=1) / (x.shape[1] * x.shape[2])
    classes = (weights.size - start) // (c + 1)
    scores = (
        weights[start : start + classes * c].reshape(classes, c) @ pooled + weights[start + classes * c :]
    )
    top = np.max(scores)
    return top - scores[label] + math.log(np.sum(np.exp(scores - top)))


gradient = bs.value_and_grad(loss)


def draw(width, classes, colours=3, seed=0):
    """Random weights of a suitable size, and statistics."""
    rng, parts, channels = np.random.default_rng(seed), [], 0
    c, layers = width, [(3, colours, width)]
    for b in range(8):
        before, c = c, c * (2 if b in (2, 4, 6) else 1)
        layers += [(3, before, c), (3, c, c)] + [(1, before, c)] * (before != c)
    for k, c_in, c_out in layers:
        filters = rng.standard_normal(k * k * c_in * c_out) * math.sqrt(2.0 / (k * k * c_in))
        parts += [filters, np.full(c_out, 0.7), np.zeros(c_out)]
        channels += c_out
    parts += [rng.standard_normal(classes * c) / math.sqrt(c), np.zeros(classes)]
    return np.concatenate(parts), np.stack([np.zeros(channels), np.ones(channels)])


def main(width=4, pixels=16, path="resnet18.html"):
    """The gradient on a random image, and the graph of a run, each block one node."""
    args = (*draw(width, 10), np.random.default_rng(1).standard_normal((3, pixels, pixels)), 3, width)
    value, slope = gradient(*args)
    print(f"{slope.size} weights: loss {value:.4f}, gradient of length {np.linalg.norm(slope):.4f}")
    graph = bs.trace(loss)(*args).graph(fold=("block", "layer"), loops=1)
    graph.save(path)
    print(f"  graph of {len(graph.vertices)} nodes: {path}")
    return value, slope, graph


if __name__ == "__main__":
    main()
