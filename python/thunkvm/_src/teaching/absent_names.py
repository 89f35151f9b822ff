"""Names of other libraries without a counterpart here, and what to write instead of each."""

from __future__ import annotations

#: Functions that take values, and so belong outside of graphs.
_OUTSIDE = "{name} is nothing of a graph: call it on the arrays that a function takes and returns"
_KNOWN = "{name} takes values that are known: what np.{name} returns is an operand as it is"
_NUMBER = "write np.{name}: numbers are operands as they are"
_DTYPE = 'write the name of a dtype: tv.scalar("x", dtype="{name}")'
_NO_DTYPE = "{name} is no dtype of Variables here; objects of any class are inputs by tv.generic"
_PLURAL = "write the constructor once for each name: x, y = tv.scalar('x'), tv.scalar('y')"
_TENSOR = "write tv.tensor(name, dtype, shape), with None for a length that is not known"
_COMPOSE = "{name} is not there: build it from elementwise functions, tv.matmul and reductions"
_INDEXED = "write x[...] with slices, integers and arrays of integers; x[...].set(v) changes a part"
_GRAPHS = "{name} is not there: tv.function makes, rewrites and compiles the graph itself"
_DERIVATIVE = (
    "write tv.grad(cost, x), tv.jacobian(y, x) or tv.hessian(cost, x); a derivative of your own is "
    "the grad of an Op: see tv.Op"
)
_DEVICE = "leave it out: everything is in main memory, and runs on the processor"
_NO_GRAD = "leave it out, nothing is recorded; tv.stop_gradient(x) is a constant to tv.grad"
_RANDOM = "draw random numbers outside, and give what the generator returns as an argument"
_ATLEAST = "write tv.expand_dims(x, axis), or x[None]; a Variable's x.ndim is known"
_SPLIT = "write x[:n] and x[n:], one slice for each part"
_JOIN = "write tv.concatenate or tv.stack, which take an axis"
_NAN = "write it of tv.where(tv.isnan(x), other, x), with an `other` that counts for nothing"
_PICK = "write x[indices] or tv.take(x, indices, axis)"
_POWER = "with a number lmbda, write "
_LOOP = "write tv.scan_carry(f, init, xs), which goes over xs one after the other"
_LAYER = "{name} is not there: write it of tv.matmul, tv.maximum, tv.tanh and other functions"
_MODULE = "np.{name} is NumPy's; what a function of Variables is called here is in dir(thunkvm)"

