// ndarray.cpp: arrays as ndarrays. By hand: NumPy's own objects, and on each call's path.
#include "python/bindings/arrays/ndarray.h"

#include "python/bindings/arrays/argument_memory.h"
#include "python/bindings/arrays/limits.h"
#include "python/bindings/python/release.h"
#include "python/bindings/python/topics.h"
#include "thunks/bools.h"
#include "thunks/read_only.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace thunkvm {
namespace {

// ---- the base object of the ndarrays that we make: it holds the array whose memory they show ----

struct MemoryObject {
  PyObject_HEAD ArrayBody* array;
  bool writable;
};
PyTypeObject* memory_class = nullptr;

std::array<MemoryObject*, kFreeMemories> free_memories;
std::size_t n_free_memories = 0;

PyObject* hold_memory(Array array, bool writable) {
  MemoryObject* memory;
  if (n_free_memories != 0) {
    memory = free_memories[--n_free_memories];
    PyObject_Init(reinterpret_cast<PyObject*>(memory), memory_class);
  } else {
    memory = PyObject_New(MemoryObject, memory_class);
    if (memory == nullptr) throw PythonError{};
  }
  memory->array = array.detach();
  memory->writable = writable;
  return reinterpret_cast<PyObject*>(memory);
}

void drop_memory(PyObject* self) {
  MemoryObject* memory = reinterpret_cast<MemoryObject*>(self);
  Array::release(memory->array);
  if (n_free_memories < kFreeMemories) {
    free_memories[n_free_memories++] = memory;
  } else {
    PyObject_Free(self);
  }
  Py_DECREF(memory_class);
}

// NumPy asks for these bytes where an ndarray over this memory is to be made writable again.
int lend_memory(PyObject* self, Py_buffer* view, int flags) {
  const MemoryObject& memory = *reinterpret_cast<MemoryObject*>(self);
  const std::span<char> bytes = Array::reach(*memory.array);
  return PyBuffer_FillInfo(view, self, bytes.data(), static_cast<Py_ssize_t>(bytes.size()),
                           memory.writable ? 0 : 1, flags);
}

PyType_Slot memory_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(drop_memory)},
    {Py_bf_getbuffer, reinterpret_cast<void*>(lend_memory)},
    {Py_tp_doc, const_cast<char*>("Memory of the machine that an ndarray looks at.")},
    {0, nullptr},
};
PyType_Spec memory_spec = {"thunkvm._core.Memory", sizeof(MemoryObject), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, memory_slots};

// ---- ndarrays as owners of buffers ----

// True if this object owns its memory, directly or through bases, and ours is the only reference to
// it. Without the GIL nobody can tell.
bool held_by_us_alone(void* owner) noexcept {
  if (!holds_gil()) return false;
  PyObject* object = static_cast<PyObject*>(owner);
  for (;;) {
    if (Py_REFCNT(object) != 1) return false;
    if (Py_IS_TYPE(object, memory_class))
      return Array::exclusive(*reinterpret_cast<MemoryObject*>(object)->array);
    if (!PyArray_CheckExact(object)) return false;
    PyArrayObject* array = reinterpret_cast<PyArrayObject*>(object);
    if (reinterpret_cast<PyArrayObject_fields*>(array)->weakreflist != nullptr) return false;
    if (PyArray_CHKFLAGS(array, NPY_ARRAY_OWNDATA)) return true;
    object = PyArray_BASE(array);
    if (object == nullptr) return false;
  }
}

const ForeignOwner ndarray_owner = {release_object, held_by_us_alone};

// The caller gave the memory away for the call: the references to the buffer are all that count.
bool given_to_us(void*) noexcept { return true; }

const ForeignOwner argument_owner = {release_object, given_to_us};

Array borrow(PyArrayObject* array, const ForeignOwner& owner, DType dtype) {
  const std::size_t ndim = static_cast<std::size_t>(PyArray_NDIM(array));
  Array result = Array::borrow(array, &owner, PyArray_ISWRITEABLE(array), dtype,
                               Dims(PyArray_DIMS(array), ndim), Dims(PyArray_STRIDES(array), ndim),
                               PyArray_DATA(array));
  Py_INCREF(array);
  return result;
}

// The array that an ndarray shows the memory of, itself or through bases; null if there is none.
const ArrayBody* shown_array(PyObject* object) {
  while (object != nullptr && PyArray_CheckExact(object))
    object = PyArray_BASE(reinterpret_cast<PyArrayObject*>(object));
  return object != nullptr && Py_IS_TYPE(object, memory_class)
             ? reinterpret_cast<MemoryObject*>(object)->array
             : nullptr;
}

// ---- dtypes, by number ----

constexpr std::array<int, kNumericDTypes> type_numbers = {
    NPY_BOOL,   NPY_INT8,   NPY_INT16, NPY_INT32, NPY_INT64,  NPY_UINT8,  NPY_UINT16,
    NPY_UINT32, NPY_UINT64, NPY_HALF,  NPY_FLOAT, NPY_DOUBLE, NPY_CFLOAT, NPY_CDOUBLE};
