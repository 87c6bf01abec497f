#include "analyzer/python/syntax.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include <fmt/format.h>
#include <tree_sitter/api.h>

extern "C" const TSLanguage* tree_sitter_python();

namespace forerun::python {
namespace {

constexpr std::size_t kNotesBound = 20;

// tree-sitter's numbers for types and fields, as ours.
struct Translation {
  std::vector<Type> types;
  std::vector<Field> fields;
};

Type type_from_name(std::string_view name) {
  if (name == "keyword_identifier") return Type::Identifier;
#define SYNTAX(enumerator, text) \
  if (name == (text)) return Type::enumerator;
#include "analyzer/python/syntax_types.def"
  return Type::Other;
}

Field field_from_name(std::string_view name) {
#define FIELD(enumerator, text) \
  if (name == (text)) return Field::enumerator;
#include "analyzer/python/syntax_types.def"
  return Field::Other;
}

Translation make_translation() {
  const TSLanguage* language = tree_sitter_python();
  Translation made;
  const std::uint32_t symbols = ts_language_symbol_count(language);
  for (std::uint32_t i = 0; i < symbols; ++i) {
    const auto symbol = static_cast<TSSymbol>(i);
    const bool named = ts_language_symbol_type(language, symbol) == TSSymbolTypeRegular;
    const char* name = ts_language_symbol_name(language, symbol);
    made.types.push_back(named && name != nullptr ? type_from_name(name) : Type::Token);
  }
  const std::uint32_t fields = ts_language_field_count(language);
  made.fields.push_back(Field::None);
  for (std::uint32_t i = 1; i <= fields; ++i) {
    const char* name = ts_language_field_name_for_id(language, static_cast<TSFieldId>(i));
    made.fields.push_back(name != nullptr ? field_from_name(name) : Field::Other);
  }
  return made;
}

const Translation& translation() {
  static const Translation made = make_translation();
  return made;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\f");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\f") - first + 1);
}

struct ParserDeleter {
  void operator()(TSParser* parser) const { ts_parser_delete(parser); }
};
struct TreeDeleter {
  void operator()(TSTree* tree) const { ts_tree_delete(tree); }
};

}  // namespace

class TreeBuilder {
 public:
  TreeBuilder(Tree& tree, TSTree* parsed)
      : tree_(tree), cursor_(ts_tree_cursor_new(ts_tree_root_node(parsed))) {}
  ~TreeBuilder() { ts_tree_cursor_delete(&cursor_); }
  TreeBuilder(const TreeBuilder&) = delete;
  TreeBuilder& operator=(const TreeBuilder&) = delete;

  void build() {
    tree_.nodes_.reserve(tree_.text_.size() / 4 + 16);
    enter();
    while (true) {
      const bool deep = static_cast<int>(open_.size()) >= kDepthBound;
      if (deep && ts_node_named_child_count(ts_tree_cursor_current_node(&cursor_)) > 0)
        note_depth();
      if (!deep && ts_tree_cursor_goto_first_child(&cursor_)) {
        open_.push_back(last_);
        enter();
        continue;
      }
      if (!advance()) break;
    }
    if (omitted_ > 0) tree_.notes.push_back(fmt::format("{} more syntax errors", omitted_));
  }

  std::uint64_t error_bytes() const { return error_bytes_; }

 private:
  static constexpr Id kSkipped = ~Id{0};

  // To the next node in source order outside the current one; closes what ends on the way.
  bool advance() {
    while (!ts_tree_cursor_goto_next_sibling(&cursor_)) {
      if (!ts_tree_cursor_goto_parent(&cursor_)) return false;
      const Id closed = open_.back();
      open_.pop_back();
      if (closed != kSkipped) tree_.nodes_[closed].after = tree_.size();
      if (open_.empty()) return false;
    }
    enter();
    return true;
  }

  void enter() {
    const TSNode node = ts_tree_cursor_current_node(&cursor_);
    last_ = kSkipped;
    const std::uint32_t begin = ts_node_start_byte(node), end = ts_node_end_byte(node);
    if (ts_node_is_missing(node)) {
      note_error(begin, fmt::format("{} is missing", ts_node_type(node)));
      return;
    }
    const Type type = type_of(node, begin, end);
    const Field field = translation().fields[ts_tree_cursor_current_field_id(&cursor_)];
    if (type == Type::Comment) return comment(begin, end);
    if (type == Type::Token && !keeps_token(field, begin)) return;
    last_ = tree_.size();
    tree_.nodes_.push_back({type, field, begin, end, last_ + 1, open_.empty() ? 0 : open_.back()});
  }

  Type type_of(const TSNode& node, std::uint32_t begin, std::uint32_t end) {
    const TSSymbol symbol = ts_node_symbol(node);
    if (symbol != static_cast<TSSymbol>(-1)) {
      return symbol < translation().types.size() ? translation().types[symbol] : Type::Other;
    }
    error_bytes_ += end - begin;
    const std::string_view text =
        tree_.text_.substr(begin, std::min<std::uint32_t>(end - begin, 24));
    note_error(begin, fmt::format("syntax error near `{}`", printable(text)));
    return Type::Error;
  }

