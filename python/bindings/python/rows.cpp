#include "python/bindings/python/rows.h"

#include <string>

namespace thunkvm {

py::object make_row_class(const char* name, const char* doc, const py::list& declared) {
  py::list names;
  std::string about = std::string(doc) + "\n\nAttributes\n----------\n";
  for (const py::handle field : declared) {
    const py::tuple row = py::reinterpret_borrow<py::tuple>(field);
    const auto text = [&](std::size_t i) { return row[i].cast<std::string>(); };
    names.append(row[0]);
    about += text(0) + " : " + text(1) + (text(2).empty() ? "" : ", in " + text(2)) + "\n    " +
             text(3) + "\n";
  }
  const py::object namedtuple = py::module_::import("collections").attr("namedtuple");
  py::object made = namedtuple(name, names, py::arg("module") = "thunkvm._core");
  made.attr("__doc__") = about;
  made.attr("declared") = py::tuple(declared);
  for (const py::handle field : declared) {
    const py::tuple row = py::reinterpret_borrow<py::tuple>(field);
    made.attr(row[0]).attr("__doc__") = row[3];
  }
  return made;
}

}  // namespace thunkvm
