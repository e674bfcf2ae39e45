"""Tests of `compiler/specialise`."""
