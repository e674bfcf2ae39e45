"""Programs that compute the same with less."""
