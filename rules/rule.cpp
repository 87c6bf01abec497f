#include "rules/rule.h"

namespace forerun::rules {

Findings::Draft Findings::at(const Location& place, std::string message) {
  Finding finding;
  finding.level = level_;
  finding.location = place;
  finding.message = std::move(message);
  into_.push_back(std::move(finding));
  return {of_, into_.back()};
}

Findings::Draft& Findings::Draft::note(const Location& place, std::string message) {
  finding_.related.push_back({place, std::move(message)});
  return *this;
}

Findings::Draft& Findings::Draft::help(std::string cure) {
  finding_.help = std::move(cure);
  return *this;
}

Findings::Draft& Findings::Draft::level(Level level) {
  finding_.level = level;
  return *this;
}

Findings::Draft& Findings::Draft::fix(std::string description, Location where,
                                      std::string replacement, std::string was) {
  finding_.fixes.push_back(
      {std::move(description), std::move(where), std::move(replacement), std::move(was)});
  return *this;
}

}  // namespace forerun::rules
