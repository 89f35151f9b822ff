"""The package's functions of Ops. Written by thunkvm.stubs; do not edit."""

# ruff: noqa: RUF022

import builtins
from collections.abc import Iterator, Sequence
from typing import Any

import numpy.typing as npt

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import Axis
from thunkvm._src.arrays.composed.activations import elu as elu
from thunkvm._src.arrays.composed.activations import gelu as gelu
from thunkvm._src.arrays.composed.activations import hard_sigmoid as hard_sigmoid
from thunkvm._src.arrays.composed.activations import log_softmax as log_softmax
from thunkvm._src.arrays.composed.activations import logsumexp as logsumexp
from thunkvm._src.arrays.composed.activations import relu as relu
from thunkvm._src.arrays.composed.activations import selu as selu
from thunkvm._src.arrays.composed.activations import silu as silu
from thunkvm._src.arrays.composed.activations import softmax as softmax
from thunkvm._src.arrays.composed.activations import swish as swish
from thunkvm._src.arrays.composed.along_axes import put_along_axis as put_along_axis
from thunkvm._src.arrays.composed.along_axes import take_along_axis as take_along_axis
from thunkvm._src.arrays.composed.arithmetic import float_power as float_power
from thunkvm._src.arrays.composed.arithmetic import logaddexp2 as logaddexp2
from thunkvm._src.arrays.composed.changing import copyto as copyto
from thunkvm._src.arrays.composed.changing import place as place
from thunkvm._src.arrays.composed.changing import put as put
from thunkvm._src.arrays.composed.changing import putmask as putmask
from thunkvm._src.arrays.composed.choosing import broadcast_arrays as broadcast_arrays
from thunkvm._src.arrays.composed.choosing import choose as choose
from thunkvm._src.arrays.composed.choosing import piecewise as piecewise
from thunkvm._src.arrays.composed.choosing import select as select
from thunkvm._src.arrays.composed.choosing import switch as switch
from thunkvm._src.arrays.composed.closeness import allclose as allclose
from thunkvm._src.arrays.composed.closeness import array_equal as array_equal
from thunkvm._src.arrays.composed.closeness import array_equiv as array_equiv
from thunkvm._src.arrays.composed.closeness import isclose as isclose
from thunkvm._src.arrays.composed.counting import bincount as bincount
from thunkvm._src.arrays.composed.counting import count_nonzero as count_nonzero
from thunkvm._src.arrays.composed.counting import digitize as digitize
from thunkvm._src.arrays.composed.counting import histogram as histogram
from thunkvm._src.arrays.composed.counting import histogram_bin_edges as histogram_bin_edges
from thunkvm._src.arrays.composed.counting import searchsorted as searchsorted
from thunkvm._src.arrays.composed.differences import diff as diff
from thunkvm._src.arrays.composed.differences import ediff1d as ediff1d
from thunkvm._src.arrays.composed.differences import gradient as gradient
from thunkvm._src.arrays.composed.differences import trapezoid as trapezoid
from thunkvm._src.arrays.composed.differences import unwrap as unwrap
from thunkvm._src.arrays.composed.dimensions import atleast_1d as atleast_1d
from thunkvm._src.arrays.composed.dimensions import atleast_2d as atleast_2d
from thunkvm._src.arrays.composed.dimensions import atleast_3d as atleast_3d
from thunkvm._src.arrays.composed.dimensions import atleast_nd as atleast_nd
from thunkvm._src.arrays.composed.distinct import argwhere as argwhere
from thunkvm._src.arrays.composed.distinct import flatnonzero as flatnonzero
from thunkvm._src.arrays.composed.distinct import nonzero as nonzero
from thunkvm._src.arrays.composed.distinct import unique as unique
from thunkvm._src.arrays.composed.einsum import einsum as einsum
from thunkvm._src.arrays.composed.encoding import one_hot as one_hot
from thunkvm._src.arrays.composed.encoding import to_one_hot as to_one_hot
from thunkvm._src.arrays.composed.equations import (
    solve_continuous_lyapunov as solve_continuous_lyapunov,
)
from thunkvm._src.arrays.composed.equations import solve_discrete_are as solve_discrete_are
from thunkvm._src.arrays.composed.equations import (
    solve_discrete_lyapunov as solve_discrete_lyapunov,
)
from thunkvm._src.arrays.composed.equations import solve_sylvester as solve_sylvester
from thunkvm._src.arrays.composed.factorizations import eigvals as eigvals
from thunkvm._src.arrays.composed.factorizations import logdet as logdet
from thunkvm._src.arrays.composed.factorizations import lu as lu
from thunkvm._src.arrays.composed.factorizations import qr as qr
from thunkvm._src.arrays.composed.factorizations import svd as svd
from thunkvm._src.arrays.composed.fits import polyfit as polyfit
from thunkvm._src.arrays.composed.flipping import flip as flip
from thunkvm._src.arrays.composed.flipping import fliplr as fliplr
from thunkvm._src.arrays.composed.flipping import flipud as flipud
from thunkvm._src.arrays.composed.flipping import roll as roll
from thunkvm._src.arrays.composed.flipping import rot90 as rot90
from thunkvm._src.arrays.composed.float_parts import bitwise_count as bitwise_count
from thunkvm._src.arrays.composed.float_parts import frexp as frexp
from thunkvm._src.arrays.composed.float_parts import ldexp as ldexp
from thunkvm._src.arrays.composed.float_parts import modf as modf
from thunkvm._src.arrays.composed.float_parts import nextafter as nextafter
from thunkvm._src.arrays.composed.float_parts import spacing as spacing
from thunkvm._src.arrays.composed.grids import indices as indices
from thunkvm._src.arrays.composed.grids import ix_ as ix_
from thunkvm._src.arrays.composed.grids import meshgrid as meshgrid
from thunkvm._src.arrays.composed.grids import mgrid as mgrid
from thunkvm._src.arrays.composed.grids import ogrid as ogrid
from thunkvm._src.arrays.composed.histograms import histogram2d as histogram2d
from thunkvm._src.arrays.composed.histograms import histogramdd as histogramdd
from thunkvm._src.arrays.composed.incomplete import betainc as betainc
from thunkvm._src.arrays.composed.incomplete import betaincinv as betaincinv
from thunkvm._src.arrays.composed.incomplete import chi2sf as chi2sf
from thunkvm._src.arrays.composed.incomplete import gammainc as gammainc
from thunkvm._src.arrays.composed.incomplete import gammaincc as gammaincc
from thunkvm._src.arrays.composed.incomplete import gammainccinv as gammainccinv
from thunkvm._src.arrays.composed.incomplete import gammaincinv as gammaincinv
from thunkvm._src.arrays.composed.incomplete import gammal as gammal
from thunkvm._src.arrays.composed.incomplete import gammau as gammau
from thunkvm._src.arrays.composed.interpolation import interp as interp
from thunkvm._src.arrays.composed.kinds import apply_along_axis as apply_along_axis
from thunkvm._src.arrays.composed.kinds import apply_over_axes as apply_over_axes
from thunkvm._src.arrays.composed.kinds import fromfunction as fromfunction
from thunkvm._src.arrays.composed.kinds import iscomplex as iscomplex
from thunkvm._src.arrays.composed.kinds import iscomplexobj as iscomplexobj
from thunkvm._src.arrays.composed.kinds import isreal as isreal
from thunkvm._src.arrays.composed.kinds import isrealobj as isrealobj
from thunkvm._src.arrays.composed.kinds import mask_indices as mask_indices
from thunkvm._src.arrays.composed.kinds import nanargmax as nanargmax
from thunkvm._src.arrays.composed.kinds import nanargmin as nanargmin
from thunkvm._src.arrays.composed.kinds import sort_complex as sort_complex
from thunkvm._src.arrays.composed.least_squares import lstsq as lstsq
from thunkvm._src.arrays.composed.least_squares import matrix_rank as matrix_rank
from thunkvm._src.arrays.composed.least_squares import null_space as null_space
from thunkvm._src.arrays.composed.least_squares import orth as orth
from thunkvm._src.arrays.composed.least_squares import pinv as pinv
from thunkvm._src.arrays.composed.matrices import block_diag as block_diag
from thunkvm._src.arrays.composed.matrices import expm as expm
from thunkvm._src.arrays.composed.matrices import matrix_power as matrix_power
from thunkvm._src.arrays.composed.matrices import multi_dot as multi_dot
from thunkvm._src.arrays.composed.matrices import tensorinv as tensorinv
from thunkvm._src.arrays.composed.matrices import tensorsolve as tensorsolve
from thunkvm._src.arrays.composed.multi_index import lexsort as lexsort
from thunkvm._src.arrays.composed.multi_index import packbits as packbits
from thunkvm._src.arrays.composed.multi_index import ravel_multi_index as ravel_multi_index
from thunkvm._src.arrays.composed.multi_index import unpackbits as unpackbits
from thunkvm._src.arrays.composed.multi_index import unravel_index as unravel_index
from thunkvm._src.arrays.composed.nans import nan_to_num as nan_to_num
from thunkvm._src.arrays.composed.nans import nancumprod as nancumprod
from thunkvm._src.arrays.composed.nans import nancumsum as nancumsum
from thunkvm._src.arrays.composed.nans import nanmax as nanmax
from thunkvm._src.arrays.composed.nans import nanmean as nanmean
from thunkvm._src.arrays.composed.nans import nanmin as nanmin
from thunkvm._src.arrays.composed.nans import nanprod as nanprod
from thunkvm._src.arrays.composed.nans import nanstd as nanstd
from thunkvm._src.arrays.composed.nans import nansum as nansum
from thunkvm._src.arrays.composed.nans import nanvar as nanvar
from thunkvm._src.arrays.composed.norms import condition_number as condition_number
from thunkvm._src.arrays.composed.norms import matrix_norm as matrix_norm
from thunkvm._src.arrays.composed.norms import vector_norm as vector_norm
from thunkvm._src.arrays.composed.order import argpartition as argpartition
from thunkvm._src.arrays.composed.order import argsort as argsort
from thunkvm._src.arrays.composed.order import argtopk as argtopk
from thunkvm._src.arrays.composed.order import partition as partition
from thunkvm._src.arrays.composed.order import sort as sort
from thunkvm._src.arrays.composed.order import topk as topk
from thunkvm._src.arrays.composed.order import topk_and_argtopk as topk_and_argtopk
from thunkvm._src.arrays.composed.padding import pad as pad
from thunkvm._src.arrays.composed.picking import compress as compress
from thunkvm._src.arrays.composed.picking import delete as delete
from thunkvm._src.arrays.composed.picking import extract as extract
from thunkvm._src.arrays.composed.picking import insert as insert
from thunkvm._src.arrays.composed.picking import resize as resize
from thunkvm._src.arrays.composed.picking import trim_zeros as trim_zeros
from thunkvm._src.arrays.composed.polynomial_arithmetic import poly as poly
from thunkvm._src.arrays.composed.polynomial_arithmetic import polyadd as polyadd
from thunkvm._src.arrays.composed.polynomial_arithmetic import polyder as polyder
from thunkvm._src.arrays.composed.polynomial_arithmetic import polydiv as polydiv
from thunkvm._src.arrays.composed.polynomial_arithmetic import polyint as polyint
from thunkvm._src.arrays.composed.polynomial_arithmetic import polymul as polymul
from thunkvm._src.arrays.composed.polynomial_arithmetic import polysub as polysub
from thunkvm._src.arrays.composed.polynomial_arithmetic import roots as roots
from thunkvm._src.arrays.composed.polynomials import polyval as polyval
from thunkvm._src.arrays.composed.polynomials import vander as vander
from thunkvm._src.arrays.composed.products import convolve as convolve
from thunkvm._src.arrays.composed.products import correlate as correlate
from thunkvm._src.arrays.composed.products import cross as cross
from thunkvm._src.arrays.composed.products import kron as kron
from thunkvm._src.arrays.composed.products import vdot as vdot
from thunkvm._src.arrays.composed.quantiles import median as median
from thunkvm._src.arrays.composed.quantiles import nanmedian as nanmedian
from thunkvm._src.arrays.composed.quantiles import nanpercentile as nanpercentile
from thunkvm._src.arrays.composed.quantiles import nanquantile as nanquantile
from thunkvm._src.arrays.composed.quantiles import percentile as percentile
from thunkvm._src.arrays.composed.quantiles import quantile as quantile
from thunkvm._src.arrays.composed.repeating import repeat as repeat
from thunkvm._src.arrays.composed.repeating import tile as tile
from thunkvm._src.arrays.composed.running import cumulative_prod as cumulative_prod
from thunkvm._src.arrays.composed.running import cumulative_sum as cumulative_sum
from thunkvm._src.arrays.composed.sequences import geomspace as geomspace
from thunkvm._src.arrays.composed.sequences import logspace as logspace
from thunkvm._src.arrays.composed.sets import intersect1d as intersect1d
from thunkvm._src.arrays.composed.sets import isin as isin
from thunkvm._src.arrays.composed.sets import setdiff1d as setdiff1d
from thunkvm._src.arrays.composed.sets import setxor1d as setxor1d
from thunkvm._src.arrays.composed.sets import union1d as union1d
from thunkvm._src.arrays.composed.sets import unique_all as unique_all
from thunkvm._src.arrays.composed.sets import unique_counts as unique_counts
from thunkvm._src.arrays.composed.sets import unique_inverse as unique_inverse
from thunkvm._src.arrays.composed.sets import unique_values as unique_values
from thunkvm._src.arrays.composed.signs import isneginf as isneginf
from thunkvm._src.arrays.composed.signs import isposinf as isposinf
from thunkvm._src.arrays.composed.solutions import cho_factor as cho_factor
from thunkvm._src.arrays.composed.solutions import cho_solve as cho_solve
from thunkvm._src.arrays.composed.solutions import lu_factor as lu_factor
from thunkvm._src.arrays.composed.solutions import lu_solve as lu_solve
from thunkvm._src.arrays.composed.solutions import solve as solve
from thunkvm._src.arrays.composed.solutions import solve_triangular as solve_triangular
from thunkvm._src.arrays.composed.special import beta as beta
from thunkvm._src.arrays.composed.special import betaln as betaln
from thunkvm._src.arrays.composed.special import boxcox as boxcox
from thunkvm._src.arrays.composed.special import boxcox1p as boxcox1p
from thunkvm._src.arrays.composed.special import entr as entr
from thunkvm._src.arrays.composed.special import expit as expit
from thunkvm._src.arrays.composed.special import kl_div as kl_div
from thunkvm._src.arrays.composed.special import log1mexp as log1mexp
from thunkvm._src.arrays.composed.special import logit as logit
from thunkvm._src.arrays.composed.special import multigammaln as multigammaln
from thunkvm._src.arrays.composed.special import rel_entr as rel_entr
from thunkvm._src.arrays.composed.special import sinc as sinc
from thunkvm._src.arrays.composed.special import xlog1py as xlog1py
from thunkvm._src.arrays.composed.special import xlogy as xlogy
from thunkvm._src.arrays.composed.splitting import array_split as array_split
from thunkvm._src.arrays.composed.splitting import dsplit as dsplit
from thunkvm._src.arrays.composed.splitting import hsplit as hsplit
from thunkvm._src.arrays.composed.splitting import split as split
from thunkvm._src.arrays.composed.splitting import vsplit as vsplit
from thunkvm._src.arrays.composed.stacking import append as append
from thunkvm._src.arrays.composed.stacking import block as block
from thunkvm._src.arrays.composed.stacking import column_stack as column_stack
from thunkvm._src.arrays.composed.stacking import dstack as dstack
from thunkvm._src.arrays.composed.stacking import stacklists as stacklists
from thunkvm._src.arrays.composed.statistics import average as average
from thunkvm._src.arrays.composed.statistics import corrcoef as corrcoef
from thunkvm._src.arrays.composed.statistics import cov as cov
from thunkvm._src.arrays.composed.statistics import ptp as ptp
from thunkvm._src.arrays.composed.tapers import bartlett as bartlett
from thunkvm._src.arrays.composed.tapers import blackman as blackman
from thunkvm._src.arrays.composed.tapers import hamming as hamming
from thunkvm._src.arrays.composed.tapers import hanning as hanning
from thunkvm._src.arrays.composed.tapers import kaiser as kaiser
from thunkvm._src.arrays.composed.triangles import diag_indices as diag_indices
from thunkvm._src.arrays.composed.triangles import diag_indices_from as diag_indices_from
from thunkvm._src.arrays.composed.triangles import diagflat as diagflat
from thunkvm._src.arrays.composed.triangles import fill_diagonal as fill_diagonal
from thunkvm._src.arrays.composed.triangles import tri as tri
from thunkvm._src.arrays.composed.triangles import tril_indices as tril_indices
from thunkvm._src.arrays.composed.triangles import tril_indices_from as tril_indices_from
from thunkvm._src.arrays.composed.triangles import triu_indices as triu_indices
from thunkvm._src.arrays.composed.triangles import triu_indices_from as triu_indices_from
from thunkvm._src.arrays.composed.vectors import matrix_transpose as matrix_transpose
from thunkvm._src.arrays.composed.vectors import matvec as matvec
from thunkvm._src.arrays.composed.vectors import rollaxis as rollaxis
from thunkvm._src.arrays.composed.vectors import unstack as unstack
from thunkvm._src.arrays.composed.vectors import vecdot as vecdot
from thunkvm._src.arrays.composed.vectors import vecmat as vecmat
from thunkvm._src.arrays.composed.windows import conv1d as conv1d
from thunkvm._src.arrays.composed.windows import conv2d as conv2d
from thunkvm._src.arrays.composed.windows import sliding_window_view as sliding_window_view
from thunkvm._src.arrays.composed.zeta import zeta as zeta
from thunkvm._src.arrays.creation import arange as arange
from thunkvm._src.arrays.creation import eye as eye
from thunkvm._src.arrays.creation import full as full
from thunkvm._src.arrays.creation import full_like as full_like
from thunkvm._src.arrays.creation import identity as identity
from thunkvm._src.arrays.creation import linspace as linspace
from thunkvm._src.arrays.creation import ones as ones
from thunkvm._src.arrays.creation import ones_like as ones_like
from thunkvm._src.arrays.creation import zeros as zeros
from thunkvm._src.arrays.creation import zeros_like as zeros_like
from thunkvm._src.arrays.elementwise import astype as astype
from thunkvm._src.arrays.elementwise import clip as clip
from thunkvm._src.arrays.elementwise import divmod as divmod
from thunkvm._src.arrays.elementwise import positive as positive
from thunkvm._src.arrays.elementwise import round as round
from thunkvm._src.arrays.indexing import inc_subtensor as inc_subtensor
from thunkvm._src.arrays.indexing import set_subtensor as set_subtensor
from thunkvm._src.arrays.indexing import take as take
from thunkvm._src.arrays.joining import concatenate as concatenate
from thunkvm._src.arrays.joining import hstack as hstack
from thunkvm._src.arrays.joining import stack as stack
from thunkvm._src.arrays.joining import vstack as vstack
from thunkvm._src.arrays.linalg import diag as diag
from thunkvm._src.arrays.linalg import inner as inner
from thunkvm._src.arrays.linalg import outer as outer
from thunkvm._src.arrays.linalg import tensordot as tensordot
from thunkvm._src.arrays.linalg import trace as trace
from thunkvm._src.arrays.linalg import tril as tril
from thunkvm._src.arrays.linalg import triu as triu
from thunkvm._src.arrays.norm import norm as norm
from thunkvm._src.arrays.reductions import all as all
from thunkvm._src.arrays.reductions import any as any
from thunkvm._src.arrays.reductions import argmax as argmax
from thunkvm._src.arrays.reductions import argmin as argmin
from thunkvm._src.arrays.reductions import max as max
from thunkvm._src.arrays.reductions import mean as mean
from thunkvm._src.arrays.reductions import min as min
from thunkvm._src.arrays.reductions import prod as prod
from thunkvm._src.arrays.reductions import std as std
from thunkvm._src.arrays.reductions import sum as sum
from thunkvm._src.arrays.reductions import var as var
from thunkvm._src.arrays.shapes import broadcast_to as broadcast_to
from thunkvm._src.arrays.shapes import diagonal as diagonal
from thunkvm._src.arrays.shapes import expand_dims as expand_dims
from thunkvm._src.arrays.shapes import moveaxis as moveaxis
from thunkvm._src.arrays.shapes import ravel as ravel
from thunkvm._src.arrays.shapes import reshape as reshape
from thunkvm._src.arrays.shapes import shape as shape
from thunkvm._src.arrays.shapes import size as size
from thunkvm._src.arrays.shapes import specify_shape as specify_shape
from thunkvm._src.arrays.shapes import squeeze as squeeze
from thunkvm._src.arrays.shapes import swapaxes as swapaxes
from thunkvm._src.arrays.shapes import transpose as transpose

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
copysign = ops.copysign
cos = ops.cos
cosh = ops.cosh
counted = ops.counted
cumprod = ops.cumprod
cumsum = ops.cumsum
deg2rad = ops.deg2rad
det = ops.det
digamma = ops.digamma
divide = ops.true_div
dot = ops.dot
eig = ops.eig
eigh = ops.eigh
eigvalsh = ops.eigvalsh
eq = ops.eq
equal = ops.eq
erf = ops.erf
erfc = ops.erfc
erfcinv = ops.erfcinv
erfcx = ops.erfcx
erfinv = ops.erfinv
exp = ops.exp
exp1 = ops.exp1
exp2 = ops.exp2
expi = ops.expi
expm1 = ops.expm1
floor = ops.floor
floor_div = ops.floor_div
floor_divide = ops.floor_div
fmax = ops.fmax
fmin = ops.fmin
fmod = ops.fmod
gamma = ops.gamma
gammaln = ops.gammaln
gcd = ops.gcd
ge = ops.ge
greater = ops.gt
greater_equal = ops.ge
gt = ops.gt
heaviside = ops.heaviside
hypot = ops.hypot
i0 = ops.i0
i1 = ops.i1
imag = ops.imag
inv = ops.inv
invert = ops.invert
isfinite = ops.isfinite
isinf = ops.isinf
isnan = ops.isnan
iv = ops.iv
j0 = ops.j0
j1 = ops.j1
jv = ops.jv
kv = ops.kv
lcm = ops.lcm
le = ops.le
left_shift = ops.left_shift
less = ops.lt
less_equal = ops.le
log = ops.log
log10 = ops.log10
log1p = ops.log1p
log2 = ops.log2
log_ndtr = ops.log_ndtr
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
ndtr = ops.ndtr
ndtri = ops.ndtri
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
signbit = ops.signbit
sin = ops.sin
sinh = ops.sinh
slogdet = ops.slogdet
softplus = ops.softplus
sqrt = ops.sqrt
square = ops.square
stop_gradient = ops.stop_gradient
sub = ops.sub
subtract = ops.sub
svdvals = ops.svdvals
tan = ops.tan
tanh = ops.tanh
true_div = ops.true_div
trunc = ops.trunc
where = ops.where

