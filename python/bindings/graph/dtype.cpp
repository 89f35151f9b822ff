// dtype.cpp: dtypes of the machine, of NumPy, and as users write them.
#include "ops/graph/registry.h"
#include "python/bindings/graph/type.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace thunkvm {
namespace {

constexpr std::array<int, 15> kTypeNumbers = {
    NPY_BOOL,    NPY_INT8,    NPY_INT16,     NPY_INT32,      NPY_INT64,
    NPY_UINT8,   NPY_UINT16,  NPY_UINT32,    NPY_UINT64,     NPY_FLOAT16,
    NPY_FLOAT32, NPY_FLOAT64, NPY_COMPLEX64, NPY_COMPLEX128, NPY_OBJECT};

std::optional<DType> find(int type_number) {
  for (std::size_t i = 0; i < kTypeNumbers.size(); ++i)
    if (kTypeNumbers[i] == type_number) return static_cast<DType>(i);
  // C has more integer types than sizes: `long long` is another number than `long`, of the same
  // size.
  if (type_number == NPY_LONGLONG) return DType::Int64;
  if (type_number == NPY_ULONGLONG) return DType::UInt64;
  return std::nullopt;
}

std::string known_dtypes() {
  std::string names;
  for (int i = 0; i < kNumericDTypes; ++i)
    names += (i == 0 ? "" : ", ") + std::string(name(static_cast<DType>(i)));
  return names;
}

}  // namespace

int numpy_type_number(DType dtype) { return kTypeNumbers[static_cast<std::size_t>(dtype)]; }

PyArray_Descr* numpy_dtype(DType dtype) { return PyArray_DescrFromType(numpy_type_number(dtype)); }

DType dtype_of_object(PyObject* object, const std::string& what) {
  if (PyUnicode_Check(object))
    if (const auto dtype = dtype_from_name(text_of(object)); dtype && *dtype != DType::Object)
      return *dtype;
  PyArray_Descr* descr = nullptr;
  const bool known = object != Py_None && PyArray_DescrConverter(object, &descr) == NPY_SUCCEED;
  if (!known) {
    PyErr_Clear();
    std::vector<std::string> names;
    for (int i = 0; i < kNumericDTypes; ++i) names.emplace_back(name(static_cast<DType>(i)));
    throw Error(ErrorKind::Type, what + " = " + str_of(object) + " is not a dtype; use one of " +
                                     known_dtypes() +
                                     suggestion(". Did you mean", str_of(object), names));
  }
  const int number = descr->type_num;
  Py_DECREF(descr);
  if (const auto dtype = find(number); dtype && *dtype != DType::Object) return *dtype;
  throw Error(ErrorKind::Type,
              what + " = " + str_of(object) + " is not supported; use one of " + known_dtypes());
}

}  // namespace thunkvm
