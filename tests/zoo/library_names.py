"""Classes of the user's whose attributes have names that the compiler uses itself."""

from tests.zoo.case import case


class Shelf:
    library = "city"

    def __init__(self, price):
        self.prices = [price, 2.0 * price]

    def __iter__(self):
        return iter(self.prices)


@case(1.5)
def gone_through(x):
    total = 0.0
    for price in Shelf(x):
        total += price * price
    return total + sum(Shelf(x))


@case(1.5)
def made_inside(x):
    class Book:
        library = "city"
        called = "book"

        def __init__(self, price):
            self.price = price

        def cost(self):
            return self.price * self.price

    return Book(x).cost()
