"""Tests of `compiler/interprocedural`."""
