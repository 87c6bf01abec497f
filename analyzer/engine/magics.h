// What a notebook's cell may hold that is not Python: IPython's magics, shell lines and questions.
#pragma once

#include <string>
#include <string_view>

namespace forerun::engine {

// The cell with every such line made harmless: `0` in place of a line or of a value, white space
// for the rest, so that each byte that stays keeps its place. A cell that speaks another language
// (%%bash, %%html, %%writefile) becomes white space whole; one that IPython runs as Python (%%time,
// %%capture) loses its first line. Follows IPython 9's input transformations: a magic, `!` or `?`
// begins a logical line, or stands right after `=`; a backslash carries it on.
std::string without_magics(std::string_view cell);

}  // namespace forerun::engine