std::array<PyTypeObject*, kNumericDTypes + 1> scalar_classes;  // none for Object

constexpr DType kNoDType = DType::Object;
constexpr std::array<DType, NPY_VSTRING> dtypes_by_number = [] {
  std::array<DType, NPY_VSTRING> dtypes{};
  dtypes.fill(kNoDType);
  for (std::size_t i = 0; i < type_numbers.size(); ++i)
    dtypes[static_cast<std::size_t>(type_numbers[i])] = static_cast<DType>(i);
  // C's `int`, `long` and `long long` have a number each, whatever their sizes.
  dtypes[NPY_INT] = DType::Int32;
  dtypes[NPY_UINT] = DType::UInt32;
  dtypes[NPY_LONG] = sizeof(long) == 8 ? DType::Int64 : DType::Int32;
  dtypes[NPY_ULONG] = sizeof(long) == 8 ? DType::UInt64 : DType::UInt32;
  dtypes[NPY_LONGLONG] = DType::Int64;
  dtypes[NPY_ULONGLONG] = DType::UInt64;
  return dtypes;
}();

DType dtype_of_number(int type_number) {
  return type_number >= 0 && type_number < static_cast<int>(dtypes_by_number.size())
             ? dtypes_by_number[static_cast<std::size_t>(type_number)]
             : kNoDType;
}

template <class Object>
PyObject* scalar_object(PyTypeObject* type, const void* value) {
  PyObject* object = type->tp_alloc(type, 0);
  if (object == nullptr) throw PythonError{};
  std::memcpy(&reinterpret_cast<Object*>(object)->obval, value, sizeof(Object::obval));
  return object;
}

}  // namespace

std::array<PyArray_Descr*, kNumericDTypes> descriptors;  // held as long as the process lives

PyObject* numpy_scalar(DType dtype, const void* value) {
  switch (dtype) {
    case DType::Float64: return scalar_object<PyDoubleScalarObject>(&PyDoubleArrType_Type, value);
    case DType::Float32: return scalar_object<PyFloatScalarObject>(&PyFloatArrType_Type, value);
    case DType::Int64: return scalar_object<PyInt64ScalarObject>(&PyInt64ArrType_Type, value);
    case DType::Bool: {
      bool truth;
      std::memcpy(&truth, value, sizeof(truth));
      return Py_NewRef(truth ? PyArrayScalar_True : PyArrayScalar_False);
    }
    case DType::Int8: return scalar_object<PyInt8ScalarObject>(&PyInt8ArrType_Type, value);
    case DType::Int16: return scalar_object<PyInt16ScalarObject>(&PyInt16ArrType_Type, value);
    case DType::Int32: return scalar_object<PyInt32ScalarObject>(&PyInt32ArrType_Type, value);
    case DType::UInt8: return scalar_object<PyUInt8ScalarObject>(&PyUInt8ArrType_Type, value);
    case DType::UInt16: return scalar_object<PyUInt16ScalarObject>(&PyUInt16ArrType_Type, value);
    case DType::UInt32: return scalar_object<PyUInt32ScalarObject>(&PyUInt32ArrType_Type, value);
    case DType::UInt64: return scalar_object<PyUInt64ScalarObject>(&PyUInt64ArrType_Type, value);
    case DType::Float16: return scalar_object<PyHalfScalarObject>(&PyHalfArrType_Type, value);
    case DType::Complex64: return scalar_object<PyCFloatScalarObject>(&PyCFloatArrType_Type, value);
    case DType::Complex128:
      return scalar_object<PyCDoubleScalarObject>(&PyCDoubleArrType_Type, value);
    case DType::Object: break;
  }
  throw Error(ErrorKind::Type, "an opaque value is no number");
}

PyRef to_ndarray(Array array) {
  ArrayBody& body = *array.body();
  const bool writable = body.buffer->writable();
  if (body.is_owner_itself) {
    auto* const owner = static_cast<PyObject*>(body.buffer->owner());
    // One that was lent to be kept is handed out read-only, whatever its owner does with it.
    if (writable || !PyArray_ISWRITEABLE(reinterpret_cast<PyArrayObject*>(owner)))
      return PyRef::borrow(owner);
  }
  PyArray_Descr* descriptor = descriptors[static_cast<std::size_t>(body.dtype)];
  Py_INCREF(descriptor);
  // Without strides NumPy takes the flags as they are, which spares it the work of finding them.
  PyObject* object =
      PyArray_NewFromDescr(&PyArray_Type, descriptor, body.ndim, body.dims,
                           body.contiguous ? nullptr : body.dims + body.ndim, body.data,
                           writable ? NPY_ARRAY_CARRAY : NPY_ARRAY_CARRAY_RO, nullptr);
  PyRef result = PyRef::take(object);
  // As PyArray_SetBaseObject does for a base that is no array.
  reinterpret_cast<PyArrayObject_fields*>(object)->base = hold_memory(std::move(array), writable);
  return result;
}

