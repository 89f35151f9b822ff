// elementwise_loop.h: from a functor on single elements to the native code of an elementwise Op for
// one dtype.
//
// A functor is a stateless struct whose call operator takes one element of each input and returns
// the output's. The scalar kernel and the array loop call the same one, so a number and an array of
// it give the same bits. What a functor says of itself:
//   kCheap      a few instructions: its loops get copies that the compiler vectorises
//   kCanFail    it throws Error for some values
// It never sees a float16: it gets a float32, and its float32 result is rounded once.
#pragma once

#include "thunks/dtype.h"
#include "thunks/thunk.h"

#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace thunkvm {

inline constexpr int kMaxElementwiseInputs = 3;

/// Runs over `n` elements: the addresses of the inputs and the output, in this order, and their
/// strides in bytes.
using ElementLoop = void (*)(char* const* pointers, const std::int64_t* strides, std::int64_t n);

/// The native code of an elementwise Op for one choice of dtypes.
struct ElementCode {
  const char* op = nullptr;  ///< the Op's name, for messages
  EagerFn scalar = nullptr;  ///< where all inputs are 0-d
  ElementLoop loop = nullptr;
  std::array<DType, kMaxElementwiseInputs> inputs{};
  DType output = DType::Object;
  std::int64_t cost = 1;  ///< of an element, in units of an addition
};

template <class F>
concept CheapFunctor = requires { requires F::kCheap; };
template <class F>
concept FailingFunctor = requires { requires F::kCanFail; };

template <class T>
auto widened(T value) {
  if constexpr (std::is_same_v<T, Half>) {
    return static_cast<float>(value);
  } else {
    return value;
  }
}

/// One element. float16 is computed as float32 and rounded once.
template <class F, class... In>
inline auto compute_element(In... in) {
  if constexpr ((std::is_same_v<In, Half> || ...)) {
    const auto result = F{}(widened(in)...);
    if constexpr (std::is_same_v<decltype(result), const float>) {
      return Half(result);
    } else {
      return result;
    }
  } else {
    return F{}(in...);
  }
}

template <class F, class... In>
using ElementResult = decltype(compute_element<F>(std::declval<In>()...));

/// The kernel for 0-d inputs: straight from cell to cell.
template <class F, class... In>
struct ScalarKernel {
  using Out = ElementResult<F, In...>;

  static void compute(Activation& activation, const Operands& operands) {
    [&]<int... I>(std::integer_sequence<int, I...>) {
      const Out result = compute_element<F>(activation.input(operands, I).template get<In>()...);
      activation.cells[operands.registers[sizeof...(In)]].set(result);
    }(std::make_integer_sequence<int, static_cast<int>(sizeof...(In))>{});
  }
  static Status run(Activation& activation, const Operands& operands) {
    compute(activation, operands);
    return Status::Done;
  }
  /// What does not fit a cell is allocated, which may fail.
  static constexpr EagerFn function() {
    if constexpr (FailingFunctor<F> || !fits_cell<Out>) {
      return &guarded<&compute>;
    } else {
      return &run;
    }
  }
};

/// The loop over arrays. The output may be the very memory of an input of the same shape, element
/// for element, so iterations are independent of each other even there: hence `ivdep`.
template <class F, class... In>
struct ArrayLoop {
  using Out = ElementResult<F, In...>;
  static constexpr std::size_t kInputs = sizeof...(In);

  static void contiguous(std::int64_t n, Out* out, const In*... in) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < n; ++i) out[i] = compute_element<F>(in[i]...);
  }
  template <class A, class B>
  static void first_is_constant(std::int64_t n, Out* out, A a, const B* b) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < n; ++i) out[i] = compute_element<F>(a, b[i]);
  }
  template <class A, class B>
  static void second_is_constant(std::int64_t n, Out* out, const A* a, B b) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < n; ++i) out[i] = compute_element<F>(a[i], b);
  }
  template <class A, class B>
  static bool with_constant(char* const* pointers, const std::int64_t* strides, std::int64_t n) {
    Out* out = reinterpret_cast<Out*>(pointers[2]);
    const A* a = reinterpret_cast<const A*>(pointers[0]);
    const B* b = reinterpret_cast<const B*>(pointers[1]);
    if (strides[0] == 0 && strides[1] == sizeof(B)) {
      first_is_constant<A, B>(n, out, *a, b);
      return true;
    }
    if (strides[0] == sizeof(A) && strides[1] == 0) {
      second_is_constant<A, B>(n, out, a, *b);
      return true;
    }
    return false;
  }

  static void run(char* const* pointers, const std::int64_t* strides, std::int64_t n) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      if constexpr (CheapFunctor<F>) {
        if (strides[kInputs] == sizeof(Out)) {
          if (((strides[I] == sizeof(In)) && ...)) {
            contiguous(n, reinterpret_cast<Out*>(pointers[kInputs]),
                       reinterpret_cast<const In*>(pointers[I])...);
            return;
          }
          if constexpr (kInputs == 2) {
            if (with_constant<In...>(pointers, strides, n)) return;
          }
        }
      }
      for (std::int64_t i = 0; i < n; ++i) {
        *reinterpret_cast<Out*>(pointers[kInputs] + i * strides[kInputs]) =
            compute_element<F>(*reinterpret_cast<const In*>(pointers[I] + i * strides[I])...);
      }
    }(std::make_index_sequence<kInputs>{});
  }
};

/// The code of a functor for inputs of these C++ types.
template <class F, class... In>
ElementCode element_code(const char* op) {
  static_assert(sizeof...(In) <= kMaxElementwiseInputs);
  return {.op = op,
          .scalar = ScalarKernel<F, In...>::function(),
          .loop = &ArrayLoop<F, In...>::run,
          .inputs = {dtype_of<In>...},
          .output = dtype_of<ElementResult<F, In...>>,
          .cost = CheapFunctor<F> ? 1 : 8};
}

/// The kernel over arrays, and numbers among them, with NumPy's broadcasting: an EagerFn whose
/// state is the ElementCode. The memory of a dying input becomes the output's where it fits.
Status run_element_code(Activation& activation, const Operands& operands);

}  // namespace thunkvm
