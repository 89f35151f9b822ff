#include "python/bindings/graph/origin.h"

#include "ops/graph/variable.h"
#include "python/bindings/graph/origin_frames.h"
#include "python/bindings/python/topics.h"

#include <string>
#include <string_view>

namespace thunkvm {
namespace {

PyObject* dunder_name = nullptr;     // "__name__"
PyObject* make_node_name = nullptr;  // "make_node", interned as the names of code objects are

// The demo is inside the package, but it is a user of it.
bool is_package_name(std::string_view name) {
  const auto is_or_is_in = [name](std::string_view package) {
    return name.starts_with(package) &&
           (name.size() == package.size() || name[package.size()] == '.');
  };
  return is_or_is_in("thunkvm") && !is_or_is_in("thunkvm.demo");
}

// The last module name that was looked at, and what came of it: nearly always the same one again.
PyObject* last_name = nullptr;
bool last_is_package = false;

bool in_package(PyObject* globals) {
  PyObject* name = PyDict_GetItemWithError(globals, dunder_name);
  if (name == last_name) return last_is_package;
  if (name == nullptr || !PyUnicode_CheckExact(name)) {
    PyErr_Clear();
    return false;
  }
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(name, &size);
  if (text == nullptr) {
    PyErr_Clear();
    return false;
  }
  last_is_package = is_package_name({text, static_cast<std::size_t>(size)});
  Py_XSETREF(last_name, Py_NewRef(name));
  return last_is_package;
}

// The innermost frame of the user's code; of any code, where there is none.
bool find_frame(ThunkvmFrame& found) {
  if (thunkvm_innermost_frame(&found) == 0) return false;
  ThunkvmFrame frame = found;
  do {
    if (!in_package(frame.globals) &&
        reinterpret_cast<PyCodeObject*>(frame.code)->co_name != make_node_name) {
      found = frame;
      return true;
    }
  } while (thunkvm_calling_frame(&frame) != 0);
  return true;
}

// The origin of the last node that was made; not held, so only good to be compared.
Origin last_origin;

Origin capture() noexcept {
  ThunkvmFrame frame;
  if (!find_frame(frame)) return {};
  last_origin = {frame.code, frame.last_instruction};
  return {Py_NewRef(frame.code), frame.last_instruction};
}

void hold(void* code) noexcept { Py_INCREF(static_cast<PyObject*>(code)); }

void drop(void* code) noexcept { Py_DECREF(static_cast<PyObject*>(code)); }

// While it lives, files are named with the folders that they are in.
class WithFolders {
 public:
  WithFolders() { on = true; }
  ~WithFolders() { on = false; }
  WithFolders(const WithFolders&) = delete;
  WithFolders& operator=(const WithFolders&) = delete;

  static thread_local bool on;
};
thread_local bool WithFolders::on = false;

std::string text(const Origin& origin) {
  auto* code = static_cast<PyCodeObject*>(origin.code);
  std::string file = str_of(code->co_filename);
  if (!WithFolders::on) file = file.substr(file.find_last_of('/') + 1);
  const std::string function = str_of(code->co_name);
  return file + ":" + std::to_string(PyCode_Addr2Line(code, origin.offset)) +
         (function == "<module>" ? "" : " in " + function);
}

}  // namespace

std::string origin_here() {
  const Origin origin = capture();
  if (origin.code == nullptr) return {};
  PyRef held = PyRef::adopt(static_cast<PyObject*>(origin.code));
  return text(origin);
}

std::string origin_path(const Apply& node) {
  const WithFolders scope;
  return node.origin_text();
}

bool made_by_this_instruction() {
  ThunkvmFrame frame;
  return find_frame(frame) && frame.code == last_origin.code &&
         frame.last_instruction == last_origin.offset;
}

void init_origin(PyObject*) {
  dunder_name = PyRef::take(PyUnicode_InternFromString("__name__")).release();
  make_node_name = PyRef::take(PyUnicode_InternFromString("make_node")).release();
  set_origin_hooks({capture, hold, drop, text});
}

}  // namespace thunkvm
