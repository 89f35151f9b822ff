"""What conditionals ask, in the user's words: ``good``, ``x > 0.0``, ``cholesky(a) fails``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from thunkvm import _core
from thunkvm._core import Apply, Variable
from thunkvm._src.views.assigned_name import assigned_name
from thunkvm._src.views.expression import WIDTH, cut_text, decides_attempt, expression

#: Texts that are cut before they differ are compared as far as this, and as deep.
LONG, DEEP = 2000, 100
#: Of a text whose start says nothing: what is shown of it, and of what is before the difference.
HEAD, BEFORE = 16, 12


def selector_of(node: Apply) -> Variable:
    """Return the selector of a conditional, or of each step of a loop.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.views.selectors import selector_of
    >>> x = tv.scalar("x")
    >>> selector_of(tv.ifelse(x > 0, x, -x).owner)
    <x > 0.0: scalar bool>
    """
    states = _core.loop_states(node)
    return node.inputs[0 if states is None else states]


def selector_text(selector: Variable) -> str:
    """Return a selector's text: its name, or else its expression.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.views.selectors import selector_text
    >>> a = tv.matrix("a")
    >>> selector_text(tv.det(a) > 0)
    'det(a) > 0.0'
    >>> selector_text(tv.attempt(tv.cholesky(a), a).owner.inputs[0])
    'cholesky(a) fails'
    """
    return _text(selector, WIDTH, None)


def selector_texts(selectors: Iterable[Variable], nodes: Sequence[Apply]) -> dict[Variable, str]:
    """Return the name of each selector of a function, different ones where they can be told apart.

    A selector without a name has the one that its line of the source gives it: ``good`` of
    ``good = x > 0``. A line in a Python loop gives it to several selectors. These are called by
    their expressions; and where that is cut before it differs, by the place where it does.

    Parameters
    ----------
    selectors : iterable of Variable
        What the function's conditionals ask.
    nodes : sequence of Apply
        All nodes of the function.
    """
    selectors = list(dict.fromkeys(selectors))
    texts = {selector: selector_text(selector) for selector in selectors}
    assigned = _assigned_names(selectors, nodes)
    for name, called in _group_texts(assigned):
        if len(called) == 1 and name not in texts.values():
            texts[called[0]] = name
    for text, called in _group_texts(texts):
        if len(called) > 1 and text.endswith("..."):
            texts |= dict(zip(called, apart([_text(s, LONG, DEEP) for s in called]), strict=True))
    return texts


def apart(texts: Sequence[str]) -> list[str]:
    """Return texts cut to a line so that those that differ still do.

    Examples
    --------
    >>> from thunkvm._src.views.selectors import apart
    >>> apart(["x" * 70 + " > 0", "x" * 70 + " > 1"])
    ['xxxxxxxxxxxxxxxx...xxxxxxxxx > 0', 'xxxxxxxxxxxxxxxx...xxxxxxxxx > 1']
    """
    pairs = zip(min(texts), max(texts), strict=False)
    common = next((i for i, (a, b) in enumerate(pairs) if a != b), len(min(texts)))
    start = common - BEFORE
    shown = [
        cut_text(text if start <= HEAD + 3 else f"{text[:HEAD]}...{text[start:]}", WIDTH)
        for text in texts
    ]
    groups: dict[str, list[int]] = defaultdict(list)
    for number, text in enumerate(shown):
        groups[text].append(number)
    for numbers in groups.values():
        same = [texts[number] for number in numbers]
        if len(set(same)) > 1 and len(same) < len(texts):
            for number, text in zip(numbers, apart(same), strict=True):
                shown[number] = text
    return shown


def _group_texts(texts: dict[Variable, str]) -> list[tuple[str, list[Variable]]]:
    """Return each text with the selectors that have it."""
    found: dict[str, list[Variable]] = defaultdict(list)
    for selector, text in texts.items():
        found[text].append(selector)
    return list(found.items())


def _assigned_names(selectors: Sequence[Variable], nodes: Sequence[Apply]) -> dict[Variable, str]:
    """Return the names that selectors without one have in the source."""
    readers: dict[Apply, list[Apply]] = {
        selector.owner: []
        for selector in selectors
        if selector.owner is not None and selector.name is None and not _is_failure(selector)
    }
    for node in nodes if readers else ():
        for read in node.inputs:
            if read.owner in readers:
                readers[read.owner].append(node)
    found = {}
    for selector in selectors:
        owner = selector.owner
        if owner is not None and owner in readers and _core.count_outputs(owner) == 1:
            name = assigned_name(owner, readers[owner])
            if name is not None:
                found[selector] = name
    return found


def _is_failure(selector: Variable) -> bool:
    return selector.name is None and decides_attempt(selector.owner)


def _text(selector: Variable, width: int, depth: int | None) -> str:
    if _is_failure(selector):
        assert selector.owner is not None
        decided = selector.owner.inputs[0]
        return f"{decided.name or expression(decided, width, depth)} fails"
    return selector.name or expression(selector, width, depth)


__all__ = ["apart", "selector_of", "selector_text", "selector_texts"]
