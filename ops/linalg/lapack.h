// lapack.h: the routines of BLAS and LAPACK that the linear algebra calls, by one name for all four
// dtypes. Matrices are in C order for the products and triangular solves, in Fortran order for the
// factorisations.
#pragma once

#include "thunks/dtype.h"

#include <cblas.h>

#include <complex>
#include <type_traits>
#include <vector>

extern "C" {
void sgetrf_(const int* m, const int* n, float* a, const int* lda, int* pivots, int* info);
void dgetrf_(const int* m, const int* n, double* a, const int* lda, int* pivots, int* info);
void cgetrf_(const int* m, const int* n, void* a, const int* lda, int* pivots, int* info);
void zgetrf_(const int* m, const int* n, void* a, const int* lda, int* pivots, int* info);
void sgetrs_(const char* trans, const int* n, const int* nrhs, const float* a, const int* lda,
             const int* pivots, float* b, const int* ldb, int* info);
void dgetrs_(const char* trans, const int* n, const int* nrhs, const double* a, const int* lda,
             const int* pivots, double* b, const int* ldb, int* info);
void cgetrs_(const char* trans, const int* n, const int* nrhs, const void* a, const int* lda,
             const int* pivots, void* b, const int* ldb, int* info);
void zgetrs_(const char* trans, const int* n, const int* nrhs, const void* a, const int* lda,
             const int* pivots, void* b, const int* ldb, int* info);
void spotrf_(const char* uplo, const int* n, float* a, const int* lda, int* info);
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void cpotrf_(const char* uplo, const int* n, void* a, const int* lda, int* info);
void zpotrf_(const char* uplo, const int* n, void* a, const int* lda, int* info);
void spotri_(const char* uplo, const int* n, float* a, const int* lda, int* info);
void dpotri_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void cpotri_(const char* uplo, const int* n, void* a, const int* lda, int* info);
void zpotri_(const char* uplo, const int* n, void* a, const int* lda, int* info);
void sgesdd_(const char* job, const int* m, const int* n, float* a, const int* lda, float* s,
             float* u, const int* ldu, float* vt, const int* ldvt, float* work, const int* lwork,
             int* iwork, int* info);
void dgesdd_(const char* job, const int* m, const int* n, double* a, const int* lda, double* s,
             double* u, const int* ldu, double* vt, const int* ldvt, double* work, const int* lwork,
             int* iwork, int* info);
void cgesdd_(const char* job, const int* m, const int* n, void* a, const int* lda, float* s,
             void* u, const int* ldu, void* vt, const int* ldvt, void* work, const int* lwork,
             float* rwork, int* iwork, int* info);
void zgesdd_(const char* job, const int* m, const int* n, void* a, const int* lda, double* s,
             void* u, const int* ldu, void* vt, const int* ldvt, void* work, const int* lwork,
             double* rwork, int* iwork, int* info);
}

