"""Fourier transforms, against NumPy: lengths, norms, axes, dtypes, and derivatives."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from against_numpy import same
from held_to_numpy import call, held, refused

import thunkvm as tv

ALL_MODES = ["py", "vm", "cvm", "vm_nogc", "FAST_RUN", "FAST_COMPILE"]
NORMS = [None, "backward", "ortho", "forward"]
RNG = np.random.default_rng(3)
REAL = [RNG.normal(size=n) for n in (1, 2, 5, 8)]
COMPLEX = [a + 1j * RNG.normal(size=a.shape) for a in REAL]
CUBE = RNG.normal(size=(3, 4, 5))
EMPTY = np.zeros((0, 4))


def both(name: str, *rest: Any, **keywords: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
    ours, theirs = getattr(tv.fft, name), getattr(np.fft, name)
    return (lambda x: ours(x, *rest, **keywords), lambda x: theirs(x, *rest, **keywords))


def close(name: str, array: Any, *rest: Any, **keywords: Any) -> None:
    held(*both(name, *rest, **keywords), array)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
def test_transforms_along_an_axis(name: str, norm: str | None) -> None:
    arrays = REAL if name in ("rfft", "ihfft") else REAL + COMPLEX
    for a in arrays:
        for n in (None, 1, 2, 4, 5, 9):
            if n is not None or len(a) > 1 or name not in ("irfft", "hfft"):
                close(name, a, n, norm=norm)
    for axis in (-3, 1, 2):
        close(name, CUBE, None, axis, norm)
        close(name, CUBE, 3, axis, norm)
    close(name, EMPTY, axis=1)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
def test_transforms_along_axes(name: str, norm: str | None) -> None:
    close(name, CUBE, norm=norm)
    close(name, EMPTY, axes=[1], norm=norm)
    for axes in ([0], [2, 0], [1, -1]):
        close(name, CUBE, axes=axes, norm=norm)
        close(name, CUBE, [4] * len(axes), axes, norm)
    close(name, CUBE, [5, -1, 2], [0, 1, 2], norm)


@pytest.mark.parametrize("name", ["fft2", "ifft2", "rfft2", "irfft2"])
def test_transforms_of_matrices(name: str) -> None:
    close(name, CUBE)
    close(name, CUBE, [3, 6])
    close(name, CUBE, [2, 2], (0, 1), "ortho")


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint64", "float16", "float32", "float64", "complex64", "complex128"]
)
def test_dtypes_of_transforms(dtype: str) -> None:
    a = np.array([[1, 0, 3, 2], [0, 1, 1, 0]], dtype)
    for name in ("fft", "ifft", "fftn", "rfft", "rfftn", "ihfft"):
        if a.dtype.kind != "c" or name[0] not in "ri":
            close(name, a)
    for name in ("irfft", "hfft", "irfftn"):
        if dtype != "float16":
            close(name, a)


def test_transforms_in_all_modes() -> None:
    for mode, known in itertools.product(ALL_MODES, (True, False)):
        (found,) = call(mode, lambda x: tv.fft.irfft(tv.fft.rfft(x, 6), 5), [CUBE], known)
        same(found, np.fft.irfft(np.fft.rfft(CUBE, 6), 5))
        (found,) = call(mode, lambda x: tv.fft.fftn(x, axes=[1, 2]), [CUBE], known)
        same(found, np.fft.fftn(CUBE, axes=[1, 2]))


def test_lengths_of_transforms_may_be_variables() -> None:
    for name in ("fft", "rfft", "irfft", "hfft"):
        ours, theirs = getattr(tv.fft, name), getattr(np.fft, name)
        for n in (1, 3, 4, 9):
            held(lambda x, n, of=ours: of(x, n), lambda x, n, of=theirs: of(x, int(n)), CUBE, n)


def test_shapes_of_transforms_are_known_without_them() -> None:
    x = tv.tensor("x", "float64", (4, 7))
    assert tv.fft.rfft(x).type.shape == (4, 4)
    assert tv.fft.irfft(x).type.shape == (4, 12)
    assert tv.fft.fft(x, 9, 0).type.shape == (9, 7)
    v = tv.vector("v")
    f = tv.function([v], tv.size(tv.fft.rfft(v)))
    assert f([1.0] * 7) == 4
    assert "Transform" not in str(f)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("n", [None, 3, 4, 9])
def test_gradients_of_transforms(n: int | None, norm: str | None) -> None:
    real, complex_ = CUBE[0], CUBE[0] + 1j * CUBE[1]

    def magnitudes(z: Any) -> Any:
        return tv.stack([tv.real(z) * 3.0, tv.imag(z)])

    for name in ("fft", "ifft"):
        transform = getattr(tv.fft, name)
        tv.verify_grad(lambda x, of=transform: magnitudes(of(x, n, 0, norm)), [complex_])
        tv.verify_grad(lambda x, of=transform: magnitudes(of(x, n, -1, norm)), [real])
    for name in ("rfft", "ihfft"):
        transform = getattr(tv.fft, name)
        tv.verify_grad(lambda x, of=transform: magnitudes(of(x, n, -1, norm)), [real])
    for name in ("irfft", "hfft"):
        transform = getattr(tv.fft, name)
        tv.verify_grad(lambda x, of=transform: of(x, n, 0, norm), [complex_])


def test_gradients_of_transforms_along_axes() -> None:
    tv.verify_grad(lambda x: tv.abs(tv.fft.rfftn(x, [2, 4, 3])), [CUBE + 3.0])
    tv.verify_grad(lambda x: tv.fft.irfft2(tv.fft.rfft2(x) ** 2, [3, 5]), [CUBE])
    tv.verify_grad(lambda x: tv.abs(tv.fft.fft2(x)), [CUBE + 1.0])


def test_tangents_and_jacobians_of_transforms() -> None:
    x, t = tv.vector("x"), tv.vector("t")
    a, b = RNG.normal(size=6), RNG.normal(size=6)
    for of in (lambda v: tv.fft.irfft(tv.fft.rfft(v) ** 2, 6), lambda v: tv.abs(tv.fft.fft(v))):
        y = of(x)
        tangent = tv.function([x, t], tv.jvp(y, x, t))(a, b)
        step = 1e-6
        f = tv.function([x], y)
        np.testing.assert_allclose(
            tangent, (f(a + step * b) - f(a - step * b)) / (2 * step), atol=1e-7
        )
        for mode in ("forward", "reverse"):
            matrix = tv.function([x], tv.jacobian(y, x, mode=mode))(a)
            np.testing.assert_allclose(matrix @ b, tangent, atol=1e-9)


def test_a_transform_that_is_not_taken_does_not_run() -> None:
    x, c = tv.vector("x"), tv.scalar("c")
    f = tv.function([x, c], tv.ifelse(c > 0, tv.fft.irfft(x, 0 * tv.size(x)), x))
    assert f([1.0, 2.0], -1.0).tolist() == [1.0, 2.0]  # there are no 0 points of a transform
    with pytest.raises(ValueError, match="Invalid number of"):
        f([1.0, 2.0], 1.0)


def test_frequencies() -> None:
    for n in (1, 2, 5, 8):
        for d in (1.0, 0.25, 3):
            for name in ("fftfreq", "rfftfreq"):
                ours, theirs = getattr(tv.fft, name), getattr(np.fft, name)
                same(tv.function([], ours(n, d))(), theirs(n, d))
                held(ours, lambda n, d, of=theirs: of(int(n), float(d)), n, d)
    tv.verify_grad(lambda d: tv.fft.fftfreq(5, d), [0.5])
    with pytest.raises(ValueError, match=r"\[fftfreq\] n = 0; give at least 1"):
        tv.fft.fftfreq(0)


@pytest.mark.parametrize("name", ["fftshift", "ifftshift"])
def test_shifts_of_frequencies(name: str) -> None:
    for a in (*REAL, CUBE, EMPTY, np.array([[True], [False]])):
        close(name, a)
    close(name, CUBE, 1)
    close(name, CUBE, [0, -1])
    held(getattr(tv.fft, name), lambda x: x, np.array(2.0))


def test_numpys_transforms_take_variables() -> None:
    x = tv.matrix("x")
    y = [np.fft.fft(x, norm="ortho"), np.fft.irfft2(x), np.fft.fftshift(x), np.fft.rfftn(x)]
    found = tv.function([x], y)(CUBE[0])
    a = CUBE[0]
    theirs = [np.fft.fft(a, norm="ortho"), np.fft.irfft2(a), np.fft.fftshift(a), np.fft.rfftn(a)]
    for mine, value in zip(found, theirs, strict=True):
        same(mine, value)


def test_mistakes_of_transforms() -> None:
    refused(
        ValueError, r"\[fft\] norm is 'orto'.*ortho", lambda x: tv.fft.fft(x, norm="orto"), [1.0]
    )
    refused(ValueError, r"\[fft\] <x0.* is 0-d", tv.fft.fft, 1.0)
    refused(TypeError, r"\[rfft\] <x0.*> is complex128; .*tv.fft.fft", tv.fft.rfft, [1j])
    refused(ValueError, r"axis 2 is out of bounds", lambda x: tv.fft.ifft(x, axis=2), [1.0])
    refused(ValueError, r"\[fftn\] s has 1 lengths", lambda x: tv.fft.fftn(x, [1], [0, 1]), CUBE)
    refused(ValueError, r"\[fft\] there are 0 elements|Invalid number of", tv.fft.fft, EMPTY.T)
    refused(ValueError, r"\[irfft\] n = 0; give at least 1", lambda x: tv.fft.irfft(x, 0), [1.0])
    refused(TypeError, r"\[irfft\] n is 2.5", lambda x: tv.fft.irfft(x, 2.5), [1.0])
