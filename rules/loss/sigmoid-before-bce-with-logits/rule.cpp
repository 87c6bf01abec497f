#include <fmt/format.h>

#include "rules/activations.h"

namespace forerun::rules {
namespace {

// The loss takes the sigmoid itself: of a probability it sees 0.5 to 0.73, so nothing is ever
// confidently negative.
void check(const flow::Analysis& of, Findings& found) {
  for (const flow::NodeId loss : of.all(ir::Kind::Loss)) {
    if (loss_name(of, loss) != "binary_cross_entropy_with_logits") continue;
    const Activated given = activation_of(of, loss_input(of, loss));
    if (given.activation != Activation::Sigmoid && given.activation != Activation::Softmax &&
        given.activation != Activation::LogSigmoid)
      continue;
    found
        .at(loss, fmt::format("the loss takes raw scores and is given the output of {}",
                              name(given.activation)))
        .note(*given.at, fmt::format("{} is applied here", name(given.activation)))
        .help("give it the raw scores, or use binary_cross_entropy");
  }
}

}  // namespace

extern const Rule sigmoid_before_bce_with_logits;
constinit const Rule sigmoid_before_bce_with_logits{Level::Error, check, kinds(ir::Kind::Loss)};

}  // namespace forerun::rules
