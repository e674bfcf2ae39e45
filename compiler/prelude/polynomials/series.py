"""NumPy's classes of polynomials: their objects are coefficients, with the functions of coefficients as their methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from backsweep.prelude.declare import early, is_known, means, refuse, stands_for

LARGEST_POWER = 8
"""Up to this exponent, a power is written as products."""
INSTEAD = "call a function of the coefficients, as np.polyder(c), np.polymul(a, b), polynomial.polyder(c)"


def _unsupported(one, other):
    """Refuse what is asked of two polynomials, or of one."""
    del one, other
    refuse("this operator of a polynomial is not supported", INSTEAD)


class Series:
    """A sum of given functions, each times a coefficient. How coefficients are added and multiplied its class says, if it can."""

    called: Any = "np.poly1d"
    __library__: Any
    instead: Any = INSTEAD
    vector: Any
    evaluated: Any
    again: Any
    added: Any = staticmethod(_unsupported)
    subtracted: Any = staticmethod(_unsupported)
    multiplied: Any = staticmethod(_unsupported)

    def __call__(self, x):
        """Its values at a point, or at the points of an array."""
        if isinstance(x, Series):
            refuse("a polynomial is called with one point, or with an array of them", "write p(x)")
        return self.evaluated(x)

    def __add__(self, other):
        return self.again(self.added(self.vector, self.beside(other)))

    def __radd__(self, other):
        return self.again(self.added(self.beside(other), self.vector))

    def __sub__(self, other):
        return self.again(self.subtracted(self.vector, self.beside(other)))

    def __rsub__(self, other):
        return self.again(self.subtracted(self.beside(other), self.vector))

    def __mul__(self, other):
        return self.again(self.multiplied(self.vector, self.beside(other)))

    def __rmul__(self, other):
        return self.again(self.multiplied(self.beside(other), self.vector))

    def __neg__(self):
        return self.again(-self.vector)

    def __truediv__(self, other):
        if isinstance(other, Series):
            return _unsupported(self, other)
        return self.again(self.vector / other)

    def __pow__(self, times):
        if not is_known(times) or not isinstance(times, int) or not 0 < times <= LARGEST_POWER:
            return _unsupported(self, times)
        return self.again(self.power(times))

    def power(self, times):
        """The coefficients of a power."""
        return self.vector if times == 1 else self.multiplied(self.power(times - 1), self.vector)

    def __eq__(self, other: object):
        return _unsupported(self, other)

    def __ne__(self, other: object):
        return _unsupported(self, other)

    __hash__ = None  # type: ignore[assignment]

    def __rtruediv__(self, other):
        return _unsupported(self, other)

    def __floordiv__(self, other):
        return _unsupported(self, other)

    def __mod__(self, other):
        return _unsupported(self, other)

    def __getitem__(self, place):
        return _unsupported(self, place)

    def __len__(self) -> int:
        return int(_unsupported(self, None))

    def beside(self, other):
        """The coefficients of what is combined with it: another of its class, a number, or coefficients."""
        if not isinstance(other, Series):
            return vector_of(other)
        if other.called != self.called or not self.has_ends_of(other):
            refuse(
                "polynomials of two classes, or with domains of which the run may find that they differ, are combined",
                "leave out domain and window, and scale the argument",
            )
        return other.vector

    def has_ends_of(self, other):
        """Whether the other one has the same domain and window for sure."""
        del other
        return True


def vector_of(values):
    """Coefficients as an array: a number is the one entry of it."""
    if isinstance(values, (list, tuple)):
        return np.array(values)
    return np.array([values]) if np.ndim(values) == 0 else values


def times_of(m):
    """How often a polynomial is differentiated or integrated."""
    if not is_known(m) or not isinstance(m, int) or isinstance(m, bool) or m < 0:
        refuse(
            "a polynomial is differentiated and integrated m times, as written out, from 0 and with no other arguments",
            "write p.deriv(2) or p.integ(2)",
        )
    return m


@means(np.poly1d)
class Poly1d(Series):
    """A polynomial whose coefficients begin with that of the highest power; it shares memory with what it is made of."""

    added = staticmethod(np.polyadd)
    subtracted = staticmethod(np.polysub)
    multiplied = staticmethod(np.polymul)

    def __init__(self, c_or_r, r=False, variable=None) -> None:
        if not is_known(r) or r or variable is not None:
            refuse(
                "`np.poly1d` is supported with coefficients alone", "make coefficients of zeros with np.poly"
            )
        self.vector = vector_of(c_or_r)

    @property
    def coeffs(self):
        """The coefficients from the first that is not zero, or a zero."""
        k = 0
        while k < self.vector.size - 1 and self.vector[k] == 0:
            k += 1
        return self.vector[k:]

    @property
    def c(self):
        """The coefficients."""
        return self.coeffs

    @property
    def coef(self):
        """The coefficients."""
        return self.coeffs

    @property
    def coefficients(self):
        """The coefficients."""
        return self.coeffs

    @property
    def order(self):
        """The highest power."""
        return self.coeffs.size - 1

    @property
    def o(self):
        """The highest power."""
        return self.order

    def __len__(self) -> int:
        return int(self.coeffs.size - 1)

    def __getitem__(self, place):
        none = np.zeros(1, self.vector.dtype)[0]
        return self.vector[-1 - place] if 0 <= place < self.vector.size else none

    def again(self, vector):
        """One with other coefficients."""
        return Poly1d(vector)

    def evaluated(self, x):
        """The values."""
        return np.polyval(self.vector, x)

    def deriv(self, m=1):
        """Its derivative."""
        return Poly1d(np.polyder(self.vector, times_of(m)))

    def integ(self, m=1, k=0):
        """Its integral."""
        if is_known(k) and isinstance(k, int) and k == 0:
            return Poly1d(np.polyint(self.vector, times_of(m)))
        return Poly1d(np.polyint(self.vector, times_of(m), k=k))


class OnDomain(Series):
    """A series whose argument is taken from a domain to a window, where these are given; it copies what it is made of."""

    values: Any
    """The values by the place in the window, of a place and the coefficients."""
    ends: Any = (-1.0, 1.0)
    """The domain and the window of the class."""

    def __init__(self, coef, domain=None, window=None, symbol="x") -> None:
        if symbol != "x":
            refuse(
                f"`{self.called}` is supported with coefficients, domain and window alone",
                "leave `symbol` out",
            )
        self.vector = np.copy(vector_of(coef))
        self.is_placed = domain is not None or window is not None
        self.domain = np.array(self.ends) if domain is None else np.copy(vector_of(domain))
        self.window = np.array(self.ends) if window is None else np.copy(vector_of(window))

    @property
    def coef(self):
        """The coefficients, as floats."""
        return self.vector * 1.0

    def evaluated(self, x):
        """The values."""
        if self.is_placed:
            offset, scale = early(line_between, self.domain, self.window)
            x = offset + scale * x
        return self.values(x, self.vector)

    def has_ends_of(self, other):
        """Whether the other one has the same domain and window for sure."""
        if not self.is_placed and not other.is_placed:
            return True
        return self.domain is other.domain and self.window is other.window


def line_between(domain, window):
    """Offset and slope of the line that takes one interval to the other."""
    length = domain[1] - domain[0]
    offset = (domain[1] * window[0] - domain[0] * window[1]) / length
    return offset, (window[1] - window[0]) / length


@means(polynomial.Polynomial)
class Polynomial(OnDomain):
    """A polynomial whose coefficients end with that of the highest power."""

    called = "Polynomial"
    added = staticmethod(polynomial.polyadd)
    subtracted = staticmethod(polynomial.polysub)
    multiplied = staticmethod(polynomial.polymul)
    values = staticmethod(polynomial.polyval)

    def again(self, vector):
        """One with other coefficients."""
        made = Polynomial(vector)
        made.is_placed = self.is_placed
        made.domain = self.domain
        made.window = self.window
        return made

    def deriv(self, m=1):
        """Its derivative."""
        return self.again(polynomial.polyder(self.vector, times_of(m)) * self._scale(m, 1.0))

    def integ(self, m=1):
        """Its integral."""
        return self.again(polynomial.polyint(self.vector, times_of(m)) * self._scale(m, -1.0))

    def _scale(self, m, sign):
        """What derivatives by the place in the window are multiplied by, to be derivatives by that in the domain."""
        return line_between(self.domain, self.window)[1] ** (sign * m) if self.is_placed and m > 0 else 1.0


@means(chebyshev.Chebyshev)
class Chebyshev(OnDomain):
    """Chebyshev's series."""

    called = "Chebyshev"
    values = staticmethod(chebyshev.chebval)


