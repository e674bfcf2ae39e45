"""Lower statements of whole arrays to nests of loops."""
