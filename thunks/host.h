// host.h: the program that the machine is embedded in (a Python process, or a plain C++ program),
// as the machine asks it.
#pragma once

#include "thunks/limits.h"

#include <cstdint>

namespace thunkvm {

/// The embedding program, as a running call sees it. The default one asks for nothing.
class Host {
 public:
  virtual ~Host() = default;
  /// A long stretch of native work begins: a host with a global lock lets it go.
  virtual void leave() {}
  /// The stretch is over.
  virtual void enter() {}
  /// True if the call should stop with ErrorKind::Interrupted. Asked about every thousand thunks
  /// and after long kernels, between two thunks.
  virtual bool interrupted() { return false; }
};

/// Leaves the host for as long as it lives, if `work` (elements touched, or multiply-adds) is worth
/// it.
class HostLeave {
 public:
  HostLeave(Host& host, std::int64_t work) : host_(work >= kWorthLeaving ? &host : nullptr) {
    if (host_ != nullptr) host_->leave();
  }
  ~HostLeave() {
    if (host_ != nullptr) host_->enter();
  }
  HostLeave(const HostLeave&) = delete;
  HostLeave& operator=(const HostLeave&) = delete;

 private:
  Host* host_;
};

}  // namespace thunkvm
