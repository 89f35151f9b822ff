// user_element.h: elementwise Ops that users give as an expression of C: `c_element`.
#pragma once

#include "ops/elementwise/element_functions.h"
#include "ops/graph/variable.h"
#include "thunks/host.h"
#include "thunks/thunk.h"

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace thunkvm {

/// The native code of nodes with a `c_element`: an element function, compiled from the expression,
/// for the interpreter and for fused nests; and the expression itself for numbers in emitted code.
/// Both are C with the same flags, so they give the same bits.
class UserElements {
 public:
  /// The thunk of a node with this text, compiled if this process and the cache have none; nothing
  /// if there is no C compiler. Throws Error(Type) for a node that is not elementwise, Error(Value)
  /// for a text that is no template (ops/graph/c_template.h), CompileError; as `load_modules` if
  /// the host stops it.
  ThunkCode kernel(const Apply& node, const std::string& text, Host& host);
  /// The code that `kernel` made for the node, as long as a thunk has it; else null. Any thread may
  /// ask.
  const ElementCode* code(const Apply& node) const;

 private:
  mutable std::mutex lock_;
  // Programs hold the codes of their thunks, and the nodes of these. Codes that no program has are
  // removed when the map has grown to `room_`.
  std::unordered_map<const Apply*, std::weak_ptr<const ElementCode>> codes_;
  std::size_t room_ = 0;
};

}  // namespace thunkvm
