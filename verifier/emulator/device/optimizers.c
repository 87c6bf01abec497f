// Where steps of training end: LibTorch's optimizers in C++, and programs that say so themselves.
// (Python's are heard by python_agent.c.)
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "verifier/emulator/device/cpp_tensors.h"
#include "verifier/emulator/device/log.h"
#include "verifier/emulator/device/python_agent.h"
#include "verifier/emulator/device/report.h"
#include "verifier/emulator/device/totals.h"

// For programs without an optimizer of PyTorch's, or with other ideas of a step: to be looked up
// with dlsym(RTLD_DEFAULT, "forerun_step"), or ctypes.CDLL(None).forerun_step, and called after
// each step where it is found.
void forerun_step(void);
void forerun_step(void) {
  if (emu_step_marked()) emu_end_program();
}

void emu_end_program(void) {
  if (emu_python_end()) return;
  fflush(NULL);
  _exit(0);
}

static void* libtorch(void) {
  static void* library;
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  if (library == NULL) library = dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_NOLOAD);
  pthread_mutex_unlock(&lock);
  return library;
}

static void* real(const char* name) {
  void* library = libtorch();
  void* function = library == NULL ? NULL : dlsym(library, name);
  if (function == NULL) emu_say("%s was called and is not in libtorch_cpu.so", name);
  return function;
}

// Tensor <class>::step(std::function<Tensor()>): virtual functions that libtorch_cpu.so exports
// (torch/csrc/api/include/torch/optim, unchanged from 1.7 to 2.11), which resolve to these because
// this library is preloaded. In the Itanium C++ ABI a Tensor comes back through a hidden pointer,
// and the function object is passed by reference.
#define OPTIMIZER(symbol)                                                   \
  void* symbol(void* result, void* self, void* closure);                    \
  void* symbol(void* result, void* self, void* closure) {                   \
    static void* (*step)(void*, void*, void*);                              \
    if (step == NULL) step = (void* (*)(void*, void*, void*))real(#symbol); \
    if (step == NULL) _exit(127);                                           \
    void* returned = step(result, self, closure);                           \
    emu_categorise_parameters(self);                                        \
    if (emu_step_optimizer((uint64_t)(uintptr_t)self)) emu_end_program();   \
    return returned;                                                        \
  }
OPTIMIZER(_ZN5torch5optim3SGD4stepESt8functionIFN2at6TensorEvEE)
OPTIMIZER(_ZN5torch5optim4Adam4stepESt8functionIFN2at6TensorEvEE)
OPTIMIZER(_ZN5torch5optim5AdamW4stepESt8functionIFN2at6TensorEvEE)
OPTIMIZER(_ZN5torch5optim5LBFGS4stepESt8functionIFN2at6TensorEvEE)
OPTIMIZER(_ZN5torch5optim7Adagrad4stepESt8functionIFN2at6TensorEvEE)
OPTIMIZER(_ZN5torch5optim7RMSprop4stepESt8functionIFN2at6TensorEvEE)

// void Optimizer::add_param_group(const OptimizerParamGroup&): the constructor calls it, so that an
// optimizer is known before it steps.
#define ADD_PARAM_GROUP _ZN5torch5optim9Optimizer15add_param_groupERKNS0_19OptimizerParamGroupE
#define NAME_OF(symbol) NAME_OF_(symbol)
#define NAME_OF_(symbol) #symbol
void ADD_PARAM_GROUP(void* self, void* group);
void ADD_PARAM_GROUP(void* self, void* group) {
  static void (*add)(void*, void*);
  if (add == NULL) add = (void (*)(void*, void*))real(NAME_OF(ADD_PARAM_GROUP));
  if (add == NULL) _exit(127);
  add(self, group);
  emu_step_await((uint64_t)(uintptr_t)self);
}
