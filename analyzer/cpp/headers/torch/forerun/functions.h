// Functions of tensors.
#pragma once

namespace at {
Tensor abs(const Tensor& self);
Tensor acos(const Tensor& self);
Tensor asin(const Tensor& self);
Tensor atan(const Tensor& self);
Tensor ceil(const Tensor& self);
Tensor cos(const Tensor& self);
Tensor cosh(const Tensor& self);
Tensor erf(const Tensor& self);
Tensor exp(const Tensor& self);
Tensor expm1(const Tensor& self);
Tensor floor(const Tensor& self);
Tensor frac(const Tensor& self);
Tensor log(const Tensor& self);
Tensor log10(const Tensor& self);
Tensor log1p(const Tensor& self);
Tensor log2(const Tensor& self);
Tensor neg(const Tensor& self);
Tensor reciprocal(const Tensor& self);
Tensor round(const Tensor& self);
Tensor rsqrt(const Tensor& self);
Tensor sigmoid(const Tensor& self);
Tensor sign(const Tensor& self);
Tensor sin(const Tensor& self);
Tensor sinh(const Tensor& self);
Tensor sqrt(const Tensor& self);
Tensor square(const Tensor& self);
Tensor tan(const Tensor& self);
Tensor tanh(const Tensor& self);
Tensor trunc(const Tensor& self);
Tensor relu(const Tensor& self);
Tensor selu(const Tensor& self);
Tensor logit(const Tensor& self);
Tensor isnan(const Tensor& self);
Tensor isinf(const Tensor& self);
Tensor isfinite(const Tensor& self);
Tensor logical_not(const Tensor& self);
Tensor nonzero(const Tensor& self);
Tensor t(const Tensor& self);
Tensor detach(const Tensor& self);
Tensor gelu(const Tensor& self);
Tensor silu(const Tensor& self);
Tensor softplus(const Tensor& self);
Tensor hardtanh(const Tensor& self);
Tensor clone(const Tensor& self);
Tensor add(const Tensor& self, const Tensor& other);
Tensor add(const Tensor& self, const Scalar& other);
Tensor sub(const Tensor& self, const Tensor& other);
Tensor sub(const Tensor& self, const Scalar& other);
Tensor mul(const Tensor& self, const Tensor& other);
Tensor mul(const Tensor& self, const Scalar& other);
Tensor div(const Tensor& self, const Tensor& other);
Tensor div(const Tensor& self, const Scalar& other);
Tensor pow(const Tensor& self, const Tensor& other);
Tensor pow(const Tensor& self, const Scalar& other);
Tensor eq(const Tensor& self, const Tensor& other);
Tensor eq(const Tensor& self, const Scalar& other);
Tensor ne(const Tensor& self, const Tensor& other);
Tensor ne(const Tensor& self, const Scalar& other);
Tensor lt(const Tensor& self, const Tensor& other);
Tensor lt(const Tensor& self, const Scalar& other);
Tensor le(const Tensor& self, const Tensor& other);
Tensor le(const Tensor& self, const Scalar& other);
Tensor gt(const Tensor& self, const Tensor& other);
Tensor gt(const Tensor& self, const Scalar& other);
Tensor ge(const Tensor& self, const Tensor& other);
Tensor ge(const Tensor& self, const Scalar& other);
Tensor fmod(const Tensor& self, const Tensor& other);
Tensor fmod(const Tensor& self, const Scalar& other);
Tensor remainder(const Tensor& self, const Tensor& other);
Tensor remainder(const Tensor& self, const Scalar& other);
Tensor matmul(const Tensor& self, const Tensor& other);
Tensor mm(const Tensor& self, const Tensor& other);
Tensor bmm(const Tensor& self, const Tensor& other);
Tensor mv(const Tensor& self, const Tensor& other);
Tensor dot(const Tensor& self, const Tensor& other);
Tensor outer(const Tensor& self, const Tensor& other);
Tensor maximum(const Tensor& self, const Tensor& other);
Tensor minimum(const Tensor& self, const Tensor& other);
Tensor logical_and(const Tensor& self, const Tensor& other);
Tensor logical_or(const Tensor& self, const Tensor& other);
Tensor bitwise_and(const Tensor& self, const Tensor& other);
Tensor cdist(const Tensor& self, const Tensor& other);
Tensor ger(const Tensor& self, const Tensor& other);
Tensor mse_loss(const Tensor& self, const Tensor& target, int64_t reduction = at::Reduction::Mean);
Tensor l1_loss(const Tensor& self, const Tensor& target, int64_t reduction = at::Reduction::Mean);
Tensor huber_loss(const Tensor& self, const Tensor& target,
                  int64_t reduction = at::Reduction::Mean);
Tensor smooth_l1_loss(const Tensor& self, const Tensor& target,
                      int64_t reduction = at::Reduction::Mean);
Tensor soft_margin_loss(const Tensor& self, const Tensor& target,
                        int64_t reduction = at::Reduction::Mean);
Tensor nll_loss(const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight = {},
                int64_t reduction = at::Reduction::Mean, int64_t ignore_index = -100);
Tensor cross_entropy_loss(const Tensor& self, const Tensor& target,
                          const std::optional<Tensor>& weight = {},
                          int64_t reduction = at::Reduction::Mean, int64_t ignore_index = -100,
                          double label_smoothing = 0.0);
Tensor binary_cross_entropy(const Tensor& self, const Tensor& target,
                            const std::optional<Tensor>& weight = {},
                            int64_t reduction = at::Reduction::Mean);
Tensor binary_cross_entropy_with_logits(const Tensor& self, const Tensor& target,
                                        const std::optional<Tensor>& weight = {},
                                        const std::optional<Tensor>& pos_weight = {},
                                        int64_t reduction = at::Reduction::Mean);
Tensor kl_div(const Tensor& self, const Tensor& target, int64_t reduction = at::Reduction::Mean,
              bool log_target = false);
Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                             double margin = 0.0, int64_t reduction = at::Reduction::Mean);
Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                           double margin = 0.0, int64_t reduction = at::Reduction::Mean);
Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           double margin = 1.0);
Tensor softmax(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype = std::nullopt);
Tensor log_softmax(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype = std::nullopt);
Tensor leaky_relu(const Tensor& self, const Scalar& negative_slope = 0.01);
Tensor dropout(const Tensor& input, double p, bool train);
Tensor linear(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias = {});
Tensor conv2d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias = {},
              IntArrayRef stride = 1, IntArrayRef padding = 0, IntArrayRef dilation = 1,
              int64_t groups = 1);
