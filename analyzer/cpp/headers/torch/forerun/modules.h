// Modules, their holders and options.
#pragma once

namespace torch {
template <class Key, class Value>
class OrderedDict {
 public:
  struct Item {
    const Key& key() const;
    Value& value();
    const Value& value() const;
    const std::pair<Key, Value>& pair() const;
    Value* operator->();
    Value& operator*();
  };
  Item* begin();
  Item* end();
  const Item* begin() const;
  const Item* end() const;
  size_t size() const;
  bool is_empty() const;
  bool contains(const Key& key) const;
  Value* find(const Key& key);
  Value& operator[](const Key& key);
  Item& operator[](size_t index);
  Value& insert(Key key, Value value);
  std::vector<Key> keys() const;
  std::vector<Value> values() const;
  std::vector<Item>& items();
};

namespace serialize {
class OutputArchive {
 public:
  OutputArchive();
  void save_to(const std::string& file);
  void write(const std::string& key, const at::Tensor& tensor, bool is_buffer = false);
};
class InputArchive {
 public:
  InputArchive();
  void load_from(const std::string& file);
  void read(const std::string& key, at::Tensor& tensor, bool is_buffer = false);
};
}  // namespace serialize

namespace enumtype {
#define FORERUN_ENUM(name) \
  struct name {};
FORERUN_ENUM(kNone)
FORERUN_ENUM(kMean)
FORERUN_ENUM(kSum)
FORERUN_ENUM(kBatchMean)
FORERUN_ENUM(kReLU)
FORERUN_ENUM(kGELU)
FORERUN_ENUM(kTanh)
FORERUN_ENUM(kSigmoid)
FORERUN_ENUM(kLinear)
FORERUN_ENUM(kConv2D)
FORERUN_ENUM(kLeakyReLU)
FORERUN_ENUM(kFanIn)
FORERUN_ENUM(kFanOut)
FORERUN_ENUM(kZeros)
FORERUN_ENUM(kReflect)
FORERUN_ENUM(kReplicate)
FORERUN_ENUM(kCircular)
FORERUN_ENUM(kBorder)
FORERUN_ENUM(kNearest)
FORERUN_ENUM(kBilinear) FORERUN_ENUM(kBicubic) FORERUN_ENUM(kSame) FORERUN_ENUM(kValid)
#undef FORERUN_ENUM
}  // namespace enumtype
#define FORERUN_ENUM(name) inline constexpr enumtype::name name{};
FORERUN_ENUM(kNone)
FORERUN_ENUM(kMean)
FORERUN_ENUM(kSum)
FORERUN_ENUM(kBatchMean)
FORERUN_ENUM(kReLU)
FORERUN_ENUM(kGELU)
FORERUN_ENUM(kTanh)
FORERUN_ENUM(kSigmoid)
FORERUN_ENUM(kLinear)
FORERUN_ENUM(kConv2D)
FORERUN_ENUM(kLeakyReLU)
FORERUN_ENUM(kFanIn)
FORERUN_ENUM(kFanOut)
FORERUN_ENUM(kZeros)
FORERUN_ENUM(kReflect)
FORERUN_ENUM(kReplicate)
FORERUN_ENUM(kCircular)
FORERUN_ENUM(kBorder)
FORERUN_ENUM(kNearest)
FORERUN_ENUM(kBilinear)
FORERUN_ENUM(kBicubic)
FORERUN_ENUM(kSame)
FORERUN_ENUM(kValid)
#undef FORERUN_ENUM
struct FORERUN_AnyEnum {
  template <class T>
  FORERUN_AnyEnum(T value);
};

template <size_t N, class T = int64_t>
struct ExpandingArray {
  ExpandingArray(T value);
  ExpandingArray(std::initializer_list<T> values);
  ExpandingArray(const std::vector<T>& values);
};

namespace nn {
template <class T>
class ModuleHolder;

class Module : public std::enable_shared_from_this<Module> {
 public:
  explicit Module(std::string name);
  Module();
  virtual ~Module();
  const std::string& name() const;
  virtual std::shared_ptr<Module> clone(
      const std::optional<at::Device>& device = std::nullopt) const;
  void apply(const std::function<void(Module&)>& function);
  std::vector<at::Tensor> parameters(bool recurse = true) const;
  OrderedDict<std::string, at::Tensor> named_parameters(bool recurse = true) const;
  std::vector<at::Tensor> buffers(bool recurse = true) const;
  OrderedDict<std::string, at::Tensor> named_buffers(bool recurse = true) const;
  std::vector<std::shared_ptr<Module>> modules(bool include_self = true) const;
  OrderedDict<std::string, std::shared_ptr<Module>> named_modules(const std::string& prefix = {},
                                                                  bool include_self = true) const;
  std::vector<std::shared_ptr<Module>> children() const;
  OrderedDict<std::string, std::shared_ptr<Module>> named_children() const;
  virtual void train(bool on = true);
  void eval();
  virtual bool is_training() const;
  virtual void to(at::Device device, torch::Dtype dtype, bool non_blocking = false);
  virtual void to(torch::Dtype dtype, bool non_blocking = false);
  virtual void to(at::Device device, bool non_blocking = false);
  virtual void zero_grad(bool set_to_none = true);
  virtual void save(serialize::OutputArchive& archive) const;
  virtual void load(serialize::InputArchive& archive);
  virtual void pretty_print(std::ostream& stream) const;
  template <class T, class Contained = typename T::ContainedType>
  Contained* as();
  template <class T, std::enable_if_t<std::is_base_of_v<Module, T>, int> = 0>
  T* as();
  at::Tensor& register_parameter(std::string name, at::Tensor tensor, bool requires_grad = true);
  at::Tensor& register_buffer(std::string name, at::Tensor tensor);
  template <class T>
  std::shared_ptr<T> register_module(std::string name, std::shared_ptr<T> module);
  template <class T>
  std::shared_ptr<T> register_module(std::string name, ModuleHolder<T> holder);
  template <class T>
  std::shared_ptr<T> replace_module(const std::string& name, std::shared_ptr<T> module);
  template <class T>
  std::shared_ptr<T> replace_module(const std::string& name, ModuleHolder<T> holder);
  void unregister_module(const std::string& name);
};
std::ostream& operator<<(std::ostream& stream, const Module& module);

template <class T>
class Cloneable : public Module {
 public:
  using Module::Module;
  virtual void reset() = 0;
};

template <class T, class... A>
struct forward_result {
  using type = decltype(std::declval<T&>().forward(std::declval<A>()...));
};

template <class Contained>
class ModuleHolder {
 public:
  using ContainedType = Contained;
  // With bodies, because what is used of a class over one in an unnamed namespace must be defined.
  ModuleHolder() {}
  ModuleHolder(std::nullptr_t) {}
  template <
      class Head, class... Tail,
      class = std::enable_if_t<!(sizeof...(Tail) == 0 &&
                                 std::is_base_of_v<ModuleHolder<Contained>, std::decay_t<Head>>)>>
  explicit ModuleHolder(Head&& head, Tail&&... tail)
      : impl_(new Contained(std::forward<Head>(head), std::forward<Tail>(tail)...)) {}
  ModuleHolder(std::shared_ptr<Contained> module) : impl_(std::move(module)) {}
  explicit operator bool() const noexcept { return !is_empty(); }
  Contained* operator->() { return get(); }
  const Contained* operator->() const { return get(); }
  Contained& operator*() { return *get(); }
  const Contained& operator*() const { return *get(); }
  const std::shared_ptr<Contained>& ptr() const { return impl_; }
  Contained* get() { return impl_.get(); }
  const Contained* get() const { return impl_.get(); }
  template <class... A>
  auto operator()(A&&... arguments) -> typename forward_result<Contained, A...>::type {
    return get()->forward(std::forward<A>(arguments)...);
  }
  template <class A>
  auto operator[](A&& argument) {
    return (*get())[std::forward<A>(argument)];
  }
  bool is_empty() const noexcept { return impl_ == nullptr; }

