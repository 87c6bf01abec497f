#include "rules/exact_text.h"
#include "rules/training.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using ir::Kind;

// Sets .grad to None: zero_grad() does so unless it is told to fill with zeros.
bool lets_go(const flow::Node& node) {
  if (node.is(Kind::ZeroGrad)) return flow::literal_argument(*node.op, "set_to_none", 0) != "false";
  return node.is(Kind::GradWrite) && node.op->callee == "none";
}

bool is_met_after(const Analysis& of, NodeId backward, const flow::Test& test) {
  return of.path(backward, test, [](NodeId) { return false; }).has_value();
}

// The gradients of gradients hang on .grad, and .grad on them: a cycle that
// only setting .grad to None frees.
void check(const Analysis& of, Findings& found) {
  for (const NodeId backward : of.all(Kind::Backward)) {
    if (flow::literal_argument(*of.node(backward).op, "create_graph", 2) != "true") continue;
    const bool used = is_met_after(of, backward, [&](NodeId at) {
      const flow::Node& node = of.node(at);
      return node.is(Kind::GradRead) || node.is(Kind::AutogradGrad) ||
             (node.is(Kind::Backward) && at != backward);
    });
    const bool freed = is_met_after(of, backward, [&](NodeId at) { return lets_go(of.node(at)); });
    if (used && freed) continue;
    if (!used) {
      auto draft =
          found.at(backward, "backward() builds a graph of the gradients that nothing uses");
      draft.help("leave create_graph out");
      const std::string was = "(create_graph=True)";
      const auto place = tail_of(*of.node(backward).op, was.size());
      if (place) draft.fix("build no graph of the gradients", *place, "()", was);
      continue;
    }
    found
        .at(backward,
            "backward(create_graph=True) ties each parameter and its "
            "gradient into a cycle that is "
            "never freed")
        .help(
            "use torch.autograd.grad(loss, parameters, create_graph=True), "
            "or set .grad to None "
            "afterwards");
  }
}

}  // namespace

extern const Rule create_graph_backward;
constinit const Rule create_graph_backward{Level::Warning, check, kinds(Kind::Backward)};

}  // namespace forerun::rules
