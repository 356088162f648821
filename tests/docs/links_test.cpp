// SPDX-License-Identifier: Apache-2.0
// Links of the documentation lead to files and headings that exist.
#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/files/text_file.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = EPOCHCAST_SOURCE_DIR;

/// The page without its blocks of code, line by line.
std::vector<std::string> prose_of(const fs::path& page) {
  std::istringstream text(read_text_file(page));
  std::vector<std::string> lines;
  bool is_code = false;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("```")) is_code = !is_code;
    if (!is_code) lines.push_back(line);
  }
  return lines;
}

/// A heading's anchor as GitHub names it: letters, digits, "_" and "-" in lower case, blanks as
/// "-".
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char letter : heading) {
    const auto byte = static_cast<unsigned char>(letter);
    if (letter == ' ') anchor += '-';
    if (std::isalnum(byte) != 0 || letter == '-' || letter == '_' || byte >= 0x80)
      anchor += static_cast<char>(std::tolower(byte));
  }
  return anchor;
}

std::set<std::string> anchors_of(const fs::path& page) {
  std::map<std::string, int> count;
  std::set<std::string> anchors;
  for (const std::string& line : prose_of(page)) {
    const std::size_t marks = line.find_first_not_of('#');
    if (marks == 0 || marks == std::string::npos || line[marks] != ' ') continue;
    const std::string anchor = anchor_of(line.substr(marks + 1));
    const int before = count[anchor]++;
    anchors.insert(before == 0 ? anchor : anchor + "-" + std::to_string(before));
  }
  return anchors;
}

std::vector<fs::path> pages() {
  std::vector<fs::path> found;
  for (const char* folder : {"", "docs", "docs/decisions", "lab", "traces"}) {
    for (const auto& entry : fs::directory_iterator(kFolder / folder)) {
      if (entry.path().extension() == ".md") found.push_back(entry.path());
    }
  }
  return found;
}

TEST_CASE("an anchor is a heading in lower case without its punctuation") {
  CHECK(anchor_of("What if `--set` were another one?") == "what-if---set-were-another-one");
}

TEST_CASE("every link of the documentation leads to a file and a heading that exist") {
  const std::regex link(R"(\]\(([^)#\s]*)(?:#([^)\s]*))?\))");
  int found = 0;
  for (const fs::path& page : pages()) {
    for (const std::string& line : prose_of(page)) {
      for (std::sregex_iterator match(line.begin(), line.end(), link), end; match != end; ++match) {
        const std::string file = (*match)[1];
        const std::string anchor = (*match)[2];
        if (file.find("://") != std::string::npos) continue;
        const fs::path target = file.empty() ? page : page.parent_path() / file;
        CAPTURE(page.string(), line);
        ++found;
        CHECK(fs::exists(target));
        if (!anchor.empty() && target.extension() == ".md" && fs::exists(target))
          CHECK(anchors_of(target).count(anchor) == 1);
      }
    }
  }
  CHECK(found > 100);
}

}  // namespace
}  // namespace epochcast::tests
