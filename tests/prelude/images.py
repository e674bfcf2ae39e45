"""Calls of `scipy.ndimage` that the prelude knows, and some that it refuses."""

from __future__ import annotations

import numpy as np
import scipy.ndimage as nd

X = np.array([0.74, 1.21, 0.58, 1.93, 1.46, 0.91, 1.07])
A = np.array([[0.31, 1.22, 0.73], [2.14, 1.55, 0.96], [0.87, 1.38, 0.29], [1.71, 0.45, 0.62]])
CUBE = np.cos(np.arange(24.0) ** 1.7).reshape(2, 4, 3)
LABELS = np.array([[1, 1, 2], [0, 2, 2], [1, 0, 3], [3, 3, 1]])
CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]])
TURN = np.array([[1.1, 0.2], [-0.1, 0.9]])
PLACES = np.array([[0.3, 1.2, 7.1], [1.2, 0.1, -9.4]])


def _into(a, filtered):
    """What a filter stores in an array, and what it returns."""
    out = np.zeros(a.shape)
    return filtered(out) + 2.0 * out


CALLS = {
    "maximum_filter": (lambda a: nd.maximum_filter(a, footprint=CROSS, mode="mirror"), A),
    "maximum_filter, modes": (lambda a: nd.maximum_filter(a, 3, mode=["wrap", "mirror"]), A),
    "maximum_filter, axes": (
        lambda a: nd.maximum_filter(a, (3, 2), axes=(2, -3), mode=["wrap", "constant"]),
        CUBE,
    ),
    "median_filter, footprint": (lambda a: nd.median_filter(a, footprint=[1, 1, 0, 1], axes=1, origin=-1), A),
    "minimum_filter": (lambda a: nd.minimum_filter(a, size=(3, 1), mode="constant", cval=1.0), A),
    "maximum_filter1d": (lambda a: nd.maximum_filter1d(a, 3, axis=0), A),
    "minimum_filter1d": (lambda a: nd.minimum_filter1d(a, 2, -1, mode="wrap", origin=-1), A),
    "median_filter": (lambda x: nd.median_filter(x, 4, mode="nearest"), X),
    "median_filter, axes": (lambda a: nd.median_filter(a, 3), A),
    "rank_filter": (lambda a: nd.rank_filter(a, -2, size=3, origin=1), A),
    "percentile_filter": (lambda a: nd.percentile_filter(a, 30, size=(2, 3)), A),
    "grey_erosion": (lambda a: nd.grey_erosion(a, (2, 3)), A),
    "grey_dilation": (lambda a: nd.grey_dilation(a, (2, 4), origin=(0, 1)), A),
    "grey_opening": (lambda x: nd.grey_opening(x, 3), X),
    "grey_closing": (lambda x: nd.grey_closing(x, 4), X),
    "morphological_gradient": (lambda x: nd.morphological_gradient(x, 3), X),
    "morphological_laplace": (lambda a: nd.morphological_laplace(a, (2, 3), mode="wrap"), A),
    "white_tophat": (lambda a: nd.white_tophat(a, (3, 2), origin=(0, -1)), A),
    "black_tophat": (lambda a: nd.black_tophat(a, 3, axes=(1, 0)), A),
    "sum_labels": (nd.sum_labels, A),
    "sum_labels, several": (lambda a: nd.sum_labels(a, LABELS, [1, 2, 3]), A),
    "sum": (lambda a: nd.sum(a, LABELS, index=2) * nd.sum(a, LABELS), A),
    "mean": (lambda a: nd.mean(a, LABELS, np.array([0, 1])), A),
    "variance, complex": (lambda a: nd.variance(a + 1j * a**2, LABELS), A),
    "variance": (lambda a: nd.variance(a, LABELS, [0, 1]), A),
    "standard_deviation": (lambda a: nd.standard_deviation(a, labels=LABELS), A),
    "maximum": (lambda a: nd.maximum(a, LABELS, [1, 2]), A),
    "minimum": (lambda a: nd.minimum(a, LABELS, 3), A),
    "median": (lambda a: nd.median(a, LABELS, 2), A),
    "center_of_mass": (lambda a: np.array(nd.center_of_mass(a)), A),
    "center_of_mass, labels": (lambda a: nd.center_of_mass(a, LABELS, [1, 2])[1][0], A),
    "correlate": (
        lambda a: nd.correlate(a + 1j * a * a, [[1.0, 2.0], [0.5, 3.0]], cval=1j, mode="constant"),
        A,
    ),
    "convolve": (lambda a: _into(a, lambda out: nd.convolve(a, CROSS, out, "mirror")), A),
    "convolve1d": (lambda x: nd.convolve1d(x, [1, 2, 0], origin=1, output=np.float64), X),
    "correlate1d": (lambda x: nd.correlate1d(x[:0], [1, 2, 0]), X),
    "gaussian_filter1d": (lambda x: nd.gaussian_filter1d(x * 1j, 1.2, radius=2), X),
    "gaussian_filter": (lambda a: nd.gaussian_filter(a, [0.8, 0.4], [1, 0], mode=["wrap", "nearest"]), A),
    "uniform_filter1d": (lambda x: nd.uniform_filter1d(x + 1j, 4, mode="nearest"), X),
    "uniform_filter": (lambda a: nd.uniform_filter(a, [2, 3]), A),
    "sobel": (lambda a: _into(a, lambda out: nd.sobel(a, 0, out)), A),
    "laplace": (lambda a: nd.laplace(1j * a), A),
    "prewitt": (nd.prewitt, CUBE),
    "prewitt, modes": (lambda a: nd.prewitt(a, 0, mode=["wrap", "nearest"]), A),
    "gaussian_laplace": (lambda a: nd.gaussian_laplace(a, 0.7, truncate=2.0), CUBE),
    "gaussian_gradient_magnitude": (
        lambda a: _into(a, lambda out: nd.gaussian_gradient_magnitude(a, [0.7, 1.2], out)),
        A,
    ),
    "spline_filter": (nd.spline_filter, A),
    "spline_filter1d": (lambda a: nd.spline_filter1d(a, 2, axis=0, mode="grid-wrap"), A),
    "map_coordinates": (lambda a: nd.map_coordinates(a, PLACES), A),
    "map_coordinates, places": (
        lambda p: nd.map_coordinates(A, p, order=2, mode="mirror", prefilter=False),
        PLACES,
    ),
    "map_coordinates, cube": (lambda a: nd.map_coordinates(a, [[0.3], [1.2], [0.8]]), CUBE),
    "shift": (lambda a: nd.shift(a, (0.3, -1.2)), A),
    "shift, by": (lambda x: nd.shift(x, x[0], mode="nearest"), X),
    "shift, reflect": (lambda x: nd.shift(x, 2.3, mode="reflect", order=2), X),
    "shift, wrap": (lambda x: nd.shift(x, -3.3, mode="grid-wrap"), X),
    "shift, steps": (lambda x: nd.shift(x, 1.3, order=0, cval=2.0), X),
    "zoom": (lambda x: nd.zoom(x, 2), X),
    "zoom, grid": (lambda x: nd.zoom(x, 1.7, mode="nearest", grid_mode=True), X),
    "zoom, cube": (lambda a: nd.zoom(a, (1, 0.5, 2), order=1), CUBE),
    "rotate": (lambda a: nd.rotate(a, 20.0), A),
    "rotate, angle": (lambda x: nd.rotate(A, 20.0 * x[0], reshape=False, order=1, mode="mirror"), X),
    "affine_transform": (lambda a: nd.affine_transform(a, TURN, offset=0.3, order=1), A),
    "affine_transform, matrix": (
        lambda m: nd.affine_transform(A, m, output_shape=(2, 3), mode="mirror"),
        np.column_stack((TURN, [0.1, 0.3])),
    ),
    "affine_transform, diagonal": (lambda x: nd.affine_transform(A, x[:2], offset=x[2:4]), X),
}
REFUSED = {
    "correlate": (lambda a: a * nd.correlate(LABELS, CROSS), "SciPy cuts their results off"),
    "convolve": (lambda a: a * nd.convolve(a, CROSS, output=np.int64), "SciPy cuts the result off"),
    "gaussian_laplace": (lambda a: nd.gaussian_laplace(a, 1.0, axes=(0,)), "`axes` is not supported"),
    "grey_dilation": (lambda a: nd.grey_dilation(a, footprint=CROSS), "supported with a size"),
    "grey_erosion": (lambda a: nd.grey_erosion(a, 3, structure=CROSS), "`structure` of grey morphology"),
    "white_tophat": (lambda a: nd.white_tophat(a, footprint=CROSS), "supported with a size"),
    "mean": (lambda a: nd.mean(a, LABELS[0], 1), "has other axes than the image"),
    "center_of_mass": (
        lambda a: nd.center_of_mass(a, LABELS, LABELS[0])[0][0],
        "no list that is written out",
    ),
    "spline_filter": (lambda a: nd.spline_filter(a, 5), "of the orders 0 to 3"),
    "shift": (lambda a: nd.shift(a, 0.3, mode="grid-constant"), "with the modes 'constant', 'nearest'"),
    "zoom": (lambda a: a[0, 0] * np.sum(nd.zoom(LABELS, 2)), "real numbers that are not whole"),
    "rotate": (lambda a: nd.rotate(a, 20.0, axes=(0, 0)), "of images with two axes"),
}
