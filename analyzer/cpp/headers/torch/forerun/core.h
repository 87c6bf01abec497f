// Scalars, devices, options, lists, guards.
#pragma once

namespace c10 {
enum class ScalarType : int8_t {
  Byte,
  Char,
  Short,
  Int,
  Long,
  Half,
  Float,
  Double,
  ComplexHalf,
  ComplexFloat,
  ComplexDouble,
  Bool,
  BFloat16,
  Undefined
};
enum class DeviceType : int8_t { CPU, CUDA, MPS, XPU, HIP, Meta };
enum class Layout : int8_t { Strided, Sparse };
enum class MemoryFormat : int8_t { Contiguous, Preserve, ChannelsLast };
constexpr ScalarType kByte = ScalarType::Byte, kUInt8 = ScalarType::Byte, kChar = ScalarType::Char,
                     kInt8 = ScalarType::Char, kShort = ScalarType::Short,
                     kInt16 = ScalarType::Short, kInt = ScalarType::Int, kInt32 = ScalarType::Int,
                     kLong = ScalarType::Long, kInt64 = ScalarType::Long, kHalf = ScalarType::Half,
                     kFloat16 = ScalarType::Half, kFloat = ScalarType::Float,
                     kFloat32 = ScalarType::Float, kDouble = ScalarType::Double,
                     kFloat64 = ScalarType::Double, kBool = ScalarType::Bool,
                     kBFloat16 = ScalarType::BFloat16;
constexpr DeviceType kCPU = DeviceType::CPU, kCUDA = DeviceType::CUDA, kMPS = DeviceType::MPS,
                     kXPU = DeviceType::XPU;
constexpr Layout kStrided = Layout::Strided, kSparse = Layout::Sparse;

using DeviceIndex = int8_t;
struct Device {
  Device(DeviceType type, DeviceIndex index = -1);
  Device(const std::string& text);
  DeviceType type() const;
  DeviceIndex index() const;
  bool is_cuda() const;
  bool is_cpu() const;
  bool has_index() const;
  void set_index(DeviceIndex index);
  std::string str() const;
  bool operator==(const Device& other) const;
  bool operator!=(const Device& other) const;
};
std::ostream& operator<<(std::ostream& stream, const Device& device);
std::ostream& operator<<(std::ostream& stream, ScalarType type);
std::ostream& operator<<(std::ostream& stream, DeviceType type);

class Scalar {
 public:
  Scalar();
  Scalar(double value);
  Scalar(float value);
  Scalar(int value);
  Scalar(long value);
  Scalar(long long value);
  Scalar(unsigned long value);
  Scalar(bool value);
  float toFloat() const;
  double toDouble() const;
  int64_t toLong() const;
  int toInt() const;
  template <class T>
  T to() const;
};

template <class T>
class ArrayRef {
 public:
  ArrayRef();
  ArrayRef(const T& one);
  ArrayRef(const T* data, size_t length);
  ArrayRef(const std::vector<T>& values);
  ArrayRef(const std::initializer_list<T>& values);
  template <size_t N>
  ArrayRef(const std::array<T, N>& values);
  const T* begin() const;
  const T* end() const;
  size_t size() const;
  bool empty() const;
  const T& front() const;
  const T& back() const;
  const T& operator[](size_t index) const;
  const T& at(size_t index) const;
  std::vector<T> vec() const;
};
using IntArrayRef = ArrayRef<int64_t>;
template <class T>
std::ostream& operator<<(std::ostream& stream, ArrayRef<T> values);
template <class T>
using optional = std::optional<T>;
using nullopt_t = std::nullopt_t;
inline constexpr nullopt_t nullopt = std::nullopt;
template <class T>
class List {
 public:
  List();
  List(std::initializer_list<T> values);
  void push_back(T value);
  size_t size() const;
  T operator[](size_t index) const;
  T get(size_t index) const;
  T* begin() const;
  T* end() const;
};

struct TensorOptions {
  TensorOptions();
  TensorOptions(ScalarType dtype);
  TensorOptions(Device device);
  TensorOptions(DeviceType device);
  TensorOptions(Layout layout);
  TensorOptions(MemoryFormat memory_format);
  TensorOptions dtype(ScalarType dtype) const;
  TensorOptions device(Device device) const;
  TensorOptions device(DeviceType type, DeviceIndex index = -1) const;
  TensorOptions layout(Layout layout) const;
  TensorOptions requires_grad(bool value) const;
  TensorOptions pinned_memory(bool value) const;
  TensorOptions memory_format(MemoryFormat value) const;
  ScalarType dtype() const;
  Device device() const;
};
TensorOptions dtype(ScalarType dtype);
TensorOptions device(Device device);
TensorOptions layout(Layout layout);
TensorOptions requires_grad(bool value = true);

struct AutoGradMode {
  AutoGradMode(bool enabled);
  ~AutoGradMode();
};
struct NoGradGuard : AutoGradMode {
  NoGradGuard();
};
struct InferenceMode {
  InferenceMode(bool enabled = true);
  ~InferenceMode();
  static bool is_enabled();
};
struct GradMode {
  static bool is_enabled();
  static void set_enabled(bool enabled);
};
template <class T>
class intrusive_ptr {
 public:
  T* get() const;
  T* operator->() const;
  T& operator*() const;
};
struct TensorImpl;
struct Storage {
  size_t nbytes() const;
};
class Error : public std::exception {
 public:
  const char* msg() const;
  const char* what() const noexcept override;
};
struct Generator {
  void set_current_seed(uint64_t seed);
};
}  // namespace c10

namespace at {
using namespace c10;
}
namespace torch {
using namespace at;
using Dtype = at::ScalarType;
}  // namespace torch
namespace at::Reduction {
enum Reduction { None, Mean, Sum, END };
}

#define TORCH_VERSION_MAJOR 2
#define TORCH_VERSION_MINOR 11
#define TORCH_VERSION_PATCH 0
#define TORCH_CHECK(condition, ...) \
  if (!(condition)) {               \
    throw ::c10::Error();           \
  }
#define TORCH_INTERNAL_ASSERT(condition, ...) TORCH_CHECK(condition)
#define AT_ASSERT(...) TORCH_CHECK(__VA_ARGS__)
