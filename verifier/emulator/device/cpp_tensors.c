#include "verifier/emulator/device/cpp_tensors.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "verifier/emulator/device/blocks.h"
#include "verifier/emulator/device/events.h"
#include "verifier/emulator/device/log.h"

// A std::vector of libstdc++ and libc++: where its elements start and end.
typedef struct {
  char *start, *end, *room;
} Vector;

// torch::optim::OptimizerParamGroup (torch/csrc/api/include/torch/optim/optimizer.h, 2.11); whether
// it is so is checked by the number of parameters the optimizer says it has.
typedef struct {
  Vector tensors;  // std::vector<at::Tensor>
  void* options;
} Group;

// at::Tensor is one pointer, to a TensorImpl.
typedef void* Tensor;

// Exported by libtorch_cpu.so and, the gradient, by libc10.so. An AtenTensorHandle of the C
// functions (torch/csrc/inductor/aoti_torch/c/shim.h) is the address of a Tensor; they return 0
// when all is well.
static struct {
  Vector* (*groups)(void* optimizer);
  size_t (*size)(const void* optimizer);
  const Tensor* (*gradient)(const void* impl);
  int32_t (*data)(const Tensor* tensor, void** data);
  int32_t (*is_defined)(const Tensor* tensor, _Bool* is);
  int complete;
} libtorch;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find_libtorch(void) {
  void* cpu = dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_NOLOAD);
  void* c10 = dlopen("libc10.so", RTLD_LAZY | RTLD_NOLOAD);
  if (cpu == NULL || c10 == NULL) return;
  *(void**)&libtorch.groups = dlsym(cpu, "_ZN5torch5optim9Optimizer12param_groupsEv");
  *(void**)&libtorch.size = dlsym(cpu, "_ZNK5torch5optim9Optimizer4sizeEv");
  *(void**)&libtorch.data = dlsym(cpu, "aoti_torch_get_data_ptr");
  *(void**)&libtorch.is_defined = dlsym(cpu, "aoti_torch_is_defined");
  *(void**)&libtorch.gradient = dlsym(c10, "_ZNK3c1010TensorImpl4gradEv");
  libtorch.complete = libtorch.groups != NULL && libtorch.size != NULL && libtorch.data != NULL &&
                      libtorch.is_defined != NULL && libtorch.gradient != NULL;
}

// A tensor that starts inside a block is not found among the blocks, and left out.
static void categorise(const Tensor* tensor, int category) {
  _Bool is_defined = 0;
  void* data = NULL;
  if (libtorch.is_defined(tensor, &is_defined) != 0 || !is_defined) return;
  if (libtorch.data(tensor, &data) == 0 && data != NULL)
    emu_block_categorise((uint64_t)(uintptr_t)data, category);
}

static size_t elements(const Vector* vector, size_t bytes) {
  const size_t all = (size_t)(vector->end - vector->start);
  return all % bytes == 0 ? all / bytes : 0;
}

static int is_as_expected(const Vector* groups, size_t size) {
  size_t found = 0;
  for (size_t i = 0; i < elements(groups, sizeof(Group)); ++i)
    found += elements(&((const Group*)groups->start)[i].tensors, sizeof(Tensor));
  return found == size;
}

void emu_categorise_parameters(void* optimizer) {
  if (!emu_logging()) return;
  pthread_once(&once, find_libtorch);
  if (!libtorch.complete) return;
  const Vector* groups = libtorch.groups(optimizer);
  if (!is_as_expected(groups, libtorch.size(optimizer))) return;
  for (size_t i = 0; i < elements(groups, sizeof(Group)); ++i) {
    const Vector* tensors = &((const Group*)groups->start)[i].tensors;
    for (size_t j = 0; j < elements(tensors, sizeof(Tensor)); ++j) {
      const Tensor* tensor = &((const Tensor*)tensors->start)[j];
      categorise(tensor, EMU_CATEGORY_PARAMETER);
      categorise(libtorch.gradient(*tensor), EMU_CATEGORY_GRADIENT);
    }
  }
}