@means(legendre.Legendre)
class Legendre(OnDomain):
    """Legendre's series."""

    called = "Legendre"
    values = staticmethod(legendre.legval)


@means(hermite.Hermite)
class Hermite(OnDomain):
    """Hermite's series."""

    called = "Hermite"
    values = staticmethod(hermite.hermval)


@means(hermite_e.HermiteE)
class HermiteE(OnDomain):
    """The series of the other Hermite polynomials."""

    called = "HermiteE"
    values = staticmethod(hermite_e.hermeval)


@means(laguerre.Laguerre)
class Laguerre(OnDomain):
    """Laguerre's series."""

    called = "Laguerre"
    ends = (0.0, 1.0)
    values = staticmethod(laguerre.lagval)


def _known(kind: type[OnDomain]) -> Callable[[Any], OnDomain]:
    """What stands for an object of a class that is made around the function."""

    def of_known(thing) -> OnDomain:
        made = kind.__new__(kind)
        made.vector = _coefficients(thing)
        made.domain = np.asarray(thing.domain, np.float64)
        made.window = np.asarray(thing.window, np.float64)
        made.is_placed = tuple(thing.mapparms()) != (0.0, 1.0)
        return made

    return of_known


def _coefficients(thing):
    return np.asarray(thing.coef, np.float64 if thing.coef.dtype.kind in "iu" else None)


for _kind in (Polynomial, Chebyshev, Legendre, Hermite, HermiteE, Laguerre):
    stands_for(_kind.__library__, reads=("coef", "domain", "window"))(_known(_kind))


@stands_for(np.poly1d, reads=("coef",))
def of_poly1d(thing) -> Poly1d:
    """One that is made around the function."""
    made = Poly1d.__new__(Poly1d)
    made.vector = _coefficients(thing)
    return made
