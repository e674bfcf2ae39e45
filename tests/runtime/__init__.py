"""Tests of `runtime/`."""
