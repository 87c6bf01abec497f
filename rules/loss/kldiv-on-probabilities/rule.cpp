#include <fmt/format.h>

#include "rules/activations.h"

namespace forerun::rules {
namespace {

// kl_div takes the logarithm of its target only: the input must be a log-probability already, or
// the result is no divergence and may be negative.
void check(const flow::Analysis& of, Findings& found) {
  for (const flow::NodeId loss : of.all(ir::Kind::Loss)) {
    if (loss_name(of, loss) != "kl_div") continue;
    const Activated given = activation_of(of, loss_input(of, loss));
    if (given.activation != Activation::Raw && given.activation != Activation::Softmax &&
        given.activation != Activation::Sigmoid && given.activation != Activation::Relu)
      continue;
    found
        .at(loss, fmt::format("kl_div takes log-probabilities as input and is given {}",
                              name(given.activation)))
        .note(*given.at, "it is made here, with no log_softmax after it")
        .help("use log_softmax for the input; the target stays a probability");
  }
}

}  // namespace

extern const Rule kldiv_on_probabilities;
constinit const Rule kldiv_on_probabilities{Level::Error, check, kinds(ir::Kind::Loss)};

}  // namespace forerun::rules