Tensor max_pool2d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride = {},
                  IntArrayRef padding = 0, IntArrayRef dilation = 1, bool ceil_mode = false);
Tensor avg_pool2d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride = {},
                  IntArrayRef padding = 0);
Tensor adaptive_avg_pool2d(const Tensor& self, IntArrayRef output_size);
Tensor layer_norm(const Tensor& input, IntArrayRef normalized_shape);
Tensor embedding(const Tensor& weight, const Tensor& indices);
Tensor sum(const Tensor& self);
Tensor sum(const Tensor& self, IntArrayRef dim, bool keepdim = false);
Tensor mean(const Tensor& self);
Tensor mean(const Tensor& self, IntArrayRef dim, bool keepdim = false);
Tensor std(const Tensor& self, bool unbiased = true);
Tensor var(const Tensor& self, bool unbiased = true);
Tensor norm(const Tensor& self, const Scalar& p = 2);
Tensor max(const Tensor& self);
Tensor min(const Tensor& self);
Tensor max(const Tensor& self, const Tensor& other);
Tensor min(const Tensor& self, const Tensor& other);
std::tuple<Tensor, Tensor> max(const Tensor& self, int64_t dim, bool keepdim = false);
std::tuple<Tensor, Tensor> min(const Tensor& self, int64_t dim, bool keepdim = false);
std::tuple<Tensor, Tensor> sort(const Tensor& self, int64_t dim = -1, bool descending = false);
std::tuple<Tensor, Tensor> topk(const Tensor& self, int64_t k, int64_t dim = -1,
                                bool largest = true, bool sorted = true);
Tensor argmax(const Tensor& self, std::optional<int64_t> dim = std::nullopt, bool keepdim = false);
Tensor argmin(const Tensor& self, std::optional<int64_t> dim = std::nullopt, bool keepdim = false);
Tensor all(const Tensor& self);
Tensor any(const Tensor& self);
Tensor cumsum(const Tensor& self, int64_t dim);
Tensor logsumexp(const Tensor& self, IntArrayRef dim, bool keepdim = false);
Tensor clamp(const Tensor& self, const std::optional<Scalar>& min = std::nullopt,
             const std::optional<Scalar>& max = std::nullopt);
