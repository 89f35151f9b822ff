// step_form.h: the form that emission gives one step.
#pragma once

#include "ops/elementwise/element_functions.h"
#include "ops/graph/c_template.h"
#include "ops/graph/index_map.h"
#include "ops/graph/op.h"
#include "ops/kernels/block_reduction.h"
#include "vm/program.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace thunkvm {

/// The form of one step, by its node.
struct StepForm {
  enum class Kind : std::uint8_t {
    Expression,  ///< 0-d numbers in, a 0-d number out, and a template
    Length,      ///< a 0-d int64 that is read from an array's lengths: `source`
    Pick,        ///< one element of an array: `indices`; fails if there is none
    Element,     ///< elementwise over arrays: may be a member of a nest
    Reduction,   ///< a reduction: may be a member of a nest
    Mapped,      ///< says where elements lie: a nest takes it in as an index map
    Kernel,      ///< called as it is
  };
  Kind kind = Kind::Kernel;
  const ElementCode* code = nullptr;  ///< of an Expression or an Element
  std::optional<CTemplate> c{};  ///< its template; without one, a nest calls its element function
  const BlockReduction* reduction = nullptr;
  const IndexMap* map = nullptr;
  int ndim = 0;         ///< of an Element's or a Mapped's output, or of a Reduction's input
  AxisSet reduced = 0;  ///< the axes that a Reduction reduces
  bool keepdims = false;
  IntegerSource source{};            ///< of a Length
  std::vector<AxisIndex> indices{};  ///< of a Pick, by axis
  const char* why = "";              ///< of a Kernel: why it has no better form

  /// True if a member of a nest reads the elements of this input: of any, if its element function
  /// is called.
  bool reads(std::size_t input) const { return !c || ((c->inputs_read() >> input) & 1u) != 0; }
  /// True if a nest compares the lengths in this input with its own.
  bool compares(int input) const;
  /// True if emitted code computes it from numbers and arrays, without a call.
  bool is_expression() const { return kind <= Kind::Pick; }
  /// True if it may be computed ahead of its turn: its inputs are there, and it cannot fail.
  bool may_come_first() const { return kind < Kind::Pick; }
  /// True if it reads nothing but an array's lengths.
  bool is_lengths() const;
};

/// A step with this thunk, of this node. Any thread may ask.
StepForm form_of(const Step& step, const Apply& node);

bool is_number(const Type& type);  ///< 0-d, with a type in C

}  // namespace thunkvm
