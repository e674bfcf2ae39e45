"""A small convolutional network that reads handwritten digits, in plain loops.

Filters, ReLU, maxima, a linear layer, cross-entropy; trained by gradient descent. The images are scikit-learn's
digits, 8 by 8 pixels, or without scikit-learn generated ones (seed 1): a font of 5 by 3, shifted, with noise.
"""

import math
from typing import NamedTuple

import numpy as np

import backsweep as bs

# Of each digit, five rows of three pixels, as octal numbers.
FONT = ["75557", "26227", "71747", "71717", "55711", "74717", "74757", "71222", "75757", "75717"]


class Network(NamedTuple):
    """Filters (count, 3, 3) with an offset each; a linear layer (10, count, 3, 3) with biases."""

    filters: np.ndarray
    offsets: np.ndarray
    weights: np.ndarray
    biases: np.ndarray


def scores(net, image):
    """The ten scores of an image."""
    result = net.biases.copy()
    for f in range(len(net.filters)):
        for row in range(3):
            for column in range(3):
                best = 0.0  # the maximum of four ReLUs
                for i in range(2 * row, 2 * row + 2):
                    for j in range(2 * column, 2 * column + 2):
                        z = net.offsets[f] + np.sum(net.filters[f] * image[i : i + 3, j : j + 3])
                        best = max(best, z)
                result += net.weights[:, f, row, column] * best
    return result


def loss(net, images, labels):
    """The mean cross-entropy, and how many of the images are read correctly."""
    total, right = 0.0, 0
    for image, label in zip(images, labels):
        s = scores(net, image)
        top = s.argmax()
        right += top == label
        total += s[top] - s[label] + math.log(np.sum(np.exp(s - s[top])))
    return total / len(images), right


gradient = bs.value_and_grad(loss, has_aux=True)


def load():
    """Images with pixels in [0, 1], labels, and where they are from."""
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        return *generate(1797, seed=1), "Generated digits (scikit-learn is not installed)"
    return load_digits().images / 16.0, load_digits().target, "Scikit-learn's digits"


def generate(count, seed):
    """`count` images of the font's digits, and their labels."""
    rng = np.random.default_rng(seed)
    font = np.array([[[int(octal) >> k & 1 for k in (2, 1, 0)] for octal in rows] for rows in FONT])
    labels = rng.integers(0, 10, count)
    images = rng.uniform(0.0, 0.2, (count, 8, 8))
    for image, label in zip(images, labels):
        top, left = rng.integers(1, 3), rng.integers(2, 4)
        image[top : top + 5, left : left + 3] += font[label] * rng.uniform(0.4, 0.8, (5, 3))
    return images, labels


def main(epochs=12, count=8, batch=25, rate=0.1):
    """Train on five sixths of the images and print how many of the others are read correctly."""
    images, labels, source = load()
    held = len(images) // 6
    print(f"{source}: {len(images) - held} to learn from, {held} to be tested on")
    rng = np.random.default_rng(0)
    net = Network(*(0.3 * rng.standard_normal(s) for s in [(count, 3, 3), count, (10, count, 3, 3), 10]))
    velocity = [np.zeros_like(p) for p in net]
    for epoch in range(1, epochs + 1):
        order = held + rng.permutation(len(images) - held)
        for chosen in np.array_split(order, len(order) // batch):
            _, slope = gradient(net, images[chosen], labels[chosen])
            for p, g, v in zip(net, slope, velocity):
                v[...] = 0.9 * v - rate / epoch * g
                p += v
        if epoch % 4 == 0:
            (value, right), _ = gradient(net, images[:held], labels[:held])
            print(f"  epoch {epoch:2d}: loss {value:.4f}, {100.0 * right / held:.1f} % read correctly")
    return right / held


if __name__ == "__main__":
    main()
