"""Nested lists, tuples, dicts and dataclasses of values: taken apart, and put together again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

Path = str

#: The deepest nesting: well below what Python's own limit of recursion lets be walked.
DEEPEST = 200


def check_depth(depth: int) -> None:
    """Refuse a structure that is nested too deep, or contains itself.

    Examples
    --------
    >>> from thunkvm._src.graph.structure import check_depth
    >>> check_depth(200)
    """
    if depth > DEEPEST:
        raise ValueError(
            f"a structure of values is nested more than {DEEPEST} lists, tuples and dicts deep, or "
            f"contains itself; at most {DEEPEST} are walked, so give a flatter one."
        )


def children(tree: Any) -> list[tuple[Any, Any]] | None:
    """Return the (key, child) pairs of a list, tuple, dict or dataclass, or None for a leaf."""
    if isinstance(tree, dict):
        return list(tree.items())
    if isinstance(tree, (list, tuple)):
        return list(enumerate(tree))
    if _is_of_dataclass(tree):
        return [(field.name, getattr(tree, field.name)) for field in fields(tree)]
    return None


def leaves(tree: Any, path: Path = "", depth: int = 0) -> Iterator[tuple[Path, Any]]:
    """Yield (path, leaf) for each leaf of a tree, in order; the path reads as Python: ``['a'][0]``.

    Examples
    --------
    >>> from thunkvm._src.graph.structure import leaves
    >>> list(leaves({"a": [1, 2], "b": 3}))
    [("['a'][0]", 1), ("['a'][1]", 2), ("['b']", 3)]
    """
    check_depth(depth)
    inside = children(tree)
    if inside is None:
        yield path, tree
    else:
        for key, child in inside:
            yield from leaves(child, path + _step(tree, key), depth + 1)


def matched_leaves(
    what: tuple[str, str], left: Any, right: Any, path: Path = "", depth: int = 0
) -> Iterator[tuple[Path, Any, Any]]:
    """Yield (path, leaf of `left`, leaf of `right`) for two trees of the same structure.

    Parameters
    ----------
    what : tuple of str
        What the two trees are called in the error message.
    left, right : nested lists, tuples and dicts
        The trees. Dicts match if they have the same keys, in any order.
    path : str
        Where in the trees this is.
    depth : int
        How many lists, tuples and dicts it is inside of.

    Raises
    ------
    TypeError
        If the structures differ; the message names the path.
    ValueError
        If they are nested more than `DEEPEST` deep.
    """
    check_depth(depth)
    of_left, of_right = children(left), children(right)
    if of_left is None and of_right is None:
        yield path, left, right
        return
    if of_left is None or of_right is None or kind_of(left) is not kind_of(right):
        raise TypeError(
            f"{what[0]}{path} is {_text(left, of_left)}, but {what[1]}{path} is "
            f"{_text(right, of_right)}; both must have the same structure."
        )
    if isinstance(left, dict):
        for key in [*left, *right]:
            if key not in left or key not in right:
                has, lacks = what if key in left else reversed(what)
                raise TypeError(
                    f"{has}{path} has the key {key!r}, which {lacks}{path} has not; "
                    "both must have the same keys."
                )
        of_right = [(key, right[key]) for key in left]
    elif len(of_left) != len(of_right):
        raise TypeError(
            f"{what[0]}{path} has {len(of_left)} values, but {what[1]}{path} has "
            f"{len(of_right)}; both must have the same number."
        )
    for (key, a), (_, b) in zip(of_left, of_right, strict=True):
        yield from matched_leaves(what, a, b, path + _step(left, key), depth + 1)


def rebuild(tree: Any, next_leaf: Callable[[], Any]) -> Any:
    """Return a tree like `tree`, whose leaves come from `next_leaf`, called in order.

    Examples
    --------
    >>> from thunkvm._src.graph.structure import rebuild
    >>> rebuild({"a": (1, 2), "b": [3]}, iter("xyz").__next__)
    {'a': ('x', 'y'), 'b': ['z']}
    """
    inside = children(tree)
    if inside is None:
        return next_leaf()
    return with_children(tree, [rebuild(child, next_leaf) for _, child in inside])


def with_children(tree: Any, values: list[Any]) -> Any:
    """Return a list, tuple, dict or dataclass like `tree`, with these children in order.

    Examples
    --------
    >>> from thunkvm._src.graph.structure import with_children
    >>> with_children({"a": 1, "b": (2,)}, [3, [4]])
    {'a': 3, 'b': [4]}
    """
    if isinstance(tree, dict):
        return dict(zip(tree, values, strict=True))
    if isinstance(tree, list):
        return values
    if _is_of_dataclass(tree):
        names = (field.name for field in fields(tree))
        return replace(tree, **dict(zip(names, values, strict=True)))
    return kind_of(tree)(*values) if hasattr(tree, "_fields") else tuple(values)


def kind_of(tree: Any) -> type:
    """Return the class that makes a value a structure: that of a loop's last state is a subclass.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.graph.structure import kind_of
    >>> kind_of(tv.while_loop(lambda s: s[0] < 8, lambda s: (s[0] * 2, s[1]), (1, 2)))
    <class 'tuple'>
    """
    kind: type = getattr(type(tree), "_with_attributes_of", type(tree))
    return kind


def with_paths(message: str, names: list[str], paths: list[Path]) -> str:
    """Return a message of the core with paths for its positions in flat lists.

    Examples
    --------
    >>> from thunkvm._src.graph.structure import with_paths
    >>> with_paths("then[1] is a vector", ["then", "else"], ["['a']", "['b']"])
    "then['b'] is a vector"
    """
    for number, path in reversed(list(enumerate(paths))):
        for name in names:
            message = message.replace(f"{name}[{number}]", f"{name}{path}")
    return message


def _step(tree: Any, key: Any) -> str:
    return f".{key}" if _is_of_dataclass(tree) else f"[{key!r}]"


def _is_of_dataclass(tree: Any) -> bool:
    """Return whether a value is of a user's dataclass; those of the package's are no structures."""
    kind = type(tree)
    return hasattr(kind, "__dataclass_fields__") and not kind.__module__.startswith("thunkvm.")


def _text(tree: Any, inside: list[tuple[Any, Any]] | None) -> str:
    if inside is None:
        return "one value"
    return f"a {type(tree).__name__} of {len(inside)}"
