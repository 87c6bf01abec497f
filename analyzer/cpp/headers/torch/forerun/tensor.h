// Tensors and their methods.
#pragma once

namespace at {
class Tensor;
using TensorList = ArrayRef<Tensor>;

namespace indexing {
enum class EllipsisIndexType { Ellipsis };
constexpr EllipsisIndexType Ellipsis = EllipsisIndexType::Ellipsis;
inline constexpr std::nullopt_t None = std::nullopt;
struct Slice {
  Slice(std::optional<int64_t> start = std::nullopt, std::optional<int64_t> stop = std::nullopt,
        std::optional<int64_t> step = std::nullopt);
};
struct TensorIndex {
  TensorIndex(std::nullopt_t none);
  TensorIndex(EllipsisIndexType ellipsis);
  TensorIndex(const char* text);
  TensorIndex(int64_t index);
  TensorIndex(int index);
  TensorIndex(bool index);
  TensorIndex(Slice slice);
  TensorIndex(Tensor tensor);
};
}  // namespace indexing

template <class T, size_t N>
struct TensorAccessor {
  TensorAccessor<T, N - 1> operator[](int64_t index) const;
  int64_t size(int64_t dim) const;
};
template <class T>
struct TensorAccessor<T, 1> {
  T& operator[](int64_t index) const;
  int64_t size(int64_t dim) const;
};

class TensorBase {
 public:
  int64_t dim() const;
  int64_t ndimension() const;
  int64_t size(int64_t dim) const;
  IntArrayRef sizes() const;
  IntArrayRef strides() const;
  int64_t stride(int64_t dim) const;
  int64_t numel() const;
  size_t nbytes() const;
  int64_t element_size() const;
  int64_t itemsize() const;
  ScalarType scalar_type() const;
  ScalarType dtype() const;
  Device device() const;
  int64_t get_device() const;
  TensorOptions options() const;
  Layout layout() const;
  bool defined() const;
  bool is_cuda() const;
  bool is_cpu() const;
  bool is_contiguous() const;
  bool is_leaf() const;
  bool is_floating_point() const;
  bool is_sparse() const;
  bool has_storage() const;
  bool requires_grad() const;
  bool is_same(const TensorBase& other) const;
  const Storage& storage() const;
  size_t use_count() const;
  TensorImpl* unsafeGetTensorImpl() const;
  void* data_ptr() const;
  template <class T>
  T* data_ptr() const;
  template <class T>
  const T* const_data_ptr() const;
  template <class T>
  T* mutable_data_ptr() const;
  template <class T, size_t N>
  TensorAccessor<T, N> accessor() const;
  void reset();
  void print() const;
  std::string toString() const;
  const TensorBase& set_requires_grad(bool requires_grad) const;
  template <class F>
  unsigned register_hook(F&& hook) const;
  void retain_grad() const;
  const std::string& name() const;
};

class Tensor : public TensorBase {
 public:
  Tensor();
  Tensor(const Tensor& other);
  Tensor(Tensor&& other) noexcept;
  Tensor& operator=(const Tensor& other) &;
  Tensor& operator=(Tensor&& other) & noexcept;
  Tensor& operator=(const Scalar& value) &&;
  Tensor& operator=(const Tensor& other) &&;
  Tensor& operator+=(const Tensor& other);
  Tensor& operator+=(const Scalar& other);
  Tensor& operator-=(const Tensor& other);
  Tensor& operator-=(const Scalar& other);
  Tensor& operator*=(const Tensor& other);
  Tensor& operator*=(const Scalar& other);
  Tensor& operator/=(const Tensor& other);
  Tensor& operator/=(const Scalar& other);
  Tensor operator~() const;
  Tensor operator-() const;
  Tensor operator[](const Scalar& index) const;
  Tensor operator[](const Tensor& index) const;
  Tensor operator[](int64_t index) const;
  Tensor index(ArrayRef<indexing::TensorIndex> indices) const;
  Tensor index(std::initializer_list<indexing::TensorIndex> indices) const;
  Tensor& index_put_(std::initializer_list<indexing::TensorIndex> indices, const Tensor& values);
  Tensor& index_put_(std::initializer_list<indexing::TensorIndex> indices, const Scalar& value);

  void backward(const Tensor& gradient = {}, std::optional<bool> retain_graph = std::nullopt,
                bool create_graph = false, std::optional<TensorList> inputs = std::nullopt) const;
  const Tensor& requires_grad_(bool requires_grad = true) const;
  const Tensor& set_requires_grad(bool requires_grad) const;
  Tensor& mutable_grad() const;
  const Tensor& grad() const;
  Tensor data() const;
  Tensor variable_data() const;
  Tensor tensor_data() const;
  Tensor detach() const;
  Tensor& detach_() const;
  void set_data(const Tensor& data) const;

