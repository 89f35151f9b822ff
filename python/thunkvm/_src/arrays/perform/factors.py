"""Factors and spectra of matrices in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from thunkvm._src.arrays.perform.table import performs_outputs


def _lu_factors(a: Any) -> tuple[Any, Any, Any]:
    packed = np.array(a)
    *batch, m, n = a.shape
    k = min(m, n)
    exchanges = np.zeros((*batch, k), np.int64)
    rows = np.broadcast_to(np.arange(m), (*batch, m)).copy()
    for index in np.ndindex(*batch):
        factors, order = packed[index], rows[index]
        for i in range(k):
            # LAPACK's size of a complex number is the sum of its parts'.
            size = np.abs(factors[i:, i].real) + np.abs(factors[i:, i].imag)
            pivot = i + int(np.argmax(size))
            exchanges[*index, i] = pivot
            factors[[i, pivot]] = factors[[pivot, i]]
            order[[i, pivot]] = order[[pivot, i]]
            if factors[i, i] != 0:
                factors[i + 1 :, i] /= factors[i, i]
            factors[i + 1 :, i + 1 :] -= np.outer(factors[i + 1 :, i], factors[i, i + 1 :])
    return packed, exchanges, rows


def _refuse_infinite(told: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that refuses NaN and infinity as the kernels do; NumPy may return NaN."""

    def checked(a: Any, **attributes: Any) -> Any:
        if not np.isfinite(a).all():
            raise np.linalg.LinAlgError(f"{told} (shape {a.shape})")
        return function(a, **attributes)

    return checked


_CHECK = "did not converge: check the matrix for NaN and infinity"
_SVD, _EIGH = f"SVD {_CHECK}", f"the eigenvalues {_CHECK}"

performs_outputs("svd", _refuse_infinite(_SVD, lambda a: np.linalg.svd(a, full_matrices=False)))
performs_outputs("full_svd", _refuse_infinite(_SVD, np.linalg.svd))
performs_outputs("svdvals", _refuse_infinite(_SVD, np.linalg.svdvals))
performs_outputs("eigh", _refuse_infinite(_EIGH, np.linalg.eigh), with_attributes=True)
performs_outputs("eigvalsh", _refuse_infinite(_EIGH, np.linalg.eigvalsh), with_attributes=True)
performs_outputs("eig", _refuse_infinite("Array must not contain infs or NaNs", np.linalg.eig))
performs_outputs("qr", np.linalg.qr)
performs_outputs("complete_qr", lambda a: np.linalg.qr(a, mode="complete"))
performs_outputs("lu_factors", _lu_factors)
