// counted.h: intrusive reference counting for the objects of a graph.
#pragma once

#include <cstdint>
#include <utility>

namespace thunkvm {

/// Base of objects that are held by `Ref`s. The count is not atomic: a graph is built, linked and
/// dropped by one thread at a time (Python's global lock sees to that); programs that run do not
/// touch it.
class Counted {
 public:
  virtual ~Counted() = default;
  Counted() = default;
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

  void retain() const { ++references_; }
  void release() const {
    if (--references_ == 0) delete this;
  }
  std::uint32_t references() const { return references_; }

 private:
  mutable std::uint32_t references_ = 0;
};

/// A counted reference; may be null.
template <class T>
class Ref {
 public:
  Ref() = default;
  Ref(T* object) : object_(object) {  // NOLINT: a raw pointer is a fine thing to hold on to
    if (object_ != nullptr) object_->retain();
  }
  Ref(const Ref& other) : Ref(other.object_) {}
  template <class U>
  Ref(const Ref<U>& other) : Ref(other.get()) {}  // NOLINT: to a base, or to const
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr) object_->release();
  }
  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  friend bool operator==(const Ref& a, const Ref& b) { return a.object_ == b.object_; }

 private:
  T* object_ = nullptr;
};

}  // namespace thunkvm
