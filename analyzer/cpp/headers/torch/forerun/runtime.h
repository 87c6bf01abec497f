// Files, devices, autograd, autocast, scripts.
#pragma once

namespace torch {
template <class T, class... A>
void save(const T& value, A&&... arguments);
template <class T, class... A>
void load(T& value, A&&... arguments);
template <class T>
std::string str(const T& value);
using at::AutoGradMode;
using at::NoGradGuard;
void set_num_threads(int threads);
int get_num_threads();

namespace cuda {
size_t device_count();
bool is_available();
bool cudnn_is_available();
void manual_seed(uint64_t seed);
void manual_seed_all(uint64_t seed);
void synchronize(int64_t device_index = -1);
}  // namespace cuda

namespace autograd {
using variable_list = std::vector<at::Tensor>;
void backward(const variable_list& tensors, const variable_list& grad_tensors = {},
              std::optional<bool> retain_graph = std::nullopt, bool create_graph = false,
              const variable_list& inputs = {});
variable_list grad(const variable_list& outputs, const variable_list& inputs,
                   const variable_list& grad_outputs = {},
                   std::optional<bool> retain_graph = std::nullopt, bool create_graph = false,
                   bool allow_unused = false);
struct AnomalyMode {
  static bool is_enabled();
  static void set_enabled(bool enabled, bool check_nan = true);
};
struct DetectAnomalyGuard {
  DetectAnomalyGuard(bool check_nan = true);
  ~DetectAnomalyGuard();
};
}  // namespace autograd

namespace jit {
struct IValue {
  IValue(at::Tensor tensor);
  at::Tensor toTensor() const;
};
struct Object {};
struct Module : Object {
  IValue forward(std::vector<IValue> inputs);
  void eval();
  void train(bool on = true);
  void to(at::Device device, bool non_blocking = false);
};
Module load(const std::string& file, std::optional<at::Device> device = std::nullopt);
namespace script {
using Module = torch::jit::Module;
}
}  // namespace jit
}  // namespace torch

namespace at::autocast {
bool is_enabled();
void set_enabled(bool enabled);
bool is_cpu_enabled();
void set_cpu_enabled(bool enabled);
bool is_xpu_enabled();
void set_xpu_enabled(bool enabled);
void set_autocast_enabled(at::DeviceType device, bool enabled);
bool is_autocast_enabled(at::DeviceType device);
void set_autocast_gpu_dtype(at::ScalarType dtype);
at::ScalarType get_autocast_dtype(at::DeviceType device);
void set_autocast_dtype(at::DeviceType device, at::ScalarType dtype);
bool is_autocast_cache_enabled();
void set_autocast_cache_enabled(bool enabled);
void clear_cache();
int increment_nesting();
int decrement_nesting();
}  // namespace at::autocast

namespace c10::cuda {
namespace CUDACachingAllocator {
void emptyCache();
}
void device_synchronize();
struct CUDAGuard {
  explicit CUDAGuard(int device);
};
struct CUDAStream {
  void synchronize() const;
};
CUDAStream getCurrentCUDAStream(int device = -1);
}  // namespace c10::cuda
namespace at::cuda {
using namespace c10::cuda;
}
