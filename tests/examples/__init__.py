"""Tests of examples/ and benchmarks/ as programs."""
