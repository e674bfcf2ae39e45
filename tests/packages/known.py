"""What is not right, and known."""

REFUSED: dict[str, str] = {
    "africanus.rime.zernike.zernike": "BS113",
    "africanus.rime.zernike.zernike_rad": "BS113",
    "clifford.tools.g3c.dual_func": "BS112",
    "clifford.tools.g3c.meet_val": "BS112",
    "clifford.tools.g3c.val_apply_rotor": "BS112",
    "clifford.tools.g3c.val_homo": "BS112",
    "interpolation.splines.eval_splines.eval_cubic": "BS166",
    "numba_celltree.algorithms.sutherland_hodgman.polygon_polygon_clip_area": "BS202",
    "numba_quaternion.dist_spherical": "BS166",
    "numba_quaternion.quat_to_rotation_matrix": "BS109",
}
"""The codes of the refusals, by the calls' labels."""

FLAT: dict[str, str] = {
    "boinor.core.iod.vallado": "it halves an interval: what it finds depends on the arguments through comparisons alone",
}
"""The functions whose program has another derivative than what it computes, and why, by their paths."""

NOT_COMPILED = {f"numba_stats.binom.{name} with k constant" for name in ("pmf", "logpmf", "cdf")}
"""The calls that are right in plain functions, and that Numba itself does not compile with constants that are arrays."""
