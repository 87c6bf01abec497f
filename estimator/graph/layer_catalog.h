// What a folder under layers/ brings: how its kind is built into the graph, and its page. Found by
// cmake/Catalog.cmake; the object carries the folder's name.
#pragma once

#include <span>
#include <string_view>

#include "core/result.h"
#include "core/spec.h"
#include "estimator/graph/builder.h"

namespace forerun::layers {

struct Layer {
  // Reads the layer's arguments, checks them against the input's shape, and adds parameters (in
  // PyTorch's order) and operators. Gives the output.
  Result<graph::ValueId> (*build)(graph::Builder& builder, const LayerSpec& spec,
                                  graph::ValueId input);
};

struct CatalogEntry {
  std::string_view id;
  const Layer* layer;
  std::string_view page;  // layer.md
};

std::span<const CatalogEntry> catalog();  // sorted by id

}  // namespace forerun::layers
