// element_functions.h: from a functor on single elements to the native code of an elementwise Op
// for one dtype.
//
// A functor is a stateless struct whose call operator takes one element of each input and returns
// the output's. A functor may have these members:
//   kCheap      a few instructions: its functions get copies that the compiler vectorises
//   kCanFail    it throws Error for some values
//   block       static, for floats: computes up to kElementBlock elements at once,
//               block(n, out, x) or block(n, out, x, y); out may be x or y itself
//   c<T>()      the same in C, for emitted code: a template (ops/graph/c_template.h), or null
//   c_function<T>()  a C function that c_number's template calls as {F}
//   c_number<T>()  likewise, but for 0-d numbers alone: arrays go through the array function here
//   c_constant  a ConstantCode: a template for where an input is that constant
//   c_mixed     a MixedCode: templates for an int64 and a uint64, of which C would make two uint64
// It never sees a float16: it gets a float32, and its float32 result is rounded once.
//
// An element of an array's result depends on the elements that it is made of alone, not on its
// index, the strides, the alignment or the length of the array. Arrays of floats go through `block`
// where there is one, a single element too, and numbers (0-d) through the call operator, which is
// faster for one: their results may differ in the last places. Without `block`, a number and an
// array of it give the same bits.
#pragma once

#include "ops/elementwise/limits.h"
#include "ops/kernels/nest.h"
#include "ops/kernels/vector_math.h"
#include "thunks/dtype.h"
#include "thunks/thunk.h"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace thunkvm {

/// C for numbers and for arrays if an input is known to be a certain number.
struct ConstantCode {
  int input;
  double value;
  const char* c;
};

/// C for numbers and for arrays of two inputs that differ in sign.
struct MixedCode {
  const char* signed_first;    ///< int64, uint64
  const char* unsigned_first;  ///< uint64, int64
};

/// The native code of an elementwise Op for one choice of dtypes.
struct ElementCode {
  const char* op = nullptr;  ///< the Op's name, for messages
  EagerFn scalar = nullptr;  ///< if all inputs are 0-d
  ElementFunction function = nullptr;
  std::array<DType, kMaxElementInputs> inputs{};
  DType output = DType::Object;
  std::int64_t cost = 1;  ///< of an element, in units of an addition
  bool can_fail = false;
  const char* c = nullptr;  ///< C for numbers and for arrays (ops/graph/c_template.h); may be null
  const char* c_number = nullptr;    ///< C for 0-d numbers; null: none
  const char* c_function = nullptr;  ///< the function that c_number calls as {F}, if it does
  const ConstantCode* c_constant = nullptr;
};

template <class F>
concept CheapFunctor = requires { requires F::kCheap; };
template <class F>
concept FailingFunctor = requires { requires F::kCanFail; };

/// A functor whose arrays of floats go through a vector function.
template <VectorFunction kFunction>
struct Vectorised {
  template <std::floating_point T>
  static void block(std::int64_t n, T* out, const T* x, const T* y = nullptr) {
    vector_kernel<T>(kFunction)(n, out, x, y);
  }
};

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

/// The type in which a functor sees a T.
template <class T>
using Widened = decltype(widened(std::declval<T>()));

template <class F, class... In>
concept BlockFunctor = requires(std::int64_t n, std::common_type_t<Widened<In>...>* out,
                                const Widened<In>*... in) { F::block(n, out, in...); };

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
  /// A value that does not fit a cell is allocated, which may fail.
  static constexpr EagerFn function() {
    if constexpr (FailingFunctor<F> || !fits_cell<Out>) {
      return &guarded<&compute>;
    } else {
      return &run;
    }
  }
};

/// The function over arrays. The output may be the very memory of an input of the same shape,
/// element for element, so iterations are independent of each other even there: hence `ivdep`.
template <class F, class... In>
struct ArrayFunction {
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

/// The function over arrays through the functor's `block`. What does not lie side by side in
/// memory, and float16, is copied into a block and out of it.
template <class F, class... In>
struct BlockFunction {
  using Out = ElementResult<F, In...>;
  using Value = std::common_type_t<Widened<In>...>;
  static constexpr std::size_t kInputs = sizeof...(In);

  template <class T>
  static const Value* gathered(const char* x, std::int64_t stride, std::int64_t n, Value* block) {
    if constexpr (std::is_same_v<T, Value>) {
      if (stride == sizeof(T)) return reinterpret_cast<const T*>(x);
    }
    for (std::int64_t i = 0; i < n; ++i)
      block[i] = widened(*reinterpret_cast<const T*>(x + i * stride));
    return block;
  }

