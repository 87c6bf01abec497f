// What a folder under models/ brings: which configurations are its family's, and how its graph is
// built. Found by cmake/Catalog.cmake; the object carries the folder's name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/spec.h"
#include "estimator/graph/builder.h"

namespace forerun::models {

struct Model {
  bool (*recognises)(const ModelSource& source);
  // Makes the model and runs its forward. For a Hugging Face configuration `input` is None: the
  // model takes its own data and gives its loss. For torchvision it is the batch, and the result is
  // what the model returns. Errors through builder.fail().
  graph::Name (*build)(graph::Builder& builder, const Spec& spec, graph::Name input);
  // torchvision's names of the family; null: it has none.
  std::vector<std::string> (*names)() = nullptr;
};

struct CatalogEntry {
  std::string_view id;
  const Model* model;
  std::string_view page;  // model.md
};

std::span<const CatalogEntry> catalog();  // sorted by id

}  // namespace forerun::models
