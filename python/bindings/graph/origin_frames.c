#define Py_BUILD_CORE 1
#include "python/bindings/graph/origin_frames.h"

#if PY_VERSION_HEX < 0x030E0000

#include "internal/pycore_frame.h"

#if PY_VERSION_HEX >= 0x030D0000
#define FRAME_CODE(frame) ((PyCodeObject*)(frame)->f_executable)
#define CURRENT_FRAME(state) ((state)->current_frame)
#else
#define FRAME_CODE(frame) ((frame)->f_code)
#define CURRENT_FRAME(state) ((state)->cframe->current_frame)
#endif

static int describe(_PyInterpreterFrame* frame, ThunkvmFrame* result) {
  /* Frames that are only being set up, and those that stand for calls from C. */
  while (frame != NULL && _PyFrame_IsIncomplete(frame)) frame = frame->previous;
  if (frame == NULL) return 0;
  result->frame = frame;
  result->code = (PyObject*)FRAME_CODE(frame);
  result->globals = frame->f_globals;
  result->last_instruction = _PyInterpreterFrame_LASTI(frame) * (int)sizeof(_Py_CODEUNIT);
  return 1;
}

int thunkvm_innermost_frame(ThunkvmFrame* frame) {
  return describe(CURRENT_FRAME(PyThreadState_Get()), frame);
}

int thunkvm_calling_frame(ThunkvmFrame* frame) {
  return describe(((_PyInterpreterFrame*)frame->frame)->previous, frame);
}

#else /* A version whose frames we have not read: what the stable interface offers, which makes \
         frame objects. */

static int describe(PyFrameObject* frame, ThunkvmFrame* result) {
  PyCodeObject* code;
  PyObject* globals;
  if (frame == NULL) return 0;
  code = PyFrame_GetCode(frame);
  globals = PyFrame_GetGlobals(frame);
  result->frame = frame;
  result->code = (PyObject*)code;
  result->globals = globals;
  result->last_instruction = PyFrame_GetLasti(frame);
  /* The running frame holds both. */
  Py_DECREF(code);
  Py_DECREF(globals);
  return 1;
}

int thunkvm_innermost_frame(ThunkvmFrame* frame) { return describe(PyEval_GetFrame(), frame); }

int thunkvm_calling_frame(ThunkvmFrame* frame) {
  PyFrameObject* caller = PyFrame_GetBack((PyFrameObject*)frame->frame);
  int found = describe(caller, frame);
  Py_XDECREF(caller);
  return found;
}

#endif
