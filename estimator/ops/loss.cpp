#include "estimator/ops/loss.h"

#include "estimator/ops/reduction.h"

namespace forerun::ops {
namespace {

Tensor log_softmax(Runtime& run, const Tensor& x) {
  Tensor y = run.output_like(x, "log-probabilities");
  run.launch("_log_softmax", {&x, &y});
  Node* node =
      run.record("_log_softmax", y, {&x}, [](Runtime& r, Node& self, Tensors& grad) -> Tensors {
        Tensor back = r.output_like(grad[0], "logits gradient");
        r.launch("_log_softmax_backward_data", {&grad[0], &self.saved[0], &back});
        return {back};
      });
  if (node != nullptr) run.keep(*node, y);
  return y;
}

Tensor nll_loss(Runtime& run, const Tensor& log_probabilities, const Tensor& target) {
  Tensor loss = run.output({}, log_probabilities.dtype, "value");
  const Tensor total_weight = run.output({}, log_probabilities.dtype, "total weight");
  run.launch("nll_loss_forward", {&target, &loss});
  Node* node = run.record(
      "nll_loss", loss, {&log_probabilities}, [](Runtime& r, Node& self, Tensors&) -> Tensors {
        Tensor back = r.output_like(self.saved[0], "log-probabilities gradient");
        r.launch("nll_loss_backward", {&back, &self.saved[1]});
        return {back};
      });
  if (node != nullptr) {
    run.keep(*node, log_probabilities);
    run.keep(*node, target);
    run.keep(*node, total_weight);
  }
  return loss;
}

}  // namespace

Tensor cross_entropy(Runtime& run, const Tensor& logits, const Tensor& target) {
  // cross_entropy_loss names log_softmax's dtype, so autocast leaves it low; nll_loss is on
  // autocast's fp32 list.
  const Tensor log_probabilities = log_softmax(run, logits);
  return nll_loss(run, run.cast_float(log_probabilities), target);
}

Tensor mse_loss(Runtime& run, const Tensor& prediction_in, const Tensor& target) {
  const Tensor prediction = run.cast_float(prediction_in);
  // The structured kernel allocates the result at full size and shrinks only its shape.
  Tensor loss = run.output_like(prediction, "value (of the prediction's size)");
  {
    const Tensor squares = run.output_like(prediction, "squared differences");
    run.launch("mse_loss", {&prediction, &target, &squares});
    reduce(run, "mean",
           {1, prediction.elements(), Reduction::Over::Inner, prediction.dtype, prediction.dtype});
  }
  loss.shape = {};
  Node* node =
      run.record("mse_loss", loss, {&prediction}, [](Runtime& r, Node& self, Tensors&) -> Tensors {
        Tensor back = r.output_like(self.saved[0], "prediction gradient");
        r.launch("mse_loss_backward", {&self.saved[0], &self.saved[1], &back});
        return {back};
      });
  if (node != nullptr) {
    run.keep(*node, prediction);
    run.keep(*node, target);
  }
  return loss;
}

Tensor bce_with_logits(Runtime& run, const Tensor& logits_in, const Tensor& target) {
  const Tensor logits = run.cast_float(logits_in);
  Tensor loss;
  {
    const Tensor log_sigmoid = run.output_like(logits, "log-sigmoid");
    run.launch("log_sigmoid", {&logits, &log_sigmoid});
    const Tensor terms = run.output_like(logits, "terms");
    run.launch("binary_cross_entropy_with_logits", {&logits, &target, &log_sigmoid, &terms});
    loss = run.output({}, logits.dtype, "value");
    reduce(run, "mean", {1, logits.elements(), Reduction::Over::Inner, logits.dtype, logits.dtype});
  }
  Node* node = run.record("binary_cross_entropy_with_logits", loss, {&logits},
                          [](Runtime& r, Node& self, Tensors&) -> Tensors {
                            Tensor back = r.output_like(self.saved[0], "logits gradient");
                            for (int pass = 0; pass < 4; ++pass)
                              r.launch("binary_cross_entropy_with_logits_backward", {&back, &back});
                            return {back};
                          });
  if (node != nullptr) {
    run.keep(*node, logits);
    run.keep(*node, target);
  }
  return loss;
}

}  // namespace forerun::ops
