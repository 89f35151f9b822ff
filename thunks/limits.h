// limits.h: the sizes of arrays and blocks of memory, the memory that is kept, how often a host is
// asked, and why.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thunkvm {

/// Axes of an array: NumPy's own limit before its version 2. Walks over arrays have so many
/// counters on the stack.
inline constexpr int kMaxDims = 32;
/// Axes of an array whose shape and strides need no block of their own: as many as leave the heads
/// of a buffer and of its array within kBlockHead.
inline constexpr int kInlineDims = 4;
/// Bytes in front of the elements of a block: two cache lines, so that elements are as aligned as
/// the block.
inline constexpr std::size_t kBlockHead = 128;
/// Memory of ours goes on behind the elements up to a multiple of so many bytes: vector code may
/// read and write there. Two vectors of AVX-512, which a nest's body computes at once.
inline constexpr std::size_t kArrayPadding = 128;
/// Bytes that blocks are aligned to: a cache line, and a vector of AVX-512.
inline constexpr std::size_t kBlockAlignment = 64;

/// Bytes of a block up to which it passes through the thread's cache: 4 to 6 ns to take it and give
/// it back, and 18 to 21 ns where it passes through the lists of all threads. With 16 kB a thread
/// would keep up to 6.9 MB for itself, which is 1.7 MB so.
inline constexpr std::size_t kSmallBlock = 4096;
/// Idle blocks of one class that a thread keeps. A block of 2 kB takes 49 ns with 16 and 5 ns with
/// 64 and 256 where 40 are in use at once; 158, 33 and 5 ns where 100 are; 350, 340 and 260 ns
/// where 1,000 are.
inline constexpr std::uint32_t kIdleBlocks = 64;
/// Bytes of a thread's share of the statistics that may be unseen. 10 blocks of 4 kB take 12 ns
/// each with 8 kB, and 4 ns with 64 kB and 1 MB.
inline constexpr std::int64_t kUnflushedBytes = 64 << 10;
/// The largest block that has a size class. More bytes than this are more than memory has room for:
/// the system refuses them.
inline constexpr std::size_t kLargestClass = std::size_t{1} << 40;
/// Idle bytes in the lists of all threads: memory that a process keeps and does not use. An array
/// of 100 MB is written anew in 7.9 ns an element with nothing kept, in 2.4 to 3.2 ns with 128 MB
/// to 1 GB; one of 300 MB, which goes back to the system, in 5.2 to 6.7 ns, and with 1 GB in 2.3
/// ns.
inline constexpr std::size_t kMostIdleBytes = 256u << 20;

/// The stack of a fiber. A lazy body that needs more ends the process at the guard page. Memory is
/// used as far as it is touched: a stack takes 3.5 us to map with 64 kB, 3.7 us with 128 kB and
/// 3.8 us with 1 MB, but so many fibers as there may be would be 16 GB of addresses then.
inline constexpr std::size_t kFiberStackBytes = 128 * 1024;
/// How many fibers may be suspended at once in the process: each needs two memory maps of the
/// 65,530 that Linux gives a process. One more is Error(Runtime) that says so.
inline constexpr int kMaxFibers = 16384;
/// Stacks that came back and are kept, with the 8 kB and more that each has touched. A stack is
/// taken and given back in 3.7 us with 64 and 0.01 us with 1,024 where 1,000 are in use, in 4.5 us
/// and 3.2 us where 4,000 are.
inline constexpr std::size_t kIdleStacks = 1024;

/// Questions of poll_interrupt of which one is handed on to the host. A graph of 20,000 nodes is
/// linked in 0.28 us a node with 1; 64 to 16,384 do not differ: 0.20 to 0.22 us. So many nodes take
/// 0.2 ms, a short wait after Ctrl-C.
inline constexpr std::uint32_t kPollsPerQuestion = 1024;
/// Elements of work (units of an addition) from which a kernel is worth leaving the host for. To
/// leave Python and come back takes 0.09 us; with so many elements `sum` takes 1.4 us, `x + x`
/// 2.5 us, and 4,096 of `exp`, which are four additions each, 1.2 us.
inline constexpr std::int64_t kWorthLeaving = 1 << 14;

/// Kinds of objects in one chunk of their table, which has room for as many as a cell's 16 bits can
/// name: a process has a handful, so it has one chunk of 4 kB.
inline constexpr std::size_t kKindsTogether = 256;

}  // namespace thunkvm