#: Several names, what to say of each.
GROUPS: tuple[tuple[str, str], ...] = (
    # Constants and dtypes.
    ("pi e inf nan euler_gamma", _NUMBER),
    (
        "Inf NaN infty Infinity PINF NINF",
        "write np.inf or np.nan: numbers are operands as they are",
    ),
    ("False_ True_", "write False or True"),
    (
        """
        int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64
        complex128
        """,
        _DTYPE,
    ),
    ("newaxis", "write None: x[:, None]"),
    ("bool bool_", _DTYPE.format(name="bool")),
    ("byte", _DTYPE.format(name="int8")),
    ("short", _DTYPE.format(name="int16")),
    ("intc int", _DTYPE.format(name="int32")),
    ("int_ intp long longlong", _DTYPE.format(name="int64")),
    ("ubyte", _DTYPE.format(name="uint8")),
    ("ushort", _DTYPE.format(name="uint16")),
    ("uintc", _DTYPE.format(name="uint32")),
    ("uint uintp ulong ulonglong", _DTYPE.format(name="uint64")),
    ("half", _DTYPE.format(name="float16")),
    ("single float", _DTYPE.format(name="float32")),
    ("double float_", _DTYPE.format(name="float64")),
    ("csingle", _DTYPE.format(name="complex64")),
    ("cdouble complex_", _DTYPE.format(name="complex128")),
    (
        """
        bytes_ character clongdouble complex256 datetime64 flexible float128 longdouble object_
        bfloat16 str_ timedelta64 void record recarray string_ unicode_
        """,
        _NO_DTYPE,
    ),
    (
        """
        number integer signedinteger unsignedinteger inexact floating complexfloating dtypes
        sctypeDict typecodes typename can_cast common_type min_scalar_type mintypecode
        promote_types result_type issubdtype isdtype iscomplexobj isrealobj finfo iinfo
        is_floating_point is_complex smallest_dtype
        """,
        "write it of x.dtype, which is a name of NumPy's: np.{name} takes it",
    ),
    # What is made of numbers that are known, or asks and shows values.
    (
        """
        bartlett blackman hamming hanning kaiser tri tril_indices tril_indices_from triu_indices
        triu_indices_from diag_indices diag_indices_from mask_indices indices fftfreq rfftfreq
        mgrid ogrid geomspace logspace vander broadcast_shapes fromfunction ix_ r_ c_
        """,
        _KNOWN,
    ),
    ("s_ index_exp", "write the slices themselves: x[1:, ::2]"),
    (
        """
        array2string array_repr array_str base_repr binary_repr format_float_positional
        format_float_scientific frombuffer fromfile fromiter fromregex fromstring from_dlpack
        genfromtxt load loadtxt save savetxt savez savez_compressed memmap may_share_memory
        shares_memory isfortran require ascontiguousarray asfortranarray asarray_chkfinite
        nested_iters nditer ndenumerate ndindex flatiter broadcast iterable isscalar
        datetime_as_string datetime_data busday_count busday_offset busdaycalendar is_busday
        isnat asmatrix bmat mat put place putmask copyto fill_diagonal resize from_numpy
        array_equiv
        """,
        _OUTSIDE,
    ),
    (
        """
        errstate geterr geterrcall seterr seterrcall getbufsize setbufsize get_include
        get_printoptions set_printoptions printoptions info show_config show_runtime test
        little_endian set_default_dtype get_default_dtype
        """,
        "np.{name} is about NumPy; what thunkvm can be told is in tv.config",
    ),
    (
        "char core ctypeslib emath exceptions f2py lib ma polynomial rec strings typing",
        _MODULE,
    ),
    ("ndarray Array TensorConstant TensorLike", "write tv.Variable for the class"),
    ("asanyarray", "write tv.as_variable"),
    ("asscalar", "write x, or tv.reshape(x, ()) of an array with one element"),
    ("ufunc vectorize frompyfunc", "write functions of Variables, which are elementwise already"),
    (
        "apply_along_axis apply_over_axes",
        "write functions that take an axis, such as tv.sum(x, axis=0)",
    ),
    ("ndim dim", "write x.ndim, which is an int"),
    ("copy tensor_copy", "write x itself: a Variable never changes"),
    ("LinAlgError", "write np.linalg.LinAlgError, which tv.cholesky and others raise"),
    # Shapes.
    ("flatten", "write tv.ravel(x)"),
    (
        "atleast_2d atleast_3d atleast_Nd shape_padleft shape_padright shape_padaxis unflatten",
        _ATLEAST,
    ),
    ("array_split hsplit vsplit dsplit tensor_split chunk unstack unbind", _SPLIT),
    (
        """
        dstack row_stack append insert block horizontal_stack vertical_stack stacklists pack
        join_dims cartesian_prod
        """,
        _JOIN,
    ),
    (
        "delete trim_zeros compress extract narrow slice_in_dim dynamic_slice dynamic_index_in_dim "
        "dynamic_slice_in_dim dynamic_update_slice index_in_dim index_copy slice masked_fill "
        "masked_scatter masked_select scatter scatter_add index_add split_dims unpack",
        _INDEXED,
    ),
    ("fliplr rot90 flipud rev", "write x[::-1] or x[:, ::-1], and tv.transpose(x)"),
    ("rollaxis movedim", "write tv.moveaxis(x, source, destination)"),
    ("t mT", "write tv.swapaxes(x, -1, -2), or x.T of a matrix"),
    ("H", "write tv.conj(x).T"),
    (
        "broadcast_arrays broadcast_tensors expand broadcast broadcast_in_dim patternbroadcast "
        "unbroadcast specify_broadcastable",
        "write tv.broadcast_to(x, shape); axes of length 1 broadcast as NumPy's do",
    ),
    ("numel nelement", "write tv.size(x)"),
    ("get_vector_length Size", "write x.type.shape, or tv.shape(x) for lengths known later"),
    (
        "take_along_axis take_along_dim gather permute_row_elements",
        "write x[tv.arange(tv.shape(x)[0])[:, None], indices] for the last axis of a matrix",
    ),
    ("index_select embedding", _PICK),
    ("inverse_permutation", "write tv.zeros_like(x)[x].set(tv.arange(tv.size(x)))"),
    ("put_along_axis", "write x[tv.arange(tv.shape(x)[0])[:, None], indices].set(values)"),
    ("diagflat diag_embed", "write tv.diag(tv.ravel(x))"),
    ("extract_diag", "write tv.diagonal(x)"),
    ("identity_like", "write tv.eye(n)"),
    ("iota", "write tv.arange(n)"),
    # Sums, counts and statistics.
    ("cumulative_sum", "write tv.cumsum(x, axis)"),
    ("cumulative_prod cumproduct", "write tv.cumprod(x, axis)"),
    ("alltrue", "write tv.all(x)"),
    ("sometrue", "write tv.any(x)"),
    ("nanstd nanvar nanprod nancumprod nancumsum nanargmax nanargmin", _NAN),
    ("trapz", "write tv.sum((y[1:] + y[:-1]) * (x[1:] - x[:-1])) / 2"),
    ("ediff1d", "write x[1:] - x[:-1]"),
    ("cov", "write d @ d.T / (n - 1), where d = x - tv.mean(x, axis=1, keepdims=True)"),
    (
        "corrcoef",
        "write d @ d.T / (n - 1) / tv.outer(s, s), of differences from the mean and tv.std",
    ),
    ("in1d isin", "write tv.any(tv.eq(x[:, None], values), axis=1)"),
    (
        "one_hot to_one_hot",
        "write tv.eq(x[:, None], tv.arange(n)), which is of bools",
    ),
    ("max_and_argmax", "write tv.max(x, axis) and tv.argmax(x, axis)"),
    ("aminmax", "write tv.min(x, axis) and tv.max(x, axis)"),
    ("std_mean", "write tv.std(x) and tv.mean(x)"),
    ("var_mean", "write tv.var(x) and tv.mean(x)"),
    ("dist cdist pdist", "write tv.norm(x - y)"),
    # Elementwise.
    ("round_ round_half_to_even iround", "write tv.round(x)"),
    ("round_half_away_from_zero", "write tv.sign(x) * tv.floor(tv.abs(x) + 0.5)"),
    ("sgn", "write tv.sign(x)"),
    ("clamp hardtanh", "write tv.clip(x, min, max)"),
    ("rsqrt", "write 1 / tv.sqrt(x)"),
    ("logaddexp2", "write tv.logaddexp(x * c, y * c) / c, where c = np.log(2)"),
    ("exp10", "write 10.0**x"),
    ("cosdg sindg tandg", "write tv.cos, tv.sin or tv.tan of tv.deg2rad(x)"),
    ("radian", "write tv.deg2rad(degrees + minutes / 60 + seconds / 3600)"),
    ("cosm1", "write -2 * tv.sin(x / 2) ** 2"),
    (
        "exprel",
        "write tv.exp(x / 2) * tv.sinh(s) / s, where s = tv.where(tv.eq(x, 0), 1e-20, x / 2)",
    ),
    (
        "log1mexp",
        "write tv.where(x > -0.7, tv.log(-tv.expm1(x)), "
        "tv.log1p(-tv.exp(tv.where(x > -0.7, -0.7, x))))",
    ),
    ("log_expit logsigmoid", "write -tv.softplus(-x)"),
    ("log1pexp", "write tv.softplus(x)"),
    ("multigammaln mvlgamma", "write sums of tv.gammaln(x - i / 2)"),
    ("poch", "write tv.exp(tv.gammaln(x + n) - tv.gammaln(x)), where x > 0 and x + n > 0"),
    ("perm", "write tv.exp(tv.gammaln(n + 1) - tv.gammaln(n - k + 1))"),
    ("rgamma", "write tv.exp(-tv.gammaln(x)), where x > 0"),
    ("tri_gamma trigamma", "write tv.polygamma(1, x)"),
    (
        "kl_div",
        "write x * (tv.log(tv.where(x > 0, x, 1.0)) - tv.log(tv.where(x > 0, y, 1.0))) - x + y, "
        "where x >= 0 and y >= 0",
    ),
    ("boxcox", _POWER + "tv.log(x) if lmbda == 0 else tv.expm1(lmbda * tv.log(x)) / lmbda"),
    ("boxcox1p", _POWER + "tv.log1p(x) if lmbda == 0 else tv.expm1(lmbda * tv.log1p(x)) / lmbda"),
    ("inv_boxcox", _POWER + "tv.exp(x) if lmbda == 0 else tv.exp(tv.log1p(lmbda * x) / lmbda)"),
    (
        "inv_boxcox1p",
        _POWER + "tv.expm1(x) if lmbda == 0 else tv.expm1(tv.log1p(lmbda * x) / lmbda)",
    ),
    ("powm1", "write tv.expm1(y * tv.log(x)), where x > 0"),
    ("huber", "write tv.where(tv.abs(r) <= d, r**2 / 2, d * (tv.abs(r) - d / 2))"),
    ("pseudo_huber", "write d**2 * (tv.sqrt(1 + (r / d) ** 2) - 1)"),
    ("isneginf isposinf", "write tv.eq(x, np.inf), or -np.inf"),
    ("isreal iscomplex", "write tv.eq(tv.imag(x), 0), or tv.neq"),
    ("real_if_close", "write tv.real(x)"),
    ("complex view_as_complex", "write x + 1j * y"),
    ("polar complex_from_polar", "write r * tv.exp(1j * angle)"),
    ("view_as_real", "write tv.stack([tv.real(x), tv.imag(x)], axis=-1)"),
    ("ldexp", "write x * 2.0**n"),
    ("xor", "write tv.bitwise_xor, or tv.logical_xor"),
    ("shift_left shift_right_logical shift_right_arithmetic", "write x << n or x >> n"),
    ("rem", "write tv.where(x < 0, -tv.mod(-x, tv.abs(y)), tv.mod(x, tv.abs(y)))"),
    ("integer_pow", "write x**n"),
    ("ceil_intdiv", "write -(-x // y)"),
    ("convert_element_type bitcast_convert_type", "write tv.astype(x, dtype)"),
    ("is_finite", "write tv.isfinite(x)"),
    ("logistic", "write tv.sigmoid(x)"),
    ("select_n", "write tv.where(mask, x, y)"),
    ("lerp", "write x + w * (y - x)"),
    ("frac", "write x - tv.trunc(x)"),
    ("addcmul addcdiv", "write x + value * y * z, or x + value * y / z"),
    ("add_ sub_ mul_ div_ zero_ fill_ copy_", "write x = x + y: a Variable never changes"),
    ("div", "write tv.true_div(x, y)"),
    ("ne", "write tv.neq(x, y)"),
    # Polynomials.
    (
        "polyval poly1d Polynomial",
        "write Horner's rule in Python: p = p * x + c, once for each coefficient",
    ),
    # Products and linear algebra.
    (
        "matvec vecmat dense_dot matrix_dot addmm addmv baddbmm linear",
        "write tv.matmul(a, b), and + for what is added",
    ),
    ("dot_general batched_tensordot", "write tv.tensordot or tv.matmul"),
    ("ger", "write tv.outer(x, y)"),
    ("inverse pinverse matrix_inverse", "write tv.inv(a), or tv.solve(a, b)"),
    ("tensorinv tensorsolve", "write tv.solve of reshaped arrays: tv.reshape(a, (n, n))"),
    ("triangular_solve", "write tv.solve_triangular(a, b)"),
    (
        "solve_banded solveh_banded solve_toeplitz solve_circulant cholesky_banded "
        "cho_solve_banded tridiagonal_lu_solve tridiagonal_lu_factor",
        "write tv.solve(a, b) of the whole matrix",
    ),
    ("khatri_rao", "write tv.reshape of x[:, None, :] * y[None, :, :]"),
    (
        """
        circulant companion convolution_matrix dft fiedler fiedler_companion hadamard hankel
        helmert hilbert invhilbert invpascal leslie pascal toeplitz
        """,
        "scipy.linalg.{name} takes values that are known: what it returns is an operand as it is",
    ),
    ("ishermitian issymmetric", "write tv.all(tv.eq(a, tv.conj(a).T))"),
    (
        "find_best_blas_type get_blas_funcs get_lapack_funcs LinAlgWarning",
        "leave it out: thunkvm calls BLAS itself",
    ),
    # Graphs, derivatives and programs.
    (
        """
        custom_vjp custom_jvp custom_gradient vjp jvp linearize linear_transpose backward
        autograd subgraph_grad pullback pushforward functional grad_clip
        """,
        _DERIVATIVE,
    ),
    ("hessian_vector_product", "write tv.grad(tv.sum(tv.grad(cost, x) * v), x), with v constant"),
    ("no_grad enable_grad inference_mode set_grad_enabled", _NO_GRAD),
    (
        """
        checkpoint remat make_jaxpr eval_shape named_call named_scope pmap xla_computation
        closure_convert FunctionGraph graph rewriting fgraph optimizer link opt tie_in wrap_jax
        shape_feature get_scalar_constant_value get_underlying_scalar_constant_value
        clear_caches ensure_compile_time_eval
        """,
        _GRAPHS,
    ),
    (
        """
        cuda device devices device_put device_get device_count local_devices default_backend
        gpuarray transfer to pin_memory psum pmean pmax pmin ppermute all_gather all_to_all
        axis_index process_index host_callback live_arrays distributed
        """,
        _DEVICE,
    ),
    ("pure_callback io_callback", "write tv.as_op, or an Op with a perform: see tv.Op"),
    ("disable_jit", 'write tv.function(..., mode="py"), which runs each node in Python'),
    ("block_until_ready", "leave it out: a function returns when its results are computed"),
    ("associative_scan", _LOOP),
    ("tree tree_map tree_util", "write nested lists and dicts: tv.ifelse and tv.attempt take them"),
    ("debug", "write tv.print_(x) or tv.breakpoint_(x)"),
    ("typeof", "write x.type"),
    ("is_tensor", "write isinstance(x, tv.Variable)"),
    (
        "generic_variable TensorSharedVariable ScalarSharedVariable",
        "write tv.shared(value), which makes one",
    ),
    ("Constant", "write tv.constant(value)"),
    ("scalar_from_tensor tensor_from_scalar", "leave it out: 0-d arrays are scalars"),
    ("second", "write tv.full_like(x, value), or tv.broadcast_to"),
    ("slicetype make_slice NoneConst none_type_t", "write slices and None as Python has them"),
    ("largest", "write tv.maximum(x, y)"),
    ("smallest", "write tv.minimum(x, y)"),
    (
        """
        scalars vectors matrices rows cols iscalars lscalars fscalars dscalars ivectors lvectors
        fvectors dvectors imatrices lmatrices fmatrices dmatrices irows lrows frows drows icols
        lcols fcols dcols tensor3s tensor4s dtensor3s dtensor4s ftensor3s ftensor4s
        """,
        _PLURAL,
    ),
    (
        """
        tensor5 tensor6 tensor7 dtensor5 dtensor6 dtensor7 ftensor5 ftensor6 ftensor7 itensor5
        itensor6 itensor7 ltensor5 ltensor6 ltensor7 ctensor5 ctensor6 ctensor7 ztensor5
        ztensor6 ztensor7 btensor5 wtensor5 FloatTensor DoubleTensor LongTensor IntTensor
        BoolTensor
        """,
        _TENSOR,
    ),
    # Layers and losses.
    ("categorical_crossentropy cross_entropy", "write -tv.sum(y * tv.log(p), axis=-1)"),
    (
        "binary_crossentropy binary_cross_entropy",
        "write -(y * tv.log(p) + (1 - y) * tv.log1p(-p))",
    ),
    ("mse_loss", "write tv.mean((x - y) ** 2)"),
    ("l1_loss", "write tv.mean(tv.abs(x - y))"),
    ("leaky_relu prelu", "write tv.where(x > 0, x, slope * x)"),
    ("elu", "write tv.where(x > 0, x, alpha * tv.expm1(tv.where(x > 0, 0.0, x)))"),
    ("celu", "write tv.where(x > 0, x, alpha * tv.expm1(tv.where(x > 0, 0.0, x) / alpha))"),
    ("selu", "write scale * tv.where(x > 0, x, alpha * tv.expm1(tv.where(x > 0, 0.0, x)))"),
    ("gelu", "write x * tv.erfc(-x / 2**0.5) / 2"),
    ("silu swish", "write x * tv.sigmoid(x)"),
    ("relu6", "write tv.clip(x, 0, 6)"),
    ("softsign soft_sign", "write x / (1 + tv.abs(x))"),
    ("hard_sigmoid ultra_fast_sigmoid", "write tv.clip(0.2 * x + 0.5, 0, 1)"),
    ("softmin", "write tv.exp(-x - tv.logsumexp(-x, axis=-1, keepdims=True))"),
    ("normalize", "write x / tv.norm(x)"),
    (
        """
        conv conv1d conv2d conv3d conv_general_dilated conv_transpose max_pool2d avg_pool2d
        reduce_window signal layer_norm batch_norm standardize dropout glu nll_loss
        """,
        _LAYER,
    ),
    (
        """
        manual_seed seed PRNGKey Generator RandomState bernoulli binomial choice dirichlet
        exponential geometric gumbel laplace lognormal multinomial multivariate_normal
        permutation poisson randperm rayleigh shuffle standard_normal standard_t triangular
        rand_like randn_like raw_random rng_uniform rng_bit_generator integers permuted chisquare
        hypergeometric logseries negative_binomial noncentral_chisquare noncentral_f pareto vonmises
        random_integers random_sample ranf sample standard_cauchy standard_exponential
        standard_gamma wald weibull zipf BitGenerator PCG64 Philox MT19937 SeedSequence
        MRG_RandomStreams
        """,
        _RANDOM,
    ),
    ("logcumsumexp cumlogsumexp cummax cummin", _COMPOSE),
)


__all__ = ["GROUPS"]
