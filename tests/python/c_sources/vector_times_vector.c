// The example of the tutorials, written afresh.
#section support_code

static bool same_length(PyArrayObject* a, PyArrayObject* b) {
  return PyArray_DIMS(a)[0] == PyArray_DIMS(b)[0];
}

#section support_code_apply

static void APPLY_SPECIFIC(multiply)(PyArrayObject* x, PyArrayObject* y, PyArrayObject* z) {
  for (npy_intp i = 0; i < PyArray_DIMS(x)[0]; ++i)
    *(DTYPE_OUTPUT_0*)PyArray_GETPTR1(z, i) =
        *(DTYPE_INPUT_0*)PyArray_GETPTR1(x, i) * *(DTYPE_INPUT_1*)PyArray_GETPTR1(y, i);
}

int APPLY_SPECIFIC(vector_times_vector)(PyArrayObject* x, PyArrayObject* y, PyArrayObject** z) {
  if (!same_length(x, y)) {
    PyErr_Format(PyExc_ValueError, "the vectors have %zd and %zd elements",
                 (Py_ssize_t)PyArray_DIMS(x)[0], (Py_ssize_t)PyArray_DIMS(y)[0]);
    return 1;
  }
  if (*z == NULL || !same_length(x, *z)) {
    Py_XDECREF(*z);
    *z = (PyArrayObject*)PyArray_EMPTY(1, PyArray_DIMS(x), TYPENUM_OUTPUT_0, 0);
    if (*z == NULL) return 1;
  }
  APPLY_SPECIFIC(multiply)(x, y, *z);
  return 0;
}
