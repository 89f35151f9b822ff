// of_doubles.h: functors of functions that compute in double, and Boost.Math without exceptions.
#pragma once

#include <boost/math/policies/error_handling.hpp>
#include <boost/math/policies/policy.hpp>

#include <limits>
#include <type_traits>

namespace thunkvm {

/// A functor of a C++ function of doubles; floats are rounded once. Where Boost.Math gives up,
/// which some of its parts say by an exception, there is NaN.
template <auto kFunction>
struct OfDoubles {
  template <class... T>
  auto operator()(T... x) const {
    using Result = std::common_type_t<T...>;
    try {
      return static_cast<Result>(kFunction(static_cast<double>(x)...));
    } catch (const boost::math::evaluation_error&) {
    } catch (const boost::math::rounding_error&) {
    }
    return std::numeric_limits<Result>::quiet_NaN();
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
