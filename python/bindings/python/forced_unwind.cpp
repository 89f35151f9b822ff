// forced_unwind.cpp: what becomes of a thread that ends inside a call.
//
// When a process exits, CPython 3.11 to 3.13 ends each daemon thread at the moment it asks for the
// GIL: with pthread_exit, which unwinds the thread's stack. Any Python code may ask for it, and so
// the thread may end in whatever C++ has called: a thunk, a conversion, the destructor of the last
// reference to an object. That unwinding must not run our frames: a destructor would drop Python
// references without the GIL, and `catch (...)` and `noexcept` abort the process.
//
// The unwinder asks each frame's personality routine what to do there. The linker gives all C++ of
// this module the routine below in place of the compiler's (`--wrap`, see meson.build): a thread
// whose unwinding comes to one of our frames stays there until the process has ended, as Python
// does itself from 3.14 on. A frame without anything to destroy has no routine and is passed by;
// where another library's C++ calls us, what it calls is `noexcept`, which has one.
#include <unistd.h>
#include <unwind.h>

extern "C" {

_Unwind_Reason_Code __real___gxx_personality_v0(int version, _Unwind_Action actions,
                                                _Unwind_Exception_Class kind,
                                                _Unwind_Exception* exception,
                                                _Unwind_Context* context);

_Unwind_Reason_Code __wrap___gxx_personality_v0(int version, _Unwind_Action actions,
                                                _Unwind_Exception_Class kind,
                                                _Unwind_Exception* exception,
                                                _Unwind_Context* context) {
  if ((actions & _UA_FORCE_UNWIND) != 0)
    for (;;) pause();
  return __real___gxx_personality_v0(version, actions, kind, exception, context);
}

}  // extern "C"
