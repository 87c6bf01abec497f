// Roles that names suggest. Python programs rarely say what a parameter is; these are the habits of
// public training code (pytorch/examples, timm, torchvision references, nanoGPT).
#include <array>
#include <string>

#include "analyzer/lexicon/lexicon.h"

namespace forerun::lexicon {
namespace {

using ir::Role;

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Lower case, without leading underscores and trailing digits; camelCase gets underscores: "netG"
// -> "net_g".
std::string words_of(std::string_view name) {
  while (!name.empty() && name.front() == '_') name.remove_prefix(1);
  while (!name.empty() && (is_digit(name.back()) || name.back() == '_')) name.remove_suffix(1);
  std::string text;
  text.reserve(name.size() + 4);
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!is_upper(c)) {
      text += c;
      continue;
    }
    if (i > 0 && name[i - 1] != '_' && !is_upper(name[i - 1])) text += '_';
    text += static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

// "head", "head_a", "g_head": the word itself, with a tag of one letter or a known tag after it, or
// as the last word.
bool is_word(std::string_view text, std::string_view word) {
  if (text == word) return true;
  if (text.size() > word.size() && text.ends_with(word) &&
      text[text.size() - word.size() - 1] == '_')
    return true;
  if (!text.starts_with(word) || text.size() <= word.size() || text[word.size()] != '_')
    return false;
  const std::string_view tag = text.substr(word.size() + 1);
  static constexpr auto tags = std::to_array<std::string_view>(
      {"ema", "ddp", "without_ddp", "avg", "src", "tgt", "gen", "disc", "old", "new", "target",
       "ab", "ba", "real", "student", "teacher", "dp", "fsdp", "raw"});
  if (tag.size() == 1) return true;
  for (std::string_view each : tags) {
    if (tag == each) return true;
  }
  return false;
}

template <std::size_t size>
bool is_any_word(std::string_view text, const std::array<std::string_view, size>& words) {
  for (std::string_view word : words) {
    if (is_word(text, word)) return true;
  }
  return false;
}

bool is_optimizer(std::string_view text) {
  if (text == "opt" || text.starts_with("opt_") || text.ends_with("_opt")) return true;
  if (text.starts_with("optim"))
    return text != "optimal" && !text.starts_with("optimization") && !text.ends_with("_config");
  return text.ends_with("optim") || text.ends_with("optimizer") || text.ends_with("optimiser");
}

bool is_scheduler(std::string_view text) {
  return text == "sched" || text.starts_with("scheduler") || text.ends_with("scheduler") ||
         text.ends_with("_sched") || text.starts_with("sched_");
}

bool is_network(std::string_view text) {
  static constexpr auto words = std::to_array<std::string_view>({"net", "model", "network"});
  if (is_any_word(text, words)) return true;
  return text.ends_with("net") || text.ends_with("model");
}

}  // namespace

Role role_from_name(std::string_view variable) {
  const std::string text = words_of(variable);
  if (text.empty()) return Role::Unknown;
  static constexpr auto vetoed =
      std::to_array<std::string_view>({"trainer", "accelerator", "fabric", "engine", "booster"});
  if (is_any_word(text, vetoed) || text.find("noise_sched") != std::string::npos)
    return Role::Other;
  if (is_optimizer(text)) return Role::Optimizer;
  if (is_scheduler(text)) return Role::Scheduler;
  if (is_word(text, "scaler") || text.ends_with("scaler")) return Role::Scaler;
  if (text == "loss_fn" || text == "loss_func" || text == "loss_function" ||
      text.starts_with("criteri")) {
    return Role::LossModule;
  }
  if (is_network(text)) return Role::Module;
  if (text.ends_with("loader") || text == "batches" || text.ends_with("_batches") ||
      text.ends_with("dataloaders") || text.ends_with("loaders")) {
    return Role::Loader;
  }
  if (text == "logger" || text == "log" || text == "writer") return Role::Other;
  if (is_word(text, "loss") || text == "logits") return Role::Tensor;
  return Role::Unknown;
}

Role role_from_called_name(std::string_view variable) {
  const Role role = role_from_name(variable);
  if (role != Role::Unknown && role != Role::Tensor && role != Role::Loader) return role;
  if (variable == "G" || variable == "D") return Role::Module;  // of adversarial pairs
  const std::string text = words_of(variable);
  if (text.find("loss") != std::string::npos || text.find("criteri") != std::string::npos)
    return Role::LossModule;
  static constexpr auto words = std::to_array<std::string_view>(
      {"generator",  "discriminator", "critic", "encoder", "decoder",     "backbone",
       "head",       "actor",         "policy", "trunk",   "teacher",     "student",
       "classifier", "lstm",          "gru",    "rnn",     "transformer", "vae",
       "unet",       "gen",           "disc",   "cell"});
  return is_any_word(text, words) ? Role::Module : Role::Unknown;
}

Role role_from_class_name(std::string_view name) {
  if (name.empty() || !is_upper(name.front() == '_' && name.size() > 1 ? name[1] : name.front()))
    return Role::Unknown;
  if (name.ends_with("Loss") || name.ends_with("Criterion")) return Role::LossModule;
  if (name.ends_with("GradScaler")) return Role::Scaler;
  if (name.ends_with("Scheduler") || name.ends_with("LR")) return Role::Scheduler;
  if (name.ends_with("Optimizer") || name.starts_with("Adam") || name.ends_with("Adam") ||
      name.ends_with("AdamW") || name.ends_with("SGD")) {
    return Role::Optimizer;
  }
  if (name.ends_with("DataLoader")) return Role::Loader;
  if (name.ends_with("Net") || name.ends_with("Model") || name.ends_with("Network"))
    return Role::Module;
  return Role::Unknown;
}

Role role_from_use(std::string_view member) {
  struct Use {
    std::string_view name;
    Role role;
  };
  static constexpr auto uses = std::to_array<Use>({
      {"param_groups", Role::Optimizer},
      {"add_param_group", Role::Optimizer},
      {"get_last_lr", Role::Scheduler},
      {"unscale_", Role::Scaler},
      {"get_scale", Role::Scaler},
      {"train", Role::Module},
      {"eval", Role::Module},
      {"parameters", Role::Module},
      {"named_parameters", Role::Module},
      {"named_modules", Role::Module},
      {"no_sync", Role::Module},
      {"buffers", Role::Module},
      {"named_buffers", Role::Module},
      {"backward", Role::Tensor},
      {"item", Role::Tensor},
      {"detach", Role::Tensor},
      {"requires_grad_", Role::Unknown},
      {"unsqueeze", Role::Tensor},
      {"permute", Role::Tensor},
      {"zero_", Role::Tensor},
      {"numel", Role::Tensor},
  });
  for (const Use& use : uses) {
    if (use.name == member) return use.role;
  }
  return Role::Unknown;
}

}  // namespace forerun::lexicon
