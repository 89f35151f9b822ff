"""Modes: their names, tv.config, the environment variable, and what a mode changes."""

from __future__ import annotations

import copy
import dataclasses
import gc
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm import _core
from thunkvm._src.calls.config import SETTINGS
from thunkvm._src.calls.mode import CHECKING
from thunkvm._src.teaching import elsewhere

LINKERS = ["py", "vm", "cvm", "c", "c|py", "c&py"]
NAMES = [*LINKERS, *(f"{linker}_nogc" for linker in LINKERS), "FAST_RUN", "FAST_COMPILE"]


@pytest.mark.parametrize("name", NAMES)
def test_every_mode_computes(name: str) -> None:
    x = tv.vector("x")
    f = tv.function([x], (x * 2.0 + 1.0).sum(), mode=name)
    assert f([1.0, 2.0]) == 8.0
    assert tv.get_mode(name).name == name


def test_no_mode_is_an_alias_of_another() -> None:
    modes = [tv.get_mode(name) for name in NAMES]
    assert len(set(modes)) == len(NAMES)


def test_mode_objects() -> None:
    assert tv.Mode("vm", gc=False) == tv.get_mode("vm_nogc")
    assert tv.Mode() == tv.get_mode("cvm")
    x = tv.scalar("x")
    assert tv.function([x], x + 1, mode=tv.Mode(linker="py"))(1.0) == 2.0


def test_a_copy_of_a_mode_is_equal_to_it() -> None:
    comparing = tv.Mode(linker=tv.DualLinker(checker=max), optimizer="fast_run")
    for mode in (comparing, tv.Mode("vm", gc=False, features=frozenset()), tv.MonitorMode(print)):
        for copied in (copy.copy(mode), copy.deepcopy(mode), pickle.loads(pickle.dumps(mode))):
            assert copied == mode
            assert repr(copied) == repr(mode)
    linker = dataclasses.replace(comparing, gc=False).linker
    assert isinstance(linker, tv.DualLinker)
    assert linker.checker is max


def test_mode_shows_its_features_in_one_order() -> None:
    assert repr(tv.Mode("c", features=frozenset({"merge", "fusion"}))) == (
        "Mode(linker='c', optimizer=None, gc=True, compile=None, "
        "features=frozenset(['fusion', 'merge']))"
    )


def test_a_mode_with_slots_may_be_derived() -> None:
    @dataclasses.dataclass(frozen=True, slots=True, init=False)
    class Patient(tv.Mode):
        seconds: float = 1.0

    mode = Patient("vm", gc=False)
    object.__setattr__(mode, "seconds", 2.0)
    assert (mode.gc, mode.linker, mode.seconds, mode.name) == (False, "vm", 2.0, "vm_nogc")
    assert repr(mode) == (
        f"{Patient.__qualname__}(linker='vm', optimizer=None, gc=False, compile=None, "
        "features=frozenset({'fusion'}), seconds=2.0)"
    )


def test_the_page_of_modes_has_the_table_of_linkers() -> None:
    page = (Path(__file__).parents[2] / "docs" / "start" / "modes.md").read_text()
    rows = dict(re.findall(r"^\| `([^`]+)`(?: \(default\))? \| (.+) \|$", page, re.MULTILINE))
    table = {
        row["name"].replace("|", r"\|"): row["summary"] for row in _core.mode_tables()["linkers"]
    }
    assert {name: rows.get(name) for name in table} == table


def test_the_docstring_of_mode_has_the_tables_of_linkers_and_features() -> None:
    tables = _core.mode_tables()
    table = [(row["name"], row["summary"]) for row in tables["linkers"]]
    table += tables["features"]
    text = " ".join((tv.Mode.__doc__ or "").split())
    for name, summary in table:
        assert f'- ``"{name}"``: {summary}' in text


def forms(mode: str) -> set[str]:
    x = tv.vector("x")
    f = tv.function([x], tv.exp(x) + 1.0, mode=mode)
    f([1.0])
    return {form for _, _, form, _, _ in f.node_runs()}


def test_each_linker_has_thunks_of_its_own() -> None:
    assert forms("py") == {"perform"}
    assert forms("vm") == {"perform"}
    assert forms("cvm") == {"kernel"}
    c, x = tv.scalar("c"), tv.scalar("x")
    programs = {
        mode: tv.function([c, x], tv.ifelse(c, x, -x), mode=mode).disassemble()
        for mode in ("py", "vm", "cvm")
    }
    assert programs["py"] != programs["vm"]  # call by need, against demand compiled into branches


def test_nogc_keeps_intermediates_alive() -> None:
    x = tv.vector("x")
    y = tv.exp(x) * 2.0
    live = {}
    for mode in ("cvm", "cvm_nogc"):
        f = tv.function([x], y.sum(), mode=mode)
        before = tv.memory()["in_use"]
        f([1.0] * 4096)
        live[mode] = tv.memory()["in_use"] - before
    assert live["cvm"] == 0
    assert live["cvm_nogc"] >= 4096 * 8


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("cmv", "cvm"),
        ("VM", "vm"),
        ("vm_no_gc", "vm_nogc"),
        ("cvm_nogcc", "cvm_nogc"),
        ("fast_rn", "FAST_RUN"),
    ],
)
def test_an_unknown_mode_names_the_nearest_and_lists_all(name: str, nearest: str) -> None:
    x = tv.scalar("x")
    with pytest.raises(ValueError, match=f"no mode '{name}'") as raised:
        tv.function([x], x, mode=name)
    message = str(raised.value)
    assert f"Did you mean '{nearest}'?" in message
    assert ", ".join(NAMES) in message


