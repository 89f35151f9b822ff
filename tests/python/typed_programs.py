"""What type checkers have to know of programs; test_typing.py runs them over this file.

A line that has to be an error is ignored by its code: checkers complain of an ignored line without.
"""

from __future__ import annotations

from typing import Any, NamedTuple, assert_type

import numpy as np

import thunkvm as tv

x, y = tv.vector("x"), tv.dscalar("y")
assert_type(x, tv.Variable)
assert_type(tv.exp(x) * 2.0 + y, tv.Variable)
assert_type(x[1:].sum(axis=0), tv.Variable)
assert_type(2.0 / x, tv.Variable)
assert_type(x < 0.5, tv.Variable)


class Point(NamedTuple):
    """A structure of a user's."""

    place: tv.Variable
    slope: tv.Variable


assert_type(tv.ifelse(y > 0, x, 0.0), tv.Variable)
assert_type(tv.ifelse(y > 0, np.ones(3), x), tv.Variable)
assert_type(tv.ifelse(y > 0, 1, 2), tv.Variable)
assert_type(tv.ifelse(y > 0, Point(x, x), Point(y, y)), Point)
assert_type(tv.ifelse(y > 0, (x, y), (y, x)), tuple[tv.Variable, tv.Variable])
assert_type(tv.ifelse(y > 0, [x, y], [y, x]), list[tv.Variable])
assert_type(tv.ifelse(y > 0, {"a": x}, {"a": y}), dict[str, tv.Variable])
assert_type(tv.switch_case(tv.lscalar("i"), [x, 2.0 * x], default=x), tv.Variable)
assert_type(tv.cond([(y > 0, x), (y < -1, 2.0 * x)], 0.0 * x), tv.Variable)
assert_type(tv.attempt(tv.solve(x, y), 0.0), tv.Variable)
assert_type(tv.and_(y > 0, y < 1), tv.Variable)

cost = tv.sum(x * y)
assert_type(tv.grad(cost, x), tv.Variable)
assert_type(tv.grad(cost, [x, y]), list[tv.Variable])
assert_type(tv.jacobian(x * y, x), tv.Variable)
assert_type(tv.hessian(cost, x), tv.Variable)

m = tv.dmatrix("m")
assert_type(tv.qr(m), tuple[tv.Variable, tv.Variable])
assert_type(tv.qr(m, mode="r"), tv.Variable)
assert_type(tv.eigh(m), tuple[tv.Variable, tv.Variable])
assert_type(tv.slogdet(m), tuple[tv.Variable, tv.Variable])
tv.convolve(x, x, mode="some")  # type: ignore[arg-type]

f = tv.function([x, y], cost, mode="vm")
assert_type(f, tv.Function)
assert_type(f([1.0], 2.0), Any)
assert_type(f.counts(), dict[str, int])
for row in f.node_runs():
    assert_type(row.runs, int)
    if row.form == "perfrom":  # type: ignore[comparison-overlap]
        pass

tv.function([x], x, mode=tv.Mode("cvm", optimizer="fast_run", compile="now").excluding("fusion"))
tv.function([x], x, mode=tv.Mode(tv.LazyLinker(allow_gc=False)))
tv.function([x], x, mode="NanGuardMode")
tv.function([x], x, mode=tv.get_mode("c|py" + "_nogc"))
tv.function([x], x, mode="cmv")  # type: ignore[arg-type]
tv.function([x], x, mode=tv.Mode("jax"))  # type: ignore[arg-type]
tv.Mode(optimizer="fast")  # type: ignore[arg-type]
tv.Mode(compile="later")  # type: ignore[arg-type]
tv.get_mode("c").including("fuse")  # type: ignore[arg-type]
tv.config.mode = "cmv"  # type: ignore[assignment]
tv.grad(cost, x, disconnected_inputs="warm")  # type: ignore[call-overload]
