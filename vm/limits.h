// limits.h: how often the machine asks its host, how deep it nests, how much it keeps, and why.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thunkvm {

/// Thunks of a frame between two questions to the host whether to stop. At 3.4 ns a thunk
/// (`./dev bench`, chain_per_node) that is every 3.5 us; thunks that take long ask for themselves
/// (`Activation::poll`).
inline constexpr std::int32_t kThunksPerPoll = 1024;

/// How deep the machine may run on the native stack inside itself, for nested implementations of
/// Demand::force: beyond, the call fails with an error, before the stack ends. So many take 128 to
/// 160 kB, and the stacks of lazy bodies between them; the smallest stacks that systems give a
/// thread are 512 kB.
inline constexpr int kMaxNesting = 200;

/// Steps that an operation on the verifier's conditions takes before it gives up. Also bounds the
/// depth of its recursion: nests of branches, and unions of as many arms, are followed up to here.
/// 500 conditionals one after the other are verified in the same time with any. Layers of four that
/// read each other crosswise and decide by 20 conditions, the worst there is, take 11 ms with 100,
/// 115 ms with 1,000 and 1,310 ms with 10,000.
inline constexpr std::uint32_t kConditionSteps = 1000;

/// Calls and events that a recorder keeps, the latest ones: 9 MB of calls at 72 bytes, and 8 for
/// each branch that one decided; 3 MB of events at 40 bytes.
inline constexpr std::size_t kMostCalls = 1 << 17, kMostEvents = 1 << 16;
/// Runs of arms in loops (vm/decisions.h) that a recorder keeps of all calls, the latest ones: 64
/// MB.
inline constexpr std::size_t kMostArmRuns = 1 << 22;
/// Steps of a run of a loop that a recorder keeps one by one, and numbers of steps by which it
/// counts the runs of one loop.
inline constexpr std::uint64_t kStepsKept = 64;
inline constexpr std::size_t kMostStepCounts = 1024;
/// Tuples of shapes that a node's runs are counted by; runs with further ones are not counted. A
/// run is counted in 110 ns among so many, and in 20 ns among 64 and 1,024.
inline constexpr std::size_t kMostShapes = 4096;
/// Classes of a histogram of ticks, four for each power of two: the last four begin at 2^35 ticks,
/// some 10 seconds.
inline constexpr std::uint32_t kTickClasses = 128;

/// How long the processor's counter is held against the system's clock: exact to some 10 ppm.
inline constexpr std::uint64_t kTickNanoseconds = 5'000'000;
/// Laps of which the cost of one is measured, five times; the least counts. With 200 it is between
/// 14.5 and 14.7 ns, as it is with 200,000, which take 13 ms longer; these take 1.5 ms.
inline constexpr int kLapsMeasured = 20'000;

}  // namespace thunkvm
