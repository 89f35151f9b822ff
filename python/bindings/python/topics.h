// topics.h: the topics of the module: each adds its classes and functions.
#pragma once

#include "python/bindings/python/python.h"

namespace thunkvm {

using Topic = void(PyObject* module);

/// From here on every node knows the code object and the instruction that made it (about 10 ns a
/// node); the line is looked up when somebody asks. Frames of the package are passed over, and
/// `make_node` methods: the node is charged to the user's line that applied the Op.
Topic init_origin;
Topic init_collection, init_type, init_variable, init_apply, init_builtin_op, init_op_function;
Topic init_graph_files, init_expressions, init_graph, init_control, init_op_documentation,
    init_ndarray, init_shared;
Topic init_function, init_function_methods, init_recording, init_link, init_implementation;
Topic init_memory, init_compile_error, init_compiling, init_interruption, init_logging;

}  // namespace thunkvm
