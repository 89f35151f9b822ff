// node_forms.h: how the nodes of a function run, for people.
#pragma once

#include "linkers/codegen/emit/emitted_code.h"
#include "linkers/compilation.h"

#include <vector>

namespace thunkvm {

/// The forms of the thunks of a program.
IndexedVector<ProgramNode, ThunkForm> thunk_forms(const Program& program);

/// The form of each node, its place in the emitted code, and why it has no better form. If C will
/// be compiled, it is planned now. Throws as Compilation::code does.
IndexedVector<ProgramNode, NodeForm> node_forms(const Program& program, Compilation& compilation,
                                                Host& host);

}  // namespace thunkvm
