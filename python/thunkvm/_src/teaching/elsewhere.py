"""The names of NumPy, SciPy, Theano, PyTensor, JAX and torch, and their counterparts here.

Messages alone read these tables: a name that we have is no entry, and every ``tv.`` that an entry
tells to write exists.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from types import FunctionType

from thunkvm._src.teaching.absent import absent
from thunkvm._src.teaching.nearest import did_you_mean

#: Functions that do the same under another name.
RENAMED: dict[str, str] = {
    "acos": "arccos", "acosh": "arccosh", "amax": "max", "amin": "min", "around": "round",
    "as_tensor": "as_variable", "as_tensor_variable": "as_variable", "asarray": "as_variable",
    "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan", "atan2": "arctan2",
    "atanh": "arctanh", "batched_dot": "matmul", "bitwise_invert": "invert",
    "bitwise_left_shift": "left_shift", "bitwise_not": "invert",
    "bitwise_right_shift": "right_shift", "bmm": "matmul", "cat": "concatenate",
    "concat": "concatenate", "consider_constant": "stop_gradient", "debugprint": "dprint",
    "degrees": "rad2deg", "detach": "stop_gradient", "disconnected_grad": "stop_gradient",
    "empty": "zeros", "empty_like": "zeros_like", "expit": "sigmoid", "fabs": "abs",
    "fix": "trunc", "float_power": "pow", "int_div": "floor_div",
    "jacfwd": "jacobian", "jacrev": "jacobian", "jit": "function", "lgamma": "gammaln",
    "loggamma": "gammaln", "mm": "matmul", "mv": "matmul", "permute": "transpose",
    "PdbBreakpoint": "breakpoint_", "permute_dims": "transpose", "pprint": "dprint",
    "pp": "dprint", "psi": "digamma", "Print": "print_", "product": "prod",
    "pydotprint": "dprint", "radians": "deg2rad", "rint": "round",
    "SharedVariable": "shared", "sqr": "square", "sharedvar": "shared", "swapdims": "swapaxes",
    "TensorVariable": "Variable", "true_divide": "true_div", "unsqueeze": "expand_dims",
    "vector_norm": "norm", "matrix_norm": "norm",
    "wrap_py": "as_op", "zero_grad": "stop_gradient",
}  # fmt: skip

_RANDOM = (
    "draw random numbers outside: give what rng.normal(size=...) returns as an argument, and scale "
    "and shift it in the graph, as in mean + deviation * noise"
)
_CONSTANT = "write tv.constant(values), or tv.stack([x, y]) where some of them are Variables"
_RESULT = "write the same of a result: tv.function(inputs, x)(*values)"
FUNCTIONS = "the functions are in thunkvm itself: tv.exp, tv.dot, tv.solve, tv.sigmoid, ..."

#: Advice where no one function does the same.
INSTEAD: dict[str, str] = {
    "addbroadcast": "leave it out: axes of length 1 broadcast as NumPy's do",
    "alloc": "write tv.full(shape, value)",
    "allclose": "write tv.all(tv.abs(x - y) <= tolerance)",
    "allow_input_downcast": "write tv.function(..., allow_downcast=True)",
    "array": _CONSTANT,
    "array_equal": "write tv.all(tv.eq(x, y))",
    "atleast_1d": "write x[None] where x is 0-d",
    "average": "write tv.mean(x), or tv.sum(weights * x) / tv.sum(weights)",
    "beta": "write tv.exp(tv.gammaln(a) + tv.gammaln(b) - tv.gammaln(a + b)), where a, b > 0",
    "betaln": "write tv.gammaln(a) + tv.gammaln(b) - tv.gammaln(a + b), where a, b > 0",
    "binom": "write tv.exp(tv.gammaln(n + 1) - tv.gammaln(k + 1) - tv.gammaln(n - k + 1))",
    "block_diag": "write tv.concatenate, of blocks beside tv.zeros",
    "cho_factor": "write tv.cholesky(a)",
    "cholesky_solve": "write tv.solve_triangular(c, b), once for each factor",
    "cho_solve": "write tv.solve_triangular(c, b), once for each factor",
    "choose": "write tv.switch_case(index, cases) for one case, tv.where for each element",
    "clone": "write tv.function(..., givens={x: other}), which replaces x by other",
    "clone_replace": "write tv.function(..., givens={x: other}), which replaces x by other",
    "column_stack": "write tv.stack([x, y], axis=1)",
    "comb": "write tv.exp(tv.gammaln(n + 1) - tv.gammaln(k + 1) - tv.gammaln(n - k + 1))",
    "compile": "write tv.function(inputs, outputs)",
    "copysign": "write tv.where(tv.arctan2(y, -1.0) < 0, -tv.abs(x), tv.abs(x))",
    "count_nonzero": "write tv.sum(tv.neq(x, 0))",
    "cross": "write tv.stack([x[1] * y[2] - x[2] * y[1], ...])",
    "default_rng": _RANDOM,
    "diff": "write x[1:] - x[:-1]",
    "dimshuffle": "write tv.transpose(x, axes), and x[:, None] for a new axis",
    "dtype": 'write the name of a dtype: tv.scalar("x", dtype="float32")',
    "einsum": "write tv.matmul, tv.tensordot, or tv.sum of a product of x[:, None] and y",
    "entr": "write tv.where(x < 0, -np.inf, -x * tv.log(tv.where(x > 0, x, 1.0)))",
    "eval": "write tv.function(inputs, x)(*values)",
    "factorial": "write tv.exp(tv.gammaln(n + 1))",
    "fill": "write tv.full_like(x, value)",
    "flip": "write x[::-1]",
    "floatX": 'write the name of a dtype: tv.scalar("x", dtype="float32"), float64 if left out',
    "fmax": "write tv.where(tv.isnan(x), y, tv.maximum(x, y))",
    "fmin": "write tv.where(tv.isnan(x), y, tv.minimum(x, y))",
    "fmod": "write tv.where(x < 0, -tv.mod(-x, tv.abs(y)), tv.mod(x, tv.abs(y)))",
    "gamma": "write tv.exp(tv.gammaln(x)), where x > 0",
    "gof": "write tv.Op, tv.Apply and tv.Type",
    "gradient": "write tv.grad(cost, x), or (x[2:] - x[:-2]) / 2 for finite differences",
    "heaviside": "write tv.where(tv.eq(x, 0), y, tv.maximum(tv.sign(x), 0))",
    "isclose": "write tv.abs(x - y) <= tolerance",
    "item": "write tv.function(inputs, x)(*values), whose 0-d results are NumPy's scalars",
    "join": "write tv.concatenate(arrays, axis=0)",
    "kron": "write tv.reshape of x[:, None, :, None] * y[None, :, None, :]",
    "lax": FUNCTIONS + " (lax.cond is tv.ifelse, lax.switch is tv.switch_case)",
    "lazy_ifelse": "write tv.ifelse(condition, then, else_)",
    "log_softmax": "write x - tv.logsumexp(x, axis=-1, keepdims=True)",
    "logit": "write tv.log(x) - tv.log1p(-x)",
    "linalg": FUNCTIONS + " (tv.solve, tv.inv, tv.norm, ...)",
    "lstsq": "write tv.solve(a.T @ a, a.T @ b)",
    "lu_factor": "write tv.solve(a, b)",
    "lu_solve": "write tv.solve(a, b)",
    "matrix_power": "write x @ x, or an Op with a perform that calls NumPy's: see tv.Op",
    "matrix_transpose": "write tv.swapaxes(x, -1, -2)",
    "meshgrid": "write x[:, None] and y[None, :], which broadcast",
    "modf": "write x - tv.trunc(x) and tv.trunc(x)",
    "multi_dot": "write a @ b @ c",
    "nan_to_num": "write tv.clip(tv.where(tv.isnan(x), 0, x), -c, c), "
    "where c = np.finfo(x.dtype).max",
    "nanmax": "write tv.max(tv.where(tv.isnan(x), -float('inf'), x))",
    "nanmean": "write tv.sum(tv.where(tv.isnan(x), 0.0, x)) / tv.sum(~tv.isnan(x))",
    "nanmin": "write tv.min(tv.where(tv.isnan(x), float('inf'), x))",
    "nansum": "write tv.sum(tv.where(tv.isnan(x), 0.0, x))",
    "ndtr": "write tv.erfc(-x / 2**0.5) / 2",
    "nn": FUNCTIONS,
    "nnet": FUNCTIONS,
    "nonzero": "write tv.where(mask, x, other): a mask selects what is only known later",
    "normal": _RANDOM,
    "numpy": "np.exp(x) and the like take Variables; " + FUNCTIONS,
    "OpFromGraph": "write a Python function that makes the outputs of the inputs",
    "pad": "write tv.concatenate([before, x, after])",
    "Param": "write tv.In(variable, value=...)",
    "piecewise": "write tv.cond([(condition, value), ...], else_), or tv.where for each element",
    "printing": "write tv.dprint(x) for the graph, tv.print_(x) for its value",
    "ptp": "write tv.max(x) - tv.min(x)",
    "rand": _RANDOM,
    "randint": _RANDOM,
    "randn": _RANDOM,
    "random": _RANDOM,
    "RandomStream": _RANDOM,
    "RandomStreams": _RANDOM,
    "rel_entr": "write x * (tv.log(tv.where(x > 0, x, 1.0)) - tv.log(tv.where(x > 0, y, 1.0)))"
    ", where x >= 0 and y >= 0",
    "relu": "write tv.maximum(x, 0)",
    "repeat": "write tv.take(x, indices, axis=0)",
    "roll": "write tv.concatenate([x[-n:], x[:-n]])",
    "Rop": "write tv.jacobian(y, x) @ v",
    "Lop": "write tv.grad(tv.sum(y * v), x), with v constant",
    "select": "write tv.cond([(condition, value), ...], else_), or tv.where for each element",
    "sinc": "write tv.sin(s) / s, where s = np.pi * tv.where(tv.eq(x, 0), 1e-20, x)",
    "softmax": "write tv.exp(x - tv.logsumexp(x, axis=-1, keepdims=True))",
    "log_sigmoid": "write -tv.softplus(-x)",
    "signbit": "write tv.arctan2(x, -1.0) < 0",
    "sort": "write an Op with a perform that calls np.sort: see tv.Op",
    "special": FUNCTIONS,
    "split": "write x[:n] and x[n:]",
    "switch": "write tv.where(mask, x, y) for each element, tv.ifelse(c, x, y) for one of two",
    "T": "Theano's tensor module: " + FUNCTIONS,
    "Tensor": "write tv.tensor(name, dtype, shape), or tv.Variable for the class",
    "theano": FUNCTIONS,
    "tile": "write tv.concatenate([x, x])",
    "trapezoid": "write tv.sum((y[1:] + y[:-1]) * (x[1:] - x[:-1])) / 2",
    "uniform": _RANDOM,
    "value_and_grad": "write tv.function(inputs, [y, tv.grad(y, x)])",
    "vdot": "write tv.sum(tv.conj(x) * y)",
    "vecdot": "write tv.sum(tv.conj(x) * y, axis=-1)",
    "view": "write tv.reshape(x, shape)",
    "vmap": "write it for arrays with one more axis: elementwise functions and tv.matmul take them",
    "xlog1py": "write x * tv.log1p(tv.where(tv.eq(x, 0) & (y <= -1), 0.0, y))",
    "xlogy": "write x * tv.log(tv.where(tv.eq(x, 0) & (y <= 0), 1.0, y))",
}  # fmt: skip

#: Advice on functions of Python's own that ask whether a Variable is true.
TRUTHS: dict[str, str] = {
    "all": "write tv.and_(x, y), or tv.all(x) of an array",
    "any": "write tv.or_(x, y), or tv.any(x) of an array",
    "filter": "write tv.where(mask, x, other)",
    "max": "write tv.maximum(x, y), or tv.max(x) of an array",
    "min": "write tv.minimum(x, y), or tv.min(x) of an array",
    "sorted": INSTEAD["sort"],
}

#: Methods and attributes of arrays and tensors that a Variable has not.
ATTRIBUTES: dict[str, str] = {
    "at": "write x[index].set(value), or x[index].inc(value), which are new Variables",
    "backward": "write tv.grad(cost, x), which is a Variable too",
    "base": _RESULT,
    "block_until_ready": "leave it out: a function returns when its results are computed",
    "bool": 'write x.astype("bool")',
    "byteswap": _RESULT,
    "clone": "write x itself: a Variable never changes",
    "cpu": "write x itself, everything is in main memory",
    "ctypes": _RESULT,
    "data": _RESULT,
    "double": 'write x.astype("float64")',
    "dump": _RESULT,
    "dumps": _RESULT,
    "eval": INSTEAD["eval"],
    "expand": "write tv.broadcast_to(x, shape)",
    "fill": "write tv.full_like(x, value), which is a new Variable",
    "flags": _RESULT,
    "flat": "write tv.ravel(x)",
    "float": 'write x.astype("float32")',
    "getfield": _RESULT,
    "grad": "write tv.grad(cost, x)",
    "int": 'write x.astype("int32")',
    "is_cuda": "leave it out: everything is in main memory",
    "item": INSTEAD["item"],
    "itemset": "write x[index].set(value), which is a new Variable",
    "itemsize": "write np.dtype(x.dtype).itemsize",
    "long": 'write x.astype("int64")',
    "masked_fill": "write tv.where(mask, value, x)",
    "nbytes": "write np.dtype(x.dtype).itemsize * x.size, or tv.memory() for all arrays",
    "numpy": "write tv.function(inputs, x)(*values), whose results are arrays",
    "owner_op": "write x.owner.op",
    "partition": INSTEAD["sort"],
    "put": "write x[indices].set(values), which is a new Variable",
    "repeat": INSTEAD["repeat"],
    "requires_grad": "leave it out: tv.grad(cost, x) takes any Variable",
    "requires_grad_": "leave it out: tv.grad(cost, x) takes any Variable",
    "resize": "write tv.reshape(x, shape), or x[:n]",
    "setfield": _RESULT,
    "setflags": _RESULT,
    "sort": INSTEAD["sort"],
    "strides": _RESULT,
    "tag": "write x.name, and x.origin for the line that made it",
    "to": "write x.astype(dtype); everything is in main memory",
    "to_device": "leave it out: everything is in main memory",
    "tobytes": _RESULT,
    "tofile": _RESULT,
    "tolist": _RESULT,
}

#: Keywords, wherever the function has no such parameter: a parameter of ours, or what to write.
KEYWORDS: dict[str, str] = {
    "a_max": "max", "a_min": "min", "allow_input_downcast": "allow_downcast",
    "argnums": "wrt", "axes": "axis", "branches": "cases", "correction": "ddof", "dim": "axis",
    "dims": "axis", "else_branch": "else_", "false_fun": "else_", "fill": "fill_value",
    "given": "givens", "high": "max", "iffalse": "else_", "iftrue": "then", "keepdim": "keepdims",
    "low": "min", "newshape": "shape", "orelse": "else_", "output": "outputs", "outs": "outputs",
    "ndigits": "decimals", "pred": "condition", "replace": "givens", "then_branch": "then",
    "trans": "transposed", "true_fun": "then", "update": "updates",
}  # fmt: skip
KEYWORDS_INSTEAD: dict[str, str] = {
    "assume_a": "leave it out; with the factor of tv.cholesky, write tv.solve_triangular twice",
    "check_finite": "leave it out: NaN and infinity are passed on",
    "consider_constant": "write tv.stop_gradient(x) where it is used",
    "create_graph": "leave it out: a gradient is a Variable, of which there are gradients too",
    "device": "leave it out: everything is in main memory",
    "hermitian": "leave it out: it takes any matrix",
    "indexing": "write tv.transpose of it",
    "like": "leave it out: the result is always a Variable",
    "lower": "write tv.solve_triangular(a, b, lower=True)",
    "mode": "indices out of bounds are errors: write tv.clip(indices, 0, n - 1)",
    "overwrite_a": "leave it out: memory is used again wherever nobody can tell",
    "overwrite_b": "leave it out: memory is used again wherever nobody can tell",
    "precision": "write tv.astype(x, dtype)",
    "requires_grad": "leave it out: tv.grad(cost, x) takes any Variable",
    "retain_graph": "leave it out: a graph stays as long as it is referred to",
    "stable": "leave it out",
    "upper": "write lower=False where the upper triangle is meant",
    "accept_inplace": "leave it out: memory is used again wherever nobody can tell",
    "axis": "it takes arrays as they are",
    "broadcastable": "write tv.tensor(name, dtype, shape), with 1 where an axis broadcasts",
    "casting": "write tv.astype(x, dtype) for a dtype of your own",
    "copy": "leave it out: a Variable never changes",
    "donate_argnums": "write tv.In(x, borrow=True)",
    "dtype": "write tv.astype(x, dtype) before or after it",
    "initial": "write tv.maximum, tv.minimum, + or * of the result and that value",
    "keepdims": "write tv.expand_dims(result, axis)",
    "no_default_updates": "leave it out: only updates= changes shared variables",
    "order": "leave it out: elements are in C order",
    "out": "leave it out: the result is always a new Variable",
    "rebuild_strict": "leave it out: givens= are cast where that is safe",
    "shape": "write tv.tensor(name, dtype, shape)",
    "size": "write tv.full or tv.broadcast_to, which take a shape",
    "static_argnums": "write a Python function that makes one tv.function for each such value",
    "subok": "leave it out: the result is always a Variable",
    "where": "write tv.where(mask, x, other), with an `other` that counts for nothing",
}

#: Methods that profiles had once.
PROFILES: dict[str, str] = {
    "to_callgrind": "write p.to_collapsed(path), of which flamegraph.pl and speedscope draw flames",
    "to_speedscope": "write p.to_chrome_trace(path) of a trace, or p.to_collapsed(path), which "
    "speedscope opens",
}


def advice(name: str) -> str:
    """Return what to write instead of a name of another library's, or "" where nothing is known.

    Examples
    --------
    >>> from thunkvm._src.teaching.elsewhere import advice
    >>> advice("asin"), advice("relu"), advice("no_such_name")
    ('write tv.arcsin', 'write tv.maximum(x, 0)', '')
    """
    if name in RENAMED:
        return f"write tv.{RENAMED[name]}"
    return INSTEAD.get(name) or absent(name)


def counterpart(name: str) -> str:
    """Return what to write for a function of another library's, by its last name, or "".

    Examples
    --------
    >>> from thunkvm._src.teaching.elsewhere import counterpart
    >>> counterpart("sin"), counterpart("asin"), counterpart("print")
    ('write tv.sin', 'write tv.arcsin', '')
    """
    return f"write tv.{name}" if name in sys.modules["thunkvm"].__all__ else advice(name)


def is_function(name: str) -> bool:
    """Return whether the package has a function of that name, which takes Variables.

    Examples
    --------
    >>> from thunkvm._src.teaching.elsewhere import is_function
    >>> is_function("exp"), is_function("Op"), is_function("config"), is_function("asin")
    (True, False, False, False)
    """
    package = sys.modules["thunkvm"]
    found = getattr(package, name) if name in package.__all__ else None
    return callable(found) and not isinstance(found, type)


def no_name(owner: str, name: str, names: Iterable[str], known: Mapping[str, str] = {}) -> str:
    """Return the message of an AttributeError: `owner` has no `name`.

    Parameters
    ----------
    owner : str
        What was asked.
    name : str
        For what.
    names : iterable of str
        What it has.
    known : mapping of str to str
        What to write instead of names that are asked for here alone.

    Examples
    --------
    >>> from thunkvm._src.teaching.elsewhere import no_name
    >>> no_name("thunkvm", "relu", ["exp"])
    "thunkvm has no 'relu'; write tv.maximum(x, 0)"
    >>> no_name("thunkvm", "epx", ["exp"])
    "thunkvm has no 'epx'. Did you mean 'exp'?"
    """
    told = known.get(name) or advice(name)
    return f"{owner} has no {name!r}" + (f"; {told}" if told else "." + did_you_mean(name, names))


def keyword_advice(keyword: str, parameters: Iterable[str]) -> str:
    """Return what to write instead of another library's keyword, or "" where nothing is known.

    Examples
    --------
    >>> from thunkvm._src.teaching.elsewhere import keyword_advice
    >>> keyword_advice("a_min", ["x", "min", "max"])
    "it is called 'min' here"
    >>> keyword_advice("out", ["x"])
    'leave it out: the result is always a new Variable'
    """
    ours = KEYWORDS.get(keyword)
    if ours is not None and ours in parameters:
        return f"it is called {ours!r} here"
    return KEYWORDS_INSTEAD.get(keyword, "")


def called(value: object) -> str:
    """Return the end of a message about a value that is no Variable: functions have to be called.

    Examples
    --------
    >>> from thunkvm._src.teaching.elsewhere import called
    >>> called(3), called(lambda x: x)
    ('.', ': call the function on Variables, and give what it returns.')
    """
    if isinstance(value, FunctionType):
        return ": call the function on Variables, and give what it returns."
    return "."


__all__ = [
    "ATTRIBUTES", "FUNCTIONS", "PROFILES", "TRUTHS", "advice", "called", "counterpart",
    "is_function", "keyword_advice", "no_name",
]  # fmt: skip