  bool keeps_token(Field field, std::uint32_t begin) const {
    if (field == Field::Operator || field == Field::Operators) return true;
    if (open_.empty() || open_.back() == kSkipped || tree_.text_.size() <= begin) return false;
    return tree_.nodes_[open_.back()].type == Type::Slice && tree_.text_[begin] == ':';
  }

  static std::string printable(std::string_view text) {
    std::string kept;
    for (const char c : text.substr(0, text.find_first_of("\r\n"))) {
      kept += c >= ' ' && c < 127 ? c : '?';
    }
    return kept;
  }

  void comment(std::uint32_t begin, std::uint32_t end) {
    std::string_view text = tree_.text_.substr(begin, end - begin);
    if (text.starts_with('#')) text.remove_prefix(1);
    const auto line = tree_.text_.rfind('\n', begin == 0 ? 0 : begin - 1);
    const std::size_t start = begin == 0 || line == std::string_view::npos ? 0 : line + 1;
    const bool own_line = trimmed(tree_.text_.substr(start, begin - start)).empty();
    tree_.comments.push_back({std::string(trimmed(text)), tree_.location(begin, end), own_line});
  }

  void note_error(std::uint32_t begin, const std::string& what) {
    if (tree_.notes.size() >= kNotesBound) {
      ++omitted_;
      return;
    }
    const Position at = tree_.position(begin);
    tree_.notes.push_back(fmt::format("{}:{}:{}: {}", tree_.path_, at.line, at.column, what));
  }

  void note_depth() {
    if (last_ != kSkipped) tree_.nodes_[last_].type = Type::TooDeep;
    if (said_depth_) return;
    said_depth_ = true;
    note_error(ts_node_start_byte(ts_tree_cursor_current_node(&cursor_)),
               fmt::format("nested deeper than {} levels; what is below is not read", kDepthBound));
  }

  Tree& tree_;
  TSTreeCursor cursor_;
  std::vector<Id> open_;  // the nodes the cursor is below; kSkipped for those the tree leaves out
  Id last_ = kSkipped;
  std::uint64_t error_bytes_ = 0;
  std::size_t omitted_ = 0;
  bool said_depth_ = false;
};

Result<Tree> Tree::parse(std::string_view text, const std::string& path) {
  const Location where{path, {}, {}};
  if (text.find('\0') != std::string_view::npos) {
    return error_at(where, "this is a binary file: it contains NUL bytes",
                    "Python source in UTF-8");
  }
  if (text.size() >= 0x7fffffffU) return error_at(where, "the file is larger than 2 GiB");
  Tree tree;
  tree.text_ = text;
  tree.path_ = path;
  tree.mark_size_ = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  tree.line_starts_.push_back(0);
  for (std::size_t at = text.find('\n'); at != std::string_view::npos;
       at = text.find('\n', at + 1)) {
    tree.line_starts_.push_back(static_cast<std::uint32_t>(at + 1));
  }
  const std::unique_ptr<TSParser, ParserDeleter> parser(ts_parser_new());
  ts_parser_set_language(parser.get(), tree_sitter_python());
  const std::unique_ptr<TSTree, TreeDeleter> parsed(ts_parser_parse_string(
      parser.get(), nullptr, text.data(), static_cast<std::uint32_t>(text.size())));
  if (!parsed) return error_at(where, "the parser gave up on this file");
  TreeBuilder builder(tree, parsed.get());
  builder.build();
  if (builder.error_bytes() * 2 > text.size() && tree.type(0) == Type::Error) {
    return error_at(where, "this is not Python: most of it does not parse",
                    "Python source in UTF-8");
  }
  return tree;
}

Id Tree::child(Id parent, Field field) const {
  for (Id each : Children(*this, parent)) {
    if (nodes_[each].field == field) return each;
  }
  return 0;
}

Id Tree::child(Id parent, Type type) const {
  for (Id each : Children(*this, parent)) {
    if (nodes_[each].type == type) return each;
  }
  return 0;
}

int Tree::count(Id parent) const {
  int found = 0;
  for ([[maybe_unused]] Id each : Children(*this, parent)) ++found;
  return found;
}

std::vector<Id> Tree::children(Id parent) const {
  std::vector<Id> found;
  for (Id each : Children(*this, parent)) found.push_back(each);
  return found;
}

Position Tree::position(std::uint32_t offset) const {
  // Lowering asks in source order: the line is mostly the last one asked for, or near.
  std::size_t line = line_hint_;
  if (line_starts_[line] > offset ||
      (line + 8 < line_starts_.size() && line_starts_[line + 8] <= offset)) {
    line = static_cast<std::size_t>(
               std::upper_bound(line_starts_.begin(), line_starts_.end(), offset) -
               line_starts_.begin()) -
           1;
  }
  while (line + 1 < line_starts_.size() && line_starts_[line + 1] <= offset) ++line;
  line_hint_ = line;
  std::uint32_t column = offset - line_starts_[line];
  if (line == 0) column -= std::min(column, mark_size_);
  return {static_cast<int>(line) + 1, static_cast<int>(column) + 1};
}

Location Tree::location(std::uint32_t begin, std::uint32_t end) const {
  const Position first = position(begin);
  return {path_, first, position(end)};
}

Location Tree::location(Id id) const { return location(nodes_[id].begin, nodes_[id].end); }

}  // namespace forerun::python
