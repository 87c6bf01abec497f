// Datasets and loaders.
#pragma once

namespace torch::data {
template <class Data = at::Tensor, class Target = at::Tensor>
struct Example {
  Example();
  Example(Data data, Target target);
  Data data;
  Target target;
};
using TensorExample = Example<at::Tensor, at::Tensor>;

namespace transforms {
template <class T = Example<>>
struct Stack {
  Stack();
};
template <class T = at::Tensor>
struct Normalize {
  Normalize(at::ArrayRef<double> mean, at::ArrayRef<double> stddev);
};
}  // namespace transforms

namespace datasets {
template <class Inner, class Transform>
class MapDataset;
template <class Self, class Batch = std::vector<Example<>>, class Request = at::ArrayRef<size_t>>
class BatchDataset {
 public:
  using SelfType = Self;
  using BatchType = Batch;
  virtual Batch get_batch(Request request);
  virtual std::optional<size_t> size() const;
  template <class Transform>
  MapDataset<Self, Transform> map(Transform transform) &;
  template <class Transform>
  MapDataset<Self, Transform> map(Transform transform) &&;
};
template <class Self, class Single = Example<>>
class Dataset : public BatchDataset<Self, std::vector<Single>> {
 public:
  virtual Single get(size_t index);
};
template <class Inner, class Transform>
class MapDataset : public BatchDataset<MapDataset<Inner, Transform>, Example<>> {};
class MNIST : public Dataset<MNIST> {
 public:
  enum class Mode { kTrain, kTest };
  explicit MNIST(const std::string& root, Mode mode = Mode::kTrain);
  Example<> get(size_t index) override;
  std::optional<size_t> size() const override;
};
}  // namespace datasets

namespace samplers {
class RandomSampler {
 public:
  explicit RandomSampler(int64_t size);
};
class SequentialSampler {
 public:
  explicit SequentialSampler(size_t size);
};
class DistributedRandomSampler {
 public:
  DistributedRandomSampler(size_t size, size_t num_replicas = 1, size_t rank = 0,
                           bool allow_duplicates = true);
  void set_epoch(size_t epoch);
  size_t epoch() const;
};
class DistributedSequentialSampler {
 public:
  DistributedSequentialSampler(size_t size, size_t num_replicas = 1, size_t rank = 0,
                               bool allow_duplicates = true);
  void set_epoch(size_t epoch);
  size_t epoch() const;
};
}  // namespace samplers

struct DataLoaderOptions {
  DataLoaderOptions();
  DataLoaderOptions(size_t batch_size);
  TORCH_ARG(size_t, batch_size);
  TORCH_ARG(size_t, workers);
  TORCH_ARG(bool, drop_last);
  TORCH_ARG(bool, enforce_ordering);
  TORCH_ARG(std::optional<size_t>, max_jobs);
};
template <class Batch>
struct Iterator {
  Batch& operator*();
  Batch* operator->();
  Iterator& operator++();
  bool operator==(const Iterator& other) const;
  bool operator!=(const Iterator& other) const;
};
template <class Dataset, class Batch, class Request>
class DataLoaderBase {
 public:
  virtual ~DataLoaderBase();
  Iterator<Batch> begin();
  Iterator<Batch> end();
  void join();
};
template <class Dataset, class Sampler>
class StatelessDataLoader
    : public DataLoaderBase<Dataset, typename Dataset::BatchType, std::vector<size_t>> {};
template <class Sampler = samplers::RandomSampler, class Dataset>
std::unique_ptr<StatelessDataLoader<Dataset, Sampler>> make_data_loader(
    Dataset dataset, DataLoaderOptions options = {});
template <class Dataset, class Sampler>
std::unique_ptr<StatelessDataLoader<Dataset, Sampler>> make_data_loader(
    Dataset dataset, Sampler sampler, DataLoaderOptions options = {});
}  // namespace torch::data