 protected:
  std::shared_ptr<Contained> impl_;
};
template <class T>
std::ostream& operator<<(std::ostream& stream, const ModuleHolder<T>& holder);
}  // namespace nn
}  // namespace torch

#define TORCH_MODULE_IMPL(Name, ImplType)                  \
  class Name : public torch::nn::ModuleHolder<ImplType> {  \
   public:                                                 \
    using torch::nn::ModuleHolder<ImplType>::ModuleHolder; \
    using Impl [[maybe_unused]] = ImplType;                \
    Name() = default;                                      \
  }
#define TORCH_MODULE(Name) TORCH_MODULE_IMPL(Name, Name##Impl)
#define TORCH_ARG(T, name)                                \
  decltype(auto) name(const T& value) { return (*this); } \
  const T& name() const noexcept;                         \
  T& name() noexcept

namespace torch::nn {
class AnyModule {
 public:
  AnyModule();
  template <class T>
  explicit AnyModule(std::shared_ptr<T> module);
  template <class T>
  explicit AnyModule(const ModuleHolder<T>& holder);
  template <class R = at::Tensor, class... A>
  R forward(A&&... arguments);
  std::shared_ptr<Module> ptr() const;
};

class SequentialImpl : public Cloneable<SequentialImpl> {
 public:
  SequentialImpl();
  template <class... M>
  explicit SequentialImpl(M&&... modules);
  void reset() override;
  template <class R = at::Tensor, class... A>
  R forward(A&&... arguments);
  template <class M>
  void push_back(M&& module);
  template <class M>
  void push_back(std::string name, M&& module);
  template <class M>
  void extend(const M& other);
  AnyModule* begin();
  AnyModule* end();
  std::shared_ptr<Module> operator[](size_t index) const;
  std::shared_ptr<Module> ptr(size_t index) const;
  template <class T>
  T& at(size_t index);
  size_t size() const noexcept;
  bool is_empty() const noexcept;
};
class Sequential : public ModuleHolder<SequentialImpl> {
 public:
  using ModuleHolder<SequentialImpl>::ModuleHolder;
  Sequential();
};

class ModuleListImpl : public Cloneable<ModuleListImpl> {
 public:
  ModuleListImpl();
  template <class... M>
  explicit ModuleListImpl(M&&... modules);
  void reset() override;
  template <class M>
  void push_back(M&& module);
  template <class C>
  void extend(const C& container);
  std::shared_ptr<Module>* begin();
  std::shared_ptr<Module>* end();
  std::shared_ptr<Module> operator[](size_t index) const;
  std::shared_ptr<Module> ptr(size_t index) const;
  template <class T>
  std::shared_ptr<T> ptr(size_t index) const;
  template <class T>
  T& at(size_t index);
  size_t size() const noexcept;
};
TORCH_MODULE(ModuleList);

class ModuleDictImpl : public Cloneable<ModuleDictImpl> {
 public:
  ModuleDictImpl();
  void reset() override;
  std::shared_ptr<Module> operator[](const std::string& key) const;
  void update(const std::vector<std::pair<std::string, std::shared_ptr<Module>>>& modules);
  size_t size() const noexcept;
};
TORCH_MODULE(ModuleDict);

class FunctionalImpl : public Cloneable<FunctionalImpl> {
 public:
  template <class F, class... A>
  explicit FunctionalImpl(F function, A&&... arguments);
  void reset() override;
  at::Tensor forward(at::Tensor input);
};
TORCH_MODULE(Functional);

// A layer: options, implementation, holder. FIELDS are TORCH_ARGs.
#define FORERUN_LAYER(Name, CONSTRUCTORS, FIELDS)   \
  struct Name##Options {                            \
    CONSTRUCTORS                                    \
    FIELDS                                          \
  };                                                \
  class Name##Impl : public Cloneable<Name##Impl> { \
   public:                                          \
    template <class... A>                           \
    explicit Name##Impl(A&&... options);            \
    void reset() override;                          \
    at::Tensor forward(const at::Tensor& input);    \
    Name##Options options{FORERUN_NO_OPTIONS};      \
    at::Tensor weight;                              \
    at::Tensor bias;                                \
    at::Tensor running_mean;                        \
    at::Tensor running_var;                         \
  };                                                \
  TORCH_MODULE(Name)
