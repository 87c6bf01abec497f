#include <algorithm>

#include <nlohmann/json.hpp>

#include "analyzer/engine/notebook.h"

namespace forerun::engine {
namespace {

// Lines with their ends, as nbformat splits a source.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::size_t next = end == std::string::npos ? text.size() : end + 1;
    lines.push_back(text.substr(at, next - at));
    at = next;
  }
  return lines;
}

// Rewrites the source of one cell of a file.
class Writer {
 public:
  Writer(const std::string& json, const Notebook::Cell& cell) : json_(json), cell_(cell) {
    const std::string_view old = slice(cell.source);
    // A file that writes é as \u00e9 goes on doing so.
    ascii_ = std::all_of(old.begin(), old.end(),
                         [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  }

  std::string source(const std::string& text) const {
    if (cell_.pieces.empty() && json_[cell_.source.begin] == '"') return quoted(text);
    return list(lines_of(text));
  }

 private:
  std::string_view slice(Notebook::Span span) const {
    return std::string_view(json_).substr(span.begin, span.end - span.begin);
  }
  std::string quoted(const std::string& text) const {
    return nlohmann::json(text).dump(-1, ' ', ascii_, nlohmann::json::error_handler_t::replace);
  }
  std::string separator() const {
    const auto& pieces = cell_.pieces;
    if (pieces.size() > 1) return std::string(slice({pieces[0].end, pieces[1].begin}));
    if (pieces.size() == 1)
      return "," + std::string(slice({cell_.source.begin + 1, pieces[0].begin}));
    return ", ";
  }

  // Elements that stay at either end keep their bytes, and so does all that stands between them.
  std::string list(const std::vector<std::string>& lines) const {
    const auto& old = cell_.piece_texts;
    const std::size_t shorter = std::min(old.size(), lines.size());
    std::size_t head = 0, tail = 0;
    while (head < shorter && old[head] == lines[head]) ++head;
    while (tail < shorter - head && old[old.size() - 1 - tail] == lines[lines.size() - 1 - tail])
      ++tail;
    std::string fresh;
    for (std::size_t i = head; i < lines.size() - tail; ++i)
      fresh += (i == head ? "" : separator()) + quoted(lines[i]);
    return spliced(head, tail, fresh);
  }

  std::string spliced(std::size_t head, std::size_t tail, const std::string& fresh) const {
    const auto& pieces = cell_.pieces;
    const std::size_t begin = cell_.source.begin, end = cell_.source.end;
    const std::size_t gone = pieces.size() - tail;  // pieces from head to here go
    auto around = [&](std::size_t from, const std::string& middle, std::size_t to) {
      return std::string(slice({begin, from})) + middle + std::string(slice({to, end}));
    };
    if (head < gone && !fresh.empty())
      return around(pieces[head].begin, fresh, pieces[gone - 1].end);
    if (head == gone && fresh.empty()) return std::string(slice(cell_.source));
    if (head > 0) {
      const std::size_t to = head < gone ? pieces[gone - 1].end : pieces[head - 1].end;
      return around(pieces[head - 1].end, fresh.empty() ? "" : separator() + fresh, to);
    }
    if (tail > 0) {
      const std::size_t to = pieces[gone].begin;
      return around(pieces[0].begin, fresh.empty() ? "" : fresh + separator(), to);
    }
    return "[" + fresh + "]";
  }

  const std::string& json_;
  const Notebook::Cell& cell_;
  bool ascii_ = true;
};

}  // namespace

std::string with_sources(const Notebook& notebook, const std::map<int, std::string>& sources) {
  std::string text;
  std::size_t copied = 0;
  for (const Notebook::Cell& cell : notebook.cells) {
    const auto wanted = sources.find(cell.number);
    if (wanted == sources.end()) continue;
    text += notebook.json.substr(copied, cell.source.begin - copied);
    text += Writer(notebook.json, cell).source(wanted->second);
    copied = cell.source.end;
  }
  return text + notebook.json.substr(copied);
}

}  // namespace forerun::engine
