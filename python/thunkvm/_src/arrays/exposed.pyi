"""What the package has of the Ops, as _src/stubs.py writes it; do not edit."""

# ruff: noqa: F401, RUF022

import builtins
from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from thunkvm import ops
from thunkvm._core import Variable

abs = ops.abs
absolute = ops.abs
add = ops.add
angle = ops.angle
arccos = ops.arccos
arccosh = ops.arccosh
arcsin = ops.arcsin
arcsinh = ops.arcsinh
arctan = ops.arctan
arctan2 = ops.arctan2
arctanh = ops.arctanh
bitwise_and = ops.bitwise_and
bitwise_or = ops.bitwise_or
bitwise_xor = ops.bitwise_xor
cast = ops.cast
cbrt = ops.cbrt
ceil = ops.ceil
cholesky = ops.cholesky
conj = ops.conj
conjugate = ops.conj
cos = ops.cos
cosh = ops.cosh
cumprod = ops.cumprod
cumsum = ops.cumsum
deg2rad = ops.deg2rad
det = ops.det
diagonal = ops.diagonal
digamma = ops.digamma
divide = ops.true_div
dot = ops.dot
eq = ops.eq
equal = ops.eq
erf = ops.erf
erfc = ops.erfc
exp = ops.exp
exp2 = ops.exp2
expm1 = ops.expm1
floor = ops.floor
floor_div = ops.floor_div
floor_divide = ops.floor_div
gammaln = ops.gammaln
ge = ops.ge
greater = ops.gt
greater_equal = ops.ge
gt = ops.gt
hypot = ops.hypot
imag = ops.imag
inv = ops.inv
invert = ops.invert
isfinite = ops.isfinite
isinf = ops.isinf
isnan = ops.isnan
le = ops.le
left_shift = ops.left_shift
less = ops.lt
less_equal = ops.le
log = ops.log
log10 = ops.log10
log1p = ops.log1p
log2 = ops.log2
logaddexp = ops.logaddexp
logical_and = ops.logical_and
logical_not = ops.logical_not
logical_or = ops.logical_or
logical_xor = ops.logical_xor
lt = ops.lt
matmul = ops.matmul
maximum = ops.maximum
minimum = ops.minimum
mod = ops.mod
mul = ops.mul
multiply = ops.mul
neg = ops.neg
negative = ops.neg
neq = ops.neq
not_equal = ops.neq
polygamma = ops.polygamma
pow = ops.pow
power = ops.pow
rad2deg = ops.rad2deg
real = ops.real
reciprocal = ops.reciprocal
remainder = ops.mod
right_shift = ops.right_shift
sigmoid = ops.sigmoid
sign = ops.sign
sin = ops.sin
sinh = ops.sinh
softplus = ops.softplus
solve = ops.solve
solve_triangular = ops.solve_triangular
sqrt = ops.sqrt
square = ops.square
stop_gradient = ops.stop_gradient
sub = ops.sub
subtract = ops.sub
take = ops.take
tan = ops.tan
tanh = ops.tanh
true_div = ops.true_div
trunc = ops.trunc
where = ops.where

__all__ = [
    "abs",
    "absolute",
    "add",
    "angle",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "cast",
    "cbrt",
    "ceil",
    "cholesky",
    "conj",
    "conjugate",
    "cos",
    "cosh",
    "cumprod",
    "cumsum",
    "deg2rad",
    "det",
    "diagonal",
    "digamma",
    "divide",
    "dot",
    "eq",
    "equal",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "floor_div",
    "floor_divide",
    "gammaln",
    "ge",
    "greater",
    "greater_equal",
    "gt",
    "hypot",
    "imag",
    "inv",
    "invert",
    "isfinite",
    "isinf",
    "isnan",
    "le",
    "left_shift",
    "less",
    "less_equal",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "lt",
    "matmul",
    "maximum",
    "minimum",
    "mod",
    "mul",
    "multiply",
    "neg",
    "negative",
    "neq",
    "not_equal",
    "polygamma",
    "pow",
    "power",
    "rad2deg",
    "real",
    "reciprocal",
    "remainder",
    "right_shift",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "softplus",
    "solve",
    "solve_triangular",
    "sqrt",
    "square",
    "stop_gradient",
    "sub",
    "subtract",
    "take",
    "tan",
    "tanh",
    "true_div",
    "trunc",
    "where",
]

METHODS: builtins.list[str]

class Methods:
    def cumprod(self, axis: int | None = None) -> Variable: ...
    def cumsum(self, axis: int | None = None) -> Variable: ...