struct ForerunNoOptions {};
inline constexpr ForerunNoOptions FORERUN_NO_OPTIONS{};

FORERUN_LAYER(Linear, LinearOptions(int64_t in_features, int64_t out_features);
              LinearOptions(ForerunNoOptions);, TORCH_ARG(bool, bias););
FORERUN_LAYER(Bilinear, BilinearOptions(int64_t in1, int64_t in2, int64_t out);
              BilinearOptions(ForerunNoOptions);, TORCH_ARG(bool, bias););
#define FORERUN_CONV(Name, N)                                                                  \
  FORERUN_LAYER(                                                                               \
      Name,                                                                                    \
      Name##Options(int64_t in_channels, int64_t out_channels, ExpandingArray<N> kernel_size); \
      Name##Options(ForerunNoOptions);, TORCH_ARG(ExpandingArray<N>, stride);                  \
      TORCH_ARG(ExpandingArray<N>, padding); TORCH_ARG(int64_t, groups);                       \
      TORCH_ARG(ExpandingArray<N>, dilation); TORCH_ARG(bool, bias);                           \
      TORCH_ARG(FORERUN_AnyEnum, padding_mode); TORCH_ARG(ExpandingArray<N>, output_padding););
FORERUN_CONV(Conv1d, 1);
FORERUN_CONV(Conv2d, 2);
FORERUN_CONV(Conv3d, 3);
FORERUN_CONV(ConvTranspose1d, 1);
FORERUN_CONV(ConvTranspose2d, 2);
FORERUN_CONV(ConvTranspose3d, 3);
#define FORERUN_NORM(Name)                                                                      \
  FORERUN_LAYER(Name, Name##Options(int64_t num_features); Name##Options(ForerunNoOptions);     \
                , TORCH_ARG(double, eps); TORCH_ARG(double, momentum); TORCH_ARG(bool, affine); \
                TORCH_ARG(bool, track_running_stats););
