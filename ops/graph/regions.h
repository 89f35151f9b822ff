// regions.h: the regions of a program: the decisions under which a value is demanded.
//
// Placement (which compiles demand away) and gradients (which keep a backward pass inside its
// branch) ask the same two questions of this tree: what is the innermost region that all these
// demands share, and is it certain that one of them occurs whenever control is there?
#pragma once

#include "thunks/decoding.h"
#include "thunks/index.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace thunkvm {

using Region = Index<struct KindOfRegion>;
inline constexpr Region kRootRegion(0);

/// A tree of regions that grows at its leaves.
///
/// Under a region hang the *arms* of conditionals decided there, one for each exit, shared by all
/// conditionals with the same key (region, selector, decoding, number of arms); *loops*, each the
/// one arm of a key, since it is entered whenever control is there; and *bodies* (memo bodies, and
/// inputs of opaque nodes), entered at most once and not certainly at all. Ancestor queries take
/// O(log depth) (jump pointers).
class RegionTree {
 public:
  RegionTree();

  /// The key index of the arms that `selector` (a number of the caller's) opens under `parent`;
  /// made on first use. Arm a of key k is region `first_arm(k) + a`.
  std::uint32_t open_arms(Region parent, std::uint32_t selector, Decoding decoding,
                          std::uint32_t n_arms);
  Region open_body(Region parent, std::uint32_t owner);
  /// Marks a new region as that of a loop: it is entered once a step.
  void mark_loop(Region region) { nodes_[region].loop = region; }
  /// The innermost region that is `region` or around it, and lies in no loop but `loop` and those
  /// around `loop` (kNone: in none at all).
  Region out_of_loops(Region region, Region loop) const {
    for (Region in; (in = nodes_[region].loop) != loop && in != kNone;) region = parent(in);
    return region;
  }

  /// The arm that an enclosing region already decided for this selector, or kNone. May miss one
  /// if a selector opens arms in very many regions: that costs a branch, and changes no result.
  std::uint32_t decided(Region region, std::uint32_t selector, Decoding decoding,
                        std::uint32_t n_arms) const;

  struct Cover {
    /// The lowest common ancestor of the demands that lies in no loop but the one asked for.
    Region region = kRootRegion;
    bool unconditional = false;  ///< one of them occurs whenever control enters `region`
  };
  /// Demands that cover all arms of one key count as a demand by the region that the key sits in,
  /// and so on upwards.
  ///
  /// `loop`: the region of the innermost loop in which the demanded value changes from step to
  /// step. A value is computed outside of loops in which it does not change (kNone: it never
  /// changes).
  Cover cover(std::span<const Region> demands, Region loop = kNone);

  Region lca(Region a, Region b) const;
  bool is_ancestor(Region ancestor, Region region) const;  ///< or equal
  /// The child of `ancestor` on the way to `region`, which lies below it.
  Region child_towards(Region ancestor, Region region) const;

  Region parent(Region r) const { return nodes_[r].parent; }
  std::uint32_t depth(Region r) const { return nodes_[r].depth; }
  bool is_arm(Region r) const { return nodes_[r].key != kNone; }
  std::uint32_t key(Region r) const { return nodes_[r].key; }
  std::uint32_t arm(Region r) const { return r - keys_[nodes_[r].key].first_arm; }
  std::uint32_t owner(Region r) const { return nodes_[r].owner; }  ///< of a body
  Region first_arm(std::uint32_t key) const { return keys_[key].first_arm; }
  std::uint32_t n_arms(std::uint32_t key) const { return keys_[key].n_arms; }
  Region key_region(std::uint32_t key) const { return keys_[key].region; }
  std::uint32_t selector(std::uint32_t key) const { return keys_[key].selector; }
  Decoding decoding(std::uint32_t key) const { return keys_[key].decoding; }
  std::size_t n_regions() const { return nodes_.size(); }
  std::size_t n_keys() const { return keys_.size(); }

 private:
  struct Node {
    Region parent, jump;
    std::uint32_t depth;
    std::uint32_t key;    ///< of an arm
    std::uint32_t owner;  ///< of a body
    std::uint32_t seen;   ///< the last `cover` query that counted this region
    Region loop;          ///< the innermost loop that it is in, or is; kNone: none
  };
  struct Key {
    Region region;
    std::uint32_t selector;
    Decoding decoding;
    std::uint32_t n_arms;
    Region first_arm;
    std::uint32_t previous;  ///< the key opened before on the same selector and decoding
    std::uint32_t seen, demanded_arms;
  };
  struct KeyName {
    Region region;
    std::uint32_t selector, shape;
    friend bool operator==(const KeyName&, const KeyName&) = default;
  };
  struct KeyNameHash {
    std::size_t operator()(const KeyName& k) const {
      std::uint64_t h = (std::uint64_t{k.region} << 32 | k.selector) * 0x9e3779b97f4a7c15ull;
      h ^= (h >> 29) + k.shape * 0xbf58476d1ce4e5b9ull;
      return static_cast<std::size_t>(h ^ (h >> 32));
    }
  };
  static std::uint32_t shape(Decoding decoding, std::uint32_t n_arms) {
    return n_arms << 2 | static_cast<std::uint32_t>(decoding);
  }
  Region add(Region parent, std::uint32_t key, std::uint32_t owner);

  std::vector<Node> nodes_;
  std::vector<Key> keys_;
  std::unordered_map<KeyName, std::uint32_t, KeyNameHash> by_name_;
  std::unordered_map<std::uint64_t, std::uint32_t>
      latest_;  ///< (selector, shape) -> the key opened last
  std::uint32_t query_ = 0;
  std::vector<Region> pending_;
};

}  // namespace thunkvm
