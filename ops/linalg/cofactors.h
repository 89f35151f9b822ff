// cofactors.h: determinants, cofactors and their derivatives of one matrix at a time, singular ones
// too.
//
// With a = u diag(s) v* the cofactors are det(u v*) conj(u) diag(p) v^T, where p[i] is the product
// of all s but s[i] (G. W. Stewart, On the adjugate matrix, Linear Algebra and its Applications
// 283, 1998); their change along b is found in the same bases. If the LU factors are far from
// singular the inverse is as accurate, and several times faster.
#pragma once

#include "ops/linalg/lapack_factors.h"
#include "ops/linalg/lu_factors.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

namespace thunkvm {

/// The cofactors of an (n, n) matrix after another.
template <class T>
class Cofactors {
 public:
  using Real = lapack::Real<T>;
  using Product = ScaledProduct<T>;

  explicit Cofactors(int n)
      : n_(n),
        size_(static_cast<std::size_t>(n)),
        lu_(n),
        matrix_(size_ * size_),
        inverse_(size_ * size_),
        middle_(size_ * size_),
        between_(size_ * size_),
        u_(size_ * size_),
        v_(size_ * size_),
        s_(size_),
        rows_(size_),
        columns_(size_) {}

  /// Reads a matrix in C order.
  void read(const T* matrix) {
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t j = 0; j < size_; ++j) matrix_[j * size_ + i] = matrix[i * size_ + j];
    equilibrate();
    lu_.factors = matrix_;
    lu_.factor();
    // The cofactor of a single number is 1.
    by_inverse_ = n_ > 1 && lu_.far_from_singular() && invert();
    if (!by_inverse_) decompose();
  }

  /// The cofactors, in C order.
  void write(T* out) {
    if (by_inverse_) {
      const Product scale = lu_.determinant();
      // The inverse in Fortran order is its transpose in C order.
      for (std::size_t i = 0; i < inverse_.size(); ++i)
        out[i] = rescaled(inverse_[i] * scale.mantissa, scale.exponent, i);
      return;
    }
    const std::vector<Product> products = products_without(true);
    const std::int64_t exponent = common_exponent(products);
    for (std::size_t i = 0; i < middle_.size(); ++i) middle_[i] = number(products[i], exponent);
    leave_bases(exponent, out);
  }

  /// How they change along a matrix in C order, which it overwrites, in C order.
  void write_change(T* change, T* out) {
    if (n_ == 0) return;
    for (std::size_t i = 0; i < middle_.size(); ++i)
      change[i] = Product::times_power(change[i], -rows_[i / size_] - columns_[i % size_]);
    if (by_inverse_) return write_change_by_inverse(change, out);
    // The change in the bases of the singular vectors: u* change v.
    multiply(false, false, u_, change, between_);
    multiply(false, false, between_, v_.data(), middle_);
    const std::vector<Product> products = products_without(false);
    const std::int64_t exponent = common_exponent(products);
    for (std::size_t i = 0; i < size_; ++i) {
      T sum(0);
      for (std::size_t j = 0; j < size_; ++j) {
        const T product = number(products[i * size_ + j], exponent);
        sum += product * middle_[j * size_ + j];
        between_[i * size_ + j] = -product * middle_[j * size_ + i];
      }
      between_[i * size_ + i] = sum;
    }
    middle_ = between_;
    leave_bases(exponent, out);
  }

 private:
  static T conj(T x) {
    if constexpr (std::is_floating_point_v<T>)
      return x;
    else
      return std::conj(x);
  }

  /// Products of matrices in C order.
  void multiply(bool a_transposed, bool b_transposed, const std::vector<T>& a, const T* b,
                std::vector<T>& out) const {
    lapack::gemm(a_transposed, b_transposed, n_, n_, n_, a.data(), n_, b, n_, out.data(), n_);
  }

  /// Brings every row and column of the matrix near 1 by powers of two, which cofactors take on
  /// exactly: large rows would drown small singular values.
  void equilibrate() {
    const auto exponent_of = [&](std::size_t first, std::size_t step) {
      Real most = 0;
      for (std::size_t k = 0; k < size_; ++k)
        most = std::max(most, std::abs(matrix_[first + k * step]));
      return most > 0 && std::isfinite(most) ? std::ilogb(most) : 0;
    };
    for (std::size_t i = 0; i < size_; ++i) {
      rows_[i] = exponent_of(i, size_);
      for (std::size_t j = 0; j < size_; ++j)
        matrix_[j * size_ + i] = Product::times_power(matrix_[j * size_ + i], -rows_[i]);
    }
    for (std::size_t j = 0; j < size_; ++j) {
      columns_[j] = exponent_of(j * size_, 1);
      for (std::size_t i = 0; i < size_; ++i)
        matrix_[j * size_ + i] = Product::times_power(matrix_[j * size_ + i], -columns_[j]);
    }
    power_ = std::accumulate(rows_.begin(), rows_.end(), std::int64_t{0}) +
             std::accumulate(columns_.begin(), columns_.end(), std::int64_t{0});
  }

