// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "analysis/pages/svg.hpp"
#include "analysis/validate/validation.hpp"
#include "tests/analysis/rows.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

const std::string kNasty = "<b>'bold' & \"more\"";

/// Rows that are hard to draw.
std::map<std::string, std::vector<ValidationRow>> hard_cases() {
  std::vector<ValidationRow> many;
  for (int i = 0; i < 60; ++i) {
    ValidationRow row = row_of("point " + std::to_string(i) + std::string(200, 'x'),
                               1.01 * (i + 1),
                               {.low_s = 0.9 * (i + 1), .high_s = 1.1 * (i + 1)},
                               {1.0 * (i + 1)});
    row.group = "group " + std::to_string(i % 7);
    row.forecast->strategy = "strategy " + std::to_string(i % 13);
    many.push_back(row);
  }
  ValidationRow nasty = row_of(kNasty, 1, {1});
  nasty.group = kNasty;
  nasty.forecast->strategy = kNasty;
  return {{"none", {}},
          {"one", {row_of("a", 1, {1})}},
          {"failed", {failed_row("a", kNasty)}},
          {"nasty", {nasty, failed_row("b", kNasty)}},
          {"many", many},
          {"far off", {row_of("a", 4, {1}), row_of("b", 1.01, {1}), row_of("c", 1.02, {1})}},
          {"beyond", {row_of("a", 1e30, {1e-30}), row_of("b", 1.01, {1}), row_of("c", 1, {1})}},
          {"zero", {row_of("a", 0, {.low_s = 0, .high_s = 0}, {1, 0, 2}), row_of("b", 1, {0})}}};
}

/// The markup, without what style sheets and the project's own scripts hold.
std::string markup_of(std::string page) {
  for (const std::string tag : {"script", "style"}) {
    for (std::size_t at = 0; (at = page.find("<" + tag, at)) != std::string::npos;) {
      const std::size_t text = page.find('>', at) + 1;
      page.erase(text, page.find("</" + tag + ">", text) - text);
      at = text;
    }
  }
  return page;
}

std::string page_of(const std::vector<ValidationRow>& rows) {
  return markup_of(to_html(rows, "A title", "epochcast validate", "2026-11-21"));
}

/// The first mistake in the nesting of tags, "" when there is none.
std::string nesting_problem(const std::string& html) {
  static const std::regex kTag(
      R"re(<(/?)([a-zA-Z0-9]+)((?:\s+[a-zA-Z0-9-]+="[^"<>]*")*)\s*(/?)>)re");
  static const std::set<std::string> kVoid = {"meta", "br"};
  std::vector<std::string> open;
  std::size_t at = html.find('\n');  // after <!DOCTYPE html>
  for (;;) {
    const std::size_t bracket = html.find_first_of("<>", at);
    if (bracket == std::string::npos) break;
    std::smatch match;
    if (!std::regex_search(html.begin() + static_cast<std::ptrdiff_t>(bracket),
                           html.end(),
                           match,
                           kTag,
                           std::regex_constants::match_continuous)) {
      return "no tag: " + html.substr(bracket, 60);
    }
    at = bracket + static_cast<std::size_t>(match.length());
    const std::string name = match[2];
    if (match[1].length() > 0) {
      if (open.empty() || open.back() != name) return "not open: " + name;
      open.pop_back();
    } else if (match[4].length() == 0 && kVoid.count(name) == 0) {
      open.push_back(name);
    }
  }
  return open.empty() ? "" : "not closed: " + open.back();
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST_CASE("the checker of pages finds mistakes") {
  CHECK(nesting_problem("\n<p>a</p><br><rect x=\"1\"/>").empty());
  CHECK(nesting_problem("\n<p><b></p>") == "not open: p");
  CHECK(nesting_problem("\n<p>") == "not closed: p");
  CHECK(nesting_problem("\n<p>a < b</p>") == "no tag: < b</p>");
  CHECK(nesting_problem("\n<p>a > b</p>") == "no tag: > b</p>");
  CHECK(nesting_problem("\n<p class=\"a\"b\">") != "");
}

TEST_CASE("every tag of a page is closed, every text escaped") {
  for (const auto& [name, rows] : hard_cases()) {
    CAPTURE(name);

    CHECK(nesting_problem(page_of(rows)).empty());
    CHECK(nesting_problem(markup_of(to_html(rows, kNasty, kNasty, kNasty))).empty());
  }
}

TEST_CASE("a page loads nothing and runs nothing but its own scripts") {
  for (const auto& [name, rows] : hard_cases()) {
    const std::string page = page_of(rows);
    CAPTURE(name);

    for (const std::string part : {"http:", "https:", "src=", "@import", "<link"}) {
      CHECK(count_of(page, part) == 0);
    }
    CHECK(count_of(page, "<script nonce=") == count_of(page, "<script"));
    CHECK(count_of(page, "default-src &#39;none&#39;; ") == 1);
    CHECK(count_of(page, "url(") == count_of(page, "url(#"));
  }
}

