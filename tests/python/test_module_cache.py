"""Compiled modules between processes: who compiles, who waits, what is left, what is not believed.

What one process sees of the compiler and of the cache is tested in C++.
"""

from __future__ import annotations

import ctypes
import logging
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from compilers import SAY, SOURCE, Compiler

import thunkvm as tv
from thunkvm import _core
from thunkvm.__main__ import main

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="compiles with gcc")
forks_and_goes_on = pytest.mark.skipif(
    "/libtsan." in Path("/proc/self/maps").read_text(),
    reason="the thread sanitizer ends a forked child that begins threads",
)


def answer(module: _core.NativeModule) -> int:
    """Call the module's function."""
    function = ctypes.CFUNCTYPE(ctypes.c_int)(module.symbol("answer"))
    result: int = function()
    return result


def test_a_new_process_neither_asks_the_compiler_nor_compiles(compiler: Compiler) -> None:
    first, second = compiler.run(), compiler.run()
    assert first == second
    assert first[0] == "42"
    assert Path(first[1]).parent == compiler.cache / "modules"
    assert (compiler.asked, compiler.compiled) == (1, 1)


def test_what_the_directory_says_of_a_compiler_is_not_believed_if_it_was_changed(
    compiler: Compiler,
) -> None:
    compiler.run()
    (record,) = (compiler.cache / "compilers").iterdir()
    record.write_text(record.read_text().replace("#define __STDC__ 1", "#define __STDC__ 2"))
    assert compiler.run()[0] == "42"
    assert (compiler.asked, compiler.compiled) == (2, 1)


def test_sixteen_processes_that_want_one_module_compile_it_once(compiler: Compiler) -> None:
    compiler.run("int other;int answer(void) { return 1; }\n")
    processes = [compiler.start() for _ in range(16)]
    said = [process.communicate() for process in processes]
    assert {process.returncode for process in processes} == {0}, said
    assert {out.split()[0] for out, _ in said} == {"42"}
    assert compiler.compiled == 2
    assert [path for path in (compiler.cache / "work").iterdir()] == []


def test_a_process_that_is_killed_while_it_compiles_leaves_nothing_in_the_way(
    compiler: Compiler, tmp_path: Path
) -> None:
    hangs = tmp_path / "hangs"
    os.mkfifo(hangs)
    compiler.write(f"echo $$ > {hangs}; exec sleep infinity")
    process = compiler.start()
    child = int(hangs.read_text())  # as soon as it compiles
    (work,) = (compiler.cache / "work").iterdir()
    process.kill()
    process.communicate()
    try:
        compiler.write()
        assert compiler.run()[0] == "42"
        assert not work.exists()
        assert list((compiler.cache / "work").iterdir()) == []
    finally:
        os.kill(child, signal.SIGKILL)


@forks_and_goes_on
def test_a_process_that_forks_while_another_thread_compiles_can_compile_the_same(
    compiler: Compiler, tmp_path: Path
) -> None:
    hangs, goes_on = tmp_path / "hangs", tmp_path / "goes_on"
    os.mkfifo(hangs)
    os.mkfifo(goes_on)
    _core._testing.compile_modules(["int answer(void) { return 1; }"])
    # The first that compiles waits for word; the second, in the child, finds the note.
    compiler.path.write_text(
        f"#!/bin/sh\nif mkdir {tmp_path}/first 2>/dev/null; then echo > {hangs}; cat {goes_on}; fi"
        '\nexec gcc "$@"\n'
    )
    (tmp_path / "first").mkdir()
    tv.config.cache_size = 0  # nothing but what the process itself knows
    assert _core.compiler_version()
    (tmp_path / "first").rmdir()
    modules: list[Any] = []
    thread = threading.Thread(
        target=lambda: modules.extend(_core._testing.compile_modules([SOURCE]))
    )
    thread.start()
    hangs.read_text()
    child = os.fork()
    if child == 0:
        (module,) = _core._testing.compile_modules([SOURCE])
        os._exit(answer(module))
    _, status = os.waitpid(child, 0)
    goes_on.write_text("")
    thread.join()
    assert os.waitstatus_to_exitcode(status) == 42
    assert answer(modules[0]) == 42


def test_other_threads_run_while_one_compiles(compiler: Compiler, tmp_path: Path) -> None:
    goes_on = tmp_path / "goes_on"
    os.mkfifo(goes_on)
    compiler.write(f"cat {goes_on}")
    modules: list[Any] = []
    thread = threading.Thread(
        target=lambda: modules.extend(_core._testing.compile_modules([SOURCE]))
    )
    thread.start()
    goes_on.write_text(
        ""
    )  # waits for the compiler, which waits for this: with the GIL it would hang
    thread.join()
    assert answer(modules[0]) == 42


