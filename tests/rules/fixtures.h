// Every fixture of every rule, judged by the comments in it:
//   # expect: ID [, ID]            a finding of ID is on this line; every other finding of any rule
//   is wrong # expect-not-yet: ID — why     a known miss: there is no such finding yet; when there
//   is one, this comment has to go
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "analyzer/engine/check.h"
#include "core/result.h"
#include "tests/support/golden.h"

namespace forerun::test {

using Places = std::multiset<std::pair<int, std::string>>;  // line, rule

struct Expected {
  Places found, not_yet;
};

inline Expected read_expected(const std::string& text) {
  Expected expected;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    for (const auto& [word, into] :
         {std::pair{"expect: ", &expected.found}, {"expect-not-yet: ", &expected.not_yet}}) {
      const std::size_t at = line.find(word);
      if (at == std::string::npos) continue;
      std::istringstream ids(line.substr(at + std::string(word).size()));
      for (std::string id; ids >> id;) {
        const bool more = id.back() == ',';
        if (more) id.pop_back();
        into->emplace(number, id);
        if (!more) break;
      }
    }
  }
  return expected;
}

// rules/*/*/{bad,good,limits}.EXTENSION, with the name of the file's language where it has one.
inline std::vector<std::string> fixtures(const std::string& extension) {
  std::vector<std::string> files;
  const auto rules = std::filesystem::recursive_directory_iterator(FORERUN_SOURCE_DIR "/rules");
  for (auto entry = rules; entry != end(rules); ++entry) {
    const bool in_rule_folder = entry.depth() == 2;  // <group>/<id>/<file>
    if (in_rule_folder && entry->is_regular_file() && entry->path().extension() == extension &&
        entry->path().stem() != "rule") {
      files.push_back(std::filesystem::relative(entry->path(), FORERUN_SOURCE_DIR).string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The rule's folder, without characters GoogleTest does not take.
inline std::string fixture_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param.substr(6);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

// Notes are part of it: what is expected says nothing of levels.
inline void judge(const std::string& file, const ir::Program& program, const std::string& text) {
  const Expected expected = read_expected(text);
  const engine::Checked checked = engine::check(program, engine::Selection({}));
  for (const std::string& note : checked.notes) ADD_FAILURE() << note;
  Places missing = expected.found, not_yet = expected.not_yet;
  for (const Finding& finding : checked.findings) {
    const std::pair place{finding.location.begin.line, finding.rule_id};
    EXPECT_FALSE(finding.message.empty());
    if (const auto known = missing.find(place); known != missing.end()) {
      missing.erase(known);
    } else if (not_yet.contains(place)) {
      ADD_FAILURE() << file << ":" << place.first << ": " << place.second
                    << " is found now: make its expect-not-yet an expect";
    } else {
      ADD_FAILURE() << file << ":" << place.first << ": nobody expects " << place.second << ": "
                    << finding.message;
    }
  }
  for (const auto& [line, id] : missing)
    ADD_FAILURE() << file << ":" << line << ": " << id << " is not found";
  const bool bad = std::filesystem::path(file).stem() == "bad";
  EXPECT_EQ(bad, !expected.found.empty() || (bad && !expected.not_yet.empty()))
      << file << ": a bad fixture has findings, a good one none";
}

}  // namespace forerun::test
