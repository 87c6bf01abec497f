#include "analyzer/cli/package.h"

#include <optional>
#include <utility>

#include "analyzer/cache/cache.h"
#include "analyzer/link/link.h"
#include "analyzer/python/frontend.h"
#include "core/files.h"

namespace forerun::cli {
namespace {

std::optional<std::string> text_of(const std::string& file) {
  auto text = read_file(file);
  return text && !is_binary(*text) ? std::optional(std::move(*text)) : std::nullopt;
}

// Files that cannot be read say so in their own turn.
std::shared_ptr<const ir::Program> read(const std::string& file) {
  const auto text = text_of(file);
  if (!text || !link::is_worth_reading(file, *text)) return nullptr;
  auto program = python::lower(*text, file);
  return program ? std::make_shared<const ir::Program>(std::move(*program)) : nullptr;
}

}  // namespace

Package::Package(const std::vector<std::string>& files)
    : modules_(files.size() > 1 ? files : std::vector<std::string>()),
      surroundings_(modules_, text_of, cache::digest) {}

void Package::link(ir::Program& program) {
  link::link(program, modules_, [this](const std::string& file) { return this->program(file); });
}

std::shared_ptr<const ir::Program> Package::program(const std::string& file) {
  {
    const std::lock_guard lock(guard_);
    if (const auto found = held_.find(file); found != held_.end()) return found->second;
  }
  auto made = read(file);
  const std::lock_guard lock(guard_);
  if (!held_.emplace(file, made).second) return made;
  order_.push_back(file);
  if (order_.size() > kMostHeld) {
    held_.erase(order_.front());
    order_.pop_front();
  }
  return made;
}

}  // namespace forerun::cli
