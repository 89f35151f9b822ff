// lapack_factors.h: LAPACK's routines for spectra and orthogonal factors, by one name for all four
// dtypes. Matrices are in Fortran order. Each returns LAPACK's `info`: 0 where it succeeded.
#pragma once

#include "ops/linalg/lapack.h"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <vector>

extern "C" {
#define THUNKVM_LAPACK_OF(s, real)                                                                 \
  void s##syevd_(const char* job, const char* uplo, const int* n, real* a, const int* lda,         \
                 real* w, real* work, const int* lwork, int* iwork, const int* liwork, int* info); \
  void s##geqrf_(const int* m, const int* n, real* a, const int* lda, real* tau, real* work,       \
                 const int* lwork, int* info);                                                     \
  void s##orgqr_(const int* m, const int* n, const int* k, real* a, const int* lda,                \
                 const real* tau, real* work, const int* lwork, int* info);                        \
  void s##geev_(const char* left, const char* right, const int* n, real* a, const int* lda,        \
                real* w_real, real* w_imag, real* vl, const int* ldvl, real* vr, const int* ldvr,  \
                real* work, const int* lwork, int* info);
THUNKVM_LAPACK_OF(s, float)
THUNKVM_LAPACK_OF(d, double)
#undef THUNKVM_LAPACK_OF
#define THUNKVM_LAPACK_OF(c, real)                                                           \
  void c##heevd_(const char* job, const char* uplo, const int* n, void* a, const int* lda,   \
                 real* w, void* work, const int* lwork, real* rwork, const int* lrwork,      \
                 int* iwork, const int* liwork, int* info);                                  \
  void c##geqrf_(const int* m, const int* n, void* a, const int* lda, void* tau, void* work, \
                 const int* lwork, int* info);                                               \
  void c##ungqr_(const int* m, const int* n, const int* k, void* a, const int* lda,          \
                 const void* tau, void* work, const int* lwork, int* info);                  \
  void c##geev_(const char* left, const char* right, const int* n, void* a, const int* lda,  \
                void* w, void* vl, const int* ldvl, void* vr, const int* ldvr, void* work,   \
                const int* lwork, real* rwork, int* info);
THUNKVM_LAPACK_OF(c, float)
THUNKVM_LAPACK_OF(z, double)
#undef THUNKVM_LAPACK_OF
}

