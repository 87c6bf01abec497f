// torch::nn::functional, torch::nn::init, torch::nn::utils.
#pragma once

namespace torch::nn::functional {
#define FORERUN_REDUCED(function, Name, FIELDS)                          \
  struct Name##FuncOptions {                                             \
    Name##FuncOptions();                                                 \
    Name##FuncOptions(FORERUN_AnyEnum reduction);                        \
    TORCH_ARG(FORERUN_AnyEnum, reduction);                               \
    FIELDS                                                               \
  };                                                                     \
  at::Tensor function(const at::Tensor& input, const at::Tensor& target, \
                      const Name##FuncOptions& options = {})
FORERUN_REDUCED(mse_loss, MSELoss, );
FORERUN_REDUCED(l1_loss, L1Loss, );
FORERUN_REDUCED(smooth_l1_loss, SmoothL1Loss, TORCH_ARG(double, beta););
FORERUN_REDUCED(huber_loss, HuberLoss, TORCH_ARG(double, delta););
FORERUN_REDUCED(cross_entropy, CrossEntropy, TORCH_ARG(at::Tensor, weight);
                TORCH_ARG(int64_t, ignore_index); TORCH_ARG(double, label_smoothing););
FORERUN_REDUCED(nll_loss, NLLLoss, TORCH_ARG(at::Tensor, weight);
                TORCH_ARG(int64_t, ignore_index););
FORERUN_REDUCED(binary_cross_entropy, BinaryCrossEntropy, TORCH_ARG(at::Tensor, weight););
FORERUN_REDUCED(binary_cross_entropy_with_logits, BinaryCrossEntropyWithLogits,
                TORCH_ARG(at::Tensor, weight);
                TORCH_ARG(at::Tensor, pos_weight););
FORERUN_REDUCED(kl_div, KLDiv, TORCH_ARG(bool, log_target););
#define FORERUN_FUNCTION(function, Name, CONSTRUCTORS, FIELDS) \
  struct Name##FuncOptions {                                   \
    CONSTRUCTORS                                               \
    FIELDS                                                     \
  };                                                           \
  at::Tensor function(const at::Tensor& input, const Name##FuncOptions& options)
FORERUN_FUNCTION(softmax, Softmax, SoftmaxFuncOptions(int64_t dim);, TORCH_ARG(int64_t, dim););
FORERUN_FUNCTION(log_softmax, LogSoftmax, LogSoftmaxFuncOptions(int64_t dim);
                 , TORCH_ARG(int64_t, dim););
FORERUN_FUNCTION(max_pool2d, MaxPool2d, MaxPool2dFuncOptions(ExpandingArray<2> kernel_size);
                 , TORCH_ARG(ExpandingArray<2>, stride); TORCH_ARG(ExpandingArray<2>, padding););
FORERUN_FUNCTION(avg_pool2d, AvgPool2d, AvgPool2dFuncOptions(ExpandingArray<2> kernel_size);
                 , TORCH_ARG(ExpandingArray<2>, stride););
FORERUN_FUNCTION(adaptive_avg_pool2d, AdaptiveAvgPool2d,
                 AdaptiveAvgPool2dFuncOptions(ExpandingArray<2> output_size);
                 , );
FORERUN_FUNCTION(interpolate, Interpolate, InterpolateFuncOptions();
                 , TORCH_ARG(std::vector<int64_t>, size);
                 TORCH_ARG(std::vector<double>, scale_factor); TORCH_ARG(FORERUN_AnyEnum, mode);
                 TORCH_ARG(bool, align_corners););
FORERUN_FUNCTION(pad, Pad, PadFuncOptions(std::vector<int64_t> pad);, TORCH_ARG(double, value);
                 TORCH_ARG(FORERUN_AnyEnum, mode););
FORERUN_FUNCTION(normalize, Normalize, NormalizeFuncOptions();, TORCH_ARG(double, p);
                 TORCH_ARG(int64_t, dim););
struct DropoutFuncOptions {
  DropoutFuncOptions();
  TORCH_ARG(double, p);
  TORCH_ARG(bool, training);
  TORCH_ARG(bool, inplace);
};
at::Tensor dropout(at::Tensor input, const DropoutFuncOptions& options = {});
at::Tensor dropout2d(at::Tensor input, const DropoutFuncOptions& options = {});
struct ReLUFuncOptions {
  ReLUFuncOptions(bool inplace = false);
  TORCH_ARG(bool, inplace);
};
at::Tensor relu(at::Tensor input, const ReLUFuncOptions& options = {});
struct LeakyReLUFuncOptions {
  LeakyReLUFuncOptions();
  TORCH_ARG(double, negative_slope);
};
at::Tensor leaky_relu(at::Tensor input, const LeakyReLUFuncOptions& options = {});
at::Tensor gelu(const at::Tensor& input);
at::Tensor silu(const at::Tensor& input);
at::Tensor linear(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias = {});
at::Tensor one_hot(const at::Tensor& tensor, int64_t num_classes = -1);
}  // namespace torch::nn::functional

namespace torch::nn::init {
at::Tensor normal_(at::Tensor tensor, double mean = 0, double std = 1);
at::Tensor uniform_(at::Tensor tensor, double low = 0, double high = 1);
at::Tensor constant_(at::Tensor tensor, at::Scalar value);
at::Tensor zeros_(at::Tensor tensor);
at::Tensor ones_(at::Tensor tensor);
at::Tensor xavier_normal_(at::Tensor tensor, double gain = 1.0);
at::Tensor xavier_uniform_(at::Tensor tensor, double gain = 1.0);
at::Tensor kaiming_normal_(at::Tensor tensor, double a = 0, FORERUN_AnyEnum mode = torch::kFanIn,
                           FORERUN_AnyEnum nonlinearity = torch::kLeakyReLU);
at::Tensor kaiming_uniform_(at::Tensor tensor, double a = 0, FORERUN_AnyEnum mode = torch::kFanIn,
                            FORERUN_AnyEnum nonlinearity = torch::kLeakyReLU);
at::Tensor orthogonal_(at::Tensor tensor, at::Scalar gain = 1.0);
}  // namespace torch::nn::init

namespace torch::nn::utils {
double clip_grad_norm_(const std::vector<at::Tensor>& parameters, double max_norm,
                       double norm_type = 2.0, bool error_if_nonfinite = false);
double clip_grad_norm_(at::Tensor parameter, double max_norm, double norm_type = 2.0,
                       bool error_if_nonfinite = false);
void clip_grad_value_(const std::vector<at::Tensor>& parameters, double clip_value);
at::Tensor parameters_to_vector(const std::vector<at::Tensor>& parameters);
}  // namespace torch::nn::utils
