"""Tests of `compiler/legalise`."""