FORERUN_NORM(BatchNorm1d);
FORERUN_NORM(BatchNorm2d);
FORERUN_NORM(BatchNorm3d);
FORERUN_NORM(InstanceNorm1d);
FORERUN_NORM(InstanceNorm2d);
FORERUN_LAYER(GroupNorm, GroupNormOptions(int64_t num_groups, int64_t num_channels);
              GroupNormOptions(ForerunNoOptions);, TORCH_ARG(double, eps);
              TORCH_ARG(bool, affine););
FORERUN_LAYER(LayerNorm, LayerNormOptions(std::vector<int64_t> normalized_shape);
              LayerNormOptions(ForerunNoOptions);, TORCH_ARG(double, eps);
              TORCH_ARG(bool, elementwise_affine););
#define FORERUN_DROPOUT(Name)                                                         \
  FORERUN_LAYER(Name, Name##Options(double p = 0.5); Name##Options(ForerunNoOptions); \
                , TORCH_ARG(double, p); TORCH_ARG(bool, inplace););
FORERUN_DROPOUT(Dropout);
FORERUN_DROPOUT(Dropout2d);
FORERUN_DROPOUT(Dropout3d);
FORERUN_DROPOUT(AlphaDropout);
#define FORERUN_ACTIVATION(Name)                                                            \
  FORERUN_LAYER(Name, Name##Options(bool inplace = false); Name##Options(ForerunNoOptions); \
                , TORCH_ARG(bool, inplace); TORCH_ARG(double, negative_slope);              \
                TORCH_ARG(double, alpha););