PyRef to_ndarray_0d(const Cell& scalar) {
  PyRef result = PyRef::take(
      PyArray_SimpleNew(0, nullptr, type_numbers[static_cast<std::size_t>(scalar.dtype())]));
  std::memcpy(PyArray_DATA(reinterpret_cast<PyArrayObject*>(result.get())), scalar.address(),
              item_size(scalar.dtype()));
  return result;
}

std::optional<DType> dtype_of_ndarray(PyArrayObject* array) {
  const DType dtype = dtype_of_number(PyArray_TYPE(array));
  return dtype == kNoDType ? std::nullopt : std::optional(dtype);
}

Array borrow_ndarray(PyArrayObject* array, DType dtype) {
  const std::size_t ndim = static_cast<std::size_t>(PyArray_NDIM(array));
  if (ndim > static_cast<std::size_t>(kMaxDims))
    throw Error(ErrorKind::Value, "an array of " + std::to_string(ndim) +
                                      " dimensions: the machine takes up to " +
                                      std::to_string(kMaxDims));
  Array result = borrow(array, ndarray_owner, dtype);
  result.body()->is_owner_itself = true;
  if (dtype == DType::Bool && !holds_bools(result)) return with_bools(result);
  return result;
}

Array borrow_mutable(PyArrayObject* array, DType dtype) {
  return borrow(array, argument_owner, dtype);
}

bool is_in_argument(const ArrayBody& array) {
  for (const ArrayBody* seen = &array; seen != nullptr;) {
    const Buffer& buffer = *seen->buffer;
    if (buffer.hooks() == &argument_owner) return true;
    seen = buffer.hooks() == &ndarray_owner ? shown_array(static_cast<PyObject*>(buffer.owner()))
                                            : nullptr;
  }
  return false;
}

PyObject* whole_argument(const ArrayBody& array) {
  if (array.buffer->hooks() != &argument_owner) return nullptr;
  auto* const owner = static_cast<PyArrayObject*>(array.buffer->owner());
  const std::size_t ndim = array.ndim;
  const bool is_whole =
      dtype_of_ndarray(owner) == array.dtype && PyArray_DATA(owner) == array.data &&
      PyArray_NDIM(owner) == array.ndim &&
      std::equal(array.dims, array.dims + ndim, PyArray_DIMS(owner)) &&
      std::equal(array.dims + ndim, array.dims + 2 * ndim, PyArray_STRIDES(owner));
  return is_whole ? reinterpret_cast<PyObject*>(owner) : nullptr;
}

Array lent_array(Array array) {
  if (!array.body()->is_owner_itself) return read_only(std::move(array));
  auto* const owner = static_cast<PyObject*>(array.buffer()->owner());
  Array lent = Array::borrow(owner, &ndarray_owner, false, array.dtype(), array.shape(),
                             array.strides(), array.data());
  Py_INCREF(owner);
  lent.body()->is_owner_itself = true;
  return lent;
}

Cell number_at(const void* data, DType dtype) {
  return visit_dtype(dtype, "a number", [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_same_v<T, bool>) return Cell::of(*static_cast<const char*>(data) != 0);
    T value;
    std::memcpy(&value, data, sizeof(T));
    return Cell::of(value);
  });
}

PyTypeObject* scalar_class(DType dtype) { return scalar_classes[static_cast<std::size_t>(dtype)]; }

const void* number_in(PyObject* scalar) {
  // All of them begin with an object's head, and none needs more alignment than it leaves.
  static_assert(offsetof(PyDoubleScalarObject, obval) == sizeof(PyObject) &&
                offsetof(PyBoolScalarObject, obval) == sizeof(PyObject) &&
                offsetof(PyHalfScalarObject, obval) == sizeof(PyObject) &&
                offsetof(PyCDoubleScalarObject, obval) == sizeof(PyObject));
  return reinterpret_cast<const char*>(scalar) + sizeof(PyObject);
}

std::optional<Cell> cell_of_scalar(PyObject* scalar) {
  PyRef descriptor = PyRef::take(reinterpret_cast<PyObject*>(PyArray_DescrFromScalar(scalar)));
  const DType dtype = dtype_of_number(reinterpret_cast<PyArray_Descr*>(descriptor.get())->type_num);
  if (dtype == kNoDType) return std::nullopt;
  Complex128 largest;  // room for any of them
  PyArray_ScalarAsCtype(scalar, &largest);
  return number_at(&largest, dtype);
}

void init_ndarray(PyObject* module) {
  memory_class = add_class(module, memory_spec);
  for (std::size_t i = 0; i < type_numbers.size(); ++i) {
    descriptors[i] = PyArray_DescrFromType(type_numbers[i]);
    scalar_classes[i] = descriptors[i]->typeobj;
  }
}

}  // namespace thunkvm
