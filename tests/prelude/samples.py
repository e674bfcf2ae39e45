"""Calls of `scipy.stats` that the prelude knows, and some that it refuses."""

from __future__ import annotations

import numpy as np
import scipy.stats as st

KERNELS = st.gaussian_kde([0.1, 0.7, 0.4, 1.3])
X = np.array([0.7413, 1.2129, 0.5837, 1.9341, 1.4689, 0.9107, 1.0747, 0.6623, 1.6879])
A = np.array([[0.31, 1.22, 0.73], [2.14, 1.55, 0.96], [0.87, 1.38, 0.29], [1.71, 0.45, 0.62]])
TIED = np.array([1, 2, 2, 3, 1, 2, 0, 1, 5])
CALLS = {
    "ttest_1samp": (lambda x: np.array(st.ttest_1samp(x, x[0])), X),
    "ttest_1samp, axis": (lambda a: st.ttest_1samp(a, 0.9, axis=-1, alternative="less").pvalue, A),
    "ttest_ind": (lambda x: np.array(st.ttest_ind(x[:4], x[4:])), X),
    "ttest_ind, Welch": (
        lambda x: np.array(st.ttest_ind(x[:4], x[4:], equal_var=False, alternative="greater")),
        X,
    ),
    "ttest_ind, whole": (lambda a: st.ttest_ind(a[:2], a[2:] + 1, axis=None).pvalue, A),
    "ttest_rel": (lambda x: st.ttest_rel(x[:4], x[4:8]).pvalue, X),
    "ttest_ind_from_stats": (lambda x: st.ttest_ind_from_stats(x[0], x[1], 5, x[2], x[3], 6)[0], X),
    "pointbiserialr": (lambda x: np.array(st.pointbiserialr(TIED < 2, x)), X),
    "spearmanr": (lambda x: np.array(st.spearmanr(x, TIED)) * x[0], X),
    "f_oneway": (lambda x: np.array(st.f_oneway(x[:3], x[3:5] + 1, [x[5], 2, x[6]])), X),
    "bartlett": (lambda x: np.array(st.bartlett(x[:3], x[3:6], x[6:])), X),
    "levene": (lambda x: np.array(st.levene(x[:4], x[4:])), X),
    "levene, mean": (lambda x: st.levene(x[:4], x[4:], center="mean").statistic, X),
    "chisquare": (lambda x: np.array(st.chisquare(x)), X),
    "chisquare, expected": (lambda x: st.chisquare(x, x[::-1], ddof=1).pvalue, X),
    "power_divergence": (lambda a: st.power_divergence(a, lambda_="cressie-read", axis=1)[0], A),
    "power_divergence, logarithms": (lambda x: np.array(st.power_divergence(x, lambda_=0)), X),
    "power_divergence, others": (lambda x: st.power_divergence(x, lambda_=-1)[0], X),
    "jarque_bera": (lambda a: np.stack(st.jarque_bera(a, axis=1)), A),
    "skewtest": (lambda x: np.array(st.skewtest(x)), X),
    "kurtosistest": (lambda x: np.array(st.kurtosistest(x**2, alternative="less")), X),
    "normaltest": (lambda x: np.array(st.normaltest(x)), X),
    "combine_pvalues": (lambda x: np.array(st.combine_pvalues(x / 3)), X),
    "combine_pvalues, weights": (lambda x: np.array(st.combine_pvalues(x / 3, "stouffer", x)), X),
    "combine_pvalues, Pearson": (lambda x: np.array(st.combine_pvalues(x / 3, method="pearson")), X),
    "kstat": (lambda x: np.array([st.kstat(x, n) for n in (1, 2, 3, 4)]), X),
    "kstat, axis": (lambda a: st.kstat(a, 3, axis=-1, keepdims=True), A),
    "kstatvar": (lambda x: np.array([st.kstatvar(x, 1), st.kstatvar(x)]), X),
    "differential_entropy": (st.differential_entropy, X),
    "differential_entropy, long": (
        lambda x: st.differential_entropy(np.concatenate((x, x**2 + 2.0)), base=2),
        X,
    ),
    "differential_entropy, axis": (
        lambda a: st.differential_entropy(a, axis=1, method="vasicek", window_length=1),
        A,
    ),
    "theilslopes": (lambda x: np.array(st.theilslopes(x**3)), X),
    "theilslopes, joint": (lambda x: np.array(st.theilslopes(x, TIED, 0.9, method="joint")), X),
    "siegelslopes": (lambda x: np.array(st.siegelslopes(x)), X),
    "siegelslopes, separate": (lambda x: np.array(st.siegelslopes(x, TIED, "separate")), X),
    "rankdata": (lambda a: st.rankdata(a, axis=1) * a, A),
    "rankdata, ties": (lambda x: (st.rankdata(TIED) + st.rankdata(TIED, "ordinal")) * x, X),
    "rankdata, others": (
        lambda x: st.rankdata(TIED, "min") * x + st.rankdata(TIED, "max") / x + st.rankdata(TIED, "dense"),
        X,
    ),
    "expectile": (lambda x: st.expectile(x, 0.7, weights=x + 1.0), X),
    "tmean": (lambda a: st.tmean(a, (0.6, None), axis=1, keepdims=True), A),
    "tvar": (lambda x: st.tvar(x, (0.6, 1.8), (False, True)), X),
    "tstd": (lambda x: st.tstd(x, (None, 1.8)), X),
    "tsem": (lambda a: st.tsem(a, axis=-1), A),
    "tmin": (lambda x: st.tmin(x, 0.7), X),
    "tmax": (lambda a: st.tmax(a, 1.7, axis=1), A),
    "gstd": (lambda a: st.gstd(a, axis=1), A),
    "describe": (lambda a: st.describe(a).kurtosis + st.describe(a)[1][0] + st.describe(a).variance, A),
    "boxcox_llf": (lambda x: st.boxcox_llf(x[0], x), X),
    "boxcox_llf, axis": (lambda a: st.boxcox_llf(0, a, axis=1), A),
    "yeojohnson_llf": (lambda x: st.yeojohnson_llf(x[0], x - 1.0), X),
    "sigmaclip": (lambda x: np.sum(st.sigmaclip(x, 1.2, 1.1)[0]) * st.sigmaclip(x, 1.2, 1.1).lower, X),
    "quantile": (lambda a: st.quantile(a, 0.3, axis=1, method="hazen", keepdims=True), A),
    "scoreatpercentile": (lambda x: st.scoreatpercentile(x, 30), X),
    "lmoment": (st.lmoment, X),
    "lmoment, orders": (lambda x: st.lmoment(x, [2, 4]) * st.lmoment(x, 3, standardize=False), X),
    "directional_stats": (
        lambda a: st.directional_stats(a, axis=1).mean_resultant_length,
        np.stack((A, A**2)),
    ),
    "directional_stats, direction": (lambda a: st.directional_stats(a).mean_direction, A),
    "directional_stats, lengths": (lambda a: st.directional_stats(a, normalize=False).mean_direction, A),
    "gaussian_kde": (lambda x: st.gaussian_kde(x)(x[:3]), X),
    "gaussian_kde, weights": (lambda x: st.gaussian_kde(x, 0.4 * x[0], weights=x).logpdf(x[:3]), X),
    "gaussian_kde, known": (lambda x: KERNELS(x) * KERNELS.logpdf(2.0 * x), X),
    "gaussian_kde, plane": (lambda a: st.gaussian_kde(a.T[:2], "silverman").pdf(a.T[1:]), A),
}
REFUSED = {
    "ttest_1samp": (lambda a: st.ttest_1samp(a, a[0])[0], "of one mean"),
    "ttest_ind": (lambda a: st.ttest_ind(a[0], a[1], trim=0.2)[0], "without `trim` and `method`"),
    "pointbiserialr": (lambda a: st.pointbiserialr(a > 1.0, a, axis=1)[0], "of two vectors"),
    "spearmanr": (lambda a: np.sum(st.spearmanr(a)[0]), "of two vectors"),
    "f_oneway": (lambda a: st.f_oneway(a, a)[0], "of vectors that are written out"),
    "levene": (lambda a: st.levene(a[0], a[1], center="trimmed")[0], "with the mean and the median"),
    "combine_pvalues": (lambda a: st.combine_pvalues(a[0] / 3, "tippett")[0], "with the methods 'fisher'"),
    "differential_entropy": (
        lambda a: st.differential_entropy(a, method="correa"),
        "with the methods 'vasicek'",
    ),
    "theilslopes": (lambda a: st.theilslopes(a, axis=1)[0], "of whole arrays"),
    "siegelslopes": (lambda a: st.siegelslopes(a, axis=1)[0], "of whole arrays"),
    "quantile": (lambda a: st.quantile(a, [0.2, 0.4]), "of one share"),
    "lmoment": (lambda a: st.lmoment(a * 2.0), "of a vector"),
    "directional_stats": (lambda a: st.directional_stats(a[0]).mean_direction, "takes an array of vectors"),
    "gaussian_kde": (
        lambda a: st.gaussian_kde(a[0], lambda k: k.n)(a[0]),
        "pass the factor itself|is a function",
    ),
}
