"""Arrays in the core language: explicit broadcasting, indices without `...`, complex numbers without hidden views."""
