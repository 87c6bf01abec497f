// Jupyter notebooks (nbformat 4): JSON whose code cells, one after the other, are one program.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/finding.h"
#include "core/result.h"
#include "core/source.h"

namespace forerun::engine {

struct Notebook {
  // Bytes of the file.
  struct Span {
    std::size_t begin = 0, end = 0;
  };
  struct Cell {
    int number = 0;            // from 1, over all cells of the notebook
    std::string text;          // its source, as it is run
    Span source;               // the JSON value of "source"
    std::vector<Span> pieces;  // its texts, when that is a list
    std::vector<std::string> piece_texts;
    int first_line = 0;  // of the program, from 1
  };
  std::string path, json;   // the file
  std::vector<Cell> cells;  // the code cells
  std::string program;      // them all, magics made harmless; each begins a line
  std::string language;     // when it is not Python: what the notebook says it is in
};

// Errors, with their place in the file: text that is no JSON, is nested deeper than any notebook,
// or is no notebook of nbformat 4.
Result<Notebook> read_notebook(std::string json, const std::string& path);

// Where a place of the program stands: its cell, and the line there. An end in another cell is
// forgotten.
Location placed(const Notebook& notebook, Location at);

// All places of a finding. Its fixes go when one of them does not stand in one cell.
void place(const Notebook& notebook, Finding& finding);

// A front end's note that begins with a place of the program ("a.ipynb:12:5: …") says the cell.
std::string placed_note(const Notebook& notebook, const std::string& note);

// The line of the file that holds a line of a cell, from 1.
int line_in_file(const Notebook& notebook, const Location& at);

// The file with these cells' sources (by number) in place of theirs, and every other byte as it
// was. Of a source that is a list of lines, the lines that stay are not written anew either.
std::string with_sources(const Notebook& notebook, const std::map<int, std::string>& sources);

}  // namespace forerun::engine
