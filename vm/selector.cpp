#include "vm/selector.h"

#include "thunks/error.h"

#include <cmath>
#include <cstring>
#include <string>
#include <type_traits>

namespace thunkvm {

namespace {

std::string what_it_is(const Cell& selector) {
  if (selector.empty()) return "there is no value";
  if (selector.is_object()) return "it is an opaque object";
  return "it is an array of shape " + format_shape(selector.array().shape());
}

/// The address of the selector's only element.
const void* element(const Cell& selector, const char* role) {
  bool one = selector.is_scalar();
  if (selector.is_array()) {
    one = true;
    for (int axis = 0; axis < selector.body()->ndim; ++axis)
      one &= selector.body()->dims[axis] == 1;
  }
  if (!one)
    throw Error(ErrorKind::Value, std::string(role) + " has to be one number, but " +
                                      what_it_is(selector) +
                                      ": reduce it to one element first, or choose "
                                      "elementwise with tv.where");
  return selector.address();
}

template <class T>
bool truth(T value) {
  if constexpr (std::is_same_v<T, Half>) {
    return truth(static_cast<float>(value));
  } else if constexpr (std::is_same_v<T, Complex64> || std::is_same_v<T, Complex128>) {
    const bool real = truth(value.real());
    return truth(value.imag()) || real;
  } else {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(value))
        throw Error(ErrorKind::Value,
                    "the condition is NaN, which is neither true nor false: compare explicitly, or "
                    "test with isnan");
    }
    return value != T{};
  }
}

/// The arm for an index; n for one that is out of range.
template <class T>
std::uint32_t arm_of(T value, std::uint32_t n, std::string& text) {
  if constexpr (std::is_same_v<T, Half>) {
    return arm_of(static_cast<float>(value), n, text);
  } else if constexpr (std::is_same_v<T, Complex64> || std::is_same_v<T, Complex128>) {
    throw Error(ErrorKind::Value,
                "the selector is a complex number, which is no index: use an integer");
  } else if constexpr (std::is_floating_point_v<T>) {
    if (!(std::trunc(value) == value))
      throw Error(ErrorKind::Value, "the selector is " + std::to_string(value) +
                                        ", which is no whole number: cast it to an integer");
    text = std::to_string(value);
    return value >= 0 && value < static_cast<T>(n) ? static_cast<std::uint32_t>(value) : n;
  } else {
    text = std::to_string(value);
    const auto index = static_cast<std::uint64_t>(value);  // of a negative one: out of any range
    return index < n ? static_cast<std::uint32_t>(index) : n;
  }
}

template <class T>
T load(const void* address) {
  T value;
  std::memcpy(&value, address, sizeof(T));
  return value;
}

}  // namespace

std::uint32_t decode_selector(const Cell& selector, Decoding decoding, std::uint32_t n_arms) {
  // What a switch is most often made with; it is not worth a look at all the dtypes.
  if (selector.is_scalar() && selector.dtype() == DType::Int64 && decoding != Decoding::Truth) {
    const auto index = static_cast<std::uint64_t>(selector.get<std::int64_t>());
    if (index < n_arms) return static_cast<std::uint32_t>(index);
  }
  if (decoding == Decoding::Truth) {
    const void* address = element(selector, "a condition");
    return visit_dtype(selector.dtype(), "a condition", [&](auto type) -> std::uint32_t {
      return truth(load<typename decltype(type)::type>(address)) ? 1 : 0;
    });
  }

  const void* address = element(selector, "a selector");
  // The last arm of IndexOrDefault has no index of its own: n - 1 falls to it with all that is out
  // of range.
  const std::uint32_t n = decoding == Decoding::IndexOrDefault ? n_arms - 1 : n_arms;
  std::string text;
  const std::uint32_t arm =
      visit_dtype(selector.dtype(), "a selector", [&](auto type) -> std::uint32_t {
        return arm_of(load<typename decltype(type)::type>(address), n, text);
      });
  if (arm == n && decoding == Decoding::Index)
    throw Error(ErrorKind::Index, "the selector is " + text + ", but there are " +
                                      std::to_string(n) + " arms: it has to be from 0 to " +
                                      std::to_string(n - 1) + ", or the switch needs a default");
  return arm;
}

}  // namespace thunkvm
