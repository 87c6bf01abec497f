#include "analyzer/engine/notebook.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analyzer/engine/magics.h"
#include "core/files.h"
#include "core/text.h"

namespace forerun::engine {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxDepth =
    200;  // outputs hold JSON of their own; figures nest some twenty deep

// The bytes of a text for nlohmann's reader, which asks for them one by one: `taken` counts them.
class Bytes {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Bytes(const char* at, std::size_t* taken) : at_(at), taken_(taken) {}
  reference operator*() const { return *at_; }
  Bytes& operator++() {
    ++at_;
    ++*taken_;
    return *this;
  }
  Bytes operator++(int) {
    Bytes before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Bytes& other) const { return at_ == other.at_; }
  bool operator!=(const Bytes& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  std::size_t* taken_;
};

// Hears a notebook read, and keeps its code cells with the places of their sources.
class Reader : public nlohmann::json_sax<Json> {
 public:
  Reader(Notebook& into, const std::size_t& taken) : into_(into), taken_(taken) {}

  std::optional<Error> problem;
  bool has_cells = false;
  std::int64_t format = 0;

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_float(double, const std::string&) override { return value(); }
  bool binary(Json::binary_t&) override { return value(); }
  bool number_integer(std::int64_t number) override { return integer(number); }
  bool number_unsigned(std::uint64_t number) override {
    return integer(static_cast<std::int64_t>(std::min<std::uint64_t>(number, 1u << 30)));
  }

  bool string(std::string& text) override {
    if (within_source()) {
      const std::size_t begin = skip_to_value(last_end_);
      cell_.pieces.push_back({begin, taken_});
      cell_.piece_texts.push_back(text);
      cell_.text += text;
    } else if (in_cell() && key() == "source") {
      cell_.source = {skip_to_value(last_end_), taken_};
      cell_.pieces.clear();
      cell_.piece_texts.clear();
      cell_.text = text;
      has_source_ = true;
    } else if (in_cell() && key() == "cell_type") {
      is_code_ = text == "code";
    } else if (names_language()) {
      into_.language = text == "python" || text == "ipython" ? "" : text;
    }
    last_end_ = taken_;
    return true;
  }

  bool start_object(std::size_t) override { return open(false); }
  bool end_object() override {
    close();
    if (path_.size() == 2 && path_[0].key == "cells" && path_[1].is_list) finish_cell();
    return true;
  }
  bool start_array(std::size_t) override {
    if (in_cell() && key() == "source") {
      cell_.source.begin = taken_ - 1;
      cell_.text.clear();
      cell_.pieces.clear();
      cell_.piece_texts.clear();
      has_source_ = true;
    }
    if (path_.size() == 1 && key() == "cells") has_cells = true;
    return open(true);
  }
  bool end_array() override {
    if (within_source()) cell_.source.end = taken_;
    close();
    return true;
  }
  bool key(std::string& text) override {
    path_.back().key = text;
    last_end_ = taken_;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const Json::exception&) override {
    return refuse(position == 0 ? 0 : position - 1, "is not JSON: the text ends or breaks here");
  }

 private:
  struct Level {
    bool is_list = false;
    std::string key;  // of an object: the latest
  };

  const std::string& key() const { return path_.back().key; }
  // Directly in an object of the list of cells; in the list that is its source.
  bool in_cell() const {
    return path_.size() == 3 && path_[0].key == "cells" && path_[1].is_list && !path_[2].is_list;
  }
  bool within_source() const {
    return path_.size() == 4 && path_[0].key == "cells" && path_[2].key == "source" &&
           path_[3].is_list;
  }
  // metadata.kernelspec.language or metadata.language_info.name
  bool names_language() const {
    return path_.size() == 3 && path_[0].key == "metadata" &&
           ((path_[1].key == "kernelspec" && key() == "language") ||
            (path_[1].key == "language_info" && key() == "name"));
  }
  std::size_t skip_to_value(std::size_t from) const {
    return std::min(into_.json.find('"', from), into_.json.size());
  }

  bool open(bool is_list) {
    if (within_source() || (!is_list && in_cell() && key() == "source"))
      return refuse(taken_ - 1, "a cell's source is neither a text nor a list of texts");
    if (path_.size() == kMaxDepth)
      return refuse(taken_ - 1, fmt::format("is nested deeper than {} levels", kMaxDepth));
    if (path_.size() == 2 && path_[0].key == "cells" && path_[1].is_list) {
      cell_ = {};
      cell_.number = ++count_;
      is_code_ = has_source_ = false;
    }
    path_.push_back({is_list, {}});
    last_end_ = taken_;
    return true;
  }
  void close() {
    path_.pop_back();
    last_end_ = taken_;
  }
  void finish_cell() {
    if (is_code_ && has_source_) into_.cells.push_back(std::move(cell_));
  }
  bool integer(std::int64_t number) {
    if (path_.size() == 1 && key() == "nbformat") format = number;
    return value();
  }
  bool value() {
    if (within_source() || (in_cell() && key() == "source"))
      return refuse(taken_ == 0 ? 0 : taken_ - 1,
                    "a cell's source is neither a text nor a list of texts");
    last_end_ = taken_;
    return true;
  }
  bool refuse(std::size_t offset, const std::string& why) {
    problem = error_at({into_.path, position_of(into_.json, offset), {}}, why,
                       "a Jupyter notebook, nbformat 4");
    return false;
  }

