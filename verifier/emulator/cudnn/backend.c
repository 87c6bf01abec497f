// cuDNN's backend API, which its C++ frontend drives: a descriptor keeps the attributes it is given
// and hands them back. What the library would derive is answered for one engine that always fits
// and wants no workspace.
#include <cudnn.h>
#include <stdlib.h>
#include <string.h>

#include "verifier/emulator/device/report.h"

typedef struct {
  cudnnBackendAttributeName_t name;
  cudnnBackendAttributeType_t type;
  int64_t count;
  void* values;
} Attribute;

typedef struct {
  cudnnBackendDescriptorType_t type;
  int count;
  Attribute* attributes;
} Descriptor;

static size_t bytes_of(cudnnBackendAttributeType_t type) {
  switch (type) {
    case CUDNN_TYPE_BOOLEAN:
    case CUDNN_TYPE_CHAR: return 1;
    case CUDNN_TYPE_HANDLE:
    case CUDNN_TYPE_INT64:
    case CUDNN_TYPE_DOUBLE:
    case CUDNN_TYPE_VOID_PTR:
    case CUDNN_TYPE_BACKEND_DESCRIPTOR: return 8;
    case CUDNN_TYPE_FRACTION: return sizeof(cudnnFraction_t);
    default: return 4;  // the enumerations
  }
}

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type,
                                           cudnnBackendDescriptor_t* descriptor) {
  Descriptor* made = calloc(1, sizeof *made);
  if (made == NULL) return CUDNN_STATUS_ALLOC_FAILED;
  made->type = type;
  *descriptor = made;
  return CUDNN_STATUS_SUCCESS;
}

static void forget(Descriptor* descriptor) {
  for (int i = 0; i < descriptor->count; ++i) free(descriptor->attributes[i].values);
  free(descriptor->attributes);
  descriptor->attributes = NULL;
  descriptor->count = 0;
}

cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
  if (descriptor == NULL) return CUDNN_STATUS_SUCCESS;
  forget(descriptor);
  free(descriptor);
  return CUDNN_STATUS_SUCCESS;
}

static Attribute* find(const Descriptor* descriptor, cudnnBackendAttributeName_t name) {
  for (int i = 0; i < descriptor->count; ++i) {
    if (descriptor->attributes[i].name == name) return &descriptor->attributes[i];
  }
  return NULL;
}

cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t handle,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t count,
                                       const void* values) {
  Descriptor* descriptor = handle;
  if (count < 0) return CUDNN_STATUS_BAD_PARAM;
  const size_t bytes = (size_t)count * bytes_of(type);
  void* copy = malloc(bytes + 1);
  if (copy == NULL) return CUDNN_STATUS_ALLOC_FAILED;
  if (bytes > 0) memcpy(copy, values, bytes);
  Attribute* attribute = find(descriptor, name);
  if (attribute == NULL) {
    Attribute* larger =
        realloc(descriptor->attributes, (size_t)(descriptor->count + 1) * sizeof *larger);
    if (larger == NULL) {
      free(copy);
      return CUDNN_STATUS_ALLOC_FAILED;
    }
    descriptor->attributes = larger;
    attribute = &larger[descriptor->count++];
    attribute->values = NULL;
  }
  free(attribute->values);
  *attribute = (Attribute){name, type, count, copy};
  return CUDNN_STATUS_SUCCESS;
}

// Makes `to` say what `from` says; the caller made `to` to receive a descriptor the library holds.
static cudnnStatus_t copy_descriptor(Descriptor* to, const Descriptor* from) {
  if (to == from) return CUDNN_STATUS_SUCCESS;
  forget(to);
  to->type = from->type;
  for (int i = 0; i < from->count; ++i) {
    const Attribute* attribute = &from->attributes[i];
    const cudnnStatus_t status = cudnnBackendSetAttribute(to, attribute->name, attribute->type,
                                                          attribute->count, attribute->values);
    if (status != CUDNN_STATUS_SUCCESS) return status;
  }
  return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t hand_back(const Attribute* attribute, int64_t requested, int64_t* count,
                               void* values) {
  if (count != NULL) *count = attribute->count;
  const int64_t given = attribute->count < requested ? attribute->count : requested;
  if (values == NULL || given <= 0) return CUDNN_STATUS_SUCCESS;
  if (attribute->type != CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    memcpy(values, attribute->values, (size_t)given * bytes_of(attribute->type));
    return CUDNN_STATUS_SUCCESS;
  }
  for (int64_t i = 0; i < given; ++i) {
    Descriptor* to = ((Descriptor**)values)[i];
    const Descriptor* from = ((Descriptor**)attribute->values)[i];
    if (to == NULL || from == NULL) continue;
    const cudnnStatus_t status = copy_descriptor(to, from);
    if (status != CUDNN_STATUS_SUCCESS) return status;
  }
  return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t answer(void* values, const void* value, size_t bytes, int64_t requested,
                            int64_t* count) {
  if (count != NULL) *count = 1;
  if (values != NULL && requested > 0 && bytes > 0) memcpy(values, value, bytes);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t const handle,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t requested,
                                       int64_t* count, void* values) {
  static EmuEntry workspace = {"cuDNN execution plan workspace", 0};
  (void)type;
  const Attribute* attribute = find(handle, name);
  if (attribute != NULL) return hand_back(attribute, requested, count, values);
  const int64_t none = 0, one = 1;
  const int32_t none32 = 0;
  switch (name) {
    case CUDNN_ATTR_ENGINEHEUR_RESULTS:
    case CUDNN_ATTR_ENGINECFG_ENGINE: return answer(values, NULL, 0, requested, count);
    case CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE:
    case CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE:
      emu_unknown_size(&workspace);
      return answer(values, &none, sizeof none, requested, count);
    case CUDNN_ATTR_ENGINECFG_SHARED_MEMORY_USED:
      return answer(values, &none32, sizeof none32, requested, count);
    case CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT:
      return answer(values, &one, sizeof one, requested, count);
    case CUDNN_ATTR_ENGINE_GLOBAL_INDEX:
      return answer(values, &none, sizeof none, requested, count);
    default:
      if (count != NULL) *count = 0;
      return CUDNN_STATUS_SUCCESS;
  }
}
