#include "cli/explain.h"

#include <sstream>

#include <fmt/format.h>

#include "cli/options/options.h"
#include "cli/tools.h"
#include "core/nearest.h"

namespace forerun::cli {
namespace {

namespace po = boost::program_options;

// The tools that embed pages. Each prints the page of `--explain NAME`, or, of `--explain ''`, the
// names it knows, one a line.
const std::vector<std::string>& libraries() {
  static const std::vector<std::string> programs{"forerun-lint", "forerun-estimate"};
  return programs;
}

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (const std::string& program : libraries()) {
    std::istringstream lines(ask(program, {"--explain", ""}).out);
    for (std::string line; std::getline(lines, line);) names.push_back(line);
  }
  return names;
}

int explain_one(const std::string& program, const std::string& name) {
  for (const std::string& library : libraries()) {
    if (!is_installed(library)) continue;
    const Answer answer = ask(library, {"--explain", name});
    if (answer.exit_code == 0) return emit(program, answer.out, "", kExitClean);
  }
  const std::vector<std::string> known = known_names();
  const std::string cure = known.empty() ? "neither forerun-lint nor forerun-estimate is built here"
                                         : suggest(name, known);
  return complain(program, error(fmt::format("no rule, layer or GPU is called '{}'", name), cure));
}

}  // namespace

int explain(const std::vector<std::string>& arguments) {
  po::options_description options;
  std::vector<std::string> names;
  options.add_options()("help", "this");
  options.add_options()("name", po::value(&names), "");
  const Usage usage{
      "forerun explain",
      "prints the page about a rule, a layer or a GPU; without a name, lists them all",
      "[RULE|LAYER|GPU]", "0; 2 when nothing has that name"};
  const auto parsed = parse(arguments, options, "name");
  if (!parsed) return complain(usage.program, parsed.error());
  if (parsed->values.count("help") != 0)
    return emit(usage.program, help_text(usage, options), "", kExitClean);
  if (names.size() > 1)
    return complain(usage.program, error("more than one name", "one rule, layer or GPU at a time"));
  if (names.size() == 1 && !names[0].empty()) return explain_one(usage.program, names[0]);
  std::string text;
  for (const std::string& name : known_names()) text += name + "\n";
  return emit(usage.program, text, "", kExitClean);
}

}  // namespace forerun::cli