  Tensor to(Device device, ScalarType dtype, bool non_blocking = false, bool copy = false) const;
  Tensor to(ScalarType dtype, bool non_blocking = false, bool copy = false) const;
  Tensor to(TensorOptions options = {}, bool non_blocking = false, bool copy = false) const;
  Tensor to(const Tensor& other, bool non_blocking = false, bool copy = false) const;
  Tensor toType(ScalarType type) const;
  Tensor cpu() const;
  Tensor cuda() const;
  Tensor pin_memory() const;
  Tensor type_as(const Tensor& other) const;
  template <class T = Scalar>
  T item() const;
  Scalar item() const;
  bool is_nonzero() const;
  bool equal(const Tensor& other) const;
  bool allclose(const Tensor& other, double rtol = 1e-05, double atol = 1e-08,
                bool equal_nan = false) const;
  Tensor clone() const;
  Tensor contiguous(MemoryFormat memory_format = MemoryFormat::Contiguous) const;

  Tensor abs() const;
  Tensor& abs_() const;
  Tensor acos() const;
  Tensor& acos_() const;
  Tensor asin() const;
  Tensor& asin_() const;
  Tensor atan() const;
  Tensor& atan_() const;
  Tensor ceil() const;
  Tensor& ceil_() const;
  Tensor cos() const;
  Tensor& cos_() const;
  Tensor cosh() const;
  Tensor& cosh_() const;
  Tensor erf() const;
  Tensor& erf_() const;
  Tensor exp() const;
  Tensor& exp_() const;
  Tensor expm1() const;
  Tensor& expm1_() const;
  Tensor floor() const;
  Tensor& floor_() const;
  Tensor frac() const;
  Tensor& frac_() const;
  Tensor log() const;
  Tensor& log_() const;
  Tensor log10() const;
  Tensor& log10_() const;
  Tensor log1p() const;
  Tensor& log1p_() const;
  Tensor log2() const;
  Tensor& log2_() const;
  Tensor neg() const;
  Tensor& neg_() const;
  Tensor reciprocal() const;
  Tensor& reciprocal_() const;
  Tensor round() const;
  Tensor& round_() const;
  Tensor rsqrt() const;
  Tensor& rsqrt_() const;
  Tensor sigmoid() const;
  Tensor& sigmoid_() const;
  Tensor sign() const;
  Tensor& sign_() const;
  Tensor sin() const;
  Tensor& sin_() const;
  Tensor sinh() const;
  Tensor& sinh_() const;
  Tensor sqrt() const;
  Tensor& sqrt_() const;
  Tensor square() const;
  Tensor& square_() const;
  Tensor tan() const;
  Tensor& tan_() const;
  Tensor tanh() const;
  Tensor& tanh_() const;
  Tensor trunc() const;
  Tensor& trunc_() const;
  Tensor relu() const;
  Tensor& relu_() const;
  Tensor selu() const;
  Tensor& selu_() const;
  Tensor add(const Tensor& other) const;
  Tensor add(const Scalar& other) const;
  Tensor& add_(const Tensor& other) const;
  Tensor& add_(const Scalar& other) const;
  Tensor sub(const Tensor& other) const;
  Tensor sub(const Scalar& other) const;
  Tensor& sub_(const Tensor& other) const;
  Tensor& sub_(const Scalar& other) const;
  Tensor mul(const Tensor& other) const;
  Tensor mul(const Scalar& other) const;
  Tensor& mul_(const Tensor& other) const;
  Tensor& mul_(const Scalar& other) const;
  Tensor div(const Tensor& other) const;
  Tensor div(const Scalar& other) const;
  Tensor& div_(const Tensor& other) const;
  Tensor& div_(const Scalar& other) const;
  Tensor pow(const Tensor& other) const;
  Tensor pow(const Scalar& other) const;
  Tensor& pow_(const Tensor& other) const;
  Tensor& pow_(const Scalar& other) const;
  Tensor& add_(const Tensor& other, const Scalar& alpha) const;
  Tensor& sub_(const Tensor& other, const Scalar& alpha) const;
  Tensor eq(const Tensor& other) const;
  Tensor eq(const Scalar& other) const;
  Tensor ne(const Tensor& other) const;
  Tensor ne(const Scalar& other) const;
  Tensor lt(const Tensor& other) const;
  Tensor lt(const Scalar& other) const;
  Tensor le(const Tensor& other) const;
  Tensor le(const Scalar& other) const;
  Tensor gt(const Tensor& other) const;
  Tensor gt(const Scalar& other) const;
  Tensor ge(const Tensor& other) const;
  Tensor ge(const Scalar& other) const;
  Tensor fmod(const Tensor& other) const;
  Tensor fmod(const Scalar& other) const;
  Tensor remainder(const Tensor& other) const;
  Tensor remainder(const Scalar& other) const;
  Tensor matmul(const Tensor& other) const;
  Tensor mm(const Tensor& other) const;
  Tensor bmm(const Tensor& other) const;
  Tensor mv(const Tensor& other) const;
  Tensor dot(const Tensor& other) const;
  Tensor outer(const Tensor& other) const;
  Tensor maximum(const Tensor& other) const;
  Tensor minimum(const Tensor& other) const;
  Tensor view_as(const Tensor& other) const;
  Tensor reshape_as(const Tensor& other) const;
  Tensor expand_as(const Tensor& other) const;
  Tensor logical_and(const Tensor& other) const;
  Tensor logical_or(const Tensor& other) const;
  Tensor true_divide(const Tensor& other) const;
  Tensor logical_not() const;
  Tensor isnan() const;
  Tensor isinf() const;
  Tensor isfinite() const;
  Tensor nonzero() const;
  Tensor t() const;
  Tensor all() const;
  Tensor any() const;
  Tensor sum(std::optional<ScalarType> dtype = std::nullopt) const;
  Tensor sum(IntArrayRef dim, bool keepdim = false,
             std::optional<ScalarType> dtype = std::nullopt) const;
  Tensor sum(int64_t dim, bool keepdim = false) const;
  Tensor mean(std::optional<ScalarType> dtype = std::nullopt) const;
  Tensor mean(IntArrayRef dim, bool keepdim = false,
              std::optional<ScalarType> dtype = std::nullopt) const;
  Tensor prod() const;
  Tensor std(bool unbiased = true) const;
  Tensor std(int64_t dim, bool unbiased = true, bool keepdim = false) const;
  Tensor var(bool unbiased = true) const;
  Tensor var(int64_t dim, bool unbiased = true, bool keepdim = false) const;
  Tensor norm(const Scalar& p = 2) const;
  Tensor norm(const std::optional<Scalar>& p, IntArrayRef dim, bool keepdim = false) const;
  Tensor max() const;
  Tensor min() const;
  Tensor max(const Tensor& other) const;
  Tensor min(const Tensor& other) const;
  std::tuple<Tensor, Tensor> max(int64_t dim, bool keepdim = false) const;
  std::tuple<Tensor, Tensor> min(int64_t dim, bool keepdim = false) const;
  std::tuple<Tensor, Tensor> sort(int64_t dim = -1, bool descending = false) const;
  std::tuple<Tensor, Tensor> topk(int64_t k, int64_t dim = -1, bool largest = true,
                                  bool sorted = true) const;
  Tensor argmax(std::optional<int64_t> dim = std::nullopt, bool keepdim = false) const;
  Tensor argmin(std::optional<int64_t> dim = std::nullopt, bool keepdim = false) const;
  Tensor argsort(int64_t dim = -1, bool descending = false) const;
  Tensor cumsum(int64_t dim) const;
  Tensor softmax(int64_t dim) const;
  Tensor log_softmax(int64_t dim) const;
  Tensor clamp(const std::optional<Scalar>& min = std::nullopt,
               const std::optional<Scalar>& max = std::nullopt) const;
  Tensor& clamp_(const std::optional<Scalar>& min = std::nullopt,
                 const std::optional<Scalar>& max = std::nullopt) const;
  Tensor clamp_min(const Scalar& min) const;
  Tensor clamp_max(const Scalar& max) const;
  Tensor view(IntArrayRef size) const;
  Tensor reshape(IntArrayRef shape) const;
  Tensor expand(IntArrayRef size) const;
  Tensor repeat(IntArrayRef repeats) const;
  Tensor permute(IntArrayRef dims) const;
  Tensor flip(IntArrayRef dims) const;
  Tensor transpose(int64_t dim0, int64_t dim1) const;
  Tensor flatten(int64_t start_dim = 0, int64_t end_dim = -1) const;
  Tensor squeeze() const;
  Tensor squeeze(int64_t dim) const;
  Tensor unsqueeze(int64_t dim) const;
  Tensor& unsqueeze_(int64_t dim) const;
  Tensor& squeeze_() const;
  Tensor narrow(int64_t dim, int64_t start, int64_t length) const;
  Tensor select(int64_t dim, int64_t index) const;
  Tensor slice(int64_t dim = 0, std::optional<int64_t> start = std::nullopt,
               std::optional<int64_t> end = std::nullopt, int64_t step = 1) const;
  Tensor gather(int64_t dim, const Tensor& index) const;
  Tensor scatter(int64_t dim, const Tensor& index, const Tensor& src) const;
  Tensor& scatter_(int64_t dim, const Tensor& index, const Tensor& src) const;
  Tensor& scatter_(int64_t dim, const Tensor& index, const Scalar& value) const;
  Tensor index_select(int64_t dim, const Tensor& index) const;
  Tensor masked_select(const Tensor& mask) const;
  Tensor masked_fill(const Tensor& mask, const Scalar& value) const;
  Tensor& masked_fill_(const Tensor& mask, const Scalar& value) const;
  Tensor where(const Tensor& condition, const Tensor& other) const;
  std::vector<Tensor> chunk(int64_t chunks, int64_t dim = 0) const;
  std::vector<Tensor> split(int64_t split_size, int64_t dim = 0) const;
  std::vector<Tensor> unbind(int64_t dim = 0) const;
  Tensor& zero_() const;
  Tensor& fill_(const Scalar& value) const;
  Tensor& copy_(const Tensor& src, bool non_blocking = false) const;
  Tensor& normal_(double mean = 0, double std = 1) const;
  Tensor& uniform_(double from = 0, double to = 1) const;
  Tensor& random_() const;
  Tensor& addcmul_(const Tensor& tensor1, const Tensor& tensor2, const Scalar& value = 1) const;
  Tensor& addcdiv_(const Tensor& tensor1, const Tensor& tensor2, const Scalar& value = 1) const;
  Tensor lerp(const Tensor& end, const Scalar& weight) const;
  Tensor& lerp_(const Tensor& end, const Scalar& weight) const;
  Tensor multinomial(int64_t num_samples, bool replacement = false) const;
  Tensor bernoulli() const;
  Tensor new_zeros(IntArrayRef size, TensorOptions options = {}) const;
  Tensor new_ones(IntArrayRef size, TensorOptions options = {}) const;
  Tensor tril(int64_t diagonal = 0) const;
  Tensor triu(int64_t diagonal = 0) const;
  Tensor diag(int64_t diagonal = 0) const;
  Tensor logsumexp(IntArrayRef dim, bool keepdim = false) const;
};

Tensor operator+(const Tensor& a, const Tensor& b);
Tensor operator+(const Tensor& a, const Scalar& b);
Tensor operator+(const Scalar& a, const Tensor& b);
Tensor operator-(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& a, const Scalar& b);
Tensor operator-(const Scalar& a, const Tensor& b);
Tensor operator*(const Tensor& a, const Tensor& b);
Tensor operator*(const Tensor& a, const Scalar& b);
Tensor operator*(const Scalar& a, const Tensor& b);
Tensor operator/(const Tensor& a, const Tensor& b);
Tensor operator/(const Tensor& a, const Scalar& b);
Tensor operator/(const Scalar& a, const Tensor& b);
Tensor operator%(const Tensor& a, const Tensor& b);
Tensor operator%(const Tensor& a, const Scalar& b);
Tensor operator%(const Scalar& a, const Tensor& b);
Tensor operator<(const Tensor& a, const Tensor& b);
Tensor operator<(const Tensor& a, const Scalar& b);
Tensor operator<(const Scalar& a, const Tensor& b);
Tensor operator>(const Tensor& a, const Tensor& b);
Tensor operator>(const Tensor& a, const Scalar& b);
Tensor operator>(const Scalar& a, const Tensor& b);
Tensor operator<=(const Tensor& a, const Tensor& b);
Tensor operator<=(const Tensor& a, const Scalar& b);
Tensor operator<=(const Scalar& a, const Tensor& b);
Tensor operator>=(const Tensor& a, const Tensor& b);
Tensor operator>=(const Tensor& a, const Scalar& b);
Tensor operator>=(const Scalar& a, const Tensor& b);
Tensor operator==(const Tensor& a, const Tensor& b);
Tensor operator==(const Tensor& a, const Scalar& b);
Tensor operator==(const Scalar& a, const Tensor& b);
Tensor operator!=(const Tensor& a, const Tensor& b);
Tensor operator!=(const Tensor& a, const Scalar& b);
Tensor operator!=(const Scalar& a, const Tensor& b);
Tensor operator&(const Tensor& a, const Tensor& b);
Tensor operator&(const Tensor& a, const Scalar& b);
Tensor operator&(const Scalar& a, const Tensor& b);
Tensor operator|(const Tensor& a, const Tensor& b);
Tensor operator|(const Tensor& a, const Scalar& b);
Tensor operator|(const Scalar& a, const Tensor& b);
Tensor operator^(const Tensor& a, const Tensor& b);
Tensor operator^(const Tensor& a, const Scalar& b);
Tensor operator^(const Scalar& a, const Tensor& b);
Tensor operator!(const Tensor& a);
std::ostream& operator<<(std::ostream& stream, const Tensor& tensor);
}  // namespace at
