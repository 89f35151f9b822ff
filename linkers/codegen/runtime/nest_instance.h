// nest_instance.h: a fused nest, resolved for operands that lie in a certain way.
//
// Most nests meet the same lengths and strides in every call. What follows from them is kept in
// memory of the frame beside the lengths and strides themselves; where these are the same again, so
// is the instance, and a nest of a few elements costs little more than its body.
#pragma once

#include "linkers/codegen/runtime/fused_nest.h"
#include "ops/kernels/resolved_nest.h"

#include <cstddef>
#include <vector>

namespace thunkvm {

/// Where the sources of a fused lie in one call, and the lengths that vectors say: all that an
/// instance follows from.
class NestLayouts {
 public:
  NestLayouts(const FusedNest& fused, const NativeCall& call);

  struct SourceLayout : Layout {
    std::int64_t version;  ///< of the lengths of a value in a slot; 0: it is an array
  };
  const SourceLayout& source(std::size_t i) const { return sources_[i]; }
  /// What vector i of FusedNest::lengths says, a length for each axis of the nest; empty where it
  /// has another number of them.
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
    std::size_t source = 0;   ///< one behind the last: it is among the numbers
    std::int64_t offset = 0;  ///< an input's first element, from that of its source, in bytes
  };
  /// Numbers that are written around the input, before the nest runs, which then is no pad of it.
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
  /// True if it is the one for how the sources lie in this call; `data` then has where each is.
  bool fits(const FusedNest& fused, const NativeCall& call, char** data) const;

  std::uint64_t in_slots = 0;  ///< bit j: output j is in its slot, which the executor gave lengths
  std::size_t n_surrounded = 0;
  Surrounded* surrounded = nullptr;
  Location* locations = nullptr;  ///< by input
  /// By source: where it is looked for, and the version of its lengths, or these and its strides.
  std::int64_t* key = nullptr;
  ResolvedNest resolved;  ///< its own parts lie behind it
};

/// Makes `instance`, in its memory, what follows from the layouts and from nothing else. False if
/// the members cannot run as one pass; may throw what one of them raises. There is no instance
/// then.
bool resolve(const FusedNest& fused, const NestLayouts& layouts, NestInstance& instance);

}  // namespace thunkvm
