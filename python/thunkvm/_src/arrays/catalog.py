"""The modules of the functions. Written by thunkvm._src.stubs; do not edit.

The package and NumPy's protocol find a function here before its module is imported.
"""

#: By module, its functions.
FAMILIES = {
    "thunkvm._src.arrays.composed.activations": (
        "elu", "gelu", "hard_sigmoid", "log_softmax", "logsumexp", "relu", "selu", "silu",
        "softmax", "swish",
    ),
    "thunkvm._src.arrays.composed.along_axes": (
        "put_along_axis", "take_along_axis",
    ),
    "thunkvm._src.arrays.composed.arithmetic": (
        "float_power", "logaddexp2",
    ),
    "thunkvm._src.arrays.composed.changing": (
        "copyto", "place", "put", "putmask",
    ),
    "thunkvm._src.arrays.composed.choosing": (
        "broadcast_arrays", "choose", "piecewise", "select", "switch",
    ),
    "thunkvm._src.arrays.composed.closeness": (
        "allclose", "array_equal", "array_equiv", "isclose",
    ),
    "thunkvm._src.arrays.composed.counting": (
        "bincount", "count_nonzero", "digitize", "histogram", "histogram_bin_edges", "searchsorted",
    ),
    "thunkvm._src.arrays.composed.differences": (
        "diff", "ediff1d", "gradient", "trapezoid", "unwrap",
    ),
    "thunkvm._src.arrays.composed.dimensions": (
        "atleast_1d", "atleast_2d", "atleast_3d", "atleast_nd",
    ),
    "thunkvm._src.arrays.composed.distinct": (
        "argwhere", "flatnonzero", "nonzero", "unique",
    ),
    "thunkvm._src.arrays.composed.einsum": (
        "einsum",
    ),
    "thunkvm._src.arrays.composed.encoding": (
        "one_hot", "to_one_hot",
    ),
    "thunkvm._src.arrays.composed.equations": (
        "solve_continuous_lyapunov", "solve_discrete_are", "solve_discrete_lyapunov",
        "solve_sylvester",
    ),
    "thunkvm._src.arrays.composed.factorizations": (
        "eigvals", "logdet", "lu", "qr", "svd",
    ),
    "thunkvm._src.arrays.composed.fits": (
        "polyfit",
    ),
    "thunkvm._src.arrays.composed.flipping": (
        "flip", "fliplr", "flipud", "roll", "rot90",
    ),
    "thunkvm._src.arrays.composed.float_parts": (
        "bitwise_count", "frexp", "ldexp", "modf", "nextafter", "spacing",
    ),
    "thunkvm._src.arrays.composed.fourier": (
        "fft", "hfft", "ifft", "ihfft", "irfft", "rfft",
    ),
    "thunkvm._src.arrays.composed.fourier_axes": (
        "fft2", "fftn", "ifft2", "ifftn", "irfft2", "irfftn", "rfft2", "rfftn",
    ),
    "thunkvm._src.arrays.composed.frequencies": (
        "fftfreq", "fftshift", "ifftshift", "rfftfreq",
    ),
    "thunkvm._src.arrays.composed.grids": (
        "indices", "ix_", "meshgrid", "mgrid", "ogrid",
    ),
    "thunkvm._src.arrays.composed.histograms": (
        "histogram2d", "histogramdd",
    ),
    "thunkvm._src.arrays.composed.incomplete": (
        "betainc", "betaincinv", "chi2sf", "gammainc", "gammaincc", "gammainccinv", "gammaincinv",
        "gammal", "gammau",
    ),
    "thunkvm._src.arrays.composed.interpolation": (
        "interp",
    ),
    "thunkvm._src.arrays.composed.kinds": (
        "apply_along_axis", "apply_over_axes", "fromfunction", "iscomplex", "iscomplexobj",
        "isreal", "isrealobj", "mask_indices", "nanargmax", "nanargmin", "sort_complex",
    ),
    "thunkvm._src.arrays.composed.least_squares": (
        "lstsq", "matrix_rank", "null_space", "orth", "pinv",
    ),
    "thunkvm._src.arrays.composed.matrices": (
        "block_diag", "expm", "matrix_power", "multi_dot", "tensorinv", "tensorsolve",
    ),
    "thunkvm._src.arrays.composed.multi_index": (
        "lexsort", "packbits", "ravel_multi_index", "unpackbits", "unravel_index",
    ),
    "thunkvm._src.arrays.composed.nans": (
        "nan_to_num", "nancumprod", "nancumsum", "nanmax", "nanmean", "nanmin", "nanprod", "nanstd",
        "nansum", "nanvar",
    ),
    "thunkvm._src.arrays.composed.norms": (
        "condition_number", "matrix_norm", "vector_norm",
    ),
    "thunkvm._src.arrays.composed.order": (
        "argpartition", "argsort", "argtopk", "partition", "sort", "topk", "topk_and_argtopk",
    ),
    "thunkvm._src.arrays.composed.padding": (
        "pad",
    ),
    "thunkvm._src.arrays.composed.picking": (
        "compress", "delete", "extract", "insert", "resize", "trim_zeros",
    ),
    "thunkvm._src.arrays.composed.polynomial_arithmetic": (
        "poly", "polyadd", "polyder", "polydiv", "polyint", "polymul", "polysub", "roots",
    ),
    "thunkvm._src.arrays.composed.polynomials": (
        "polyval", "vander",
    ),
    "thunkvm._src.arrays.composed.products": (
        "convolve", "correlate", "cross", "kron", "vdot",
    ),
    "thunkvm._src.arrays.composed.quantiles": (
        "median", "nanmedian", "nanpercentile", "nanquantile", "percentile", "quantile",
    ),
    "thunkvm._src.arrays.composed.repeating": (
        "repeat", "tile",
    ),
    "thunkvm._src.arrays.composed.running": (
        "cumulative_prod", "cumulative_sum",
    ),
    "thunkvm._src.arrays.composed.sequences": (
        "geomspace", "logspace",
    ),
    "thunkvm._src.arrays.composed.sets": (
        "intersect1d", "isin", "setdiff1d", "setxor1d", "union1d", "unique_all", "unique_counts",
        "unique_inverse", "unique_values",
    ),
    "thunkvm._src.arrays.composed.signs": (
        "isneginf", "isposinf",
    ),
    "thunkvm._src.arrays.composed.solutions": (
        "cho_factor", "cho_solve", "lu_factor", "lu_solve", "solve", "solve_triangular",
    ),
    "thunkvm._src.arrays.composed.special": (
        "beta", "betaln", "boxcox", "boxcox1p", "entr", "expit", "kl_div", "log1mexp", "logit",
        "multigammaln", "rel_entr", "sinc", "xlog1py", "xlogy",
    ),
    "thunkvm._src.arrays.composed.splitting": (
        "array_split", "dsplit", "hsplit", "split", "vsplit",
    ),
    "thunkvm._src.arrays.composed.stacking": (
        "append", "block", "column_stack", "dstack", "stacklists",
    ),
    "thunkvm._src.arrays.composed.statistics": (
        "average", "corrcoef", "cov", "ptp",
    ),
    "thunkvm._src.arrays.composed.tapers": (
        "bartlett", "blackman", "hamming", "hanning", "kaiser",
    ),
    "thunkvm._src.arrays.composed.triangles": (
        "diag_indices", "diag_indices_from", "diagflat", "fill_diagonal", "tri", "tril_indices",
        "tril_indices_from", "triu_indices", "triu_indices_from",
    ),
    "thunkvm._src.arrays.composed.vectors": (
        "matrix_transpose", "matvec", "rollaxis", "unstack", "vecdot", "vecmat",
    ),
    "thunkvm._src.arrays.composed.windows": (
        "conv1d", "conv2d", "sliding_window_view",
    ),
    "thunkvm._src.arrays.composed.zeta": (
        "zeta",
    ),
    "thunkvm._src.arrays.creation": (
        "arange", "eye", "full", "full_like", "identity", "linspace", "ones", "ones_like", "zeros",
        "zeros_like",
    ),
    "thunkvm._src.arrays.elementwise": (
        "astype", "clip", "divmod", "fabs", "positive", "rint", "round",
    ),
    "thunkvm._src.arrays.indexing": (
        "inc_subtensor", "set_subtensor", "take",
    ),
    "thunkvm._src.arrays.joining": (
        "concatenate", "hstack", "stack", "vstack",
    ),
    "thunkvm._src.arrays.linalg": (
        "diag", "inner", "outer", "tensordot", "trace", "tril", "triu",
    ),
    "thunkvm._src.arrays.norm": (
        "norm",
    ),
    "thunkvm._src.arrays.reductions": (
        "all", "any", "argmax", "argmin", "max", "mean", "min", "prod", "std", "sum", "var",
    ),
    "thunkvm._src.arrays.shapes": (
        "broadcast_to", "diagonal", "expand_dims", "moveaxis", "ravel", "reshape", "shape", "size",
        "specify_shape", "squeeze", "swapaxes", "transpose",
    ),
}  # fmt: skip

