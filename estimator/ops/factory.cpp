#include "estimator/ops/factory.h"

#include "estimator/ops/embedding.h"
#include "estimator/ops/normalization.h"
#include "estimator/ops/view.h"

namespace forerun::ops {

const Operator kMake{
    "make", [](Runtime& run, const Tensors&, const Tensors&, const Attributes& with) -> Tensors {
      Tensor made = run.output(with.shape, with.dtype.value_or(DType::Float32), "made");
      run.launch("fill_", {&made});
      return {made};
    }};
const Operator kEmbeddingOf{
    "embedding", [](Runtime& run, const Tensors& in, const Tensors&, const Attributes&) -> Tensors {
      return {embedding(run, in[0], in[1])};
    }};
const Operator kLayerNormOf{
    "layer_norm",
    [](Runtime& run, const Tensors& in, const Tensors&, const Attributes&) -> Tensors {
      return {layer_norm(run, contiguous(run, in[0]), in[1], in[2])};
    }};

}  // namespace forerun::ops