FORERUN_ACTIVATION(ReLU);
FORERUN_ACTIVATION(ReLU6);
FORERUN_ACTIVATION(ELU);
FORERUN_ACTIVATION(SELU);
FORERUN_ACTIVATION(CELU);
FORERUN_ACTIVATION(LeakyReLU);
FORERUN_ACTIVATION(GELU);
FORERUN_ACTIVATION(SiLU);
FORERUN_ACTIVATION(Mish);
FORERUN_ACTIVATION(Sigmoid);
FORERUN_ACTIVATION(Tanh);
FORERUN_ACTIVATION(Softplus);
FORERUN_ACTIVATION(PReLU);
FORERUN_ACTIVATION(LogSigmoid);
FORERUN_ACTIVATION(Identity);
FORERUN_ACTIVATION(Hardtanh);
#define FORERUN_SOFTMAX(Name)                                                      \
  FORERUN_LAYER(Name, Name##Options(int64_t dim); Name##Options(ForerunNoOptions); \
                , TORCH_ARG(int64_t, dim););
FORERUN_SOFTMAX(Softmax);
FORERUN_SOFTMAX(LogSoftmax);
FORERUN_SOFTMAX(Softmin);
#define FORERUN_POOL(Name, N)                                                           \
  FORERUN_LAYER(Name, Name##Options(ExpandingArray<N> kernel_size);                     \
                Name##Options(ForerunNoOptions);, TORCH_ARG(ExpandingArray<N>, stride); \
                TORCH_ARG(ExpandingArray<N>, padding); TORCH_ARG(bool, ceil_mode););
FORERUN_POOL(MaxPool1d, 1);
FORERUN_POOL(MaxPool2d, 2);
FORERUN_POOL(AvgPool1d, 1);
FORERUN_POOL(AvgPool2d, 2);
FORERUN_POOL(AdaptiveAvgPool1d, 1);
FORERUN_POOL(AdaptiveAvgPool2d, 2);
FORERUN_POOL(AdaptiveMaxPool2d, 2);
FORERUN_LAYER(Flatten, FlattenOptions(); FlattenOptions(ForerunNoOptions);
              , TORCH_ARG(int64_t, start_dim); TORCH_ARG(int64_t, end_dim););
FORERUN_LAYER(Upsample, UpsampleOptions(); UpsampleOptions(ForerunNoOptions);
              , TORCH_ARG(std::vector<double>, scale_factor); TORCH_ARG(FORERUN_AnyEnum, mode);
              TORCH_ARG(bool, align_corners););
FORERUN_LAYER(Embedding, EmbeddingOptions(int64_t num_embeddings, int64_t embedding_dim);
              EmbeddingOptions(ForerunNoOptions);, TORCH_ARG(int64_t, padding_idx););
FORERUN_LAYER(ReflectionPad2d, ReflectionPad2dOptions(ExpandingArray<4> padding);
              ReflectionPad2dOptions(ForerunNoOptions);, TORCH_ARG(int64_t, padding););

// Recurrent layers return their state too.
#define FORERUN_RECURRENT(Name, State)                                      \
  struct Name##Options {                                                    \
    Name##Options(int64_t input_size, int64_t hidden_size);                 \
    TORCH_ARG(int64_t, num_layers);                                         \
    TORCH_ARG(bool, bias);                                                  \
    TORCH_ARG(bool, batch_first);                                           \
    TORCH_ARG(double, dropout);                                             \
    TORCH_ARG(bool, bidirectional);                                         \
  };                                                                        \
  class Name##Impl : public Cloneable<Name##Impl> {                         \
   public:                                                                  \
    template <class... A>                                                   \
    explicit Name##Impl(A&&... options);                                    \
    void reset() override;                                                  \
    std::tuple<at::Tensor, State> forward(const at::Tensor& input,          \
                                          std::optional<State> state = {}); \
    void flatten_parameters();                                              \
  };                                                                        \
  TORCH_MODULE(Name)
