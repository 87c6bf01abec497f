#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/units.h"
#include "verifier/compare/compare.h"

namespace forerun::compare {
namespace {

using Cells = std::array<std::string, 5>;  // what, predicted, measured, error, ok

std::string error_text(double error) {
  if (error == 0) return "0";
  return fmt::format("{:+.3g} %", error * 100);
}

std::vector<Cells> cells_of(const Report& report) {
  std::vector<Cells> table{{"", "predicted", "measured", "error", ""}};
  for (const Comparison& row : report.rows) {
    table.push_back({row.what, with_thousands(row.predicted), with_thousands(row.measured),
                     error_text(row.error), row.ok ? "ok" : "DIFFERS"});
  }
  return table;
}

std::string table_text(const std::vector<Cells>& table) {
  std::array<std::size_t, 5> widths{};
  for (const Cells& cells : table) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  std::string text;
  for (const Cells& cells : table) {
    std::string line =
        fmt::format("  {:<{}}  {:>{}}  {:>{}}  {:>{}}  {}", cells[0], widths[0], cells[1],
                    widths[1], cells[2], widths[2], cells[3], widths[3], cells[4]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string one(const Report& report) {
  const Measurement& measured = report.measurement;
  std::string text =
      fmt::format("{}: {} on {} ({}), predicted for {}\n", measured.spec_path, measured.framework,
                  measured.device, measured.device_name, report.estimate.gpu);
  text += table_text(cells_of(report));
  for (const std::string& note : measured.notes) text += fmt::format("  note: {}\n", note);
  for (const std::string& left_out : report.not_compared)
    text += fmt::format("  note: {}\n", left_out);
  for (const std::string& gap : report.estimate.unmodelled)
    text += fmt::format("  note: not in the prediction: {}\n", gap);
  return text + fmt::format("verdict: {}\n", verdict(report));
}

}  // namespace

std::string render_text(const std::vector<Report>& reports) {
  std::string text;
  for (const Report& report : reports) {
    if (!text.empty()) text += "\n";
    text += one(report);
  }
  return text;
}

}  // namespace forerun::compare
