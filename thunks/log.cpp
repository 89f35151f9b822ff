#include "thunks/log.h"

#include <spdlog/sinks/stdout_sinks.h>

#include <memory>

namespace thunkvm {

spdlog::logger& log() {
  static spdlog::logger* logger = [] {  // outlives every static object, which may log while it goes
    auto* made = new spdlog::logger("thunkvm", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_level(spdlog::level::warn);
    return made;
  }();
  return *logger;
}

}  // namespace thunkvm
