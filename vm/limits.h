// limits.h: how often the machine looks up, how deep and how far it goes, and why.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thunkvm {

/// Thunks of a frame between two questions to the host whether to stop. At 3.4 ns a thunk
/// (`./dev bench`, chain_per_node) that is every 3.5 us; thunks that take long ask for themselves
/// (`Activation::poll`).
inline constexpr std::int32_t kThunksPerPoll = 1024;

/// How deep the machine may run on the native stack inside itself, for nested implementations of
/// Demand::force: beyond, the call fails with an error, before the stack ends.
inline constexpr int kMaxNesting = 200;

/// Steps that an operation on the verifier's conditions takes before it gives up. Also bounds the
/// depth of its recursion: nests of branches, and unions of as many arms, are followed up to here.
inline constexpr std::uint32_t kConditionSteps = 1000;

/// Calls and events that a recorder keeps, the latest ones: some 10 MB at 40 bytes and what a call
/// decided.
inline constexpr std::size_t kMostCalls = 1 << 17, kMostEvents = 1 << 16;
/// Tuples of shapes that a node's runs are counted by; runs with further ones are not counted. A
/// look among so many is a few compares of a tree.
inline constexpr std::size_t kMostShapes = 4096;

/// How long the processor's counter is held against the system's clock: exact to some 10 ppm.
inline constexpr std::uint64_t kTickNanoseconds = 5'000'000;
/// Laps of which the cost of one is measured, five times; the least counts.
inline constexpr int kLapsMeasured = 20'000;

}  // namespace thunkvm
