"""A Type in C whose acquisitions are counted, and of which every stage may fail."""

from __future__ import annotations

from typing import Any

import thunkvm as tv


class Counted(tv.CType):
    """A float. Its C, and that of Ops on it, counts by ``count(name, by)`` in a dict of `sys`."""

    def __init__(self, key: int = 0, fails: str = "none") -> None:
        self.key, self.fails = key, fails

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Counted) and (self.key, self.fails) == (other.key, other.fails)

    def __hash__(self) -> int:
        return hash((self.key, self.fails))

    def filter(self, value: Any, strict: bool = False, allow_downcast: Any = None) -> float:
        return float(value)

    def fail(self, stage: str, sub: Any) -> str:
        return f'PyErr_SetString(PyExc_ValueError, "{stage}"); {sub["fail"]}' * (
            stage == self.fails
        )

    def c_support_code(self, **kwargs: Any) -> str:
        return """
        static void count(const char* name, long by) {
          PyObject *type, *value, *traceback;
          PyErr_Fetch(&type, &value, &traceback);
          PyObject* counts = PySys_GetObject("thunkvm_counts");
          PyObject* old = PyDict_GetItemString(counts, name);
          PyObject* now = PyLong_FromLong((old == NULL ? 0 : PyLong_AsLong(old)) + by);
          PyDict_SetItemString(counts, name, now);
          Py_DECREF(now);
          PyErr_Restore(type, value, traceback);
        }"""

    def c_declare(self, name: str, sub: Any, check_input: bool = True) -> str:
        return f"double {name};"

    def c_init(self, name: str, sub: Any) -> str:
        return f'{name} = 0; count("value", 1);\n{self.fail("init", sub)}'

    def c_extract(self, name: str, sub: Any, check_input: bool = True, **kwargs: Any) -> str:
        return (
            f'{name} = PyFloat_AsDouble(py_{name}); count("value", 1);\n{self.fail("extract", sub)}'
        )

    def c_sync(self, name: str, sub: Any) -> str:
        return (
            f"{self.fail('sync', sub)}\nPy_XDECREF(py_{name});\n"
            f"py_{name} = PyFloat_FromDouble({name});"
        )

    def c_cleanup(self, name: str, sub: Any) -> str:
        return 'count("value", -1);'
