// Optimizers and schedulers.
#pragma once

namespace torch::optim {
struct OptimizerOptions {
  virtual ~OptimizerOptions();
  virtual double get_lr() const;
  virtual void set_lr(double lr);
};
struct OptimizerParamState {
  virtual ~OptimizerParamState();
};
class OptimizerParamGroup {
 public:
  OptimizerParamGroup(std::vector<at::Tensor> params);
  OptimizerParamGroup(std::vector<at::Tensor> params, std::unique_ptr<OptimizerOptions> options);
  bool has_options() const;
  OptimizerOptions& options();
  std::vector<at::Tensor>& params();
};
class Optimizer {
 public:
  using LossClosure = std::function<at::Tensor()>;
  virtual ~Optimizer();
  virtual at::Tensor step(LossClosure closure = nullptr) = 0;
  void zero_grad(bool set_to_none = true);
  void add_param_group(const OptimizerParamGroup& group);
  void add_parameters(const std::vector<at::Tensor>& parameters);
  std::vector<OptimizerParamGroup>& param_groups();
  const std::vector<OptimizerParamGroup>& param_groups() const;
  OptimizerOptions& defaults();
  std::unordered_map<void*, std::unique_ptr<OptimizerParamState>>& state();
  size_t size() const;
  virtual void save(serialize::OutputArchive& archive) const;
  virtual void load(serialize::InputArchive& archive);
};
#define FORERUN_OPTIMIZER(Name, FIELDS)                                                         \
  struct Name##Options : OptimizerOptions {                                                     \
    Name##Options(double lr = 1e-3);                                                            \
    TORCH_ARG(double, lr);                                                                      \
    TORCH_ARG(double, weight_decay);                                                            \
    FIELDS                                                                                      \
  };                                                                                            \
  struct Name##ParamState : OptimizerParamState {                                               \
    TORCH_ARG(at::Tensor, exp_avg);                                                             \
    TORCH_ARG(at::Tensor, exp_avg_sq);                                                          \
    TORCH_ARG(at::Tensor, momentum_buffer);                                                     \
    TORCH_ARG(int64_t, step);                                                                   \
  };                                                                                            \
  class Name : public Optimizer {                                                               \
   public:                                                                                      \
    explicit Name(const std::vector<OptimizerParamGroup>& groups, Name##Options defaults = {}); \
    explicit Name(std::vector<at::Tensor> params, Name##Options defaults = {});                 \
    at::Tensor step(LossClosure closure = nullptr) override;                                    \
  }
using ForerunBetas = std::tuple<double, double>;
FORERUN_OPTIMIZER(SGD, TORCH_ARG(double, momentum); TORCH_ARG(double, dampening);
                  TORCH_ARG(bool, nesterov););
FORERUN_OPTIMIZER(Adam, TORCH_ARG(ForerunBetas, betas); TORCH_ARG(double, eps);
                  TORCH_ARG(bool, amsgrad););
FORERUN_OPTIMIZER(AdamW, TORCH_ARG(ForerunBetas, betas); TORCH_ARG(double, eps);
                  TORCH_ARG(bool, amsgrad););
FORERUN_OPTIMIZER(RMSprop, TORCH_ARG(double, alpha); TORCH_ARG(double, eps);
                  TORCH_ARG(double, momentum); TORCH_ARG(bool, centered););
FORERUN_OPTIMIZER(Adagrad, TORCH_ARG(double, lr_decay); TORCH_ARG(double, eps););
struct LBFGSOptions : OptimizerOptions {
  LBFGSOptions(double lr = 1);
  TORCH_ARG(double, lr);
  TORCH_ARG(int64_t, max_iter);
  TORCH_ARG(int64_t, history_size);
  TORCH_ARG(double, tolerance_grad);
  TORCH_ARG(std::optional<std::string>, line_search_fn);
};
class LBFGS : public Optimizer {
 public:
  explicit LBFGS(std::vector<at::Tensor> params, LBFGSOptions defaults = {});
  at::Tensor step(LossClosure closure) override;
};
class LRScheduler {
 public:
  LRScheduler(Optimizer& optimizer);
  virtual ~LRScheduler();
  void step();
};
class StepLR : public LRScheduler {
 public:
  StepLR(Optimizer& optimizer, unsigned step_size, double gamma = 0.1);
};
class ReduceLROnPlateauScheduler {
 public:
  enum SchedulerMode { min, max };
  ReduceLROnPlateauScheduler(Optimizer& optimizer, SchedulerMode mode = min, float factor = 0.1,
                             int patience = 10);
  void step(float metric);
};
}  // namespace torch::optim
