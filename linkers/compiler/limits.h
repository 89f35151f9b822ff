// limits.h: the time and the memory that compiling may take, and why.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace thunkvm {

/// Between two questions to the host whether to stop, while a compiler runs: soon enough for
/// Ctrl-C, and no work beside a compilation of 30 ms and more (`./dev bench compile`).
inline constexpr std::chrono::milliseconds kAskHost{50};
/// How long the compiler may take for one line or none, when it is asked whether it works at all
/// and which macros it has: it takes 0.2 s on a machine with other work.
inline constexpr std::chrono::milliseconds kLongestTrial = std::chrono::seconds(30);
/// Lines of a compiler's errors that a message shows: the first ones say what is wrong.
inline constexpr int kShownLines = 10;

/// The default settings. The compiler's time: the largest modules of `./dev bench large` are
/// compiled in 1.3 s, so that one that takes this long hangs. The cache: a module mostly takes 14
/// kB, so some 15,000 of them.
inline constexpr std::chrono::minutes kCompilerTimeout{2};
inline constexpr std::uint64_t kCacheSize = std::uint64_t{256} << 20;

/// Bytes of a program's output, and of its errors, that are read; the rest is thrown away. The
/// macros of a compiler (gcc -dM -E) are 16 kB, and kShownLines of errors with long templates less
/// than the second.
inline constexpr std::size_t kMostOutput = 1 << 20;
inline constexpr std::size_t kMostErrors = 1 << 16;
/// Bytes of it that are read at once: a quarter of a pipe's room. Between so many of these reads
/// the clock is looked at.
inline constexpr std::size_t kReadAtOnce = 1 << 14;
inline constexpr int kReadsInTurn = 64;
/// Bytes of a line of the system's lists of users and of groups, with all members: far more than
/// sysconf says is needed (1 kB).
inline constexpr std::size_t kLongestUser = 1 << 14;
inline constexpr std::size_t kLongestGroup = 1 << 16;
/// How often an ended program is looked for if the system cannot tell (Linux before 5.3): short
/// beside the 30 ms that the shortest compilation takes.
inline constexpr std::chrono::milliseconds kLook{5};
/// The longest pause between two tries to start one that the system refused. Pauses double from 1
/// ms on, so that a process that lacks descriptors or memory for a moment has 63 ms to get them:
/// the time of two of the shortest compilations.
inline constexpr std::chrono::milliseconds kLongestPause{32};

/// Directories of killed processes that are looked at when one is made; a clearing looks at all. So
/// many are looked at in 0.1 ms where they are in use, and removed in 0.16 s where they are not, of
/// which 1,000 would take 2.5 s.
inline constexpr std::size_t kMostAbandoned = 64;
/// Tries to make a directory: between the two steps of making one it looks abandoned, and another
/// process may remove it. Where four threads did nothing but make and remove them, 1,367 of 82,000
/// took two tries and 31 of these three.
inline constexpr int kScratchTries = 8;
/// Symbolic links of a path that are followed: as many as Linux follows.
inline constexpr int kMostLinks = 40;
/// Modules of a process from which on its table is looked through for those that were unloaded,
/// each time that it has doubled: most processes never have so many.
inline constexpr std::size_t kFewModules = 64;
/// Bytes of the description in a module's seal: the compiler and the beginning of the source's
/// first line, which are about 60.
inline constexpr std::size_t kLongestDescription = 1 << 10;
inline constexpr std::size_t kDescribedLine = 200;

}  // namespace thunkvm