__all__ = [
    "abs",
    "absolute",
    "add",
    "all",
    "allclose",
    "angle",
    "any",
    "append",
    "apply_along_axis",
    "apply_over_axes",
    "arange",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "argmin",
    "argpartition",
    "argsort",
    "argtopk",
    "argwhere",
    "array_equal",
    "array_equiv",
    "array_split",
    "astype",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "atleast_nd",
    "average",
    "bartlett",
    "beta",
    "betainc",
    "betaincinv",
    "betaln",
    "bincount",
    "bitwise_and",
    "bitwise_count",
    "bitwise_or",
    "bitwise_xor",
    "blackman",
    "block",
    "block_diag",
    "boxcox",
    "boxcox1p",
    "broadcast_arrays",
    "broadcast_to",
    "cast",
    "cbrt",
    "ceil",
    "chi2sf",
    "cho_factor",
    "cho_solve",
    "cholesky",
    "choose",
    "clip",
    "column_stack",
    "compress",
    "concatenate",
    "condition_number",
    "conj",
    "conjugate",
    "conv1d",
    "conv2d",
    "convolve",
    "copysign",
    "copyto",
    "corrcoef",
    "correlate",
    "cos",
    "cosh",
    "count_nonzero",
    "counted",
    "cov",
    "cross",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "deg2rad",
    "delete",
    "det",
    "diag",
    "diag_indices",
    "diag_indices_from",
    "diagflat",
    "diagonal",
    "diff",
    "digamma",
    "digitize",
    "divide",
    "divmod",
    "dot",
    "dsplit",
    "dstack",
    "ediff1d",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "einsum",
    "elu",
    "entr",
    "eq",
    "equal",
    "erf",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfinv",
    "exp",
    "exp1",
    "exp2",
    "expand_dims",
    "expi",
    "expit",
    "expm",
    "expm1",
    "extract",
    "eye",
    "fill_diagonal",
    "flatnonzero",
    "flip",
    "fliplr",
    "flipud",
    "float_power",
    "floor",
    "floor_div",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "frexp",
    "fromfunction",
    "full",
    "full_like",
    "gamma",
    "gammainc",
    "gammaincc",
    "gammainccinv",
    "gammaincinv",
    "gammal",
    "gammaln",
    "gammau",
    "gcd",
    "ge",
    "gelu",
    "geomspace",
    "gradient",
    "greater",
    "greater_equal",
    "gt",
    "hamming",
    "hanning",
    "hard_sigmoid",
    "heaviside",
    "histogram",
    "histogram2d",
    "histogram_bin_edges",
    "histogramdd",
    "hsplit",
    "hstack",
    "hypot",
    "i0",
    "i1",
    "identity",
    "imag",
    "inc_subtensor",
    "indices",
    "inner",
    "insert",
    "interp",
    "intersect1d",
    "inv",
    "invert",
    "isclose",
    "iscomplex",
    "iscomplexobj",
    "isfinite",
    "isin",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "isrealobj",
    "iv",
    "ix_",
    "j0",
    "j1",
    "jv",
    "kaiser",
    "kl_div",
    "kron",
    "kv",
    "lcm",
    "ldexp",
    "le",
    "left_shift",
    "less",
    "less_equal",
    "lexsort",
    "linspace",
    "log",
    "log10",
    "log1mexp",
    "log1p",
    "log2",
    "log_ndtr",
    "log_softmax",
    "logaddexp",
    "logaddexp2",
    "logdet",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logit",
    "logspace",
    "logsumexp",
    "lstsq",
    "lt",
    "lu",
    "lu_factor",
    "lu_solve",
    "mask_indices",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "matvec",
    "max",
    "maximum",
    "mean",
    "median",
    "meshgrid",
    "mgrid",
    "min",
    "minimum",
    "mod",
    "modf",
    "moveaxis",
    "mul",
    "multi_dot",
    "multigammaln",
    "multiply",
    "nan_to_num",
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmedian",
    "nanmin",
    "nanpercentile",
    "nanprod",
    "nanquantile",
    "nanstd",
    "nansum",
    "nanvar",
    "ndtr",
    "ndtri",
    "neg",
    "negative",
    "neq",
    "nextafter",
    "nonzero",
    "norm",
    "not_equal",
    "null_space",
    "ogrid",
    "one_hot",
    "ones",
    "ones_like",
    "orth",
    "outer",
    "packbits",
    "pad",
    "partition",
    "percentile",
    "piecewise",
    "pinv",
    "place",
    "poly",
    "polyadd",
    "polyder",
    "polydiv",
    "polyfit",
    "polygamma",
    "polyint",
    "polymul",
    "polysub",
    "polyval",
    "positive",
    "pow",
    "power",
    "prod",
    "ptp",
    "put",
    "put_along_axis",
    "putmask",
    "qr",
    "quantile",
    "rad2deg",
    "ravel",
    "ravel_multi_index",
    "real",
    "reciprocal",
    "rel_entr",
    "relu",
    "remainder",
    "repeat",
    "reshape",
    "resize",
    "right_shift",
    "roll",
    "rollaxis",
    "roots",
    "rot90",
    "round",
    "searchsorted",
    "select",
    "selu",
    "set_subtensor",
    "setdiff1d",
    "setxor1d",
    "shape",
    "sigmoid",
    "sign",
    "signbit",
    "silu",
    "sin",
    "sinc",
    "sinh",
    "size",
    "sliding_window_view",
    "slogdet",
    "softmax",
    "softplus",
    "solve",
    "solve_continuous_lyapunov",
    "solve_discrete_are",
    "solve_discrete_lyapunov",
    "solve_sylvester",
    "solve_triangular",
    "sort",
    "sort_complex",
    "spacing",
    "specify_shape",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "stacklists",
    "std",
    "stop_gradient",
    "sub",
    "subtract",
    "sum",
    "svd",
    "svdvals",
    "swapaxes",
    "swish",
    "switch",
    "take",
    "take_along_axis",
    "tan",
    "tanh",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "tile",
    "to_one_hot",
    "topk",
    "topk_and_argtopk",
    "trace",
    "transpose",
    "trapezoid",
    "tri",
    "tril",
    "tril_indices",
    "tril_indices_from",
    "trim_zeros",
    "triu",
    "triu_indices",
    "triu_indices_from",
    "true_div",
    "trunc",
    "union1d",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "unpackbits",
    "unravel_index",
    "unstack",
    "unwrap",
    "vander",
    "var",
    "vdot",
    "vecdot",
    "vecmat",
    "vector_norm",
    "vsplit",
    "vstack",
    "where",
    "xlog1py",
    "xlogy",
    "zeros",
    "zeros_like",
    "zeta",
]