def test_a_signal_stops_a_compilation(compiler: Compiler, tmp_path: Path) -> None:
    hangs = tmp_path / "hangs"
    os.mkfifo(hangs)
    compiler.write(f"echo > {hangs}; exec sleep infinity")
    process = compiler.start()
    hangs.read_text()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert err.splitlines()[-1] == "KeyboardInterrupt"
    assert list((compiler.cache / "work").iterdir()) == []


def test_a_full_disk(compiler: Compiler) -> None:
    _, path = compiler.run()
    limit = Path(path).stat().st_size - 1  # enough for the compiler's file, not for the cache's
    shutil.rmtree(compiler.cache / "modules")
    code = (
        f"""
import logging, resource
logging.basicConfig(format="%(message)s")
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
"""
        + SAY
        + '_core._testing.compile_modules(["int other;"])\n'
    )
    process = compiler.start(code=code)
    out, err = process.communicate()
    assert process.returncode == 0, err
    assert out.startswith("42 memory:")
    assert re.fullmatch(
        r"the module cache .* could not be written to: File too large\. Compiled modules are not "
        r"kept\.\n",
        err,
    )


def in_a_mount(
    options: str, compiler: Compiler, then: str = ""
) -> subprocess.CompletedProcess[str]:
    """Load two modules with a cache on a file system of its own, mounted with `options`."""
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("mounting takes root")
    compiler.cache.mkdir(mode=0o700)
    code = (
        "import logging; logging.basicConfig(format='%(message)s')\n"
        + SAY.format(source=SOURCE)
        + SAY.format(source="int answer(void) { return 43; }")
    )
    script = f"mount -t tmpfs -o mode=0700,{options} none {compiler.cache} || exit 77\n{then}\n"
    run = subprocess.run(
        ["unshare", "-m", "sh", "-c", f'{script}exec "$0" -c "$1"', sys.executable, code],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
            "THUNKVM_CC": str(compiler.path),
            "THUNKVM_CACHE": str(compiler.cache),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode == 77 or "unshare failed" in run.stderr:
        pytest.skip(f"this system mounts nothing here: {run.stderr}")
    assert run.returncode == 0, run.stderr
    assert [line.split()[0] for line in run.stdout.splitlines()] == ["42", "43"]
    return run


def test_a_file_system_that_maps_no_code(compiler: Compiler) -> None:
    run = in_a_mount("noexec", compiler)
    assert run.stdout.count("memory:") == 2
    assert run.stderr == ""  # they are kept all the same


def test_a_read_only_file_system(compiler: Compiler) -> None:
    run = in_a_mount("size=1m", compiler, f"mount -o remount,ro {compiler.cache}")
    assert run.stderr.count("Read-only file system") == 1


def test_a_full_file_system(compiler: Compiler) -> None:
    run = in_a_mount("size=16k", compiler, f"yes 2> /dev/null > {compiler.cache}/filler")
    assert run.stderr.count("No space left on device") == 1


def test_modules_that_are_kept_nowhere_keep_no_file_open() -> None:
    sources = [f"int answer(void) {{ return {k}; }}\n" for k in range(20)]
    with tv.config.change(cache_dir=""):
        open_files = len(os.listdir("/proc/self/fd"))
        modules = _core._testing.compile_modules(sources)
        assert len(os.listdir("/proc/self/fd")) == open_files
    assert len({module.path for module in modules}) == 20
    functions = [ctypes.CFUNCTYPE(ctypes.c_int)(module.symbol("answer")) for module in modules]
    assert [function() for function in functions] == list(range(20))


def test_a_pipe_in_the_place_of_a_module_is_not_waited_for(compiler: Compiler) -> None:
    with tv.config.change(cc=str(compiler.path), cache_dir=compiler.cache):
        (module,) = _core._testing.compile_modules([SOURCE])
        path = Path(module.path)
        del module
        path.unlink()
        os.mkfifo(path)
        (again,) = _core._testing.compile_modules([SOURCE])
        assert ctypes.CFUNCTYPE(ctypes.c_int)(again.symbol("answer"))() == 42


def test_a_directory_of_another_user_is_refused(
    compiler: Compiler, caplog: pytest.LogCaptureFixture
) -> None:
    if os.geteuid() != 0:
        pytest.skip("giving a directory away takes root")
    compiler.cache.mkdir()
    os.chown(compiler.cache, 65534, 65534)
    (module,) = _core._testing.compile_modules([SOURCE])
    assert answer(module) == 42
    assert caplog.messages == [
        f"the module cache {compiler.cache} is not used: it belongs to user 65534, this process "
        "to user 0. Compiled modules are not kept."
    ]
    assert list(compiler.cache.iterdir()) == []


def test_errors_can_be_told_apart(tmp_path: Path) -> None:
    with tv.config.change(cache_dir=tmp_path, cc="gcc"):
        with pytest.raises(tv.CompileError, match="rejected a module") as rejected:
            _core._testing.compile_modules(["int answer = x;"])
        assert "<stdin>:1:14: error:" in rejected.value.diagnostics
        assert Path(rejected.value.source_path).read_text() == "int answer = x;"
        assert not isinstance(rejected.value, tv.NoCompilerError)
        with pytest.raises(KeyError, match="has no symbol 'question'"):
            _core._testing.compile_modules([SOURCE])[0].symbol("question")
    with (
        tv.config.change(cache_dir=tmp_path, cc="no-such-compiler"),
        pytest.raises(tv.NoCompilerError, match="'no-such-compiler' was not found"),
    ):
        _core._testing.compile_modules([SOURCE])


def test_names_and_messages_need_not_be_text(tmp_path: Path) -> None:
    directory = os.fsdecode(os.fsencode(tmp_path) + b"/\xff")
    compiler = tmp_path / "cc"
    compiler.write_text("#!/bin/sh\nprintf 'broken \\377' >&2\nexit 1\n")
    compiler.chmod(0o700)
    with tv.config.change(cache_dir=directory, cc="gcc"):
        assert tv.config.cache_dir == directory
        (module,) = _core._testing.compile_modules([SOURCE])
        assert module.path.startswith(directory)
        assert answer(module) == 42
    with (
        tv.config.change(cache_dir=directory, cc=str(compiler)),
        pytest.raises(tv.NoCompilerError, match="broken \N{REPLACEMENT CHARACTER}"),
    ):
        _core._testing.compile_modules([SOURCE])


def test_settings_come_from_the_environment_until_they_are_set(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("THUNKVM_CC", "clang -m64")
    monkeypatch.setenv("THUNKVM_CACHE", "/of/the/environment")
    config = tv.config
    assert (config.cc, config.cache_dir) == ("clang -m64", "/of/the/environment")
    monkeypatch.delenv("THUNKVM_CC")
    monkeypatch.setenv("CC", "ccache gcc")
    assert config.cc == "ccache gcc"
    with config.change(cc="tcc", cache_dir=tmp_path, cache_size=12, compile_timeout=1.5):
        assert (config.cc, config.cache_dir) == ("tcc", str(tmp_path))
        assert (config.cache_size, config.compile_timeout) == (12, 1.5)
        config.cc = None
        assert config.cc == "ccache gcc"
        assert "cache_size=12, compile_timeout=1.5," in repr(config)
    assert config.cache_dir == "/of/the/environment"
    assert (config.cache_size, config.compile_timeout) == (256 << 20, 120.0)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("cc", "gcc '-DX", "a ' that is not closed"),
        ("cc", 1, "it is 1"),
        ("cache_size", -1, "it is -1"),
        ("cache_size", "1", "it is '1'"),
        ("compile_timeout", 0.0, "it is 0.0"),
        ("compile_timeout", float("inf"), "it is inf"),
    ],
)
def test_settings_that_cannot_be_are_refused(name: str, value: object, message: str) -> None:
    before = getattr(tv.config, name)
    with pytest.raises((TypeError, ValueError), match=re.escape(message)):
        setattr(tv.config, name, value)
    assert getattr(tv.config, name) == before


