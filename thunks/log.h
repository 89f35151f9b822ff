// log.h: the one logger of the C++ layers.
#pragma once

#include <spdlog/logger.h>

namespace thunkvm {

/// The logger "thunkvm": linked functions and the time that it took (debug), problems that a user
/// should look at (warning). A C++ program gets warnings on stderr, and may give it sinks and a
/// level of its own; Python forwards it to `logging.getLogger("thunkvm")`. Thread-safe.
spdlog::logger& log();

}  // namespace thunkvm
