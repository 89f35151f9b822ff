// nest_instance.h: a fused nest, resolved for one layout of its operands.
//
// Most nests meet the same lengths and strides in every call. The instance follows from these, and
// the frame keeps both. If a call has the same lengths and strides again, the instance is used
// again, and a nest of a few elements costs little more than its body.
#pragma once

#include "linkers/codegen/runtime/fused_nest.h"
#include "ops/kernels/resolved_nest.h"

#include <cstddef>
#include <vector>

namespace thunkvm {

/// The layouts of a nest's sources in one call, and the lengths in vectors. An instance follows
/// from these alone.
class NestLayouts {
 public:
  NestLayouts(const FusedNest& fused, const NativeCall& call);

  struct SourceLayout : Layout {
    std::int64_t version;  ///< of the lengths of a value in a slot; 0: it is an array
  };
  const SourceLayout& source(std::size_t i) const { return sources_[i]; }
  /// The lengths in vector i of FusedNest::lengths, one for each axis of the nest; empty if it has
  /// another number of them.
  const std::vector<std::int64_t>& given(std::size_t i) const { return given_[i]; }
  /// For functions that find a slice: they read nothing of it.
  const Activation& activation() const { return activation_; }

 private:
  const Activation& activation_;
  SourceLayout sources_[kNestOperands];
  std::vector<std::vector<std::int64_t>> given_;
};

/// Lies in memory of the call, with all that it refers to.
struct NestInstance {
  struct Location {
    std::size_t source = 0;   ///< one behind the last source: among the numbers
    std::int64_t offset = 0;  ///< an input's first element, from that of its source, in bytes
  };
  /// A pad that is written around its input before the nest runs, so that the nest reads an
  /// identity.
  struct Surrounded {
    std::uint32_t input, fill;  ///< among the fused's inputs, and its numbers
    std::int64_t item_size;
    std::int64_t before, end, size;  ///< elements of the nest: its own are from before to end
  };

  /// The memory of a fused's instance, in bytes.
  static std::size_t bytes(const FusedNest& fused);
  /// The instance in such memory, which was zeros before the first call.
  static NestInstance& of(const FusedNest& fused, const NativeCall& call) {
    return *reinterpret_cast<NestInstance*>(call.memory + fused.instance_at);
  }
  /// True if the sources of this call have the layouts of the instance; `data` then has their
  /// addresses.
  bool fits(const FusedNest& fused, const NativeCall& call, char** data) const;

  std::uint64_t in_slots = 0;  ///< bit j: output j is in its slot, which the executor gave lengths
  std::size_t n_surrounded = 0;
  Surrounded* surrounded = nullptr;
  Location* locations = nullptr;  ///< by input
  /// By source: its register and slot, and the version of its lengths, or its lengths and strides.
  std::int64_t* key = nullptr;
  ResolvedNest resolved;  ///< its own parts lie behind it
};

/// Makes `instance`, in its memory, from the layouts and from nothing else. False if the members
/// cannot run as one pass; may throw the error of one. There is no instance then.
bool resolve(const FusedNest& fused, const NestLayouts& layouts, NestInstance& instance);

}  // namespace thunkvm