def test_the_command_lists_and_clears_the_cache(
    compiler: Compiler, capsys: pytest.CaptureFixture[str]
) -> None:
    def said(*arguments: str) -> str:
        assert main(["cache", *arguments]) == 0
        return capsys.readouterr().out

    assert said("path") == f"{compiler.cache}\n"
    assert said("size") == "0 modules, 0 B of 256.0 MiB\n"
    assert said("clear") == "removed 0 modules\n"
    assert len(said().splitlines()) == 2
    assert not compiler.cache.exists()
    modules = _core._testing.compile_modules([f"// the answer {i}\n{SOURCE}" for i in range(2)])
    lines = said("list").splitlines()
    assert re.split("  +", lines[0])[-2:] == ["compiler", "first line of the source"]
    assert {line[line.index("//") :] for line in lines[2:]} == {
        "// the answer 0",
        "// the answer 1",
    }
    assert all("KiB" in line and "gcc " in line for line in lines[2:])
    assert {module.key[:12] for module in modules} <= set(" ".join(lines).split())
    assert said("size").startswith("2 modules, ")
    assert said("clear") == "removed 2 modules\n"
    assert said("size").startswith("0 modules, 0 B of ")
    assert answer(modules[0]) == 42


def test_the_command_says_why_a_directory_is_refused(
    compiler: Compiler, capsys: pytest.CaptureFixture[str]
) -> None:
    compiler.cache.mkdir()
    compiler.cache.chmod(0o777)
    assert main(["cache", "list"]) == 1
    assert "is not used: others may write to it; use chmod 700." in capsys.readouterr().err


def test_compilations_are_logged_for_those_who_ask(
    compiler: Compiler, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, logger="thunkvm"):
        (module,) = _core._testing.compile_modules([SOURCE])
    (message,) = caplog.messages
    assert re.fullmatch(r"compiled 32 bytes of C in [0-9.]+ ms: " + re.escape(module.path), message)
