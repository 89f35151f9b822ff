// signature.h: the arrays of a file as the arguments of a graph, and its results as arrays.
#pragma once

#include "linkers/runner/npz.h"
#include "ops/files/graph_file.h"

#include <vector>

namespace thunkvm {

/// The arguments of a graph's inputs: the arrays of their names. An input without a name is
/// "arr_0", "arr_1", ... by its place, as numpy.savez calls arrays without names.
///
/// Throws Error(Type) that says all that is wrong: inputs that are missing, arrays that are no
/// input, dtypes that do not convert safely, and shapes that do not fit.
std::vector<Cell> arguments_of(const FileGraph& graph, const NamedArrays& given);

/// The results by the names of the outputs; without names "arr_0", "arr_1", ... Throws Error(Type)
/// for a result that is no array.
NamedArrays results_of(const FileGraph& graph, std::vector<Cell> values);

}  // namespace thunkvm
