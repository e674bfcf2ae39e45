"""What the forward sweep does besides the primal: it records values, copies arrays, counts iterations, and makes shadows."""
