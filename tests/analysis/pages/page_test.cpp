// SPDX-License-Identifier: Apache-2.0
#include "analysis/pages/page.hpp"

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "analysis/validate/validation.hpp"
#include "tests/analysis/rows.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

const std::string kNasty = "</script><b>'bold' & \"more\"";

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

/// A page whose texts and data are all this text.
std::string page_of(const std::string& text) {
  return page_html(text, text, {{.name = "curves", .data = {{"name", text}}}});
}

/// The data of a page with one view.
nlohmann::ordered_json data_of(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" data-view=\"";
  const std::size_t at = page.find('>', page.find(begin)) + 1;
  return nlohmann::ordered_json::parse(page.substr(at, page.find("</script>", at) - at));
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
  CHECK(nesting_problem(markup_of(page_of("a title"))).empty());
  CHECK(nesting_problem(markup_of(page_of(kNasty))).empty());
  CHECK(nesting_problem(markup_of(page_html("none", "", {}))).empty());
}

TEST_CASE("a page loads nothing and runs nothing but its own scripts") {
  const std::string page = markup_of(page_of(kNasty));

  for (const std::string part : {"http:", "https:", "src=", "@import", "<link", "url("})
    CHECK(count_of(page, part) == 0);
  const std::size_t data = count_of(page, "<script type=\"application/json\"");
  const std::size_t licences = count_of(page, "<script type=\"text/plain\"");
  CHECK(count_of(page, "<script nonce=") + data + licences == count_of(page, "<script"));
  CHECK(count_of(page, "default-src &#39;none&#39;; ") == 1);
}

TEST_CASE("names are unchanged in the data, and cannot end it") {
  CHECK(data_of(page_of(kNasty))["name"] == kNasty);
  CHECK(count_of(page_of(kNasty), "</script><b>") == 0);
}

TEST_CASE("the page of a validation has its document") {
  const std::vector<ValidationRow> rows = {row_of("a", 10.3, {.low_s = 9.9, .high_s = 10.6}, {10}),
                                           failed_row("b", kNasty)};

  CHECK(data_of(to_html(rows, "A title", "epochcast validate", "2026-11-21")) ==
        to_json(rows, "epochcast validate", "2026-11-21"));
}

}  // namespace
}  // namespace epochcast::tests
