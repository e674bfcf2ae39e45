"""The orthogonal polynomials of `scipy.special`."""

from __future__ import annotations

import numpy as np
import scipy.special as sp

from backsweep.prelude.declare import means
from backsweep.runtime.special_functions.recurrences import (
    chebyshev_polynomial,
    gegenbauer_polynomial,
    hermite_polynomial,
    laguerre_polynomial,
)


@means(sp.eval_legendre)
def eval_legendre(n, x):
    """Legendre's polynomials."""
    return gegenbauer_polynomial(np.maximum(n, -n - 1), 0.5, x)


@means(sp.eval_sh_legendre)
def eval_sh_legendre(n, x):
    """Legendre's polynomials between 0 and 1."""
    return gegenbauer_polynomial(np.maximum(n, -n - 1), 0.5, 2.0 * x - 1.0)


@means(sp.eval_gegenbauer)
def eval_gegenbauer(n, alpha, x):
    """Gegenbauer's polynomials."""
    return gegenbauer_polynomial(n, alpha, x)


@means(sp.eval_genlaguerre)
def eval_genlaguerre(n, alpha, x):
    """Laguerre's polynomials, generalised."""
    return laguerre_polynomial(n, alpha, x)


@means(sp.eval_laguerre)
def eval_laguerre(n, x):
    """Laguerre's polynomials."""
    return laguerre_polynomial(n, 0.0, x)


@means(sp.eval_chebyt)
def eval_chebyt(n, x):
    """Chebyshev's polynomials of the first kind."""
    return chebyshev_polynomial(np.abs(n), x)


@means(sp.eval_chebyu)
def eval_chebyu(n, x):
    """Chebyshev's polynomials of the second kind."""
    return np.where(n < 0, -1.0, 1.0) * gegenbauer_polynomial(np.maximum(n, -n - 2), 1.0, x)


@means(sp.eval_chebyc)
def eval_chebyc(n, x):
    """Chebyshev's polynomials of the first kind between -2 and 2, twice."""
    return 2.0 * eval_chebyt(n, 0.5 * x)


@means(sp.eval_chebys)
def eval_chebys(n, x):
    """Chebyshev's polynomials of the second kind between -2 and 2."""
    return eval_chebyu(n, 0.5 * x)


@means(sp.eval_sh_chebyt)
def eval_sh_chebyt(n, x):
    """Chebyshev's polynomials of the first kind between 0 and 1."""
    return eval_chebyt(n, 2.0 * x - 1.0)


@means(sp.eval_sh_chebyu)
def eval_sh_chebyu(n, x):
    """Chebyshev's polynomials of the second kind between 0 and 1."""
    return eval_chebyu(n, 2.0 * x - 1.0)


@means(sp.eval_hermite)
def eval_hermite(n, x):
    """Hermite's polynomials, of physics."""
    return hermite_polynomial(n - (n < 0), 2.0, x)


@means(sp.eval_hermitenorm)
def eval_hermitenorm(n, x):
    """Hermite's polynomials, of statistics."""
    return hermite_polynomial(n - (n < 0), 1.0, x)
