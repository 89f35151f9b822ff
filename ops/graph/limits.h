// limits.h: how far lengths and regions of the graph are followed, and why. Beyond any of these but
// kMostOperands nothing is wrong: a length is asked when the function runs, or a branch is taken
// once more.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thunkvm {

/// How deep extents are compared: beyond, equal ones are compared when the function runs. Sums 24
/// deep of one length, in both arms of a conditional, are linked in 0.21 ms with 4, 0.28 ms with
/// 16 and 0.31 ms with 22; sums of sums that nobody had merged would take 2^16 compares.
inline constexpr int kComparedExtents = 16;
/// How far back an element of a vector is followed; beyond, the vector is asked. An array whose
/// shape went through 14 reversals is made in 310 ns where they are followed, else in 640 ns.
inline constexpr int kFollowedElement = 16;
/// How far back types follow elements; beyond, a type does not say the length. A shape of 8 that is
/// reversed one by one 4 times takes 0.8 ms with 8, 15 ms with 10 and 110 ms with 12: each element
/// is asked for all of them.
inline constexpr int kKnownIntegers = 8;
/// Integers that `Op::integers` is asked to tell apart: the lengths of two arrays with as many axes
/// as there may be.
inline constexpr std::int64_t kMostIntegers = 64;
/// Integers that one length is computed from: its kernel has them on the stack, and lengths are
/// broadcast kMostLengths at a time.
inline constexpr std::size_t kMostTerms = 64;
/// Arrays whose broadcast shape is one node; of more, lengths are joined. A sum of 12 vectors is
/// asked for its shape in 410 ns with 8, in 350 ns with 16: no more than a node of difference.
inline constexpr std::size_t kMostArrays = 8;
/// Lengths that one node broadcasts, as each is compared to all others: the shape of a sum of 40
/// vectors is linked in 0.41 ms with 4, 0.46 ms with 16 and 0.65 ms with 64, and takes 1.0 us with
/// each.
inline constexpr std::size_t kMostLengths = 16;
/// Regions in which a selector opened arms that are looked at for whether it is decided; beyond, it
/// counts as not decided. Conditionals on one selector, in arms of 2,000 others, are linked in
/// 6.9 us each with 32, 8.1 us with 128 and 9.5 us with 2,000.
inline constexpr int kLooks = 32;
/// Inputs, and outputs, of a node: statements count them in 16 bits. More is an error.
inline constexpr std::size_t kMostOperands = 65'535;
/// Nodes of memory whose numbers are one page of a NodeTable. The gradient of a graph whose nodes
/// lie far from each other takes 31 us with 64 and 36 us with 256; 10,000 nodes side by side are
/// linked in 159 ns each with 64, in 156 ns with 256 and in 174 ns with 16.
inline constexpr std::size_t kPageEntries = 64;

/// The nodes above an indexed value that are asked for an infinite slope. A gradient through an
/// index is cut for it, which takes an array of bools.
inline constexpr std::size_t kNodesAboveAnIndex = 16;

}  // namespace thunkvm
