#include <fmt/format.h>

#include "rules/activations.h"

namespace forerun::rules {
namespace {

// cross_entropy takes the softmax itself: of probabilities it sees differences below 1, and even a
// perfect prediction keeps a loss. log_softmax twice changes nothing but time.
void check(const flow::Analysis& of, Findings& found) {
  for (const flow::NodeId loss : of.all(ir::Kind::Loss)) {
    if (loss_name(of, loss) != "cross_entropy") continue;
    const Activated given = activation_of(of, loss_input(of, loss));
    const bool twice = given.activation == Activation::Softmax;
    if (!twice && given.activation != Activation::LogSoftmax) continue;
    found
        .at(loss,
            twice ? "cross entropy is given the output of softmax and takes softmax again"
                  : "cross entropy is given the output of log_softmax, which it computes itself")
        .note(*given.at, fmt::format("{} is applied here", name(given.activation)))
        .help("give it the raw scores; take softmax only where probabilities are shown")
        .level(twice ? Level::Error : Level::Note);
  }
}

}  // namespace

extern const Rule softmax_before_cross_entropy;
constinit const Rule softmax_before_cross_entropy{Level::Error, check, kinds(ir::Kind::Loss)};

}  // namespace forerun::rules