  Notebook& into_;
  const std::size_t& taken_;  // the bytes read so far: where a token that was just heard ends
  std::size_t last_end_ = 0;
  std::vector<Level> path_;
  Notebook::Cell cell_;
  int count_ = 0;
  bool is_code_ = false, has_source_ = false;
};

Error not_one(const std::string& path, const std::string& why, const std::string& accepted) {
  return error_at({path, {}, {}}, why, accepted);
}

void join(Notebook& notebook) {
  int line = 1;
  for (Notebook::Cell& cell : notebook.cells) {
    cell.first_line = line;
    std::string text = without_magics(cell.text);
    if (!text.ends_with('\n')) text += '\n';
    line += static_cast<int>(std::count(text.begin(), text.end(), '\n'));
    notebook.program += text;
  }
}

const Notebook::Cell* cell_of_line(const Notebook& notebook, int line) {
  const auto after = std::upper_bound(
      notebook.cells.begin(), notebook.cells.end(), line,
      [](int wanted, const Notebook::Cell& cell) { return wanted < cell.first_line; });
  return after == notebook.cells.begin() ? nullptr : &*std::prev(after);
}

}  // namespace

Result<Notebook> read_notebook(std::string json, const std::string& path) {
  if (is_binary(json)) return not_one(path, "is not a text file in UTF-8", "a Jupyter notebook");
  Notebook notebook;
  notebook.path = path;
  notebook.json = std::move(json);
  std::size_t taken = 0;
  Reader reader(notebook, taken);
  const char* text = notebook.json.data();
  const bool read =
      Json::sax_parse(Bytes(text, &taken), Bytes(text + notebook.json.size(), &taken), &reader);
  if (reader.problem) return *reader.problem;
  if (!read || !reader.has_cells)
    return not_one(path,
                   reader.format > 0 && reader.format != 4
                       ? fmt::format("is a notebook of nbformat {}", reader.format)
                       : "is not a notebook: it has no list of cells",
                   "nbformat 4");
  if (reader.format != 4)
    return not_one(path, fmt::format("is a notebook of nbformat {}", reader.format), "nbformat 4");
  join(notebook);
  return notebook;
}

Location placed(const Notebook& notebook, Location at) {
  if (at.file != notebook.path) return at;  // of a file that a cell imports
  const Notebook::Cell* cell = cell_of_line(notebook, at.begin.line);
  if (cell == nullptr || at.begin.line == 0) return at;
  at.cell = cell->number;
  if (at.end.line != 0 && cell_of_line(notebook, at.end.line) != cell) at.end = {};
  at.begin.line -= cell->first_line - 1;
  if (at.end.line != 0) at.end.line -= cell->first_line - 1;
  return at;
}

void place(const Notebook& notebook, Finding& finding) {
  finding.location = placed(notebook, finding.location);
  for (Finding::Related& related : finding.related)
    related.location = placed(notebook, related.location);
  for (Fix& fix : finding.fixes) {
    const bool has_end = fix.where.end.line != 0;
    fix.where = placed(notebook, fix.where);
    if (has_end && fix.where.end.line == 0) {
      finding.fixes.clear();
      return;
    }
  }
}

std::string placed_note(const Notebook& notebook, const std::string& note) {
  const std::string start = notebook.path + ":";
  if (!note.starts_with(start)) return note;
  Location at{notebook.path, {}, {}};
  const char* end = note.data() + note.size();
  auto read = std::from_chars(note.data() + start.size(), end, at.begin.line);
  if (read.ec != std::errc()) return note;
  if (read.ptr != end && *read.ptr == ':') {
    const auto column = std::from_chars(read.ptr + 1, end, at.begin.column);
    if (column.ec == std::errc()) read = column;
  }
  return to_string(placed(notebook, at)) + std::string(read.ptr, end);
}

int line_in_file(const Notebook& notebook, const Location& at) {
  for (const Notebook::Cell& cell : notebook.cells) {
    if (cell.number != at.cell) continue;
    std::size_t offset = cell.source.begin;
    int line = 1;
    for (std::size_t i = 0; i < cell.pieces.size() && line <= at.begin.line; ++i) {
      offset = cell.pieces[i].begin;
      line += static_cast<int>(
          std::count(cell.piece_texts[i].begin(), cell.piece_texts[i].end(), '\n'));
    }
    return position_of(notebook.json, offset).line;
  }
  return 1;
}

}  // namespace forerun::engine
