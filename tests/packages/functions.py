"""Functions of other packages that Numba compiles, with arguments for which they are smooth."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.packages.calls import Call

RNG = np.random.default_rng(5)
U, V, W = (RNG.uniform(0.4, 1.6, 4) for _ in range(3))
SHARES = U / np.sum(U), V / np.sum(V)
M = np.eye(4) + 0.1 * np.outer(U, U)
R, SPEED = np.array([7000.0, 1200.0, 300.0]), np.array([-1.0, 7.2, 1.3])
STATE = np.hstack([R, SPEED])
EARTH = 398600.44
Q4 = RNG.uniform(0.3, 1.2, (2, 4))
SERIES = np.sin(np.arange(12.0)) + 0.1 * np.arange(12.0)
SINGLE_U, SINGLE_V = U.astype(np.float32), V.astype(np.float32)
BIVECTOR = np.hstack([np.zeros(6), U[:3], np.zeros(23)])
POLYGON = np.array([[0.1, 0.0], [1.1, 0.2], [1.3, 1.2], [0.2, 1.0]])


def _each(distribution: str, module: str, *calls: tuple[str, tuple[Any, ...]]) -> list[Call]:
    """Calls of functions of one module, whose arguments are given in order."""
    return [
        Call(distribution, f"{module}.{name}", {f"x{k}": value for k, value in enumerate(given)})
        for name, given in calls
    ]


def umap() -> list[Call]:
    grads = ["euclidean", "manhattan", "canberra", "bray_curtis", "cosine", "correlation", "hellinger"]
    two = [*grads, *(f"{name}_grad" for name in grads), "chebyshev", "ll_dirichlet"]
    pairs = [(name, (U, V)) for name in (*two, "softmax_hellinger", "softmax_hellinger_grad")]
    return (
        _each(
            "umap-learn",
            "umap.distances",
            *pairs,
            ("poincare", (0.2 * U, 0.2 * V)),
            ("standardised_euclidean", (U, V, W)),
            ("minkowski", (U, V, 3.0)),
            ("minkowski_grad", (U, V, 3.0)),
            ("weighted_minkowski", (U, V, W, 2.5)),
            ("mahalanobis_f64", (U, V, M)),
            ("mahalanobis_grad", (U, V, M)),
            ("haversine", (U[:2], V[:2])),
            ("haversine_grad", (U[:2], V[:2])),
            ("symmetric_kl", (U, V, 1e-11)),
            ("softmax", (U,)),
            ("approx_log_Gamma", (2.3,)),
            ("log_beta", (2.3, 1.4)),
            ("log_single_beta", (2.3,)),
            ("hyperboloid_grad", (U, V)),
            ("spherical_gaussian_energy_grad", (U[:3], V[:3])),
            ("gaussian_energy_grad", (np.hstack([U, 0.3]), np.hstack([V, 0.4]))),
        )
        + _each("umap-learn", "umap.layouts", ("rdist", (U.astype(np.float32), V.astype(np.float32))))
        + _each(
            "umap-learn",
            "umap.sparse",
            ("sparse_euclidean", (np.array([0, 2, 3, 5]), U, np.array([0, 1, 3, 4]), V)),
            ("sparse_cosine", (np.array([0, 2, 3, 5]), U, np.array([0, 1, 3, 4]), V)),
        )
    )


def pynndescent() -> list[Call]:
    two = ["euclidean", "manhattan", "canberra", "bray_curtis", "cosine", "correlation", "wasserstein_1d"]
    two += ["true_angular", "jensen_shannon_divergence", "symmetric_kl_divergence"]
    singles = ["squared_euclidean", "alternative_cosine", "dot", "alternative_dot", "hellinger"]
    singles += ["alternative_hellinger"]
    return _each(
        "pynndescent",
        "pynndescent.distances",
        *[(name, (U, V)) for name in two],
        *[(name, (SINGLE_U, SINGLE_V)) for name in singles],
        ("minkowski", (U, V, 3.0)),
        ("weighted_minkowski", (U, V, W, 3.0)),
        ("standardised_euclidean", (U, V, W)),
        ("mahalanobis", (U, V, M)),
        ("haversine", (U[:2], V[:2])),
        ("correct_alternative_cosine", (0.7,)),
        ("correct_alternative_jaccard", (0.7,)),
        ("correct_alternative_hellinger", (0.7,)),
    ) + _each(
        "pynndescent",
        "pynndescent.optimal_transport",
        ("transport_plan", (M, U, V)),
        ("K_from_cost", (M, 0.7)),
        ("precompute_K_prime", (M, U)),
        ("sinkhorn_distance", (SHARES[0], SHARES[1], M, 1.0)),
    )


def quantecon() -> list[Call]:
    return [
        *_each("quantecon", "quantecon._inequality", ("lorenz_curve", (U,)), ("gini_coefficient", (U,))),
        *_each("quantecon", "quantecon.markov.approximation", ("std_norm_cdf", (0.3,))),
        *_each(
            "quantecon",
            "quantecon._lss",
            ("simulate_linear_model", (0.4 * M, U, 0.1 * Q4[0].reshape(4, 1).repeat(3, 1), 4)),
        ),
        *_each(
            "quantecon",
            "quantecon.quad",
            ("_qnwlege1", (4, 0.2, 1.7)),
            ("_qnwtrap1", (4, 0.2, 1.7)),
            ("_qnwsimp1", (5, 0.2, 1.7)),
            ("_qnwcheb1", (4, 0.2, 1.7)),
            ("_qnwbeta1", (3, 1.7, 2.2)),
            ("_qnwgamma1", (3, 1.7, 1.0, 3e-14)),
            ("gammaln", (2.3,)),
        ),
    ]


def interpolation() -> list[Call]:
    z = np.linspace(0.0, 1.0, 6)
    coefs = np.sin(np.arange(8.0))
    grid = (np.array([0.1]), np.array([1.9]), np.array([6]))
    wide = np.cos(np.arange(64.0)).reshape(8, 8)
    low, high, count = np.array([0.0, 0.0]), np.array([1.0, 1.0]), np.array([6, 6])
    return [
        *_each(
            "interpolation",
            "interpolation.splines.eval_cubic_numba",
            ("eval_cubic_spline_1", (*grid, coefs, np.array([0.77]))),
            ("eval_cubic_spline_2", (low, high, count, wide, np.array([0.33, 0.61]))),
        ),
        *_each(
            "interpolation",
            "interpolation.splines.hermite",
            ("hermite_splines", (0.3,)),
            ("hermite_interp", (0.3, 0.1, 0.9, 1.2, 1.7, 0.4, -0.3)),
            ("HermiteInterpolation", (0.33, z, np.sin(z), np.cos(z))),
        ),
        *_each(
            "interpolation",
            "interpolation.splines.filter_cubic",
            ("filter_coeffs_1d", (np.array([3.0]), U)),
        ),
        *_each("interpolation", "interpolation.multilinear.fungen", ("clamp", (0.3, 0.1, 0.9))),
        *_each(
            "interpolation",
            "interpolation.splines.eval_splines",
            ("eval_linear", (((0.0, 1.0, 6),), np.sin(z), np.array([0.33]))),
            ("eval_cubic", (((0.0, 1.0, 6),), coefs, np.array([0.33]))),
        ),
    ]


def boinor() -> list[Call]:
    angle = "boinor.core.angles"
    nu, ecc = 0.7, 0.3
    coe = (EARTH, 9000.0, ecc, 0.4, 0.7, 0.9, nu)
    return [
        *_each(
            "boinor",
            angle,
            ("D_to_M", (0.4,)),
            ("D_to_nu", (0.4,)),
            ("E_to_M", (0.4, ecc)),
            ("E_to_nu", (0.4, ecc)),
            ("F_to_M", (0.4, 1.3)),
            ("F_to_nu", (0.4, 1.3)),
            ("M_to_D", (0.4,)),
            ("M_to_E", (0.4, ecc)),
            ("M_to_F", (0.4, 1.3)),
            ("fp_angle", (nu, ecc)),
            ("nu_to_D", (nu,)),
            ("nu_to_E", (nu, ecc)),
            ("nu_to_F", (nu, 1.3)),
        ),
        *_each(
            "boinor",
            "boinor.core.elements",
            ("circular_velocity", (EARTH, 7000.0)),
            ("coe2mee", coe[1:]),
            ("coe2rv", coe),
            ("coe_rotation_matrix", (0.4, 0.7, 0.9)),
            ("eccentricity_vector", (EARTH, R, SPEED)),
            ("mee2coe", (9000.0, 0.1, 0.2, 0.3, 0.15, 0.8)),
            ("mee2rv", (EARTH, 9000.0, 0.1, 0.2, 0.3, 0.15, 0.8)),
            ("rv2coe", (EARTH, R, SPEED, 1e-8)),
            ("rv_pqw", (EARTH, 9000.0, ecc, nu)),
        ),
        *_each(
            "boinor",
            "boinor.core.events",
            ("eclipse_function", (EARTH, STATE, np.array([1e8, 3e7, 2e7]), 6e5, 6378.0, True)),
            ("line_of_sight", (R, -R[::-1].copy(), 6378.0)),
            ("elevation_function", (EARTH, STATE, 0.3, 0.4, 6378.0, 6356.0, 0.1)),
        ),
        *_each(
            "boinor",
            "boinor.core.flybys",
            ("compute_flyby", (SPEED, 0.5 * SPEED[::-1].copy(), 1e5, 8000.0, 0.4)),
        ),
        *_each(
            "boinor",
            "boinor.core.iod",
            (
                "izzo",
                (
                    EARTH,
                    np.array([15945.0, 0.0, 0.1]),
                    np.array([12214.8, 10249.4, 0.2]),
                    4560.0,
                    0,
                    True,
                    True,
                    35,
                    1e-8,
                ),
            ),
            (
                "vallado",
                (
                    EARTH,
                    np.array([15945.0, 0.0, 0.1]),
                    np.array([12214.8, 10249.4, 0.2]),
                    4560.0,
                    0,
                    True,
                    True,
                    35,
                    1e-8,
                ),
            ),
        ),
        *_each(
            "boinor",
            "boinor.core.maneuver",
            ("hohmann", (EARTH, (R, SPEED), 9000.0)),
            ("bielliptic", (EARTH, 20000.0, 9000.0, (R, SPEED))),
        ),
        *_each(
            "boinor",
            "boinor.core.perturbations",
            ("J2_perturbation", (0.0, STATE, EARTH, 1e-3, 6378.0)),
            ("J3_perturbation", (0.0, STATE, EARTH, 1e-6, 6378.0)),
            ("atmospheric_drag_exponential", (0.0, STATE, EARTH, 6378.0, 2.2, 0.01, 8.5, 1.2e9)),
        ),
        *_each("boinor", "boinor.core.propagation.base", ("func_twobody", (0.0, STATE, EARTH))),
        *_each(
            "boinor",
            "boinor.core.propagation.farnocchia",
            ("delta_t_from_nu", (nu, ecc, 1.0, 1.0, 1e-2)),
            ("nu_from_delta_t", (0.6, ecc, 1.0, 1.0, 1e-2)),
        ),
        *_each("boinor", "boinor.core.propagation.danby", ("danby", (EARTH, R, SPEED, 600.0, 20, 1e-8))),
        *_each("boinor", "boinor.core.propagation.markley", ("markley", (EARTH, R, SPEED, 600.0))),
        *_each("boinor", "boinor.core.propagation.mikkola", ("mikkola", (EARTH, R, SPEED, 600.0, 1e-8))),
        *_each("boinor", "boinor.core.propagation.pimienta", ("pimienta", (EARTH, R, SPEED, 600.0))),
        *_each("boinor", "boinor.core.propagation.gooding", ("gooding", (EARTH, R, SPEED, 600.0, 50, 1e-8))),
        *_each(
            "boinor",
            "boinor.core.propagation.recseries",
            ("recseries", (EARTH, R, SPEED, 600.0, "rtol", 8, 100, 1e-8)),
        ),
        *_each("boinor", "boinor.core.propagation.vallado", ("vallado", (EARTH, R, SPEED, 600.0, 50))),
        *_each(
            "boinor",
            "boinor.core.sensors",
            ("min_and_max_ground_range", (800.0, 0.4, 0.2, 6378.0)),
            ("ground_range_diff_at_azimuth", (800.0, 0.4, 0.2, 0.7, 0.3, 0.2, 6378.0)),
        ),
        *_each(
            "boinor",
            "boinor.core.spheroid_location",
            ("cartesian_cords", (6378.0, 6356.0, 0.3, 0.4, 10.0)),
            ("f", (6378.0, 6356.0)),
            ("radius_of_curvature", (6378.0, 6356.0, 0.4)),
            ("N", (6378.0, 6378.0, 6356.0, R)),
            ("tangential_vecs", (U[:3],)),
            ("cartesian_to_ellipsoidal", (6378.0, 6356.0, 5000.0, 3000.0, 2000.0)),
        ),
        *_each(
            "boinor",
            "boinor.core.thrust.change_a_inc",
            ("extra_quantities", (EARTH, 7000.0, 9000.0, 0.4, 0.1, 3e-6)),
            ("compute_parameters", (EARTH, 7000.0, 9000.0, 0.4, 0.1)),
        ),
        *_each(
            "boinor",
            "boinor.core.thrust.change_argp",
            ("extra_quantities", (EARTH, 7000.0, 0.3, 0.4, 0.7, 3e-6, 1.0)),
        ),
        *_each(
            "boinor",
            "boinor.core.thrust.change_ecc_inc",
            ("beta", (0.4, 0.1, 0.3, 0.6, 0.7)),
            ("delta_V", (7.0, 0.4, 0.1, 0.3)),
        ),
        *_each(
            "boinor",
            "boinor.core.util",
            ("cartesian_to_spherical", (U[:3],)),
            ("spherical_to_cartesian", (U[:3],)),
            ("rotation_matrix", (0.4, 1)),
            ("planetocentric_to_AltAz", (0.3, 0.4)),
            ("alinspace", (0.1, 0.9, 5, True)),
        ),
        *_each(
            "boinor",
            "boinor._math.special",
            ("hyp2f1b", (0.4,)),
            ("stumpff_c2", (0.4,)),
            ("stumpff_c3", (0.4,)),
        ),
        *_each(
            "boinor",
            "boinor.core.czml_utils",
            ("project_point_on_ellipsoid", (7000.0, 1200.0, 300.0, 6378.0, 6378.0, 6356.0)),
            ("intersection_ellipsoid_line", (0.1, 0.2, 0.1, 0.5, 0.6, 0.7, 1.0, 1.2, 1.4)),
        ),
    ]


def stumpy() -> list[Call]:
    finite = np.ones(10, dtype=bool)
    constant = np.zeros(10, dtype=bool)
    mean, std = (
        np.convolve(SERIES, np.ones(3) / 3, "valid"),
        np.array([np.std(SERIES[i : i + 3]) for i in range(10)]),
    )
    return _each(
        "stumpy",
        "stumpy.core",
        ("_sliding_dot_product", (U[:3], SERIES)),
        ("_p_norm_distance_profile", (U[:3], SERIES, 2.5)),
        ("_rolling_nanstd_1d", (SERIES, 3)),
        ("_welford_nanvar", (SERIES, 3, finite)),
        ("_calculate_squared_distance", (3, 0.4, 0.3, 0.9, 0.2, 0.8, False, False)),
        ("calculate_distance_profile", (3, SERIES[:10].copy(), 0.3, 0.9, mean, std, False, constant)),
        ("_mass", (U[:3], SERIES, np.correlate(SERIES, U[:3]), 0.9, 0.4, mean, std, False, constant)),
    )


def disba() -> list[Call]:
    d, a, b, rho = (
        np.array([1.0, 2.0, 3.0]),
        np.array([3.0, 4.0, 5.0]),
        np.array([1.7, 2.3, 2.9]),
        np.array([2.0, 2.2, 2.4]),
    )
    return [
        *_each(
            "disba",
            "disba._cps._surf96",
            ("dltar1", (0.6, 1.2, d, a, b, rho, 0)),
            ("dltar4", (0.6, 1.2, d, a, b, rho, 0, np.zeros((5, 5)))),
            ("gtsolh", (3.0, 1.7)),
            ("var", (0.4, 0.3, 0.5, 0.6, 0.6, 0.3, 0.5, 1.0)),
        ),
        *_each(
            "disba",
            "disba._cps._swegn96",
            ("shfunc", (1.2, 0.6, d, a, b, rho)),
            ("svfunc", (1.2, 0.6, d, a, b, rho)),
        ),
        *_each("disba", "disba._cps._common", ("normc", (U, 4))),
    ]


def librosa() -> list[Call]:
    return _each(
        "librosa",
        "librosa.util.utils",
        ("_cabs2", (np.array([1.0 + 2.0j, 0.5 - 0.3j]),)),
        ("_phasor_angles", (U,)),
    )


def numba_quaternion() -> list[Call]:
    p, q = Q4[:, :2] + 1j * Q4[:, 2:], Q4[::-1, 2:] + 1j * Q4[:, :2]
    return _each(
        "numba-quaternion",
        "numba_quaternion",
        *[(name, (p,)) for name in ("conjugate", "norm", "inverse", "abs", "quat_to_rotation_matrix")],
        *[(name, (p, q)) for name in ("mul", "rotate", "dist_spherical")],
    )


def clifford() -> list[Call]:
    g3c = "clifford.tools.g3c"
    whole, other = (RNG.uniform(0.2, 1.0, 32) for _ in range(2))
    return [
        *_each(
            "clifford",
            g3c,
            ("meet_val", (whole, other)),
            ("dual_func", (whole,)),
            ("val_apply_rotor", (whole, other)),
            ("get_left_gmt_matrix", (whole,)),
            ("val_homo", (whole,)),
        ),
        *_each(
            "clifford",
            "clifford.tools.g3c.rotor_parameterisation",
            ("val_exp", (1e-3 * other + BIVECTOR,)),
        ),
        *_each(
            "clifford",
            "clifford.tools.g3c.cost_functions",
            ("val_rotor_cost_sparse", (whole,)),
        ),
    ]


def africanus() -> list[Call]:
    uvw, lm, freq = RNG.uniform(1.0, 9.0, (2, 3)), RNG.uniform(0.01, 0.02, (2, 2)), np.array([1.4e6, 1.5e6])
    return [
        *_each(
            "codex-africanus",
            "africanus.coordinates.coordinates",
            ("radec_to_lm", (0.3 * lm + 0.4, np.array([0.4, 0.5]))),
            ("radec_to_lmn", (0.3 * lm + 0.4, np.array([0.4, 0.5]))),
            ("lm_to_radec", (lm, np.array([0.4, 0.5]))),
            ("lmn_to_radec", (np.hstack([lm, np.ones((2, 1)) * 0.99]), np.array([0.4, 0.5]))),
        ),
        *_each("codex-africanus", "africanus.rime.phase", ("phase_delay", (lm, uvw, freq, "fourier"))),
        *_each(
            "codex-africanus",
            "africanus.dft.kernels",
            ("im_to_vis", (RNG.uniform(0.1, 1.0, (2, 2, 1)), uvw, lm, freq, "fourier")),
        ),
        *_each(
            "codex-africanus",
            "africanus.model.shape.gaussian_shape",
            ("gaussian", (uvw, freq, RNG.uniform(0.001, 0.002, (2, 3)))),
        ),
        *_each(
            "codex-africanus",
            "africanus.model.shape.shapelets",
            ("hermite", (3, 0.4)),
            ("phase_steer_and_w_correct", (uvw[0], lm[0], 1.4e6)),
        ),
        *_each(
            "codex-africanus",
            "africanus.model.spectral.spec_model",
            (
                "spectral_model",
                (RNG.uniform(0.1, 1.0, (2,)), RNG.uniform(0.1, 1.0, (2, 2)), freq * 1.1, freq, 0),
            ),
        ),
        *_each(
            "codex-africanus",
            "africanus.rime.zernike",
            ("zernike", (4, 0.6, 0.3)),
            ("zernike_rad", (2, 4, 0.6)),
        ),
        *_each(
            "codex-africanus",
            "africanus.deconv.hogbom.clean",
            ("twod_gaussian", ((U, V), 1.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.1)),
        ),
    ]


def numba_celltree() -> list[Call]:
    module = "numba_celltree.geometry_utils"
    return [
        *_each(
            "numba-celltree",
            module,
            ("polygon_area", (POLYGON,)),
        ),
        *_each(
            "numba-celltree",
            "numba_celltree.algorithms.sutherland_hodgman",
            ("polygon_polygon_clip_area", (POLYGON, POLYGON + 0.3)),
        ),
    ]


def sequence_jacobian() -> list[Call]:
    blocks = "sequence_jacobian.blocks.support.het_compiled"
    places = np.array([[0, 1, 2], [1, 0, 2]])
    return [
        *_each(
            "sequence-jacobian",
            "sequence_jacobian.hetblocks.hh_labor",
            ("cn", (0.7, 1.1, 0.6, 0.9, 1.2)),
            ("netexp", (0.1, 1.1, 0.2, 0.6, 0.9, 1.2)),
            ("solve_uc", (1.1, 0.2, 0.6, 0.9, 1.2, 0.7)),
        ),
        *_each(
            "sequence-jacobian",
            blocks,
            ("forward_policy_1d", (Q4, np.array([[0, 1, 2, 1], [1, 0, 2, 2]]), 0.5 * Q4)),
            ("expectation_policy_1d", (Q4, np.array([[0, 1, 2, 1], [1, 0, 2, 2]]), 0.5 * Q4)),
            ("forward_policy_shock_1d", (Q4, np.array([[0, 1, 2, 1], [1, 0, 2, 2]]), 0.5 * Q4)),
        ),
        *_each(
            "sequence-jacobian",
            "sequence_jacobian.utilities.interpolate",
            ("interpolate_point", (0.3, 0.1, 0.9, 1.2, 1.7)),
            ("apply_coord_njit", (places[0], U[:3], V)),
            ("interpolate_y", (np.sort(U), V, W)),
        ),
        *_each(
            "sequence-jacobian",
            "sequence_jacobian.utilities.optimized_routines",
            ("fast_aggregate", (Q4, Q4[::-1].copy())),
        ),
        *_each(
            "sequence-jacobian",
            "sequence_jacobian.estimation",
            ("build_full_covariance_matrix", (RNG.uniform(0.1, 1.0, (2, 2, 2)), U[:2], 3)),
        ),
    ]


def orix() -> list[Call]:
    axis = np.hstack([U[:3] / np.linalg.norm(U[:3]), 0.7])
    quaternion = Q4[0] / np.linalg.norm(Q4[0])
    matrix = np.linalg.qr(M[:3, :3] + 0.2 * np.outer(U[:3], V[:3]))[0]
    return _each(
        "orix",
        "orix.quaternion._conversions",
        ("get_pyramid_single", (U[:3],)),
        ("cu2ho_single", (0.5 * U[:3],)),
        ("ho2ax_single", (0.5 * U[:3],)),
        ("ax2ro_single", (axis,)),
        ("ro2ax_single", (axis,)),
        ("ax2qu_single", (axis,)),
        ("qu2ax_single", (quaternion,)),
        ("ho2ro_single", (0.5 * U[:3],)),
        ("cu2ro_single", (0.5 * U[:3],)),
        ("eu2qu_single", (U[:3],)),
        ("eu2qu_2d", (U[:3].reshape(1, 3),)),
        ("om2qu_single", (matrix,)),
        ("qu2eu_single", (quaternion,)),
        ("qu2om_single", (quaternion,)),
        ("qu2ho_single", (quaternion,)),
        ("qu2om_2d", (quaternion.reshape(1, 4),)),
    )


def empymod() -> list[Call]:
    eta, zeta = np.array([[1e-3, 0.3, 0.1, 1.0]]).T.T * 1.0, np.array([[1e-3, 2e-3, 1e-3, 3e-3]])
    depth = np.array([-np.inf, 0.0, 100.0, 400.0])
    gamma = np.sqrt(RNG.uniform(1.0, 2.0, (1, 1, 4, 3)) + 0.0j)
    return _each("empymod", "empymod.kernel", ("reflections", (depth, eta + 0.1j * zeta, gamma, 2, 1)))


def numba_kdtree() -> list[Call]:
    return _each("numba-kdtree", "numba_kdtree.kd_tree", ("_np_max", (Q4, 0)), ("_np_min", (Q4, 1)))


def calls() -> list[Call]:
    found = []
    for each in (
        umap,
        pynndescent,
        quantecon,
        interpolation,
        boinor,
        stumpy,
        disba,
        librosa,
        numba_quaternion,
        clifford,
        africanus,
        numba_celltree,
        sequence_jacobian,
        orix,
        empymod,
        numba_kdtree,
    ):
        found += each()
    return found
