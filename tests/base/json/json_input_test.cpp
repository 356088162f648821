// SPDX-License-Identifier: Apache-2.0
#include "base/json/json_input.hpp"

#include <nlohmann/json.hpp>

#include "base/json/json_file.hpp"
#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

/// Parses a value for its problems only.
constexpr auto kIgnore = [](const auto&) {};

/// The problems that `read` finds in a text of a file "f.json".
template <typename Read>
Texts problems_in(const std::string& text, Read read) {
  return problems_of([&] {
    const nlohmann::json document = parse_json(text, "f.json");
    Problems problems("f.json");
    read(JsonInput(document, "", problems));
    problems.throw_if_any();
  });
}

Texts problems_of_text(const std::string& text) {
  return problems_of([&] { static_cast<void>(parse_json(text, "f.json")); });
}

std::string nested(int depth) {
  return std::string(static_cast<std::size_t>(depth), '[') +
         std::string(static_cast<std::size_t>(depth), ']');
}

TEST_CASE("every problem of a file is reported, not only the first") {
  const Texts problems =
      problems_in(R"({"count": 0, "name": 5, "size": "3", "on": "yes"})", [](JsonInput top) {
        kIgnore(top.at("count").integer(1));
        kIgnore(top.at("name").string());
        kIgnore(top.at("size").quantity(Dimension::bytes));
        kIgnore(top.at("on").boolean());
        kIgnore(top.at("shape").elements());
      });

  CHECK(problems ==
        Texts{"f.json: /count: got 0; expected a whole number of at least 1",
              "f.json: /name: got 5; expected a text",
              "f.json: /size: got \"3\"; expected a size with its unit, such as \"32GiB\"",
              "f.json: /on: got \"yes\"; expected true or false",
              "f.json: /shape: missing"});
}

TEST_CASE("a key that is never read is reported as unknown, with the closest known one") {
  const Texts problems = problems_in(R"({"latancy": 1, "zzz": 2})", [](JsonInput top) {
    kIgnore(top.maybe("latency"));
    kIgnore(top.maybe("bandwidth"));
    top.finish();
  });

  CHECK(problems == Texts{"f.json: /latancy: unknown key \"latancy\"; did you mean \"latency\"?",
                          "f.json: /zzz: unknown key \"zzz\"; known: latency, bandwidth"});
}

TEST_CASE("paths escape / and ~ in keys, names give them back") {
  const Texts problems = problems_in(R"({"a/b~c": {"": "x"}})", [](JsonInput top) {
    JsonInput member = top.members().front();
    CHECK(member.path() == "/a~1b~0c");
    CHECK(member.name() == "a/b~c");
    kIgnore(member.at("").integer(0));
  });

  CHECK(problems == Texts{"f.json: /a~1b~0c/: got \"x\"; expected a whole number of at least 0"});
}

TEST_CASE("a member of the wrong type is reported once, at its own path") {
  const Texts problems = problems_in(R"({"link": 7, "list": {}})", [](JsonInput top) {
    JsonInput link = top.at("link");
    kIgnore(link.at("bandwidth").quantity(Dimension::bytes_per_s));
    kIgnore(link.at("latency").quantity(Dimension::seconds));
    link.finish();
    kIgnore(top.at("list").elements(1));
    kIgnore(top.at("list").members());
  });

  CHECK(problems == Texts{"f.json: /link: got 7; expected an object",
                          "f.json: /list: got an object; expected a list that is not empty"});
}

TEST_CASE("an absent member is reported once") {
  const Texts problems = problems_in("{}", [](JsonInput top) {
    JsonInput absent = top.at("gone");
    kIgnore(absent.at("deeper").integer(1));
    kIgnore(absent.string());
    kIgnore(absent.boolean());
    kIgnore(absent.samples());
    kIgnore(absent.members());
    absent.finish();
  });

  CHECK(problems == Texts{"f.json: /gone: missing"});
}

TEST_CASE("a null is a wrong value, not an absent one") {
  const Texts problems = problems_in(R"({"memory": null})", [](JsonInput top) {
    REQUIRE(top.maybe("memory"));
    kIgnore(top.maybe("memory")->quantity(Dimension::bytes));
  });

  CHECK(problems ==
        Texts{"f.json: /memory: got null; expected a size with its unit, such as \"32GiB\""});
}

TEST_CASE("whole numbers have no fraction and stay in their range") {
  const auto problems_of_count = [](const std::string& number) {
    return problems_in("[" + number + "]",
                       [](JsonInput top) { kIgnore(top.elements().front().integer(1, 12)); });
  };

  CHECK(problems_of_count("12").empty());
  for (const char* number :
       {"0", "13", "-1", "1.0", "1e1", "18446744073709551615", "\"1\"", "true"}) {
    CHECK(problems_of_count(number) ==
          Texts{std::string("f.json: /0: got ") + (number == std::string("1e1") ? "10.0" : number) +
                "; expected a whole number from 1 to 12"});
  }
}

TEST_CASE("quantities are above zero, or not negative if zero has a meaning") {
  const auto problems_of_time = [](const std::string& text, bool allow_zero) {
    return problems_in("[\"" + text + "\"]", [&](JsonInput top) {
      kIgnore(top.elements().front().quantity(Dimension::seconds, allow_zero));
    });
  };

  CHECK(problems_of_time("0s", true).empty());
  CHECK(problems_of_time("0s", false) ==
        Texts{"f.json: /0: got \"0s\"; expected a value above zero"});
  CHECK(problems_of_time("-1s", true) ==
        Texts{"f.json: /0: got \"-1s\"; expected a value that is not negative"});
  CHECK(problems_of_time("1GB", true) ==
        Texts{"f.json: /0: got \"1GB\"; expected a time with its unit, such as \"1.5us\""});
}