namespace thunkvm::lapack {

template <class T>
inline constexpr bool kIsComplex = !std::is_same_v<T, Real<T>>;

/// Calls `routine(work, size)` to ask for the size of its work, then with as much.
template <class T, class F>
void with_work(std::vector<T>& work, const F& routine) {
  work.resize(std::max<std::size_t>(work.size(), 1));
  routine(work.data(), -1);
  const auto wanted = static_cast<std::size_t>(std::max(1, static_cast<int>(std::real(work[0]))));
  if (work.size() < wanted) work.resize(wanted);
  routine(work.data(), static_cast<int>(work.size()));
}

/// The routine of a dtype: `name(s, d, c, z)`.
#define THUNKVM_BY_TYPE(T, s, d, c, z, ...)          \
  do {                                               \
    if constexpr (std::is_same_v<T, float>)          \
      s(__VA_ARGS__);                                \
    else if constexpr (std::is_same_v<T, double>)    \
      d(__VA_ARGS__);                                \
    else if constexpr (std::is_same_v<T, Complex64>) \
      c(__VA_ARGS__);                                \
    else                                             \
      z(__VA_ARGS__);                                \
  } while (false)

/// The eigenvalues w of a Hermitian (n, n) matrix, the smallest first, of which one triangle is
/// read; the eigenvectors take its place, as columns.
template <class T>
int heevd(bool vectors, bool upper, int n, T* a, Real<T>* w) {
  const char* const job = vectors ? "V" : "N";
  const char* const uplo = upper ? "U" : "L";
  // The largest sizes that the routine asks for, by its documentation.
  const std::size_t m = static_cast<std::size_t>(std::max(n, 1));
  std::vector<int> integers(3 + 5 * m);
  const int n_integers = static_cast<int>(integers.size());
  std::vector<T> work;
  int info = 0;
  if constexpr (kIsComplex<T>) {
    std::vector<Real<T>> reals(1 + 5 * m + 2 * m * m);
    const int n_reals = static_cast<int>(reals.size());
    with_work(work, [&](T* memory, int size) {
      if constexpr (std::is_same_v<T, Complex64>)
        cheevd_(job, uplo, &n, a, &n, w, memory, &size, reals.data(), &n_reals, integers.data(),
                &n_integers, &info);
      else
        zheevd_(job, uplo, &n, a, &n, w, memory, &size, reals.data(), &n_reals, integers.data(),
                &n_integers, &info);
    });
  } else {
    with_work(work, [&](T* memory, int size) {
      if constexpr (std::is_same_v<T, float>)
        ssyevd_(job, uplo, &n, a, &n, w, memory, &size, integers.data(), &n_integers, &info);
      else
        dsyevd_(job, uplo, &n, a, &n, w, memory, &size, integers.data(), &n_integers, &info);
    });
  }
  return info;
}

/// The Householder vectors of an (m, n) matrix take its place, R above them.
template <class T>
int geqrf(int m, int n, T* a, T* tau) {
  std::vector<T> work;
  int info = 0;
  with_work(work, [&](T* memory, int size) {
    THUNKVM_BY_TYPE(T, sgeqrf_, dgeqrf_, cgeqrf_, zgeqrf_, &m, &n, a, &m, tau, memory, &size,
                    &info);
  });
  return info;
}

/// The first n columns of Q from the k Householder vectors of `geqrf`, in their place.
template <class T>
int orgqr(int m, int n, int k, T* a, const T* tau) {
  std::vector<T> work;
  int info = 0;
  with_work(work, [&](T* memory, int size) {
    THUNKVM_BY_TYPE(T, sorgqr_, dorgqr_, cungqr_, zungqr_, &m, &n, &k, a, &m, tau, memory, &size,
                    &info);
  });
  return info;
}

/// The eigenvalues of an (n, n) matrix, which it overwrites, and its right eigenvectors as columns.
template <class T, class C = std::complex<Real<T>>>
int geev(int n, T* a, C* w, C* v) {
  int info = 0;
  const int none = 1;
  std::vector<T> work;
  const std::size_t m = static_cast<std::size_t>(n);
  if constexpr (kIsComplex<T>) {
    std::vector<Real<T>> reals(2 * m);
    with_work(work, [&](T* memory, int size) {
      if constexpr (std::is_same_v<T, Complex64>)
        cgeev_("N", "V", &n, a, &n, w, nullptr, &none, v, &n, memory, &size, reals.data(), &info);
      else
        zgeev_("N", "V", &n, a, &n, w, nullptr, &none, v, &n, memory, &size, reals.data(), &info);
    });
    return info;
  } else {
    std::vector<T> real(m), imag(m), pairs(m * m);
    with_work(work, [&](T* memory, int size) {
      if constexpr (std::is_same_v<T, float>)
        sgeev_("N", "V", &n, a, &n, real.data(), imag.data(), nullptr, &none, pairs.data(), &n,
               memory, &size, &info);
      else
        dgeev_("N", "V", &n, a, &n, real.data(), imag.data(), nullptr, &none, pairs.data(), &n,
               memory, &size, &info);
    });
    // Of a pair of conjugates there is the real part of the vector, then its imaginary part.
    for (std::size_t j = 0; j < m; ++j) {
      w[j] = C(real[j], imag[j]);
      const bool first = imag[j] != 0 && j + 1 < m;
      for (std::size_t i = 0; i < m; ++i)
        v[j * m + i] = first ? C(pairs[j * m + i], pairs[(j + 1) * m + i]) : C(pairs[j * m + i]);
      if (!first) continue;
      w[j + 1] = C(real[j + 1], imag[j + 1]);
      for (std::size_t i = 0; i < m; ++i) v[(j + 1) * m + i] = std::conj(v[j * m + i]);
      ++j;
    }
    return info;
  }
}

/// The singular values s of an (m, n) matrix, which it overwrites, the largest first, and u and vh
/// with a = u diag(s) vh: min(m, n) columns of u and rows of vh, or all of them, or none.
template <class T>
int gesdd(char job, int m, int n, T* a, Real<T>* s, T* u, T* vh, int rows_vh) {
  int info = 0;
  const int ld_u = std::max(m, 1), ld_vh = std::max(rows_vh, 1);
  const std::size_t small = static_cast<std::size_t>(std::min(m, n));
  const std::size_t large = static_cast<std::size_t>(std::max(m, n));
  std::vector<int> integers(std::max<std::size_t>(8 * small, 1));
  std::vector<T> work;
  if constexpr (kIsComplex<T>) {
    std::vector<Real<T>> reals(
        std::max<std::size_t>(1, small * std::max(5 * small + 7, 2 * large + 2 * small + 1)));
    with_work(work, [&](T* memory, int size) {
      if constexpr (std::is_same_v<T, Complex64>)
        cgesdd_(&job, &m, &n, a, &ld_u, s, u, &ld_u, vh, &ld_vh, memory, &size, reals.data(),
                integers.data(), &info);
      else
        zgesdd_(&job, &m, &n, a, &ld_u, s, u, &ld_u, vh, &ld_vh, memory, &size, reals.data(),
                integers.data(), &info);
    });
  } else {
    with_work(work, [&](T* memory, int size) {
      if constexpr (std::is_same_v<T, float>)
        sgesdd_(&job, &m, &n, a, &ld_u, s, u, &ld_u, vh, &ld_vh, memory, &size, integers.data(),
                &info);
      else
        dgesdd_(&job, &m, &n, a, &ld_u, s, u, &ld_u, vh, &ld_vh, memory, &size, integers.data(),
                &info);
    });
  }
  return info;
}

}  // namespace thunkvm::lapack
