// Where in the text of an operation a fix goes. Rules do not see the text; they know how long it
// is. An operation that spans, on one line, exactly as many bytes as its parts are spelled with is
// taken to be spelled so; of any other nothing is certain and no fix is offered.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analyzer/ir/ir.h"
#include "core/source.h"

namespace forerun::rules {

// The empty place that is `before_end` bytes before the end of an operation spelled `spelled`.
std::optional<Location> place_in(const ir::Op& op, std::string_view spelled, int before_end = 0);

// The first or last bytes of an operation's own text, to be given to Findings::Draft::fix with what
// is expected there.
std::optional<Location> head_of(const ir::Op& op, std::size_t size, std::size_t skipped = 0);
std::optional<Location> tail_of(const ir::Op& op, std::size_t size);

// For `total += x` and `xs.append(x)`, `xs.push_back(x)`: the place behind x, a name without steps.
std::optional<Location> behind_added(const ir::Op& op);

}  // namespace forerun::rules
