"""An American put on a binomial lattice: its Greeks, and the volatility that a price implies.

The lattice is that of Cox, Ross and Rubinstein; at each node the holder exercises or waits. The example of
Hull's book: spot 50, strike 50, rate 10 %, volatility 40 %, five months; the put is worth about 4.28.
"""

import math

import numpy as np

import backsweep as bs


def american_put(spot, strike, rate, volatility, maturity, steps):
    """The price, by backward induction over `steps` steps."""
    dt = maturity / steps
    up = math.exp(volatility * math.sqrt(dt))
    down = 1.0 / up
    discount = math.exp(-rate * dt)
    p = (math.exp(rate * dt) - down) / (up - down)
    value = np.empty(steps + 1)
    for i in range(steps + 1):
        value[i] = max(strike - spot * up**i * down ** (steps - i), 0.0)
    for n in range(steps - 1, -1, -1):
        for i in range(n + 1):
            wait = discount * (p * value[i + 1] + (1.0 - p) * value[i])
            exercise = strike - spot * up**i * down ** (n - i)
            value[i] = max(wait, exercise)
    return value[0]


gradient = bs.value_and_grad(american_put, wrt=("spot", "strike", "rate", "volatility", "maturity"))


def implied_volatility(price, spot, strike, rate, maturity, steps):
    """The volatility at which the lattice gives this price, by Newton's method with the exact vega."""
    volatility = 0.2
    for _ in range(20):
        value, greeks = gradient(spot, strike, rate, volatility, maturity, steps)
        change = (value - price) / greeks.volatility
        volatility -= change
        if abs(change) < 1e-12:
            break
    return volatility


def main(steps=500):
    """Print the price, the Greeks, and the implied volatility of a quote."""
    price, g = gradient(50.0, 50.0, 0.1, 0.4, 5.0 / 12.0, steps)
    print(f"American put, {steps} steps: {price:.4f}")
    print(f"  delta {g.spot:.4f}, vega {g.volatility:.4f}, rho {g.rate:.4f}, theta {-g.maturity:.4f}")
    quote = 4.5
    volatility = implied_volatility(quote, 50.0, 50.0, 0.1, 5.0 / 12.0, steps)
    print(f"  a price of {quote} implies a volatility of {100.0 * volatility:.3f} %")
    return price, g, volatility


if __name__ == "__main__":
    main()
