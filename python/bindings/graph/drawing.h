// drawing.h: drawings of graphs, which Python lays out, as text in DOT.
#pragma once

#include "python/bindings/python/python.h"

namespace thunkvm {

/// dot_text.
void init_drawing(PyObject* module);

}  // namespace thunkvm
