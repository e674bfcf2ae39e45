"""The Kalman filter: the likelihood of linear Gaussian state-space models of the Nile's annual flow.

Data: the flow at Aswan in 10^8 cubic metres, 1871-1970 (Cobb, 1978; the series of Durbin and Koopman's book,
whose local level model has the variances 15099 and 1469).
"""

import numpy as np
from scipy.optimize import minimize

import backsweep as bs

NILE = np.array(
    [
        [1120, 1160, 963, 1210, 1160, 1160, 813, 1230, 1370, 1140],
        [995, 935, 1110, 994, 1020, 960, 1180, 799, 958, 1140],
        [1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100, 774, 840],
        [874, 694, 940, 833, 701, 916, 692, 1020, 1050, 969],
        [831, 726, 456, 824, 702, 1120, 1100, 832, 764, 821],
        [768, 845, 864, 862, 698, 845, 744, 796, 1040, 759],
        [781, 865, 845, 944, 984, 897, 822, 1010, 771, 676],
        [649, 846, 812, 742, 801, 1040, 860, 874, 848, 890],
        [744, 749, 838, 1050, 918, 986, 797, 923, 975, 815],
        [1020, 906, 901, 1170, 912, 746, 919, 718, 714, 740],
    ],
    dtype=float,
).ravel()


def negative_log_likelihood(log_sigma, y, T, Z):
    """Minus the log-likelihood of y = Z x + noise, x' = T x + noise; logarithms of the standard deviations."""
    variances = np.exp(2.0 * log_sigma)
    Q = np.diag(variances[1:])
    m = len(Z)
    x = np.zeros(m)
    P = 1e7 * np.eye(m)
    total = 0.0
    for t in range(len(y)):
        v = y[t] - Z @ x
        F = Z @ P @ Z + variances[0]
        if t >= m:  # the first observations only locate the state
            total -= 0.5 * (np.log(2.0 * np.pi * F) + v * v / F)
        K = P @ Z / F
        x = x + K * v
        P = P - np.outer(K, Z @ P)
        x = T @ x
        P = T @ P @ T.T + Q
    return -total


gradient = bs.value_and_grad(negative_log_likelihood)


def fit(start, y, T, Z):
    """The variances of highest likelihood, and the minimiser's result."""
    result = minimize(gradient, np.log(start), args=(y, T, Z), jac=True, method="BFGS")
    return np.exp(2.0 * result.x), result


def main():
    """Fit a random walk, and one with a slope that walks too, and print the variances."""
    level, result = fit([100.0, 50.0], NILE, np.eye(1), np.ones(1))
    print(f"Local level: log-likelihood {-result.fun:.3f}, {result.nfev} evaluations")
    print(f"  variances: noise {level[0]:.0f}, level {level[1]:.0f}")
    trend, other = fit([100.0, 30.0, 5.0], NILE, np.array([[1.0, 1.0], [0.0, 1.0]]), np.array([1.0, 0.0]))
    print(f"Local trend: log-likelihood {-other.fun:.3f}, {other.nfev} evaluations")
    print(f"  variances: noise {trend[0]:.0f}, level {trend[1]:.0f}, slope {trend[2]:.4f}")
    return level, result


if __name__ == "__main__":
    main()
