/* origin_frames.h: the frames of running Python code, read without creating frame objects.
 *
 * CPython keeps the layout of its frames to itself and changes it with each version; the C file
 * behind this header is the one file that knows it. */
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One frame of Python code. References are borrowed, and good while the frame runs. */
typedef struct {
  void* frame;
  PyObject* code;
  PyObject* globals;
  int last_instruction; /* in bytes, as PyCode_Addr2Line takes it */
} ThunkvmFrame;

/* The innermost running frame of Python code; 0 if there is none. */
int thunkvm_innermost_frame(ThunkvmFrame* frame);
/* Its caller's; 0 if there is none, and `frame` is as it was. */
int thunkvm_calling_frame(ThunkvmFrame* frame);

#ifdef __cplusplus
}
#endif