TEST_CASE("a page has no number that is none") {
  static const std::regex kNumber(
      R"re( (x|y|x1|x2|y1|y2|width|height)="(-?[0-9]+\.[0-9]|[0-9]+)")re");
  static const std::regex kAny(R"re( (x|y|x1|x2|y1|y2|width|height)=")re");
  for (const auto& [name, rows] : hard_cases()) {
    const std::string page = page_of(rows);
    CAPTURE(name);

    const auto matches = [&](const std::regex& regex) {
      return std::distance(std::sregex_iterator(page.begin(), page.end(), regex), {});
    };
    CHECK(matches(kNumber) == matches(kAny));
    CHECK(count_of(page, "nan") == 0);
  }
}

TEST_CASE("every marker is in the frame of its plot or in the legend") {
  static const std::regex kMarker(R"re(translate\(([0-9.-]+) ([0-9.-]+)\))re");
  for (const auto& [name, rows] : hard_cases()) {
    const std::string page = page_of(rows);
    CAPTURE(name);

    for (auto match = std::sregex_iterator(page.begin(), page.end(), kMarker);
         match != std::sregex_iterator();
         ++match) {
      const double x = std::stod((*match)[1]);
      CHECK(((x >= 84 && x <= 564) || x == 603));
      CHECK(std::stod((*match)[2]) >= 14);
      CHECK(std::stod((*match)[2]) <= 494);
    }
  }
}

TEST_CASE("no two elements of a page have the same id") {
  static const std::regex kId(R"re( id="([^"]*)")re");
  const std::string page = page_of(hard_cases().at("many"));
  std::set<std::string> ids;
  for (auto match = std::sregex_iterator(page.begin(), page.end(), kId);
       match != std::sregex_iterator();
       ++match) {
    CHECK(ids.insert((*match)[1]).second);
  }

  CHECK(ids.size() == 7);
}

TEST_CASE("every point is in both plots and, in full, in the table") {
  const std::vector<ValidationRow> rows = hard_cases().at("many");
  const std::string page = page_of(rows);

  for (const ValidationRow& row : rows) {
    CHECK(count_of(page, "<title>" + row.group + ": " + row.point + "\n") == 2);
    CHECK(count_of(page, "<th scope=\"row\" class=\"left\">" + row.point + "</th>") == 1);
  }
}

TEST_CASE("a point's text has its numbers with units") {
  const std::string page =
      page_of({row_of("a", 10.3, {.low_s = 9.9, .high_s = 10.6}, {10, 10.2, 9.9})});

  CHECK(count_of(page,
                 "<title>g: a\nforecast 10.3 s (9.90 s .. 10.6 s)\nmeasured 10.0 s (9.90 s .. 10.2 "
                 "s, 3 runs)\nerror +3.0 %</title>") == 1);
  CHECK(count_of(page,
                 "<th scope=\"row\" class=\"left\">a</th><td>10.3 s<span class=\"range\">9.90 s .. "
                 "10.6 s</span></td><td>10.0 s<span class=\"range\">9.90 s .. 10.2 s, 3 runs</span>"
                 "</td><td>+3.0 %</td><td>+3.0 %</td><td>0.0 %</td><td>0.0 %</td><td>yes"
                 "<span class=\"range\">3 of 3 runs, KS 0.66</span></td>") == 1);
}

TEST_CASE("a point's marker is where its times are") {
  // One point of equal times is in the middle of the frame: 84 + 480 / 2, 14 + 480 / 2.
  CHECK(count_of(page_of({row_of("a", 1, {1})}), "translate(324.0 254.0)") == 1);
}

TEST_CASE("a failed row says why, in the plot and in the table") {
  const std::string page = page_of({row_of("a", 1, {1}), failed_row("b", "node3 refused")});

  CHECK(count_of(page, ">failed: node3 refused</text>") == 1);
  CHECK(count_of(page, ">failed: node3 refused</td>") == 1);
}

TEST_CASE("without anything to compare there are no plots, but the page says so") {
  for (const std::string name : {"none", "failed"}) {
    const std::string page = page_of(hard_cases().at(name));

    CHECK(count_of(page, "<svg") == 0);
    CHECK(count_of(page, "No configuration has both a forecast and a measurement.") == 2);
  }
}

TEST_CASE("a bar that is far beyond the others is cut, and its number says so") {
  const std::string page = page_of(hard_cases().at("far off"));

  CHECK(count_of(page, "class=\"cut\"") == 1);
  CHECK(count_of(page, ">+300.0 %</text>") == 1);
  CHECK(count_of(page_of({row_of("a", 1.2, {1}), row_of("b", 0.9, {1})}), "class=\"cut\"") == 0);
}

TEST_CASE("each plot has a title and a description") {
  const std::string page = page_of(hard_cases().at("one"));

  CHECK(count_of(page, "<svg ") == 2);
  CHECK(count_of(page, "role=\"img\" aria-labelledby=") == 2);
  CHECK(count_of(page, "<desc id=") == 2);
}

}  // namespace
}  // namespace epochcast::tests
