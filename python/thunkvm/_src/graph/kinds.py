"""The names of the constructors of free variables: a kind, and before it Theano's letter."""

from __future__ import annotations

#: The letters of Theano's names, and the dtypes that they stand for.
PREFIXES: dict[str, str] = {
    "b": "int8",
    "w": "int16",
    "i": "int32",
    "l": "int64",
    "f": "float32",
    "d": "float64",
    "c": "complex64",
    "z": "complex128",
}

#: The kinds, and what several of a kind are called.
KINDS: dict[str, str] = {
    "scalar": "scalars",
    "vector": "vectors",
    "matrix": "matrices",
    "row": "rows",
    "col": "cols",
} | {f"tensor{n}": f"tensor{n}s" for n in range(3, 8)}

#: The constructors of one variable, and those of several.
OF_ONE = ("generic", "tensor", *KINDS, *(prefix + kind for kind in KINDS for prefix in PREFIXES))
OF_SEVERAL = tuple(prefix + kind for kind in KINDS.values() for prefix in ("", *PREFIXES))
#: Those of Theano's names: a dtype's letter, then a kind.
WITH_LETTERS = tuple(
    prefix + kind for pair in KINDS.items() for kind in pair for prefix in PREFIXES
)
