"""What the mutation check tries (tests/mutants.py): it reaches every rule, and what it writes is Python."""

from __future__ import annotations

import ast

import pytest

from backsweep.rules import REGISTRY, Rule
from tests import mutation as check
from tests.mutants import EQUIVALENT, FORWARD, ROOT, SUITES, TANGENTS, TRANSFORM, WHERE, Mutation, mutations

MUTATIONS = mutations()


def test_every_rule_is_reached() -> None:
    reached = {mutation.owner for mutation in MUTATIONS if mutation.path.startswith("compiler/rules")}
    declared = {rule.function.__name__ for rule in REGISTRY if isinstance(rule, Rule) and rule.is_own}
    without = {
        rule.function.__name__ for rule in REGISTRY if isinstance(rule, Rule) and set(rule.adjoints) <= {None}
    }
    assert declared - without <= reached


def test_every_tangent_that_is_spelled_out_is_reached() -> None:
    spelled = {rule.function.__name__ for rule in REGISTRY if isinstance(rule, Rule) and rule.terms}
    of_rules = [mutation for mutation in MUTATIONS if mutation.path.startswith("compiler/rules")]
    reached = {
        mutation.owner for mutation in of_rules if mutation.suites[0].files in (TANGENTS.files, FORWARD.files)
    }
    assert spelled <= reached


@pytest.mark.parametrize("path", sorted({mutation.path for mutation in MUTATIONS}))
def test_what_is_written_is_python(path: str) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    for mutation in (each for each in MUTATIONS if each.path == path):
        assert text[mutation.start : mutation.end] == mutation.old, mutation
        ast.parse(text[: mutation.start] + mutation.new + text[mutation.end :])


def test_each_kind_of_statement_is_reached() -> None:
    paths = {f"compiler/{name}.py" for name in TRANSFORM}
    owners = {mutation.owner for mutation in MUTATIONS if mutation.path in paths}
    assert owners >= {
        "add_at",
        "store",
        "reverse_yield",
        "loop",
        "seed_yields",
        "make_tuple",
        "getitem",
        "contribute",
    }
    assert owners >= {"reverse_custom", "reverse_tap", "reverse_call", "statement", "term", "write", "sweep"}
    assert paths <= {mutation.path for mutation in MUTATIONS}


def test_tests_are_chosen_for_functions_that_exist() -> None:
    texts = [(ROOT / "compiler" / f"{name}.py").read_text(encoding="utf-8") for name in TRANSFORM]
    defined = {
        node.name for text in texts for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)
    }
    assert set(WHERE) <= defined


def test_keys_tell_mutations_apart() -> None:
    keys = [mutation.key for mutation in MUTATIONS]
    assert len(set(keys)) == len({(each.path, each.start, each.new) for each in MUTATIONS}) == len(keys)
    assert all(isinstance(each, Mutation) and each.suites for each in MUTATIONS)


def test_every_suite_has_files() -> None:
    files = {file for each in MUTATIONS for suite in each.suites for file in suite.files.split()}
    assert files <= {file for suite in SUITES for file in suite.files.split()}
    assert all((ROOT / file).exists() for file in files)


def test_what_is_left_out_is_still_there() -> None:
    for path, _, _, old in EQUIVALENT:
        assert old in (ROOT / path).read_text(encoding="utf-8")


def test_the_copy_can_leave_kernels_plain() -> None:
    assert check.KERNELS_COMPILED in (ROOT / check.COMPILED).read_text(encoding="utf-8")
