// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "analysis/validate/validation.hpp"
#include "tests/analysis/rows.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

const std::string kNasty = "</script><b>'bold' & \"more\"";

/// Rows of edge cases.
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

/// The markup, without style sheets and the project's own scripts.
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

/// The data of a view of the page, null when the page has no such view.
nlohmann::json data_of(const std::vector<ValidationRow>& rows, const std::string& view) {
  const std::string page = to_html(rows, "A title", "epochcast validate", "2026-11-21");
  const std::string begin = "<script type=\"application/json\" data-view=\"" + view + "\">";
  const std::size_t at = page.find(begin);
  if (at == std::string::npos) return nullptr;
  const std::size_t text = at + begin.size();
  return nlohmann::json::parse(page.substr(text, page.find("</script>", text) - text));
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
  CHECK(nesting_problem("\n<p>a</p><br><col span=\"1\"/>").empty());
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

    for (const std::string part : {"http:", "https:", "src=", "@import", "<link", "url("}) {
      CHECK(count_of(page, part) == 0);
    }
    const std::size_t data = count_of(page, "<script type=\"application/json\"");
    const std::size_t licences = count_of(page, "<script type=\"text/plain\"");
    CHECK(count_of(page, "<script nonce=") + data + licences == count_of(page, "<script"));
    CHECK(count_of(page, "default-src &#39;none&#39;; ") == 1);
  }
}

TEST_CASE("every row with findings is in both charts and, in full, in the table") {
  const std::vector<ValidationRow> rows = hard_cases().at("many");
  const std::string page = page_of(rows);
  std::map<std::string, std::multiset<std::string>> plotted;
  std::map<std::string, std::multiset<std::string>> barred;
  std::map<std::string, std::multiset<std::string>> expected;

  const auto plots = data_of(rows, "plots");
  const auto phases = data_of(rows, "phases");
  for (const auto& series : plots[0]["series"]) {
    for (const auto& point : series["points"]) plotted[series["name"]].insert(point["name"]);
  }
  for (const auto& group : phases["groups"]) {
    for (const auto& row : group["rows"]) barred[group["name"]].insert(row["name"]);
  }

  for (const ValidationRow& row : rows) {
    expected[row.group].insert(row.point);
    CHECK(count_of(page, "<th scope=\"row\" class=\"left\">" + row.point + "</th>") == 1);
  }
  CHECK(plotted == expected);
  CHECK(barred == expected);
}

TEST_CASE("a point of the plot is forecast over measured, with both intervals") {
  const auto plot = data_of(
      {row_of("a", 10.3, {.low_s = 9.9, .high_s = 10.6}, {10, 10.2, 9.9}), row_of("b", 3, {2})},
      "plots")[0];

  CHECK(plot["has_diagonal"] == true);
  CHECK(plot["x"]["unit"] == "seconds");
  CHECK(plot["y"]["unit"] == "seconds");
  REQUIRE(plot["series"].size() == 1);
  CHECK(plot["series"][0]["name"] == "g");
  CHECK(plot["series"][0]["points"][0] == nlohmann::json({{"x", 10.0},
                                                          {"y", 10.3},
                                                          {"x_range", {9.9, 10.2}},
                                                          {"y_range", {9.9, 10.6}},
                                                          {"name", "a"},
                                                          {"more", "error +3.0 %, 3 runs"}}));
  CHECK(plot["series"][0]["points"][1]["y_range"].is_null());
  CHECK(plot["series"][0]["points"][1]["more"] == "error +50.0 %, 1 run");
}

TEST_CASE("each row has a bar of its forecast's phases and one of its measured ones") {
  ValidationRow row = row_of("a", 10, {.low_s = 9, .high_s = 11}, {7, 8, 9});
  row.forecast->phases = {.compute_s = 5, .exposed_communication_s = 3, .blocked_s = 2};

  const auto bars = data_of({row}, "phases")["groups"][0]["rows"][0]["bars"];

  CHECK(bars == nlohmann::json::parse(R"([
    {"name": "forecast", "compute_s": 5.0, "exposed_communication_s": 3.0, "blocked_s": 2.0,
     "interval": [9.0, 11.0]},
    {"name": "measured", "compute_s": 8.0, "exposed_communication_s": 0.0, "blocked_s": 0.0,
     "interval": [7.0, 9.0]}])"));
}

TEST_CASE("names are unchanged in the data, and cannot end it") {
  const std::vector<ValidationRow> rows = hard_cases().at("nasty");

  CHECK(data_of(rows, "plots")[0]["series"][0]["name"] == kNasty);
  CHECK(data_of(rows, "plots")[0]["series"][0]["points"][0]["name"] == kNasty);
  CHECK(data_of(rows, "phases")["groups"][0]["name"] == kNasty);
  CHECK(data_of(rows, "phases")["groups"][0]["rows"][0]["name"] == kNasty);
  CHECK(count_of(to_html(rows, kNasty, kNasty, kNasty), "</script><b>") == 0);
}

TEST_CASE("the table has numbers with units, and sorts by their values in seconds") {
  const std::string page =
      page_of({row_of("a", 11, {.low_s = 9.9, .high_s = 11.6}, {8, 10.25, 7.75})});

  CHECK(
      count_of(page,
               "<th scope=\"row\" class=\"left\">a</th>"
               "<td data-value=\"11.0\">11.0 s<span class=\"range\">9.90 s .. 11.6 s</span></td>"
               "<td data-value=\"8.0\">8.00 s<span class=\"range\">7.75 s .. 10.2 s, 3 runs</span>"
               "</td><td data-value=\"0.375\">+37.5 %</td><td data-value=\"0.375\">+37.5 %</td>"
               "<td data-value=\"0.0\">0.0 %</td><td data-value=\"0.0\">0.0 %</td>"
               "<td data-value=\"0.0\">no<span class=\"range\">1 of 3 runs, KS ") == 1);
  CHECK(count_of(page, "<table class=\"sortable\">") == 1);
}

TEST_CASE("a failed row has its reason in the table, and is in no chart") {
  const std::vector<ValidationRow> rows = {row_of("a", 1, {1}), failed_row("b", "node3 refused")};

  CHECK(count_of(page_of(rows), ">failed: node3 refused</td>") == 1);
  CHECK(data_of(rows, "plots")[0]["series"][0]["points"].size() == 1);
  CHECK(data_of(rows, "phases")["groups"][0]["rows"].size() == 1);
}

TEST_CASE("without anything to compare there are no charts, but a sentence") {
  for (const std::string name : {"none", "failed"}) {
    const std::vector<ValidationRow> rows = hard_cases().at(name);

    CHECK(data_of(rows, "plots").is_null());
    CHECK(data_of(rows, "phases").is_null());
    CHECK(count_of(page_of(rows), "No configuration has both a forecast and a measurement.") == 1);
  }
}

}  // namespace
}  // namespace epochcast::tests
