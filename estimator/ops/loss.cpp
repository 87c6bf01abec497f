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

Tensor negative_log_likelihood(Runtime& run, const Tensor& log_probabilities,
                               const Tensor& target) {
  return nll_loss(run, run.cast_float(log_probabilities), target);
}

namespace {

void full_mean(Runtime& run, const Tensor& x) {
  reduce(run, "mean", {1, x.elements(), Reduction::Over::Inner, x.dtype, x.dtype});
}

// Backward of a loss that keeps prediction and target and makes one gradient (zeros_like).
Tensor keep_both(Runtime& run, std::string_view op, std::string_view backward_op, Tensor loss,
                 const Tensor& prediction, const Tensor& target) {
  Node* node = run.record(op, loss, {&prediction},
                          [backward_op](Runtime& r, Node& self, Tensors&) -> Tensors {
                            Tensor back = r.output_like(self.saved[0], "prediction gradient");
                            r.launch(backward_op, {&self.saved[0], &self.saved[1], &back});
                            return {back};
                          });
  if (node == nullptr) return loss;
  run.keep(*node, prediction);
  run.keep(*node, target);
  return loss;
}

// mse_loss and smooth_l1_loss: structured kernels, which allocate the result at full size and
// shrink only its shape.
Tensor structured_loss(Runtime& run, std::string_view op, std::string_view backward_op,
                       const Tensor& prediction_in, const Tensor& target) {
  const Tensor prediction = run.cast_float(prediction_in);
  Tensor loss = run.output_like(prediction, "value (of the prediction's size)");
  {
    const Tensor terms = run.output_like(prediction, "terms");
    run.launch(op, {&prediction, &target, &terms});
    full_mean(run, prediction);
  }
  loss.shape = {};
  return keep_both(run, op, backward_op, std::move(loss), prediction, target);
}

}  // namespace

Tensor mse_loss(Runtime& run, const Tensor& prediction, const Tensor& target) {
  return structured_loss(run, "mse_loss", "mse_loss_backward", prediction, target);
}

Tensor smooth_l1_loss(Runtime& run, const Tensor& prediction, const Tensor& target) {
  return structured_loss(run, "smooth_l1_loss", "smooth_l1_loss_backward", prediction, target);
}

Tensor huber_loss(Runtime& run, const Tensor& prediction_in, const Tensor& target) {
  const Tensor prediction = run.cast_float(prediction_in);
  Tensor loss;
  {
    const Tensor terms = run.output_like(prediction, "terms");
    run.launch("huber_loss", {&prediction, &target, &terms});
    loss = run.output({}, prediction.dtype, "value");
    full_mean(run, prediction);
  }
  return keep_both(run, "huber_loss", "huber_loss_backward", std::move(loss), prediction, target);
}

Tensor l1_loss(Runtime& run, const Tensor& prediction_in, const Tensor& target) {
  const Tensor prediction = run.cast_float(prediction_in);
  Tensor differences = run.output_like(prediction, "differences");
  run.launch("sub", {&prediction, &target, &differences});
  run.record("sub", differences, {&prediction},
             [](Runtime&, Node&, Tensors& grad) -> Tensors { return {grad[0]}; });
  Tensor magnitudes = run.output_like(differences, "absolute differences");
  run.launch("abs", {&differences, &magnitudes});
  Node* node = run.record("abs", magnitudes, {&differences},
                          [](Runtime& r, Node& self, Tensors& grad) -> Tensors {
                            const Tensor sign = r.output_like(self.saved[0], "signs");
                            Tensor back = r.output_like(grad[0], "differences gradient");
                            r.launch("sgn", {&self.saved[0], &sign});
                            r.launch("mul", {&grad[0], &sign, &back});
                            return {back};
                          });
  if (node != nullptr) run.keep(*node, differences);
  differences = {};
  Tensor loss = run.output({}, magnitudes.dtype, "value");
  full_mean(run, magnitudes);
  run.record("mean", loss, {&magnitudes},
             [to = magnitudes.shape](Runtime& r, Node&, Tensors& grad) -> Tensors {
               Tensor back = r.output(to, grad[0].dtype, "gradient of the mean");
               r.launch("div", {&grad[0], &back});
               return {back};
             });
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
