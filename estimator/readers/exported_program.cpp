#include "estimator/readers/exported_program.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "estimator/readers/json_reader.h"
#include "estimator/readers/zip.h"

namespace forerun::readers {
namespace {

constexpr std::int64_t kMaxModelBytes = 192ll << 20;
constexpr std::int64_t kMaxStateBytes = 64ll << 20;
constexpr std::int64_t kKnownSchema = 8;
constexpr int kMaxGraphs = 16;  // one within another

// torch/_export/serde/schema.py, ScalarType
std::optional<DType> dtype_of(std::int64_t scalar_type) {
  switch (scalar_type) {
    case 1: return DType::UInt8;
    case 4: return DType::Int32;
    case 5: return DType::Int64;
    case 6: return DType::Float16;
    case 7: return DType::Float32;
    case 8: return DType::Float64;
    case 12: return DType::Bool;
    case 13: return DType::BFloat16;
    default: return std::nullopt;
  }
}

// sympy's srepr of a bare symbol, "Symbol('s77', positive=True, integer=True)", or its name.
std::string bare_symbol(const std::string& formula) {
  std::string_view text = formula;
  constexpr std::string_view kBegin = "Symbol('";
  if (text.substr(0, kBegin.size()) == kBegin) {
    text.remove_prefix(kBegin.size());
    const auto end = text.find('\'');
    const auto close = text.find(')');
    if (end == std::string_view::npos || close + 1 != text.size()) return {};
    text = text.substr(0, end);
  }
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
  return plain ? std::string(text) : std::string{};
}

Size size_from(const JsonValue& json) {
  Size made;
  if (json.only_key() == "as_int") {
    made.value = json.find("as_int").integer();
    return made;
  }
  const JsonValue formula = json.find("as_expr");
  made.symbol = bare_symbol(formula.find("expr_str").text());
  const JsonValue hint = formula.find("hint");
  if (hint.exists() && hint.find("as_int").exists()) made.hint = hint.find("as_int").integer();
  return made;
}

TensorMeta tensor_from(const JsonValue& json) {
  TensorMeta made;
  made.dtype = dtype_of(json.find("dtype").integer());
  json.find("sizes").each([&](const JsonValue& size) { made.sizes.push_back(size_from(size)); });
  json.find("strides").each([&](const JsonValue& one) { made.strides.push_back(size_from(one)); });
  made.requires_grad = json.find("requires_grad").flag();
  return made;
}

class GraphReader {
 public:
  Graph graph(const JsonValue& json) {
    Graph made;
    if (++depth_ > kMaxGraphs) json.fail("is a graph within too many others");
    json.find("inputs").each(
        [&](const JsonValue& one) { made.inputs.push_back(argument(one).text); });
    json.find("outputs").each([&](const JsonValue& one) { made.outputs.push_back(argument(one)); });
    json.find("nodes").each([&](const JsonValue& one) { made.nodes.push_back(node(one)); });
    json.find("tensor_values").each_key([&](const std::string& name, const JsonValue& one) {
      made.tensors[name] = tensor_from(one);
    });
    --depth_;
    return made;
  }

  Argument argument(const JsonValue& json) {
    using Kind = Argument::Kind;
    Argument made;
    const std::string key = json.only_key();
    const JsonValue value = json.find(key);
    if (key == "as_none") return made;
    if (key == "as_tensor") {
      made.kind = Kind::Tensor;
      made.text = value.find("name").text();
    } else if (key == "as_tensors") {
      made.kind = Kind::Tensors;
      value.each([&](const JsonValue& one) { made.names.push_back(one.find("name").text()); });
    } else if (key == "as_optional_tensor") {
      return optional_tensor(value);
    } else if (key == "as_optional_tensors") {
      made.kind = Kind::Tensors;
      value.each([&](const JsonValue& one) { made.names.push_back(optional_tensor(one).text); });
    } else if (key == "as_int") {
      made.kind = Kind::Integer;
      made.integers.push_back({value.integer(), {}});
    } else if (key == "as_ints") {
      made.kind = Kind::Integers;
      value.each([&](const JsonValue& one) { made.integers.push_back({one.integer(), {}}); });
    } else if (key == "as_sym_int") {
      made.kind = Kind::Integer;
      made.integers.push_back(integer(value));
    } else if (key == "as_sym_ints") {
      made.kind = Kind::Integers;
      value.each([&](const JsonValue& one) { made.integers.push_back(integer(one)); });
    } else {
      simple(key, value, made);
    }
    return made;
  }