#: The functions that Variables have as methods too.
METHODS = (
    "all", "any", "argmax", "argmin", "argpartition", "argsort", "astype", "choose", "clip",
    "diagonal", "max", "mean", "min", "nonzero", "norm", "partition", "prod", "ptp", "ravel",
    "repeat", "round", "searchsorted", "sort", "squeeze", "std", "sum", "swapaxes", "take", "trace",
    "var",
)  # fmt: skip

#: The functions that only NumPy has a name for.
NUMPYS_ALONE = (
    "fabs", "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn",
    "ifftshift", "ihfft", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn", "rint",
)  # fmt: skip

#: The functions that do not stand for NumPy's of their names.
OTHER_THAN_NUMPYS = (
    "conv1d", "conv2d", "copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask",
)  # fmt: skip

#: By its path in NumPy, the function of another name that is ours.
NUMPYS = {
    "linalg.cond": "condition_number",
    "linalg.eigvals": "eigvals",
    "fabs": "fabs",
    "fft.fft": "fft",
    "fft.fft2": "fft2",
    "fft.fftfreq": "fftfreq",
    "fft.fftn": "fftn",
    "fft.fftshift": "fftshift",
    "fft.hfft": "hfft",
    "fft.ifft": "ifft",
    "fft.ifft2": "ifft2",
    "fft.ifftn": "ifftn",
    "fft.ifftshift": "ifftshift",
    "fft.ihfft": "ihfft",
    "fft.irfft": "irfft",
    "fft.irfft2": "irfft2",
    "fft.irfftn": "irfftn",
    "linalg.lstsq": "lstsq",
    "linalg.matrix_norm": "matrix_norm",
    "linalg.matrix_power": "matrix_power",
    "linalg.matrix_rank": "matrix_rank",
    "linalg.matrix_transpose": "matrix_transpose",
    "amax": "max",
    "amin": "min",
    "linalg.multi_dot": "multi_dot",
    "linalg.norm": "norm",
    "linalg.pinv": "pinv",
    "linalg.qr": "qr",
    "fft.rfft": "rfft",
    "fft.rfft2": "rfft2",
    "fft.rfftfreq": "rfftfreq",
    "fft.rfftn": "rfftn",
    "rint": "rint",
    "around": "round",
    "lib.stride_tricks.sliding_window_view": "sliding_window_view",
    "linalg.svd": "svd",
    "linalg.tensorinv": "tensorinv",
    "linalg.tensorsolve": "tensorsolve",
    "linalg.vecdot": "vecdot",
    "linalg.vector_norm": "vector_norm",
}  # fmt: skip

#: By the ufunc, the function that is its ``reduce``.
REDUCTIONS = {
    "logical_and": "all",
    "logical_or": "any",
    "maximum": "max",
    "minimum": "min",
    "multiply": "prod",
    "add": "sum",
}  # fmt: skip

#: By name, the module of each function.
HOMES = {name: module for module, names in FAMILIES.items() for name in names}
