#include "verifier/emulator/device/python_api.h"

#include <dlfcn.h>
#include <pthread.h>

static EmuPython python;
static int complete;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// Without RTLD_GLOBAL there would be no extension modules, so the default scope has them all.
static void find_python(void) {
  complete = dlsym(RTLD_DEFAULT, "Py_IsInitialized") != NULL;
#define FIND(name)                                        \
  do {                                                    \
    *(void**)&python.name = dlsym(RTLD_DEFAULT, #name);   \
    complete = complete && *(void**)&python.name != NULL; \
  } while (0)
  FIND(Py_IsInitialized);
  FIND(PyGILState_GetThisThreadState);
  FIND(PyGILState_Check);
  FIND(PyCode_Addr2Line);
  FIND(PyUnicode_GetLength);
  FIND(PyUnicode_ReadChar);
  FIND(Py_AddPendingCall);
  FIND(Py_GetVersion);
  FIND(PyGILState_Ensure);
  FIND(PyGILState_Release);
  FIND(PyEval_GetFrame);
  FIND(PyEval_GetBuiltins);
  FIND(PyEval_EvalCode);
  FIND(PyFrame_GetBack);
  FIND(PyFrame_GetCode);
  FIND(PyFrame_GetLineNumber);
  FIND(PyObject_GetAttrString);
  FIND(Py_CompileString);
  FIND(PyDict_New);
  FIND(PyDict_SetItemString);
  FIND(PyCFunction_NewEx);
  FIND(PyArg_ParseTuple);
  FIND(PyList_GetItem);
  FIND(PyList_Size);
  FIND(PyLong_AsUnsignedLongLong);
  FIND(PyLong_FromUnsignedLongLong);
  FIND(PyErr_Clear);
  FIND(PyErr_Print);
  FIND(PyErr_Occurred);
  FIND(PyErr_SetObject);
  FIND(Py_DecRef);
  FIND(PyExc_SystemExit);
#undef FIND
}

const EmuPython* emu_python(void) {
  pthread_once(&once, find_python);
  return complete && python.Py_IsInitialized() ? &python : NULL;
}
