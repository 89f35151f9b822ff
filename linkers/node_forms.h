// node_forms.h: how the nodes of a function run, for people.
#pragma once

#include "linkers/codegen/emit/emitted_code.h"
#include "linkers/compilation.h"

#include <vector>

namespace thunkvm {

/// By node of a program: the form of its thunk.
std::vector<ThunkForm> thunk_forms(const Program& program);

/// By node: its form, its place in the emitted code, and why it has no better form. If C will be
/// compiled, it is planned now. Throws as Compilation::code does.
std::vector<NodeForm> node_forms(const Program& program, Compilation& compilation, Host& host);

}  // namespace thunkvm