using ForerunLstmState = std::tuple<at::Tensor, at::Tensor>;
FORERUN_RECURRENT(RNN, at::Tensor);
FORERUN_RECURRENT(GRU, at::Tensor);
FORERUN_RECURRENT(LSTM, ForerunLstmState);
#define FORERUN_CELL(Name, State)                                            \
  struct Name##Options {                                                     \
    Name##Options(int64_t input_size, int64_t hidden_size);                  \
    TORCH_ARG(bool, bias);                                                   \
  };                                                                         \
  class Name##Impl : public Cloneable<Name##Impl> {                          \
   public:                                                                   \
    template <class... A>                                                    \
    explicit Name##Impl(A&&... options);                                     \
    void reset() override;                                                   \
    State forward(const at::Tensor& input, std::optional<State> state = {}); \
  };                                                                         \
  TORCH_MODULE(Name)
FORERUN_CELL(RNNCell, at::Tensor);
FORERUN_CELL(GRUCell, at::Tensor);
FORERUN_CELL(LSTMCell, ForerunLstmState);

struct MultiheadAttentionOptions {
  MultiheadAttentionOptions(int64_t embed_dim, int64_t num_heads);
  TORCH_ARG(double, dropout);
  TORCH_ARG(bool, bias);
};
class MultiheadAttentionImpl : public Cloneable<MultiheadAttentionImpl> {
 public:
  template <class... A>
  explicit MultiheadAttentionImpl(A&&... options);
  void reset() override;
  std::tuple<at::Tensor, at::Tensor> forward(const at::Tensor& query, const at::Tensor& key,
                                             const at::Tensor& value);
};
TORCH_MODULE(MultiheadAttention);
struct TransformerEncoderLayerOptions {
  TransformerEncoderLayerOptions(int64_t d_model, int64_t nhead);
  TORCH_ARG(int64_t, dim_feedforward);
  TORCH_ARG(double, dropout);
};
class TransformerEncoderLayerImpl : public Cloneable<TransformerEncoderLayerImpl> {
 public:
  template <class... A>
  explicit TransformerEncoderLayerImpl(A&&... options);
  void reset() override;
  at::Tensor forward(const at::Tensor& src, const at::Tensor& src_mask = {},
                     const at::Tensor& src_key_padding_mask = {});
};
TORCH_MODULE(TransformerEncoderLayer);

// Losses.
#define FORERUN_LOSS(Name, FIELDS)                                         \
  struct Name##Options {                                                   \
    Name##Options();                                                       \
    Name##Options(FORERUN_AnyEnum reduction);                              \
    TORCH_ARG(FORERUN_AnyEnum, reduction);                                 \
    FIELDS                                                                 \
  };                                                                       \
  class Name##Impl : public Cloneable<Name##Impl> {                        \
   public:                                                                 \
    template <class... A>                                                  \
    explicit Name##Impl(A&&... options);                                   \
    void reset() override;                                                 \
    at::Tensor forward(const at::Tensor& input, const at::Tensor& target); \
  };                                                                       \
  class Name : public ModuleHolder<Name##Impl> {                           \
   public:                                                                 \
    using ModuleHolder<Name##Impl>::ModuleHolder;                          \
    Name();                                                                \
  }
FORERUN_LOSS(MSELoss, );
FORERUN_LOSS(L1Loss, );
FORERUN_LOSS(SmoothL1Loss, TORCH_ARG(double, beta););
FORERUN_LOSS(HuberLoss, TORCH_ARG(double, delta););
FORERUN_LOSS(CrossEntropyLoss, TORCH_ARG(at::Tensor, weight); TORCH_ARG(int64_t, ignore_index);
             TORCH_ARG(double, label_smoothing););
FORERUN_LOSS(NLLLoss, TORCH_ARG(at::Tensor, weight); TORCH_ARG(int64_t, ignore_index););
FORERUN_LOSS(BCELoss, TORCH_ARG(at::Tensor, weight););
FORERUN_LOSS(BCEWithLogitsLoss, TORCH_ARG(at::Tensor, weight); TORCH_ARG(at::Tensor, pos_weight););
FORERUN_LOSS(KLDivLoss, TORCH_ARG(bool, log_target););
}  // namespace torch::nn
