"""Tests of `compiler/ir`."""
