// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/curves/learning_log.hpp"

#include <boost/crc.hpp>
#include <cstdint>

#include "tests/analysis/import/files.hpp"
#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

LoggedTests logged(const std::string& text, const LogFields& fields = {}) {
  const TestFile file("log", text);
  return tests_in(read_learning_log(file.path()), "log", fields, {.epoch = 1000, .step = 64});
}

Texts problems_in_log(const std::string& text, const LogFields& fields = {}) {
  return problems_of([&] { static_cast<void>(logged(text, fields)); });
}

TEST_CASE("CSV: epochs times the data set's samples, percent as shares") {
  const LoggedTests found = logged("epoch,train_loss,val_acc\n1,2.3,40\n2,1.9,55.5\n");
  REQUIRE(found.tests.size() == 2);
  CHECK(found.tests[0].samples == 1000);
  CHECK(found.tests[1].samples == 2000);
  CHECK(*found.tests[1].accuracy == Approx(0.555));
  CHECK_FALSE(found.counts_from_zero);
}

TEST_CASE("epochs from 0 end one later, steps are those of all workers") {
  const LoggedTests epochs = logged("epoch,accuracy\n0,0.4\n1,0.5\n");
  CHECK(epochs.counts_from_zero);
  CHECK(epochs.tests[0].samples == 1000);
  const LoggedTests steps = logged("global_step,eval_loss\n10,2.5\n20,2\n");
  CHECK(steps.tests[0].samples == 640);
  CHECK(*steps.tests[1].loss == 2);
}

TEST_CASE("JSON lines: numbers of inner objects, and lines of other kinds") {
  const LoggedTests found = logged(
      "{\"step\":1,\"train\":{\"loss\":3}}\n\n"
      "{\"step\":2,\"note\":\"x\",\"val\":{\"perplexity\":20.5}}\n");
  REQUIRE(found.tests.size() == 1);
  CHECK(found.result.name == "val/perplexity");
  CHECK(*found.tests[0].perplexity == 20.5);
  CHECK(found.tests[0].samples == 128);
}

TEST_CASE("MLPerf: accuracies by epochs or samples") {
  const LoggedTests found = logged(
      "0: starting\n"
      ":::MLLOG {\"key\": \"global_batch_size\", \"value\": 256, \"metadata\": {\"file\": \"x\"}}\n"
      ":::MLLOG {\"key\": \"eval_accuracy\", \"value\": 0.7, \"metadata\": {\"epoch_num\": 4}}\n"
      "1: :::MLLOG {\"key\": \"eval_accuracy\", \"value\": 0.76, \"metadata\": {\"epoch_num\": "
      "8}}\n");
  REQUIRE(found.tests.size() == 2);
  CHECK(found.tests[1].samples == 8000);
  CHECK(*found.tests[1].accuracy == 0.76);
}

template <typename Number>
std::string bytes_of(Number number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

std::uint32_t crc32c(const std::string& bytes) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

std::string checksum_bytes(const std::string& bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return bytes_of<std::uint32_t>(((crc >> 15) | (crc << 17)) + 0xa282ead8U);
}

std::string event_record(const std::string& event) {
  const std::string length = bytes_of<std::uint64_t>(event.size());
  return length + checksum_bytes(length) + event + checksum_bytes(event);
}

/// An Event in protobuf's encoding: step, and a summary with one simple value.
std::string event(char step, const std::string& tag, float value) {
  const std::string scalar =
      "\x0a" + std::string(1, static_cast<char>(tag.size())) + tag + "\x15" + bytes_of(value);
  const std::string summary = "\x0a" + std::string(1, static_cast<char>(scalar.size())) + scalar;
  return std::string("\x10") + step + "\x2a" + static_cast<char>(summary.size()) + summary;
}

TEST_CASE("TensorBoard: scalars by tag and step") {
  REQUIRE(crc32c("123456789") == 0xE3069283U);  // the check value of CRC-32C
  const std::string text = event_record(event(5, "accuracy/test", 0.25F)) +
                           event_record(event(5, "loss/train", 3.F)) +
                           event_record(event(9, "accuracy/test", 0.5F));
  const LoggedTests found = logged(text);
  REQUIRE(found.tests.size() == 2);
  CHECK(found.tests[0].samples == 320);
  CHECK(*found.tests[1].accuracy == 0.5);

  SECTION("a record that is still being written is ignored") {
    CHECK(logged(text.substr(0, text.size() - 3)).tests.size() == 1);
  }
  SECTION("a changed byte is damage") {
    std::string damaged = text;
    damaged[20] ^= 1;
    CHECK_THAT(problems_in_log(damaged).at(0), Catch::Contains("is damaged"));
  }
}

TEST_CASE("what may be meant is asked for, not guessed") {
  CHECK(problems_in_log("epoch,val_acc,test_acc\n1,1,2\n") ==
        Texts{"log: test_acc, val_acc may be meant; choose one by --y "
              "NAME=accuracy|loss|perplexity"});
  CHECK(logged("epoch,val_acc,test_acc\n1,0.1,0.2\n", {.result = "test_acc"}).tests[0].accuracy ==
        0.2);
  CHECK(problems_in_log("when,score\n1,2\n") ==
        Texts{"log: found score, when; expected --x NAME=samples|epochs|steps"});
  const LoggedTests named =
      logged("when,score\n1,2\n", {.progress = "when=samples", .result = "score=loss"});
  CHECK(named.tests[0].samples == 1);
  CHECK(*named.tests[0].loss == 2);
  CHECK(problems_in_log("when,score\n1,2\n", {.progress = "what"}) ==
        Texts{"--x: log has no \"what\"; it has score, when"});
  CHECK(problems_in_log("epoch,acc\n1,101\n") == Texts{"log: acc is above 100 %"});
  CHECK(problems_in_log("epoch,acc\n,1\n") ==
        Texts{"log: found acc; expected --x NAME=samples|epochs|steps"});
}

}  // namespace
}  // namespace epochcast::tests
