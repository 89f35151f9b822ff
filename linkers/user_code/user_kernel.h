// user_kernel.h: Ops that users give as plain C on arrays: `c_kernel`.
#pragma once

#include "linkers/compiler/compiler.h"
#include "ops/graph/type.h"
#include "ops/graph/variable.h"
#include "thunks/dtype.h"
#include "thunks/host.h"

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace thunkvm {

struct ArrayView;
struct CallView;
/// The function that thunkvm/c/kernel_source.py makes of a `c_kernel`.
using KernelFn = int(CallView*, const ArrayView*, ArrayView*);

/// The source of a node's C.
struct KernelSource {
  Language language = Language::C;
  std::optional<std::string> command;  ///< the compiler's; none: that of the settings
  ModuleSource module;
  std::string function;  ///< the name of its KernelFn

  CompilerSettings settings() const;
};

/// The modules of these sources, compiled side by side; they stay loaded while these are held. If
/// one source does not compile, those of the same compiler are left out: `UserKernel::load` reports
/// it.
std::vector<ModulePtr> load_kernels(std::vector<KernelSource> sources, Host& host);

/// A node's C, and the facts about the node. Immutable once it is loaded, but for the note of its
/// time.
struct UserKernel {
  struct Output {
    DType dtype;
    StaticShape shape;
    std::vector<std::uint32_t> looks_at;  ///< inputs that it may be a view of
  };

  /// For a node of tensors; without its code.
  explicit UserKernel(const Apply& node);
  /// Its code, compiled if this process and the cache have none. Throws CompileError; as
  /// `load_modules` if the host stops it.
  void load(const KernelSource& source, Host& host);

  std::string op;
  std::string location;  ///< as messages name it: see c_location
  std::vector<DType> inputs;
  std::vector<Output> outputs;
  std::vector<std::uint32_t> destroyed;  ///< inputs that are overwritten, in order
  bool checks_inputs;                    ///< see InputGuard
  /// True if the host is left while it runs, false if not; none: if its inputs are large, or once a
  /// run took long.
  std::optional<bool> leaves;
  ModulePtr module;
  KernelFn* run = nullptr;
  mutable std::atomic<bool> is_slow{false};
};

/// A node's C in messages, and in reports of crashes: "the C code of Scale (node Scale.0, made at
/// model.py:7)".
std::string c_location(const Apply& node);

}  // namespace thunkvm