Tensor clamp_min(const Tensor& self, const Scalar& min);
Tensor where(const Tensor& condition, const Tensor& self, const Tensor& other);
Tensor where(const Tensor& condition, const Tensor& self, const Scalar& other);
Tensor where(const Tensor& condition, const Scalar& self, const Tensor& other);
Tensor cat(TensorList tensors, int64_t dim = 0);
Tensor concat(TensorList tensors, int64_t dim = 0);
Tensor stack(TensorList tensors, int64_t dim = 0);
Tensor vstack(TensorList tensors);
Tensor hstack(TensorList tensors);
std::vector<Tensor> chunk(const Tensor& self, int64_t chunks, int64_t dim = 0);
std::vector<Tensor> split(const Tensor& self, int64_t split_size, int64_t dim = 0);
std::vector<Tensor> unbind(const Tensor& self, int64_t dim = 0);
std::vector<Tensor> meshgrid(TensorList tensors, std::string_view indexing);
Tensor flatten(const Tensor& self, int64_t start_dim = 0, int64_t end_dim = -1);
Tensor reshape(const Tensor& self, IntArrayRef shape);
Tensor transpose(const Tensor& self, int64_t dim0, int64_t dim1);
Tensor permute(const Tensor& self, IntArrayRef dims);
Tensor squeeze(const Tensor& self);
Tensor unsqueeze(const Tensor& self, int64_t dim);
Tensor gather(const Tensor& self, int64_t dim, const Tensor& index);
Tensor index_select(const Tensor& self, int64_t dim, const Tensor& index);
Tensor masked_select(const Tensor& self, const Tensor& mask);
Tensor masked_fill(const Tensor& self, const Tensor& mask, const Scalar& value);
Tensor one_hot(const Tensor& self, int64_t num_classes = -1);
Tensor multinomial(const Tensor& self, int64_t num_samples, bool replacement = false);
Tensor bernoulli(const Tensor& self);
Tensor einsum(std::string_view equation, TensorList tensors);
Tensor tril(const Tensor& self, int64_t diagonal = 0);
Tensor triu(const Tensor& self, int64_t diagonal = 0);
bool equal(const Tensor& self, const Tensor& other);
bool allclose(const Tensor& self, const Tensor& other, double rtol = 1e-05, double atol = 1e-08,
              bool equal_nan = false);
}  // namespace at

namespace torch {
using at::Tensor;

at::Tensor zeros(at::IntArrayRef size, at::TensorOptions options = {});
at::Tensor ones(at::IntArrayRef size, at::TensorOptions options = {});
at::Tensor empty(at::IntArrayRef size, at::TensorOptions options = {});
at::Tensor rand(at::IntArrayRef size, at::TensorOptions options = {});
at::Tensor randn(at::IntArrayRef size, at::TensorOptions options = {});
at::Tensor zeros_like(const at::Tensor& self, at::TensorOptions options = {});
at::Tensor ones_like(const at::Tensor& self, at::TensorOptions options = {});
at::Tensor empty_like(const at::Tensor& self, at::TensorOptions options = {});
at::Tensor rand_like(const at::Tensor& self, at::TensorOptions options = {});
at::Tensor randn_like(const at::Tensor& self, at::TensorOptions options = {});
at::Tensor full(at::IntArrayRef size, at::Scalar fill_value, at::TensorOptions options = {});
at::Tensor full_like(const at::Tensor& self, const at::Scalar& fill_value,
                     at::TensorOptions options = {});
at::Tensor eye(int64_t n, at::TensorOptions options = {});
at::Tensor arange(const at::Scalar& end, at::TensorOptions options = {});
at::Tensor arange(const at::Scalar& start, const at::Scalar& end, at::TensorOptions options = {});
at::Tensor arange(const at::Scalar& start, const at::Scalar& end, const at::Scalar& step,
                  at::TensorOptions options = {});
at::Tensor linspace(const at::Scalar& start, const at::Scalar& end, int64_t steps,
                    at::TensorOptions options = {});
at::Tensor randint(int64_t high, at::IntArrayRef size, at::TensorOptions options = {});
at::Tensor randint(int64_t low, int64_t high, at::IntArrayRef size, at::TensorOptions options = {});
at::Tensor randperm(int64_t n, at::TensorOptions options = {});
at::Tensor normal(double mean, double std, at::IntArrayRef size);
namespace detail {
struct TensorDataContainer {
  TensorDataContainer();
  TensorDataContainer(double value);
  TensorDataContainer(float value);
  TensorDataContainer(int value);
  TensorDataContainer(long value);
  TensorDataContainer(bool value);
  TensorDataContainer(std::initializer_list<TensorDataContainer> values);
  template <class T>
  TensorDataContainer(const std::vector<T>& values);
  template <class T>
  TensorDataContainer(at::ArrayRef<T> values);
};
}  // namespace detail
at::Tensor tensor(detail::TensorDataContainer data, const at::TensorOptions& options = {});
at::Tensor from_blob(void* data, at::IntArrayRef sizes, const at::TensorOptions& options = {});
template <class Deleter>
at::Tensor from_blob(void* data, at::IntArrayRef sizes, const Deleter&,
                     const at::TensorOptions& options = {}) {
  return from_blob(data, sizes, options);  // defined: a lambda's type has no linkage
}
at::Generator manual_seed(uint64_t seed);
namespace indexing = at::indexing;
namespace linalg {
at::Tensor norm(const at::Tensor& self);
at::Tensor inv(const at::Tensor& self);
}  // namespace linalg
}  // namespace torch
