"""The line of the user's code that made a node."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from typing import Any

import thunkvm as tv


def here(offset: int = 0) -> str:
    """The place of the caller, as origins print it."""
    frame = inspect.currentframe()
    assert frame is not None
    assert frame.f_back is not None
    return f"test_origin.py:{frame.f_back.f_lineno + offset} in {frame.f_back.f_code.co_name}"


class Same(tv.Op):
    def make_node(self, x: Any) -> tv.Apply:
        y = x + 1
        return tv.Apply(self, [y], [x.type()])

    def perform(self, node: tv.Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = inputs[0]


def test_an_operator_is_charged_to_its_line() -> None:
    x = tv.scalar("x")
    y = x + 1
    assert y.owner.origin == here(-1)


def test_a_call_is_charged_to_its_line() -> None:
    y = tv.cos(tv.scalar("x"))
    assert y.owner.origin == here(-1)
    assert y.origin == y.owner.origin


def test_a_call_over_several_lines_is_charged_to_where_it_is_made() -> None:
    x = tv.scalar("x")
    y = tv.add(
        tv.cos(x),
        tv.sin(x),
    )
    assert y.owner.origin == here(-4)
    assert y.owner.inputs[0].owner.origin == here(-4)


def test_what_the_package_builds_is_charged_to_the_line_that_called_it() -> None:
    x = tv.scalar("x")
    y = tv.ifelse(x > 0, x, -x)
    assert y.owner.origin == here(-1)
    z = x.type().astype("float32")
    assert z.owner.origin == here(-1)


def test_a_users_op_is_charged_to_the_line_that_applied_it_not_to_make_node() -> None:
    y = Same()(tv.scalar("x"))
    assert y.owner.origin == here(-1)
    assert y.owner.inputs[0].owner.origin == here(-2), "what make_node builds, too"


def test_lines_of_generators_and_comprehensions_are_theirs() -> None:
    def chain(x: Any) -> Iterator[Any]:
        while True:
            x = tv.cos(x)
            yield x

    generator = chain(tv.scalar("x"))
    next(generator)
    assert next(generator).owner.origin.endswith("in chain")
    x = tv.scalar("x")
    nodes = [tv.sin(x) for _ in range(2)]
    assert nodes[1].owner.origin.startswith(here(-1).split(" ")[0])


def test_a_module_level_line_has_no_function() -> None:
    namespace: dict[str, Any] = {"tv": tv, "__name__": "fit"}
    exec(compile("x = tv.scalar('x')\ny = x * 2\n", "/some/where/fit.py", "exec"), namespace)
    assert namespace["y"].owner.origin == "fit.py:2"


def test_a_module_whose_name_only_begins_alike_is_the_users() -> None:
    namespace: dict[str, Any] = {"tv": tv, "__name__": "thunkvm_models.fit"}
    exec(compile("y = tv.scalar('x') * 2", "fit.py", "exec"), namespace)
    assert namespace["y"].owner.origin == "fit.py:1"


def test_a_callback_from_c_is_charged_to_its_own_line() -> None:
    x = tv.scalar("x")
    nodes: list[Any] = []
    made = sorted([3, 1], key=lambda _: (nodes.append(x + 1), 0)[1])
    assert nodes[0].owner.origin == f"test_origin.py:{sys._getframe().f_lineno - 1} in <lambda>"
    assert made == [3, 1]


def test_leaves_have_no_origin() -> None:
    assert tv.scalar("x").origin == ""


def test_code_that_made_a_node_is_let_go_with_it() -> None:
    code = compile("y = tv.scalar('x') * 2", "fit.py", "exec")
    before = sys.getrefcount(code)
    namespace: dict[str, Any] = {"tv": tv}
    exec(code, namespace)
    assert sys.getrefcount(code) == before + 1
    del namespace["y"]
    assert sys.getrefcount(code) == before


def test_a_node_also_knows_the_folders_that_its_file_is_in() -> None:
    y, line = tv.exp(tv.scalar("x")), here()
    assert y.owner._origin_place == (__file__, int(line.split(":")[1].split(" ")[0]), "")
    assert y.owner.origin == line
