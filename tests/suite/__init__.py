"""Tests of the nets themselves: generators, farm, replay, mutation, the quick run, samples."""
