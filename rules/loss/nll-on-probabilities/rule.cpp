#include <fmt/format.h>

#include "rules/activations.h"

namespace forerun::rules {
namespace {

// nll_loss only picks the target's entry and changes its sign: of anything but log-probabilities
// it is no likelihood, and has no lower bound on raw scores.
void check(const flow::Analysis& of, Findings& found) {
  for (const flow::NodeId loss : of.all(ir::Kind::Loss)) {
    if (loss_name(of, loss) != "nll_loss") continue;
    const Activated given = activation_of(of, loss_input(of, loss));
    if (given.activation != Activation::Raw && given.activation != Activation::Softmax &&
        given.activation != Activation::Sigmoid && given.activation != Activation::Relu)
      continue;
    found
        .at(loss,
            fmt::format("nll_loss takes log-probabilities and is given {}", name(given.activation)))
        .note(*given.at, "it is made here, with no log_softmax after it")
        .help("use log_softmax before it, or cross_entropy on the raw scores");
  }
}

}  // namespace

extern const Rule nll_on_probabilities;
constinit const Rule nll_on_probabilities{Level::Error, check, kinds(ir::Kind::Loss)};

}  // namespace forerun::rules