namespace thunkvm::lapack {

/// The dtypes that BLAS and LAPACK know.
template <class T>
inline constexpr bool kKnows = std::is_same_v<T, float> || std::is_same_v<T, double> ||
                               std::is_same_v<T, Complex64> || std::is_same_v<T, Complex128>;

/// c = a b, with a (m, k) and b (k, n), each transposed in memory if it says so.
template <class T>
void gemm(bool a_transposed, bool b_transposed, int m, int n, int k, const T* a, int lda,
          const T* b, int ldb, T* c, int ldc) {
  const CBLAS_TRANSPOSE ta = a_transposed ? CblasTrans : CblasNoTrans;
  const CBLAS_TRANSPOSE tb = b_transposed ? CblasTrans : CblasNoTrans;
  const T one(1), zero(0);
  if constexpr (std::is_same_v<T, float>)
    cblas_sgemm(CblasRowMajor, ta, tb, m, n, k, one, a, lda, b, ldb, zero, c, ldc);
  else if constexpr (std::is_same_v<T, double>)
    cblas_dgemm(CblasRowMajor, ta, tb, m, n, k, one, a, lda, b, ldb, zero, c, ldc);
  else if constexpr (std::is_same_v<T, Complex64>)
    cblas_cgemm(CblasRowMajor, ta, tb, m, n, k, &one, a, lda, b, ldb, &zero, c, ldc);
  else
    cblas_zgemm(CblasRowMajor, ta, tb, m, n, k, &one, a, lda, b, ldb, &zero, c, ldc);
}

/// y = a x, with a (m, n), transposed in memory if it says so.
template <class T>
void gemv(bool transposed, int m, int n, const T* a, int lda, const T* x, int step_x, T* y,
          int step_y) {
  // BLAS counts the rows and columns in memory.
  const CBLAS_TRANSPOSE t = transposed ? CblasTrans : CblasNoTrans;
  const int rows = transposed ? n : m, columns = transposed ? m : n;
  const T one(1), zero(0);
  if constexpr (std::is_same_v<T, float>)
    cblas_sgemv(CblasRowMajor, t, rows, columns, one, a, lda, x, step_x, zero, y, step_y);
  else if constexpr (std::is_same_v<T, double>)
    cblas_dgemv(CblasRowMajor, t, rows, columns, one, a, lda, x, step_x, zero, y, step_y);
  else if constexpr (std::is_same_v<T, Complex64>)
    cblas_cgemv(CblasRowMajor, t, rows, columns, &one, a, lda, x, step_x, &zero, y, step_y);
  else
    cblas_zgemv(CblasRowMajor, t, rows, columns, &one, a, lda, x, step_x, &zero, y, step_y);
}

/// b = a^-1 b, with a triangular (n, n) and b (n, k), both in C order.
template <class T>
void trsm(bool lower, bool transposed, bool unit_diagonal, int n, int k, const T* a, T* b) {
  const CBLAS_UPLO uplo = lower ? CblasLower : CblasUpper;
  const CBLAS_TRANSPOSE t = transposed ? CblasTrans : CblasNoTrans;
  const CBLAS_DIAG diagonal = unit_diagonal ? CblasUnit : CblasNonUnit;
  const T one(1);
  if constexpr (std::is_same_v<T, float>)
    cblas_strsm(CblasRowMajor, CblasLeft, uplo, t, diagonal, n, k, one, a, n, b, k);
  else if constexpr (std::is_same_v<T, double>)
    cblas_dtrsm(CblasRowMajor, CblasLeft, uplo, t, diagonal, n, k, one, a, n, b, k);
  else if constexpr (std::is_same_v<T, Complex64>)
    cblas_ctrsm(CblasRowMajor, CblasLeft, uplo, t, diagonal, n, k, &one, a, n, b, k);
  else
    cblas_ztrsm(CblasRowMajor, CblasLeft, uplo, t, diagonal, n, k, &one, a, n, b, k);
}

/// The LU factors of a Fortran-order (m, n) matrix, in place. Returns k > 0 if U[k-1, k-1] is
/// exactly zero.
template <class T>
int getrf(int m, int n, T* a, int* pivots) {
  int info = 0;
  if constexpr (std::is_same_v<T, float>)
    sgetrf_(&m, &n, a, &m, pivots, &info);
  else if constexpr (std::is_same_v<T, double>)
    dgetrf_(&m, &n, a, &m, pivots, &info);
  else if constexpr (std::is_same_v<T, Complex64>)
    cgetrf_(&m, &n, a, &m, pivots, &info);
  else
    zgetrf_(&m, &n, a, &m, pivots, &info);
  return info;
}

/// b = a^-1 b, with the factors of `getrf` and a Fortran-order b (n, k).
template <class T>
void getrs(int n, int k, const T* factors, const int* pivots, T* b) {
  int info = 0;
  if constexpr (std::is_same_v<T, float>)
    sgetrs_("N", &n, &k, factors, &n, pivots, b, &n, &info);
  else if constexpr (std::is_same_v<T, double>)
    dgetrs_("N", &n, &k, factors, &n, pivots, b, &n, &info);
  else if constexpr (std::is_same_v<T, Complex64>)
    cgetrs_("N", &n, &k, factors, &n, pivots, b, &n, &info);
  else
    zgetrs_("N", &n, &k, factors, &n, pivots, b, &n, &info);
}

/// The Cholesky factor of a Fortran-order (n, n) matrix, in place, in the triangle that is read.
/// Returns k > 0 if the leading minor of order k is not positive.
template <class T>
int potrf(bool upper, int n, T* a) {
  const char* uplo = upper ? "U" : "L";
  int info = 0;
  if constexpr (std::is_same_v<T, float>)
    spotrf_(uplo, &n, a, &n, &info);
  else if constexpr (std::is_same_v<T, double>)
    dpotrf_(uplo, &n, a, &n, &info);
  else if constexpr (std::is_same_v<T, Complex64>)
    cpotrf_(uplo, &n, a, &n, &info);
  else
    zpotrf_(uplo, &n, a, &n, &info);
  return info;
}

/// The inverse of a positive definite matrix, in place of its factor by `potrf`, in the same
/// triangle. Returns k > 0 if the k-th element of the factor's diagonal is zero.
template <class T>
int potri(bool upper, int n, T* factor) {
  const char* uplo = upper ? "U" : "L";
  int info = 0;
  if constexpr (std::is_same_v<T, float>)
    spotri_(uplo, &n, factor, &n, &info);
  else if constexpr (std::is_same_v<T, double>)
    dpotri_(uplo, &n, factor, &n, &info);
  else if constexpr (std::is_same_v<T, Complex64>)
    cpotri_(uplo, &n, factor, &n, &info);
  else
    zpotri_(uplo, &n, factor, &n, &info);
  return info;
}

/// The type of the singular values of matrices of a type.
template <class T>
using Real =
    std::conditional_t<std::is_same_v<T, float> || std::is_same_v<T, Complex64>, float, double>;

}  // namespace thunkvm::lapack
