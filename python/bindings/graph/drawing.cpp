#include "python/bindings/graph/drawing.h"

#include "ops/graph/drawing.h"
#include "thunks/error.h"

#include <cstdint>
#include <string>

namespace thunkvm {
namespace {

Drawing::Attributes attributes_of(PyObject* object) {
  Drawing::Attributes attributes;
  if (!PyDict_Check(object))
    throw Error(ErrorKind::Type,
                "dot_text: attributes have to be a dict, not a " + class_name(object));
  PyObject *name, *value;
  for (Py_ssize_t at = 0; PyDict_Next(object, &at, &name, &value) != 0;)
    attributes.emplace_back(text_of(name), text_of(value));
  return attributes;
}

std::uint32_t index_of(PyObject* object) {
  const unsigned long index = PyLong_AsUnsignedLong(object);
  if (index == static_cast<unsigned long>(-1) && PyErr_Occurred() != nullptr) throw PythonError{};
  return static_cast<std::uint32_t>(index);
}

std::uint32_t frame_of(PyObject* object) {
  return object == Py_None ? Drawing::kNoFrame : index_of(object);
}

// Calls `add` with the members of each tuple of `size` in a list.
template <class Add>
void each(PyObject* list, Py_ssize_t size, const Add& add) {
  const std::string expected = "dot_text: a list of tuples of " + std::to_string(size);
  for (PyObject* item : Items(list, expected.c_str())) {
    const Items members(item, expected.c_str());
    if (members.size() != size) throw Error(ErrorKind::Type, expected);
    add(members);
  }
}

PyObject* dot_text(PyObject*, PyObject* args) {
  PyObject *every_box, *frames, *boxes, *arrows;
  if (!PyArg_ParseTuple(args, "OOOO:dot_text", &every_box, &frames, &boxes, &arrows))
    return nullptr;
  return guard([&] {
    Drawing drawing{.every_box = attributes_of(every_box)};
    each(frames, 2, [&](const Items& frame) {
      drawing.frames.push_back({frame_of(frame[0]), attributes_of(frame[1])});
    });
    each(boxes, 2, [&](const Items& box) {
      drawing.boxes.push_back({frame_of(box[0]), attributes_of(box[1])});
    });
    each(arrows, 3, [&](const Items& arrow) {
      drawing.arrows.push_back({index_of(arrow[0]), index_of(arrow[1]), attributes_of(arrow[2])});
    });
    return to_text(to_dot(drawing));
  });
}

PyMethodDef functions[] = {
    {"dot_text", dot_text, METH_VARARGS,
     "dot_text(every_box, frames, boxes, arrows)\n--\n\n"
     "A drawing in DOT: frames are (frame around or None, attributes), boxes (frame or None, "
     "attributes), arrows (box, box, attributes)."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void init_drawing(PyObject* module) { check(PyModule_AddFunctions(module, functions)); }

}  // namespace thunkvm
