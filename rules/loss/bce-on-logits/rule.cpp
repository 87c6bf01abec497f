#include <fmt/format.h>

#include "rules/activations.h"

namespace forerun::rules {
namespace {

// The loss takes the logarithm of its input: a raw score is outside [0, 1].
void check(const flow::Analysis& of, Findings& found) {
  for (const flow::NodeId loss : of.all(ir::Kind::Loss)) {
    if (loss_name(of, loss) != "binary_cross_entropy") continue;
    const Activated given = activation_of(of, loss_input(of, loss));
    if (given.activation != Activation::Raw && given.activation != Activation::LogSoftmax &&
        given.activation != Activation::LogSigmoid && given.activation != Activation::Relu)
      continue;
    found
        .at(loss, fmt::format("binary cross entropy takes probabilities and is given {}",
                              name(given.activation)))
        .note(*given.at, "it is made here, with no sigmoid after it")
        .help("use binary_cross_entropy_with_logits");
  }
}

}  // namespace

extern const Rule bce_on_logits;
constinit const Rule bce_on_logits{Level::Error, check, kinds(ir::Kind::Loss)};

}  // namespace forerun::rules
