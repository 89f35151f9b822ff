// loaded_modules.h: the modules that this process has loaded, and those that it is making.
#pragma once

#include "linkers/compiler/module.h"

#include <memory>
#include <stop_token>
#include <string>

namespace thunkvm {

/// The right of one thread to make the module of a key; other threads that want it wait until this
/// goes, or has been fulfilled. A process that forks meanwhile is not held up: in the child nobody
/// is making anything.
class ModuleClaim {
 public:
  /// Waits while another thread has the claim. With `stop` requested it holds nothing.
  ModuleClaim(std::string key, std::stop_token stop);
  ~ModuleClaim();
  ModuleClaim(const ModuleClaim&) = delete;
  ModuleClaim& operator=(const ModuleClaim&) = delete;

  /// The module, if it is loaded: then there is nothing to make.
  const std::shared_ptr<const NativeModule>& loaded() const { return loaded_; }
  /// True if this thread is to make it.
  bool is_held() const { return held_; }
  /// Makes the module known for as long as somebody uses it.
  void fulfil(const std::shared_ptr<const NativeModule>& module);

 private:
  std::string key_;
  std::shared_ptr<const NativeModule> loaded_;
  bool held_ = false;
};

}  // namespace thunkvm
