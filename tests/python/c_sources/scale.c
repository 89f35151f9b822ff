#section support_code_struct

long runs;

#section init_code_struct

runs = 0;
if (PARAMS->factor == 0) {
  PyErr_SetString(PyExc_ValueError, "a factor of zero");
  FAIL;
}

#section code

Py_XDECREF(OUTPUT_0);
OUTPUT_0 = (PyArrayObject*)PyArray_EMPTY(1, PyArray_DIMS(INPUT_0), TYPENUM_OUTPUT_0, 0);
if (OUTPUT_0 == NULL) FAIL;
++runs;
for (npy_intp i = 0; i < PyArray_DIMS(INPUT_0)[0]; ++i)
  *(DTYPE_OUTPUT_0*)PyArray_GETPTR1(OUTPUT_0, i) =
      (DTYPE_OUTPUT_0)(PARAMS->factor * *(DTYPE_INPUT_0*)PyArray_GETPTR1(INPUT_0, i) + runs);
