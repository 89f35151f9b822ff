// core_kernel.h: kernels of one core, run over a stack of them.
//
// A kernel is a class template of the element type. It is made once a call, for the lengths of its
// cores and its attributes, and may keep memory to work in; then it is called for each core:
//
//   template <class T>
//   struct Inverse {
//     static constexpr Order kOrder = Order::Fortran;
//     explicit Inverse(const CoreCall& call);
//     void operator()(const Core& core);  // reads core.in<T>(0), writes core.out<T>(0)
//   };
//
// Cores lie without gaps, matrices in the kernel's order. What an array has otherwise is copied.
#pragma once

#include "ops/graph/array_op.h"
#include "ops/graph/attributes.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace thunkvm {

class CoreSignature;
struct OpRules;

/// In which order the elements of a matrix lie.
enum class Order : std::uint8_t { C, Fortran };

/// The lengths of the axes of the cores in one call, by their names in the signature.
class CoreLengths {
 public:
  CoreLengths(const CoreSignature& signature, std::span<const std::int64_t> lengths)
      : signature_(&signature), lengths_(lengths) {}
  std::int64_t operator[](std::string_view name) const;

 private:
  const CoreSignature* signature_;
  std::span<const std::int64_t> lengths_;
};

/// What a kernel is made for.
struct CoreCall {
  const std::string& op;
  const Attributes& attributes;
  CoreLengths lengths;
  std::span<const Array> inputs;  ///< the whole stacks, for messages
};

/// One core of each operand.
class Core {
 public:
  Core(std::size_t n_inputs, std::size_t n_outputs) : inputs_(n_inputs), outputs_(n_outputs) {}
  template <class T>
  const T* in(std::size_t i) const {
    return reinterpret_cast<const T*>(inputs_[i]);
  }
  template <class T>
  T* out(std::size_t j) const {
    return reinterpret_cast<T*>(outputs_[j]);
  }

 private:
  friend class CoreRun;
  std::vector<const char*> inputs_;
  std::vector<char*> outputs_;
};

/// What the code of a node keeps.
struct CoreState {
  const OpRules* rules;
  Attributes attributes;
  std::vector<DType> outputs;
};
CoreState core_state(const Apply& node, const OpRules& rules);

/// One call: the arrays, and the walk over their cores.
class CoreRun {
 public:
  CoreRun(Activation& activation, const Operands& operands, Order order);

  CoreCall call() const;
  /// The elements of work, for `HostLeave`.
  std::int64_t work() const { return work_; }
  void each(const std::function<void(const Core&)>& kernel);
  void store();

 private:
  /// An operand's cores: dense as they are, or through a copy.
  struct Packing {
    std::int64_t rows = 1, columns = 1, row_stride = 0, column_stride = 0;
    std::size_t item = 0;
    bool dense = false;
    std::vector<char> copy;
  };
  Packing packing(const Array& array, std::size_t n_core) const;
  void pack(Packing& packing, const char* from) const;
  void unpack(const Packing& packing, char* to) const;

  Activation& activation_;
  const Operands& operands_;
  const CoreState& state_;
  Order order_;
  std::vector<Array> inputs_, outputs_;
  std::vector<std::int64_t> lengths_, batch_;
  std::int64_t work_ = 0;
};

template <class Kernel>
void run_cores(Activation& activation, const Operands& operands) {
  CoreRun run(activation, operands, Kernel::kOrder);
  {
    HostLeave leave(*activation.host, run.work());
    Kernel kernel(run.call());
    run.each([&](const Core& core) { kernel(core); });
  }
  run.store();
}

/// The code of a node whose kernel is a class template of the element type.
using CoreCode = ThunkCode (*)(const Apply& node, const OpRules& rules);

/// The code by the dtype of input 0.
template <template <class> class Kernel>
ThunkCode number_kernel(const Apply& node, const OpRules& rules) {
  return visit_dtype(node.input(0).dtype(), "a kernel", [&]<class T>(std::type_identity<T>) {
    return kernel_code<&run_cores<Kernel<T>>>(core_state(node, rules));
  });
}

}  // namespace thunkvm