@pytest.mark.parametrize("name", ["Debug", "JAX"])
def test_modes_that_do_not_exist_are_not_aliases(name: str) -> None:
    with pytest.raises(ValueError, match="there is no mode"):
        tv.get_mode(name)


def test_a_mode_of_another_type_is_an_error() -> None:
    with pytest.raises(TypeError, match=r"mode is 3, a int; give a name or a tv\.Mode"):
        tv.get_mode(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"no linker 'llvm'; the linkers are py, vm, cvm"):
        tv.Mode("llvm")


def test_config_chooses_the_mode_of_functions_that_name_none() -> None:
    x = tv.vector("x")
    y = tv.exp(x)
    before = tv.config.mode
    with tv.config.change(mode="vm"):
        assert tv.config.mode == "vm"
        f = tv.function([x], y)
    assert tv.config.mode == before
    f([1.0])
    assert {form for _, _, form, _, _ in f.node_runs()} == {"perform"}


def test_config_is_restored_after_an_error() -> None:
    before = tv.config.mode
    with pytest.raises(KeyError), tv.config.change(mode="vm"):
        raise KeyError
    assert tv.config.mode == before
    with pytest.raises(ValueError, match="no mode 'nothing'"), tv.config.change(mode="nothing"):
        pass
    assert tv.config.mode == before


def test_config_refuses_settings_that_it_has_not() -> None:
    with pytest.raises(AttributeError, match=r"no setting 'mod'.*Did you mean 'mode'\?"):
        tv.config.mod = "vm"  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="no setting 'floatX'"):
        print(tv.config.floatX)
    with (
        pytest.raises(AttributeError, match="no setting 'optimizer'"),
        tv.config.change(optimizer=1),
    ):  # type: ignore[arg-type]
        pass
    with pytest.raises(ValueError, match="Did you mean 'cvm'"):
        tv.config.mode = "cmv"


def test_nogc_holds_each_intermediate_and_the_others_two_of_them() -> None:
    x = tv.vector("x")
    y = x
    for _ in range(20):
        y = tv.cumsum(y * 0.01)
    value, peaks = np.ones(100_000), {}
    for mode in ("c", "c_nogc"):
        f = tv.function([x], y.sum(), mode=mode)
        gc.collect()
        tv.reset_peak_memory()
        before = tv.memory()["in_use"]
        f(value)
        peaks[mode] = tv.memory()["peak"] - before
    assert 2 * value.nbytes <= peaks["c"] < 3 * value.nbytes
    assert peaks["c_nogc"] >= 40 * value.nbytes


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("floatX", 'tv.vector("x", dtype="float32")'),
        ("compiledir", "write tv.config.cache_dir"),
        ("openmp", "write tv.config.threads"),
        ("allow_gc", 'a mode that ends in "_nogc"'),
        ("cast_policy", "promoted by NumPy's rules"),
        ("blas__ldflags", "OpenBLAS is linked into the package"),
        ("jax_enable_x64", "it is float64 if left out"),
    ],
)
def test_settings_of_other_libraries_say_what_to_write(setting: str, told: str) -> None:
    with pytest.raises(AttributeError, match=re.escape(told)):
        getattr(tv.config, setting)
    with pytest.raises(AttributeError, match=re.escape(told)):
        setattr(tv.config, setting, "float32")


def test_config_has_no_answer_for_settings_that_it_has() -> None:
    assert set(elsewhere.answers("config")) & set(SETTINGS) == set()
    ours = re.findall(r"tv\.config\.(\w+)", " ".join(elsewhere.answers("config").values()))
    assert set(ours) - {*SETTINGS, "change"} == set()


@pytest.mark.parametrize("name", ["JAX", "NUMBA", "PYTORCH"])
def test_modes_of_other_libraries_say_what_to_write(name: str) -> None:
    told = 'write "c", which compiles the whole graph'
    with pytest.raises(ValueError, match=f"no mode '{name}'; {told}"):
        tv.function([], 1.0, mode=name)
    with pytest.raises(ValueError, match=f"no linker '{name.lower()}'; {told}"):
        tv.Mode(linker=name.lower())


def test_modes_have_no_answer_for_names_that_they_have() -> None:
    assert set(elsewhere.answers("modes")) & {*NAMES, *LINKERS, *CHECKING} == set()


def run(code: str, **environment: str) -> Any:
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_environment_variable_sets_the_mode() -> None:
    code = "import thunkvm as tv; print(tv.config.mode)"
    assert run(code, THUNKVM_MODE="vm_nogc").stdout.strip() == "vm_nogc"
    failed = run("import thunkvm as tv; x = tv.scalar(); tv.function([x], x)", THUNKVM_MODE="cmv")
    assert (
        "ValueError: the environment variable THUNKVM_MODE=cmv: there is no mode 'cmv'"
        in failed.stderr
    )
    assert "Did you mean 'cvm'?" in failed.stderr


@pytest.mark.parametrize("value", [tv.Mode(), tv.In(tv.scalar()), tv.Out(tv.scalar())])
def test_what_does_not_change_refuses_an_attribute_that_it_does_not_have(value: Any) -> None:
    with pytest.raises(AttributeError, match="has no attribute 'fuze', and does not change"):
        value.fuze = True


def test_a_mode_names_the_attribute_that_was_meant() -> None:
    with pytest.raises(AttributeError, match="Did you mean 'linker'"):
        tv.Mode().linkr = "c"  # type: ignore[attr-defined]


def test_a_mode_says_how_to_have_another_value() -> None:
    with pytest.raises(AttributeError, match=r"dataclasses.replace\(it, gc=False\)"):
        tv.Mode().gc = False  # type: ignore[misc]