  /// Element `i` of the result, of the matrix as it was given.
  T rescaled(T x, std::int64_t exponent, std::size_t i) const {
    return Product::times_power(x, exponent + power_ - rows_[i / size_] - columns_[i % size_]);
  }

  bool invert() {
    lu_.invert(inverse_.data());
    return std::all_of(inverse_.begin(), inverse_.end(),
                       [](T x) { return std::isfinite(std::abs(x)); });
  }

  /// u* and v in C order, s, and the determinant of u v*: NaN for a matrix with a NaN or an
  /// infinity.
  void decompose() {
    const bool finite =
        std::all_of(matrix_.begin(), matrix_.end(), [](T x) { return std::isfinite(std::abs(x)); });
    turn_ = T(1);
    if (n_ == 0) return;
    if (!finite ||
        lapack::gesdd('A', n_, n_, matrix_.data(), s_.data(), u_.data(), v_.data(), n_) != 0) {
      turn_ = T(std::numeric_limits<Real>::quiet_NaN());
      std::fill(s_.begin(), s_.end(), Real(0));
      return;
    }
    turn_ = unit_determinant(u_) * unit_determinant(v_);
    for (T& x : u_) x = conj(x);
    for (T& x : v_) x = conj(x);
  }

  /// The determinant of a unitary matrix in Fortran order.
  T unit_determinant(const std::vector<T>& matrix) {
    lu_.factors = matrix;
    lu_.factor();
    const T found = lu_.determinant().value();
    return found / std::abs(found);
  }

  /// For each pair of singular values the product of all others: of a value with itself those of
  /// the diagonal, or else those beside it; the rest is 0.
  std::vector<Product> products_without(bool diagonal) const {
    std::vector<Product> before(size_ + 1), after(size_ + 1);
    for (std::size_t i = 0; i < size_; ++i) {
      before[i + 1] = before[i];
      before[i + 1] *= T(s_[i]);
      after[i + 1] = after[i];
      after[i + 1] *= T(s_[size_ - 1 - i]);
    }
    std::vector<Product> products(size_ * size_, Product{T(0), 0});
    for (std::size_t i = 0; i < size_; ++i) {
      Product left = before[i];
      for (std::size_t j = i; j < (diagonal ? i + 1 : size_); ++j) {
        Product product = left;
        product *= after[size_ - 1 - j];
        if (diagonal || i != j) products[i * size_ + j] = products[j * size_ + i] = product;
        if (i != j) left *= T(s_[j]);
      }
    }
    return products;
  }

  static std::int64_t common_exponent(const std::vector<Product>& products) {
    std::int64_t exponent = std::numeric_limits<std::int64_t>::min();
    for (const Product& product : products)
      if (product.mantissa != T(0)) exponent = std::max(exponent, product.exponent);
    return exponent == std::numeric_limits<std::int64_t>::min() ? 0 : exponent;
  }
  static T number(const Product& product, std::int64_t exponent) {
    return Product::times_power(product.mantissa, product.exponent - exponent);
  }

  /// out = det(u v*) conj(u) middle v^T 2**exponent.
  void leave_bases(std::int64_t exponent, T* out) {
    if (n_ == 0) return;
    multiply(true, false, u_, middle_.data(), between_);
    multiply(false, true, between_, v_.data(), middle_);
    for (std::size_t i = 0; i < middle_.size(); ++i)
      out[i] = rescaled(turn_ * middle_[i], exponent, i);
  }

  /// det(a) (trace(a^-1 change) a^-1 - a^-1 change a^-1), transposed.
  void write_change_by_inverse(const T* change, T* out) {
    const Product scale = lu_.determinant();
    // `inverse_` read in C order is transposed: all below is.
    lapack::gemm(true, false, n_, n_, n_, change, n_, inverse_.data(), n_, between_.data(), n_);
    multiply(false, false, inverse_, between_.data(), middle_);
    T trace(0);
    for (std::size_t i = 0; i < size_; ++i) trace += between_[i * size_ + i];
    for (std::size_t i = 0; i < middle_.size(); ++i)
      out[i] = rescaled((trace * inverse_[i] - middle_[i]) * scale.mantissa, scale.exponent, i);
  }

  int n_;
  std::size_t size_;
  LuFactors<T> lu_;
  std::vector<T> matrix_, inverse_, middle_, between_, u_, v_;
  std::vector<Real> s_;
  std::vector<std::int64_t> rows_, columns_;  // powers of two that were taken out
  std::int64_t power_ = 0;
  T turn_ = T(1);
  bool by_inverse_ = false;
};

}  // namespace thunkvm
