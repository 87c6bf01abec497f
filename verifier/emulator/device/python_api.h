// CPython's functions, found in the running process; nothing here is linked to Python.
#pragma once

#include <stddef.h>

typedef struct EmuPyObject EmuPyObject;  // PyObject

typedef struct {
  // Need no lock of Python's.
  int (*Py_IsInitialized)(void);
  void* (*PyGILState_GetThisThreadState)(void);
  int (*PyGILState_Check)(void);
  int (*PyCode_Addr2Line)(EmuPyObject* code, int byte);
  ptrdiff_t (*PyUnicode_GetLength)(EmuPyObject* text);
  unsigned (*PyUnicode_ReadChar)(EmuPyObject* text, ptrdiff_t index);
  int (*Py_AddPendingCall)(int (*function)(void*), void* argument);
  const char* (*Py_GetVersion)(void);
  int (*PyGILState_Ensure)(void);  // waits for the lock
  void (*PyGILState_Release)(int before);
  // The rest is for holders of the lock.
  EmuPyObject* (*PyEval_GetFrame)(void);
  EmuPyObject* (*PyEval_GetBuiltins)(void);
  EmuPyObject* (*PyEval_EvalCode)(EmuPyObject* code, EmuPyObject* globals, EmuPyObject* locals);
  EmuPyObject* (*PyFrame_GetBack)(EmuPyObject* frame);
  EmuPyObject* (*PyFrame_GetCode)(EmuPyObject* frame);
  int (*PyFrame_GetLineNumber)(EmuPyObject* frame);
  EmuPyObject* (*PyObject_GetAttrString)(EmuPyObject* object, const char* name);
  EmuPyObject* (*Py_CompileString)(const char* text, const char* file, int start);
  EmuPyObject* (*PyDict_New)(void);
  int (*PyDict_SetItemString)(EmuPyObject* dict, const char* key, EmuPyObject* value);
  EmuPyObject* (*PyCFunction_NewEx)(void* definition, EmuPyObject* self, EmuPyObject* module);
  int (*PyArg_ParseTuple)(EmuPyObject* arguments, const char* format, ...);
  EmuPyObject* (*PyList_GetItem)(EmuPyObject* list, ptrdiff_t index);
  ptrdiff_t (*PyList_Size)(EmuPyObject* list);
  unsigned long long (*PyLong_AsUnsignedLongLong)(EmuPyObject* number);
  EmuPyObject* (*PyLong_FromUnsignedLongLong)(unsigned long long number);
  void (*PyErr_Clear)(void);
  void (*PyErr_Print)(void);
  EmuPyObject* (*PyErr_Occurred)(void);
  void (*PyErr_SetObject)(EmuPyObject* type, EmuPyObject* value);
  void (*Py_DecRef)(EmuPyObject* object);
  // Data.
  EmuPyObject** PyExc_SystemExit;
} EmuPython;

// Null when no Python is running in this process, or it lacks one of these.
const EmuPython* emu_python(void);