METHODS: builtins.list[str]
METHODS_OF_OPS: builtins.list[str]

class Methods:
    def conj(self) -> Variable: ...
    def conjugate(self) -> Variable: ...
    def cumprod(self, axis: int | None = None) -> Variable: ...
    def cumsum(self, axis: int | None = None) -> Variable: ...
    def dot(self, b: Any) -> Variable: ...
    def all(self, axis: Axis = None, *, keepdims: bool = False, where: Any = None) -> Variable: ...
    def any(self, axis: Axis = None, *, keepdims: bool = False, where: Any = None) -> Variable: ...
    def argmax(self, axis: int | None = None, *, keepdims: bool = False) -> Variable: ...
    def argmin(self, axis: int | None = None, *, keepdims: bool = False) -> Variable: ...
    def argpartition(
        self, kth: int | Sequence[int], axis: int | None = -1, *, kind: str = "introselect"
    ) -> Variable: ...
    def argsort(
        self, axis: int | None = -1, *, kind: str | None = None, descending: bool = False
    ) -> Variable: ...
    def astype(self, dtype: npt.DTypeLike) -> Variable: ...
    def choose(self, choices: Any, mode: str = "raise") -> Variable: ...
    def clip(self, min: Any = None, max: Any = None) -> Variable: ...
    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Variable: ...
    def max(
        self, axis: Axis = None, *, keepdims: bool = False, initial: Any = None, where: Any = None
    ) -> Variable: ...
    def mean(
        self,
        axis: Axis = None,
        *,
        dtype: npt.DTypeLike | None = None,
        keepdims: bool = False,
        where: Any = None,
    ) -> Variable: ...
    def min(
        self, axis: Axis = None, *, keepdims: bool = False, initial: Any = None, where: Any = None
    ) -> Variable: ...
    def nonzero(self) -> tuple[Variable, ...]: ...
    def norm(
        self, ord: float | str | None = None, axis: Axis = None, *, keepdims: bool = False
    ) -> Variable: ...
    def partition(
        self, kth: int | Sequence[int], axis: int | None = -1, *, kind: str = "introselect"
    ) -> Variable: ...
    def prod(
        self,
        axis: Axis = None,
        *,
        dtype: npt.DTypeLike | None = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = None,
    ) -> Variable: ...
    def ptp(self, axis: Axis = None, *, keepdims: bool = False) -> Variable: ...
    def ravel(self) -> Variable: ...
    def repeat(self, repeats: Any, axis: int | None = None) -> Variable: ...
    def round(self, decimals: int = 0) -> Variable: ...
    def searchsorted(self, v: Any, side: str = "left", sorter: Any = None) -> Variable: ...
    def sort(
        self, axis: int | None = -1, *, kind: str | None = None, descending: bool = False
    ) -> Variable: ...
    def squeeze(self, axis: int | Sequence[int] | None = None) -> Variable: ...
    def std(
        self, axis: Axis = None, *, ddof: float = 0, keepdims: bool = False, where: Any = None
    ) -> Variable: ...
    def sum(
        self,
        axis: Axis = None,
        *,
        dtype: npt.DTypeLike | None = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = None,
    ) -> Variable: ...
    def swapaxes(self, axis1: int, axis2: int) -> Variable: ...
    def take(self, indices: Any, axis: int | None = None) -> Variable: ...
    def trace(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Variable: ...
    def var(
        self, axis: Axis = None, *, ddof: float = 0, keepdims: bool = False, where: Any = None
    ) -> Variable: ...
    @property
    def T(self) -> Variable: ...  # noqa: N802
    @property
    def mT(self) -> Variable: ...  # noqa: N802
    @property
    def shape(self) -> Variable: ...
    @property
    def size(self) -> Variable: ...
    @property
    def real(self) -> Variable: ...
    @property
    def imag(self) -> Variable: ...
    @property
    def steps(self) -> Variable: ...
    @property
    def finished(self) -> Variable: ...
    @property
    def history(self) -> Variable: ...
    def reshape(self, *shape: Any) -> Variable: ...
    def transpose(self, *axes: Any) -> Variable: ...
    def copy(self) -> Variable: ...
    def flatten(self) -> Variable: ...
    def __round__(self, decimals: int = 0) -> Variable: ...
    def __divmod__(self, other: Any) -> tuple[Variable, Variable]: ...
    def __rdivmod__(self, other: Any) -> tuple[Variable, Variable]: ...
    def set(self, value: Any) -> Variable: ...
    def inc(self, value: Any) -> Variable: ...
    def eval(self, inputs: Any = None, **named: Any) -> Any: ...
    def get_value(self, borrow: bool = False) -> Any: ...
    def set_value(self, value: Any, borrow: bool = False) -> None: ...
    def __iter__(self) -> Iterator[Variable]: ...
