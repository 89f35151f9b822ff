// of_doubles.h: functors of functions that compute in double, and Boost.Math without exceptions.
#pragma once

#include <boost/math/policies/policy.hpp>

namespace thunkvm {

/// A functor of a C++ function of doubles; floats are rounded once.
template <auto kFunction>
struct OfDoubles {
  template <class... T>
  auto operator()(T... x) const {
    using Result = std::common_type_t<T...>;
    return static_cast<Result>(kFunction(static_cast<double>(x)...));
  }
};

/// Outside of a function's domain there is NaN, at a pole and beyond the largest number infinity.
using Quiet = boost::math::policies::policy<
    boost::math::policies::domain_error<boost::math::policies::ignore_error>,
    boost::math::policies::pole_error<boost::math::policies::ignore_error>,
    boost::math::policies::overflow_error<boost::math::policies::ignore_error>,
    boost::math::policies::underflow_error<boost::math::policies::ignore_error>,
    boost::math::policies::denorm_error<boost::math::policies::ignore_error>,
    boost::math::policies::evaluation_error<boost::math::policies::ignore_error>,
    boost::math::policies::rounding_error<boost::math::policies::ignore_error>,
    boost::math::policies::indeterminate_result_error<boost::math::policies::ignore_error>,
    boost::math::policies::promote_float<false>, boost::math::policies::promote_double<false>>;

}  // namespace thunkvm
