// Any bytes through the notebook reader: each line of the program stands in a cell, sources that do
// not change leave the file as it is, and changed ones are read back as they were written.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "analyzer/engine/magics.h"
#include "analyzer/engine/notebook.h"

namespace {

using forerun::engine::Notebook;

void check_lines(const Notebook& notebook) {
  const auto lines = std::count(notebook.program.begin(), notebook.program.end(), '\n');
  for (int line = 1; line <= std::min<int>(static_cast<int>(lines), 64); ++line) {
    const forerun::Location at = placed(notebook, {notebook.path, {line, 1}, {line, 2}});
    if (at.cell == 0 || at.begin.line < 1 || line_in_file(notebook, at) < 1) std::abort();
  }
}

void check_edits(const Notebook& notebook) {
  std::map<int, std::string> same, changed;
  for (const Notebook::Cell& cell : notebook.cells) {
    same[cell.number] = cell.text;
    changed[cell.number] = "a\xc3\xa9\"\n" + cell.text + "\n\\b";
  }
  const auto unchanged =
      forerun::engine::read_notebook(with_sources(notebook, same), notebook.path);
  if (!unchanged || unchanged->program != notebook.program) std::abort();
  const auto again = forerun::engine::read_notebook(with_sources(notebook, changed), notebook.path);
  if (!again || again->cells.size() != notebook.cells.size()) std::abort();
  for (const Notebook::Cell& cell : again->cells) {
    if (cell.text != changed[cell.number]) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (forerun::engine::without_magics(text).size() != size) std::abort();
  const auto notebook = forerun::engine::read_notebook(text, "fuzz.ipynb");
  if (!notebook) return notebook.error().where.file == "fuzz.ipynb" ? 0 : (std::abort(), 0);
  check_lines(*notebook);
  check_edits(*notebook);
  return 0;
}
