"""Values and loops with a meaning of their own: lists, records, iteration, hooks, derivatives of the user's."""
