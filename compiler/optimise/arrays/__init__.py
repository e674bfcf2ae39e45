"""Statements of whole arrays as nests of loops."""
