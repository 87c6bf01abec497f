// The embedded device profiles, one JSON file a GPU in this folder.
#pragma once

#include <span>
#include <string_view>

namespace forerun::devices {

struct CatalogEntry {
  std::string_view id;  // the file's name: "h100-sxm-80gb"
  std::string_view json;
};

std::span<const CatalogEntry> catalog();  // sorted by id

}  // namespace forerun::devices
