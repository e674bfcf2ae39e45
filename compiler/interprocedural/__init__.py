"""Functions that stay calls because they call themselves."""
