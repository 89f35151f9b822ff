"""Discrete Fourier transforms of Variables: the functions of ``numpy.fft``, with its signatures.

They are linear: the gradient of each is another of them. ``np.fft.fft(x)`` of a Variable is
``tv.fft.fft(x)``.

Examples
--------
>>> import thunkvm as tv
>>> x = tv.vector("x")
>>> power = tv.sum(tv.abs(tv.fft.rfft(x)) ** 2)
>>> tv.function([x], tv.grad(power, x))([1.0, 2.0, 4.0])
array([10., 13., 19.])
"""

from thunkvm._src.arrays.composed.fourier import fft, hfft, ifft, ihfft, irfft, rfft
from thunkvm._src.arrays.composed.fourier_axes import (
    fft2,
    fftn,
    ifft2,
    ifftn,
    irfft2,
    irfftn,
    rfft2,
    rfftn,
)
from thunkvm._src.arrays.composed.frequencies import fftfreq, fftshift, ifftshift, rfftfreq

__all__ = [
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn", "ifftshift",
    "ihfft", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn",
]  # fmt: skip


def __dir__() -> list[str]:
    """Return the names that users need, for tab completion."""
    return [*__all__]