 private:
  void simple(const std::string& key, const JsonValue& value, Argument& made) {
    using Kind = Argument::Kind;
    if (key == "as_float") {
      made.kind = Kind::Number;
      made.number = value.number();
    } else if (key == "as_floats") {
      made.kind = Kind::Numbers;
    } else if (key == "as_bool") {
      made.kind = Kind::Flag;
      made.flag = value.flag();
    } else if (key == "as_string") {
      made.kind = Kind::Text;
      made.text = value.text();
    } else if (key == "as_scalar_type") {
      made.kind = Kind::Type;
      made.dtype = dtype_of(value.integer());
    } else if (key == "as_graph") {
      made.kind = Kind::Graph;
      made.graph = std::make_shared<const Graph>(graph(value.find("graph")));
    } else {
      made.kind = Kind::Other;
      made.text = key;
    }
  }

  Argument optional_tensor(const JsonValue& json) {
    Argument made;
    if (json.only_key() != "as_tensor") return made;
    made.kind = Argument::Kind::Tensor;
    made.text = json.find("as_tensor").find("name").text();
    return made;
  }

  Integer integer(const JsonValue& json) {
    if (json.only_key() == "as_int") return {json.find("as_int").integer(), {}};
    return {0, json.find("as_name").text()};
  }

  // "L__self__,,Net;L__self___net_0,net.0,torch.nn.Linear": the path of the last one.
  static std::string module_of(const JsonValue& metadata) {
    const JsonValue stack = metadata.find("nn_module_stack");
    if (!stack.exists()) return {};
    const std::string text = stack.text();
    const std::string last = text.substr(text.rfind(';') + 1);
    const auto begin = last.find(',');
    const auto end = begin == std::string::npos ? begin : last.find(',', begin + 1);
    return end == std::string::npos ? std::string{} : last.substr(begin + 1, end - begin - 1);
  }

  Node node(const JsonValue& json) {
    Node made;
    made.target = json.find("target").text();
    if (const JsonValue name = json.find("name"); name.exists()) made.name = name.text();
    if (const JsonValue about = json.find("metadata"); about.exists())
      made.module = module_of(about);
    json.find("inputs").each([&](const JsonValue& one) {
      made.inputs.push_back({one.find("name").text(), argument(one.find("arg"))});
    });
    json.find("outputs").each([&](const JsonValue& one) { made.outputs.push_back(argument(one)); });
    if (made.name.empty() && !made.outputs.empty()) made.name = made.outputs[0].text;
    return made;
  }

