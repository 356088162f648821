// SPDX-License-Identifier: Apache-2.0
#include "cli/options/message_options.hpp"

#include <string>
#include <vector>

#include "base/error.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

using Problems = std::vector<std::string>;

MessageOptions parse(std::vector<const char*> words) {
  words.insert(words.begin(), "epochcast-measure-messages");
  return parse_message_options(static_cast<int>(words.size()), words.data());
}

Problems problems(std::vector<const char*> words) {
  try {
    static_cast<void>(parse(std::move(words)));
  } catch (const UserError& error) {
    return error.problems();
  }
  return {};
}

TEST_CASE("messages are measured from 1 B to 64 MiB, with the algorithms of training, by default") {
  const MessageOptions options = parse({"--output", "m.json"});

  REQUIRE(options.settings.bytes.size() == 14);
  CHECK(options.settings.bytes.front() == 1);
  CHECK(options.settings.bytes[1] == 4);
  CHECK(options.settings.bytes.back() == 64 * 1024 * 1024);
  CHECK(options.settings.all_reduce ==
        std::vector<std::string>{"ring", "recursive-doubling", "rabenseifner", "openmpi"});
  CHECK(options.settings.rule.min_samples == 10);
  CHECK(options.settings.rule.max_samples == 1000);
  CHECK(options.settings.rule.confidence_width == 0.05);
  CHECK(options.ranks_per_node == 0);
}

TEST_CASE("options of messages are parsed into settings") {
  const MessageOptions options = parse({"--output=m.json",
                                        "--bytes=64,8",
                                        "--bytes=8",
                                        "--all-reduce=linear",
                                        "--ranks-per-node=2",
                                        "--max-seconds=0.5",
                                        "--warmup=0",
                                        "--machine=box",
                                        "--title=T"});

  CHECK(options.file == "m.json");
  CHECK(options.settings.bytes == std::vector<std::int64_t>{8, 64});
  CHECK(options.settings.all_reduce == std::vector<std::string>{"linear"});
  CHECK(options.ranks_per_node == 2);
  CHECK(options.settings.rule.max_s == 0.5);
  CHECK(options.settings.rule.warmup == 0);
  CHECK(options.machine == "box");
  CHECK(options.title == "T");
}

TEST_CASE("every problem with the options of messages is reported at once") {
  CHECK(problems({"--bytes=0,x",
                  "--all-reduce=rings,ring,ring",
                  "--ranks-per-node=-1",
                  "--max-samples=5",
                  "--max-seconds=0"}) ==
        Problems{"--bytes: got \"0\"; expected an integer from 1 to 1073741824",
                 "--bytes: got \"x\"; expected an integer from 1 to 1073741824",
                 "--all-reduce: unknown algorithm \"rings\"; did you mean \"ring\"?",
                 "--all-reduce: got \"ring\"; expected each algorithm once",
                 "--max-seconds: got \"0\"; expected a positive number",
                 "--max-samples: got \"5\"; expected at least --min-samples",
                 "--ranks-per-node: got \"-1\"; expected an integer from 0 to 1048576",
                 "--output: missing; expected a trace file to write"});
}

TEST_CASE("only the rank that writes needs the folder of --output") {
  CHECK(parse({"--output=/absent/m.json"}).file == "/absent/m.json");
  CHECK(problems({"--output=absent/"}) ==
        Problems{"--output: got \"absent/\"; expected the name of a file"});
}

TEST_CASE("unknown options of messages and stray words are refused") {
  CHECK(problems({"--byte=1"}) == Problems{"unknown option \"--byte\"; did you mean \"--bytes\"?"});
  CHECK(problems({"16"}) == Problems{"got a word that belongs to no option; expected --output, "
                                     "--bytes, --all-reduce"});
}

}  // namespace
}  // namespace epochcast::tests
