// Going through the statements of a program, for whoever asks of all of them alike.
#pragma once

#include <variant>

#include "analyzer/ir/ir.h"

namespace forerun::ir {

// Calls visit(block) for each block a statement holds, in program order; the body of a nested
// function is one. `Statement`: Node or const Node.
template <class Statement, class Visit>
void each_block(Statement& node, Visit&& visit) {
  if (auto* loop = std::get_if<Loop>(&node.value)) {
    visit(loop->head);
    visit(loop->body);
    visit(loop->otherwise);
  } else if (auto* branch = std::get_if<Branch>(&node.value)) {
    visit(branch->then_body);
    visit(branch->else_body);
  } else if (auto* scope = std::get_if<Scope>(&node.value)) {
    visit(scope->body);
  } else if (auto* attempt = std::get_if<Try>(&node.value)) {
    visit(attempt->body);
    for (auto& handler : attempt->handlers) visit(handler);
    visit(attempt->otherwise);
    visit(attempt->finally);
  } else if (auto* define = std::get_if<Define>(&node.value)) {
    visit(define->function->body);
  }
}

// Calls visit(op) for every operation of a block, however deep, in program order.
template <class Visit>
void each_op(const Block& block, const Visit& visit) {
  for (const Node& node : block) {
    if (const auto* op = std::get_if<Op>(&node.value)) visit(*op);
    each_block(node, [&](const Block& inner) { each_op(inner, visit); });
  }
}

}  // namespace forerun::ir