  int depth_ = 0;
};

ProgramInput input_from(const JsonValue& json, GraphReader& reader) {
  using Kind = ProgramInput::Kind;
  const std::string key = json.only_key();
  const JsonValue value = json.find(key);
  ProgramInput made;
  if (key == "user_input") {
    const Argument argument = reader.argument(value.find("arg"));
    if (argument.kind != Argument::Kind::Tensor) value.fail("is no tensor: that is not modelled");
    made.name = argument.text;
    return made;
  }
  if (key == "parameter") {
    made.kind = Kind::Parameter;
    made.target = value.find("parameter_name").text();
  } else if (key == "buffer") {
    made.kind = Kind::Buffer;
    made.target = value.find("buffer_name").text();
    const JsonValue persistent = value.find("persistent");
    made.persistent = !persistent.exists() || persistent.flag();
  } else if (key == "tensor_constant") {
    made.kind = Kind::Constant;
    made.target = value.find("tensor_constant_name").text();
  } else {
    json.fail(fmt::format("is '{}': that is not modelled", key));
  }
  made.name = value.find("arg").find("name").text();
  return made;
}

void read_signature(const JsonValue& json, GraphReader& reader, ExportedProgram& into) {
  json.find("input_specs").each([&](const JsonValue& one) {
    into.inputs.push_back(input_from(one, reader));
  });
  json.find("output_specs").each([&](const JsonValue& one) {
    const std::string key = one.only_key();
    if (key == "user_output") {
      into.outputs.push_back(reader.argument(one.find(key).find("arg")));
      return;
    }
    one.fail(
        fmt::format("is '{}': a program after decompositions is not modelled, "
                    "save what torch.export.export gives",
                    key));
  });
}

void read_program(const JsonValue& root, ExportedProgram& into) {
  if (const JsonValue version = root.find("schema_version"); version.exists()) {
    const JsonValue major = version.find("major");
    if (major.integer() != kKnownSchema)
      major.fail(fmt::format("is {}, expected {}", major.integer(), kKnownSchema));
  }
  if (const JsonValue version = root.find("torch_version"); version.exists())
    into.torch_version = version.text();
  GraphReader reader;
  const JsonValue module = root.find("graph_module");
  into.graph = reader.graph(module.find("graph"));
  read_signature(module.find("signature"), reader, into);
  const JsonValue ranges = root.find("range_constraints");
  if (!ranges.exists()) return;
  ranges.each_key([&](const std::string& symbol, const JsonValue& one) {
    const JsonValue least = one.find("min_val"), most = one.find("max_val");
    Range& made = into.ranges[symbol];
    if (least.exists()) made.least = least.integer();
    if (most.exists()) made.most = most.integer();
  });
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

class Archive {
 public:
  Archive(const Zip& zip, const std::string& path) : zip_(zip), path_(path) {}

  // models/<name>.json, or what older versions wrote. Errors: none, or several.
  Result<const ZipEntry*> model() const {
    const ZipEntry* found = nullptr;
    for (const ZipEntry& one : zip_.entries()) {
      const std::string_view name = one.name;
      const bool is_model =
          (name.find("models/") != std::string_view::npos && ends_with(name, ".json")) ||
          ends_with(name, "serialized_exported_program.json");
      if (!is_model) continue;
      if (found != nullptr)
        return error_at({path_, {}, {}},
                        fmt::format("holds several models: '{}' and '{}'", found->name, one.name),
                        "an archive with one");
      found = &one;
    }
    if (found != nullptr) return found;
    return error_at({path_, {}, {}}, "holds no exported program",
                    "an archive that torch.export.save wrote");
  }

  const ZipEntry* find(std::string_view end) const {
    for (const ZipEntry& one : zip_.entries())
      if (ends_with(one.name, end)) return &one;
    return nullptr;
  }

  // Reads a member as JSON and hands it to `read`.
  template <class Read>
  Status json(const ZipEntry& entry, std::int64_t most, const JsonLimits& limits, Read read) const {
    const auto text = zip_.read(entry, most);
    if (!text) return text.error();
    const auto json = parse_json(*text, limits);
    if (!json) return at(entry, json.error().message);
    JsonDocument document{*json};
    read(JsonValue(document), *text);
    return document.problem ? Status(at(entry, *document.problem)) : Status(Done{});
  }

  Error at(const ZipEntry& entry, const std::string& what) const {
    return error_at({path_, {}, {}}, fmt::format("{}: {}", entry.name, what),
                    "an archive that torch.export.save of PyTorch 2.11 wrote");
  }

 private:
  const Zip& zip_;
  const std::string& path_;
};

// The keys of "config" in the order of the text, which JSON itself does not keep.
std::vector<std::string> ordered_keys(const std::string& text) {
  std::vector<std::string> keys;
  const auto collect = [&](int depth, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
    const bool key = event == nlohmann::json::parse_event_t::key;
    if (key && depth == 2) keys.push_back(parsed.get<std::string>());
    return !key || depth < 2;
  };
  const nlohmann::json left = nlohmann::json::parse(text, collect, false);
  return left.is_discarded() ? std::vector<std::string>{} : keys;
}

// model_weights_config.json and model_constants_config.json: what torch.export.load puts into
// state_dict and constants, in its order.
Status read_state(const Archive& archive, ExportedProgram& into) {
  for (const char* member : {"_weights_config.json", "_constants_config.json"}) {
    const ZipEntry* entry = archive.find(member);
    if (entry == nullptr) continue;
    const Status read = archive.json(
        *entry, kMaxStateBytes, {}, [&](const JsonValue& root, const std::string& text) {
          const JsonValue config = root.find("config");
          for (const std::string& target : ordered_keys(text)) {
            const JsonValue meta = config.find(target).find("tensor_meta");
            if (meta.exists()) into.state.push_back({target, tensor_from(meta)});
          }
        });
    if (!read) return read;
  }
  return Done{};
}

}  // namespace

Result<ExportedProgram> parse_exported(std::unique_ptr<Bytes> bytes, const std::string& path) {
  const auto zip = Zip::open(std::move(bytes), path);
  if (!zip) return zip.error();
  const Archive archive(*zip, path);
  const auto model = archive.model();
  if (!model) return model.error();
  ExportedProgram made;
  made.path = path;
  made.member = (*model)->name;
  JsonLimits limits;
  limits.without = {"stack_trace", "torch_fn", "from_node", "source_fn_stack"};
  const Status read =
      archive.json(**model, kMaxModelBytes, limits,
                   [&](const JsonValue& root, const std::string&) { read_program(root, made); });
  if (!read) return read.error();
  if (const Status state = read_state(archive, made); !state) return state.error();
  return made;
}

Result<ExportedProgram> read_exported(const std::string& path) {
  auto bytes = open_file(path);
  if (!bytes) return bytes.error();
  return parse_exported(std::move(*bytes), path);
}

}  // namespace forerun::readers
