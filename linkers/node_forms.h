// node_forms.h: how the nodes of a function run, for people.
#pragma once

#include "linkers/codegen/emit/emitted_code.h"
#include "linkers/compilation.h"

#include <vector>

namespace thunkvm {

/// By node of a program: what its thunk is.
std::vector<ThunkForm> thunk_forms(const Program& program);

/// By node: how it runs, where in the emitted code, and why it is nothing better. Where C will be
/// compiled that is planned now, if it was not. Throws what Compilation::code does.
std::vector<NodeForm> node_forms(const Program& program, Compilation& compilation, Host& host);

}  // namespace thunkvm
