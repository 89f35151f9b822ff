"""What the emitted C says to its readers."""

from __future__ import annotations

import re

import numpy as np
from emitted import C

import thunkvm as tv


def test_a_comment_names_each_node_and_the_line_that_made_it() -> None:
    x = tv.vector("x")
    y = tv.exp(x)
    z = y + x
    source = tv.function([x], z, mode=C).c_source()
    (line,) = re.findall(r"/\* exp\.0, test_emission_source\.py:(\d+) ", source)[:1]
    assert f"/* add.1, test_emission_source.py:{int(line) + 1} in test_a_comment" in source


def test_a_comment_names_the_line_of_a_conditional() -> None:
    x = tv.scalar("x")
    picked = tv.ifelse(x > 0.0, tv.sin(x), x)
    line = picked.owner.origin.split(":")[1].split()[0]
    source = tv.function([x], picked, mode=C).c_source()
    assert f"/* ifelse.2, test_emission_source.py:{line} in test_a_comment" in source


def test_all_conditionals_that_a_branch_decides_are_named_and_explained() -> None:
    c, x = tv.scalar("c", dtype="bool"), tv.scalar("x")
    f = tv.function([c, x], [tv.ifelse(c, x, -x), tv.ifelse(c, x + 1.0, x)], mode=C)
    source = f.c_source()
    assert source.count("if (R[") == 1
    conditionals = [row for row in f.explain().nodes if row.op == "ifelse"]
    assert [(row.form, row.code) for row in conditionals] == [("branch", "function 0")] * 2
    for row in conditionals:
        assert f"/* {row.node}, test_emission_source.py" in source


def registers(source: str) -> dict[str, str]:
    """What the head of the first function says of registers."""
    (head,) = re.findall(r"u32 function_0\(.*\n((?:  //.*\n)+)", source)
    return {role: register for register, role in re.findall(r"(R\[\d+\]) ([^;\n]+)", head)}


def test_the_registers_that_a_function_reads_are_explained_at_its_head() -> None:
    x, y = tv.scalar("x"), tv.scalar("y")
    source = tv.function([x, y], tv.exp(x) * y + 2.5, mode=C).c_source()
    said = registers(source)
    assert sorted(said) == ["constant 2.5 float64", "output 0", "x, input 0", "y, input 1"]
    assert set(re.findall(r"R\[\d+\](?=\.value)", source)) == set(said.values())


def test_a_call_says_what_goes_in_and_comes_out() -> None:
    a, x = tv.matrix("a"), tv.vector("x")
    source = tv.function([a, x], tv.exp(tv.dot(a, x)) * 2.0, mode=C).c_source()
    said = registers(source)
    call = re.search(r"// (R\[\d+\]) from (R\[\d+\]), (R\[\d+\])\n +if \(S->run", source)
    assert call is not None
    assert call.groups()[1:] == (said["a, input 0"], said["x, input 1"])
    assert f"// {said['output 0']} from {call[1]}\n" in source  # the loop


def test_a_loop_whose_body_is_another_ones_names_it() -> None:
    x, y = tv.vector("x"), tv.vector("y")
    f = tv.function([x, y], [tv.exp(x) * 2.0, tv.exp(y) * 2.0], mode=C)
    np.testing.assert_array_equal(f([0.0], [0.0]), [[2.0], [2.0]])
    assert re.search(r"// .*, by nest_0\n +\{\n(?:.*\n){1,4} +if \(S->nest\(call, 1,", f.c_source())


def test_a_need_and_its_body_name_the_value() -> None:
    c, d, x = tv.scalar("c", dtype="bool"), tv.scalar("d", dtype="bool"), tv.scalar("x")
    shared = tv.exp(x)
    chosen = tv.ifelse(c, shared + 1.0, x) + tv.ifelse(d, shared * 2.0, x)
    source = tv.function([c, d, x], chosen, mode=C).c_source()
    name = r"exp\.\d+, test_emission_source\.py:\d+ in test_a_need"
    assert (
        len(re.findall(rf"// needs {name}.*\n +if \(call->done\[0\] != TV_COMPUTED\)", source)) == 2
    )
    assert len(re.findall(rf"  // memo 0: {name}.*\n memo_0:", source)) == 1
