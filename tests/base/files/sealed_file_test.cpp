// SPDX-License-Identifier: Apache-2.0
#include "base/files/sealed_file.hpp"

#include "tests/catch.hpp"

namespace epochcast {
namespace {

constexpr std::string_view kSchema = "epochcast.thing/2";

/// A payload with line ends and NUL in it.
const std::string kPayload = std::string("one\ntwo\0three\n", 14);

std::string sealed_text(const std::string& file = "folder/thing.state") {
  return seal(kSchema, file, {{"number", 7}}, {kPayload.substr(0, 5), kPayload.substr(5)}).line +
         kPayload;
}

TEST_CASE("sealed content is read back, even from a renamed folder") {
  const SealedFile sealed = unseal(kSchema, "elsewhere/thing.state", sealed_text());

  CHECK(sealed.header.at("number") == 7);
  CHECK(sealed.payload == kPayload);
  CHECK(sealed_text().starts_with("{\"checksum\":\"" + sealed.checksum +
                                  "\",\"schema\":\"epochcast.thing/2\",\"file\":\"thing.state\","));
}

TEST_CASE("a sealed file without payload is JSON") {
  const Seal only = seal(kSchema, "thing.json", {{"number", 7}});

  CHECK(nlohmann::json::parse(only.line).at("number") == 7);
  CHECK(unseal(kSchema, "thing.json", only.line).payload.empty());
}

TEST_CASE("no bit of a sealed file can flip unnoticed") {
  const std::string whole = sealed_text();

  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    CAPTURE(bit);
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    CHECK_THROWS_WITH(unseal(kSchema, "kept/thing.state", damaged),
                      Catch::StartsWith("kept/thing.state: is "));
  }
}

TEST_CASE("a sealed file that is truncated anywhere, or has more, is damaged") {
  const std::string whole = sealed_text();

  CHECK_THROWS_WITH(unseal(kSchema, "thing.state", ""),
                    "thing.state: is empty; expected epochcast.thing/2");
  for (std::size_t size = 1; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK_THROWS_AS(unseal(kSchema, "thing.state", whole.substr(0, size)), DamagedFile);
  }
  CHECK_THROWS_AS(unseal(kSchema, "thing.state", whole + "x"), DamagedFile);
}

TEST_CASE("a sealed file under another name is detected") {
  CHECK_THROWS_WITH(unseal(kSchema, "kept/other.state", sealed_text()),
                    "kept/other.state: was written as thing.state: files were exchanged");
}

TEST_CASE("another version, sealed or not, is refused by name") {
  CHECK_THROWS_WITH(unseal(kSchema, "old", R"({"schema": "epochcast.thing/1", "number": 7})"),
                    "old: is of epochcast.thing/1, which this version does not read; expected "
                    "epochcast.thing/2");
  CHECK_THROWS_WITH(unseal(kSchema, "new", seal("epochcast.thing/3", "new", {{"number", 7}}).line),
                    "new: /schema: got \"epochcast.thing/3\"; expected \"epochcast.thing/2\"");
}

}  // namespace
}  // namespace epochcast