TEST_CASE("a long value is shortened between characters, not inside one") {
  const std::string umlauts = "\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc";
  const Texts problems =
      problems_in("[\"" + umlauts + umlauts + umlauts + umlauts + "\"]",
                  [](JsonInput top) { kIgnore(top.elements().front().integer(1)); });

  // A quote and 28 letters of 2 bytes are 57 bytes.
  CHECK(problems == Texts{"f.json: /0: got \"" + umlauts + umlauts + umlauts.substr(0, 2 * 8) +
                          "...; expected a whole number of at least 1"});
  const Texts odd = problems_in("[\"a" + umlauts + umlauts + umlauts + "\"]",
                                [](JsonInput top) { kIgnore(top.elements().front().integer(1)); });
  CHECK(odd == Texts{"f.json: /0: got \"a" + umlauts + umlauts + umlauts.substr(0, 2 * 7) +
                     "...; expected a whole number of at least 1"});
}

TEST_CASE("invalid JSON is reported with line and column") {
  CHECK(problems_of_text("") == Texts{"f.json:1:1: not valid JSON (the file ends too early)"});
  CHECK(problems_of_text("{\"a\": 1,\n \"b\": }") ==
        Texts{"f.json:2:7: not valid JSON at this place"});
  CHECK(problems_of_text("{\"a\": [1, 2") ==
        Texts{"f.json:1:12: not valid JSON (the file ends too early)"});
}

TEST_CASE("invalid UTF-8 is reported with line and column") {
  CHECK(problems_of_text("{\n\"a\": \"\xff\"}") ==
        Texts{"f.json:2:7: not valid JSON at this place"});
}

TEST_CASE("a number that no double can hold is an error, not a crash") {
  CHECK(problems_of_text("[1e999]") ==
        Texts{"f.json: has a number that is too large to be represented"});
}

TEST_CASE("a document is refused when it is nested deeper than 32 levels below the top") {
  CHECK(problems_of_text(nested(33)).empty());
  CHECK(problems_of_text(nested(34)) == Texts{"f.json: nested deeper than any Epochcast file"});
  CHECK(problems_of_text(nested(100'000)) ==
        Texts{"f.json: nested deeper than any Epochcast file"});
}

TEST_CASE("a duplicate key is reported with its path, at any depth") {
  CHECK(problems_of_text(R"({"a": 1, "b": {"a": 1}, "a": 2})") ==
        Texts{"f.json: /a: duplicate key"});
  CHECK(problems_of_text(R"([{"a": [{"x": 1}, {"b~/": 1, "b~/": 1}]}, {"a": 1, "a": 1}])") ==
        Texts{"f.json: /0/a/1/b~0~1: duplicate key", "f.json: /1/a: duplicate key"});
  CHECK(problems_of_text(R"([{"a": 1}, {"a": 1}])").empty());
}

TEST_CASE("texts and names with control characters are reported with escapes") {
  const auto problems_of_first = [](const std::string& text, const auto& read) {
    return problems_in(text, [&](JsonInput top) { kIgnore(read(top.elements().front())); });
  };
  const auto text = [](const JsonInput& input) { return input.string(); };
  const auto name = [](const JsonInput& input) { return input.identifier(); };

  CHECK(problems_of_first(R"(["r\u00e9sum\u00e9"])", text).empty());
  CHECK(problems_of_first(R"(["a\u001b[2J"])", text) ==
        Texts{"f.json: /0: got \"a\\u001b[2J\"; expected a text in UTF-8 without control "
              "characters"});
  CHECK(problems_of_first(R"(["a\u009b2J"])", text) ==
        Texts{"f.json: /0: got \"a\\u009b2J\"; expected a text in UTF-8 without control "
              "characters"});
  CHECK(problems_of_first(R"(["v100-32gb"])", name).empty());
  CHECK(problems_of_first(R"(["a\nb"])", name) ==
        Texts{"f.json: /0: got \"a\\nb\"; expected a name: at most 100 letters, digits, spaces and "
              "._-+:@(), a letter or digit first"});
}

TEST_CASE("a folder, or a missing file, is refused") {
  const std::string folder = EPOCHCAST_SOURCE_DIR "/core";

  CHECK(problems_of([&] { static_cast<void>(read_json_file(folder)); }) ==
        Texts{folder + ": is a folder; expected a file"});
  CHECK(problems_of([&] { static_cast<void>(read_json_file(folder + "/none.json")); }) ==
        Texts{folder + "/none.json: cannot be read: No such file or directory"});
}

TEST_CASE("a document of another kind or version is refused by its schema") {
  const auto problems_of_document = [](const std::string& text) {
    return problems_of([&] {
      const nlohmann::json document = parse_json(text, "f.json");
      Problems problems("f.json");
      static_cast<void>(open_document(document, "epochcast.trace/1", problems));
    });
  };

  CHECK(problems_of_document(R"({"schema": "epochcast.trace/1"})").empty());
  CHECK(problems_of_document(R"({"schema": "epochcast.trace/2"})") ==
        Texts{"f.json: /schema: got \"epochcast.trace/2\"; expected \"epochcast.trace/1\""});
  CHECK(problems_of_document("{}") ==
        Texts{"f.json: /schema: missing; expected \"epochcast.trace/1\""});
  CHECK(problems_of_document("[1]") ==
        Texts{"f.json: /: got a list of 1; expected an object with \"schema\": "
              "\"epochcast.trace/1\""});
}

}  // namespace
}  // namespace epochcast::tests