  template <std::size_t... I>
  static void run_blocks(char* const* pointers, const std::int64_t* strides, std::int64_t n,
                         std::index_sequence<I...>) {
    Value blocks[kInputs + 1][kElementBlock];
    const std::int64_t out_stride = strides[kInputs];
    const bool dense = std::is_same_v<Out, Value> && out_stride == sizeof(Value);
    for (std::int64_t i = 0; i < n; i += kElementBlock) {
      const std::int64_t length = std::min(n - i, kElementBlock);
      char* const out = pointers[kInputs] + i * out_stride;
      Value* const results = dense ? reinterpret_cast<Value*>(out) : blocks[kInputs];
      F::block(length, results,
               gathered<In>(pointers[I] + i * strides[I], strides[I], length, blocks[I])...);
      if (dense) continue;
      for (std::int64_t k = 0; k < length; ++k)
        *reinterpret_cast<Out*>(out + k * out_stride) = static_cast<Out>(results[k]);
    }
  }
  static void run(char* const* pointers, const std::int64_t* strides, std::int64_t n) {
    run_blocks(pointers, strides, n, std::make_index_sequence<kInputs>{});
  }
};

/// The array function of a functor, and the cost of one of its elements in units of an addition.
template <class F, class... In>
constexpr std::pair<ElementFunction, std::int64_t> element_function() {
  if constexpr (BlockFunctor<F, In...>) {
    return {&BlockFunction<F, In...>::run, kBlockElementCost};
  } else {
    return {&ArrayFunction<F, In...>::run, CheapFunctor<F> ? 1 : kUnknownElementCost};
  }
}

template <class T>
inline constexpr bool has_c_type = std::is_arithmetic_v<T>;

/// The C of a functor, by the type of its last input; null if one of the types has none in C.
template <class F, class... In>
constexpr const char* c_of_arrays() {
  using T = std::tuple_element_t<sizeof...(In) - 1, std::tuple<In...>>;
  if constexpr (requires { F::c_mixed; } &&
                std::is_same_v<std::tuple<In...>, std::tuple<std::int64_t, std::uint64_t>>) {
    return F::c_mixed.signed_first;
  } else if constexpr (requires { F::c_mixed; } &&
                       std::is_same_v<std::tuple<In...>, std::tuple<std::uint64_t, std::int64_t>>) {
    return F::c_mixed.unsigned_first;
  } else if constexpr ((has_c_type<In> && ...) && requires { F::template c<T>(); }) {
    return F::template c<T>();
  } else {
    return nullptr;
  }
}
template <class F, class... In>
constexpr const char* c_of_numbers() {
  using T = std::tuple_element_t<sizeof...(In) - 1, std::tuple<In...>>;
  if constexpr ((has_c_type<In> && ...) && requires { F::template c_number<T>(); }) {
    return F::template c_number<T>();
  } else {
    return c_of_arrays<F, In...>();
  }
}

template <class F, class... In>
constexpr const char* c_function_of() {
  using T = std::tuple_element_t<sizeof...(In) - 1, std::tuple<In...>>;
  if constexpr ((has_c_type<In> && ...) && requires { F::template c_function<T>(); }) {
    return F::template c_function<T>();
  } else {
    return nullptr;
  }
}

template <class F, class... In>
constexpr const ConstantCode* c_constant_of() {
  if constexpr ((has_c_type<In> && ...) && requires { F::c_constant; }) {
    return &F::c_constant;
  } else {
    return nullptr;
  }
}

/// The code of a functor for inputs of these C++ types.
template <class F, class... In>
ElementCode element_code(const char* op) {
  static_assert(sizeof...(In) <= kMaxElementwiseInputs);
  return {.op = op,
          .scalar = ScalarKernel<F, In...>::function(),
          .function = element_function<F, In...>().first,
          .inputs = {dtype_of<In>...},
          .output = dtype_of<ElementResult<F, In...>>,
          .cost = element_function<F, In...>().second,
          .can_fail = FailingFunctor<F>,
          .c = c_of_arrays<F, In...>(),
          .c_number = c_of_numbers<F, In...>(),
          .c_function = c_function_of<F, In...>(),
          .c_constant = c_constant_of<F, In...>()};
}

/// The kernel over arrays, and numbers among them, with NumPy's broadcasting: an EagerFn whose
/// state is the ElementCode. The memory of a dying input becomes the output's if it fits.
Status run_element_code(Activation& activation, const Operands& operands);

/// The same as a thunk, for code that is static.
inline ThunkCode element_kernel(const ElementCode& code) {
  ThunkCode thunk;
  thunk.eager = &run_element_code;
  thunk.state = std::shared_ptr<const void>(std::shared_ptr<const void>(), &code);
  return thunk;
}

}  // namespace thunkvm
