// SPDX-License-Identifier: Apache-2.0
// Tables on a terminal, with --columns, --sort and --wide.
#include <algorithm>
#include <utility>

#include "tests/catch.hpp"
#include "tests/cli/program.hpp"

namespace epochcast::tests {
namespace {

const std::string kRanking =
    kJob + " --exchange-seconds 20ms --strategy sync,local-sgd --local-steps 65";

const std::string kCompared =
    "simulate --platform pair.json --network resnet20 --dataset cifar10 --epochs 2 "
    "--strategy sync,hetgrad --format json --batch-seconds gpu=";

/// The lines that epochcast shows on a terminal of this number of columns.
std::vector<std::string> shown_on_terminal(const Folder& folder,
                                           const std::string& arguments,
                                           int columns,
                                           const std::string& environment = "TERM=xterm") {
  const std::string command = "stty cols " + std::to_string(columns) + "; " + environment + " '" +
                              EPOCHCAST_PROGRAM + "' " + arguments;
  const Outcome outcome =
      folder.run({"-qec", command, "/dev/null"}, RunOptions{.program = "/usr/bin/script"});
  std::string text = outcome.out;
  std::erase(text, '\r');
  return lines(text);
}

std::vector<std::string> shown_on_terminal(const std::string& arguments,
                                           int columns,
                                           const std::string& environment = "TERM=xterm") {
  return shown_on_terminal(Folder(), arguments, columns, environment);
}

/// Without colours.
std::string plain(const std::string& line) {
  std::string text;
  bool is_code = false;
  for (const char c : line) {
    if (c == '\033') is_code = true;
    if (!is_code) text += c;
    if (c == 'm') is_code = false;
  }
  return text;
}

bool has_colours(const std::vector<std::string>& shown) {
  return std::any_of(shown.begin(), shown.end(), [](const std::string& line) {
    return line.find('\033') != std::string::npos;
  });
}

/// The row of titles.
std::string titles_of(const std::vector<std::string>& shown) {
  for (const std::string& line : shown) {
    if (plain(line).starts_with("#  strategy")) return plain(line);
  }
  return {};
}

TEST_CASE("a table fits its terminal: the least important columns are omitted, and named",
          "[cli]") {
  const std::vector<std::string> shown = shown_on_terminal(kRanking, 73, "NO_COLOR=1");

  CHECK(titles_of(shown) ==
        "#  strategy          epoch  all data  vs sync  compute  exchange  blocked");
  CHECK(std::find(shown.begin(),
                  shown.end(),
                  "  Not shown, as the terminal is too narrow (--wide shows all): of data, "
                  "samples/s, per device, # compute = exchange . blocked, rounds, in nodes, "
                  "between, whole job, inputs.") != shown.end());
}

/// The line that names the omitted columns, without its beginning.
std::string left_out_of(const std::vector<std::string>& shown) {
  const std::string begin = "  Not shown, as the terminal is too narrow (--wide shows all): ";
  for (const std::string& line : shown) {
    if (line.starts_with(begin)) return line.substr(begin.size());
  }
  return {};
}

/// The longest rule below titles.
std::size_t widest_row(const std::vector<std::string>& shown) {
  std::size_t width = 0;
  for (const std::string& line : shown) {
    if (line.find_first_not_of("- ") == std::string::npos) width = std::max(width, line.size());
  }
  return width;
}

TEST_CASE("every command's tables fit the terminal, and --wide shows all of them", "[cli]") {
  const Folder folder;
  for (const auto& [file, seconds] : {std::pair("a.json", "100ms"), std::pair("b.json", "120ms")})
    folder.write(file, folder.run(kCompared + seconds).out);
  struct Case {
    std::string arguments;
    int columns;
    std::string left_out;
  };
  const std::string found = "find network.bandwidth --where \"exposed < 1%\" --strategy sync " +
                            kJob.substr(kJob.find(' ') + 1);
  const std::vector<Case> cases = {
      {found, 40, "5 - 95 %, exposed, just before."},
      {"compare a.json b.json", 60, "blocked, bytes."},
      {"calibrate --batches gpu.json", 70, "samples, warm-up, outliers, longest, ranks."},
      {"report " EPOCHCAST_SOURCE_DIR "/tests/cli/data/validation.json",
       80,
       "5 - 95 %, least .. most, runs, compute, exchange, blocked, KS."},
      {"list platforms", 80, "from, what."},
      {kRanking + " --rank-by time", 30, "inputs."},
  };
  for (const Case& each : cases) {
    CAPTURE(each.arguments);
    const std::vector<std::string> shown =
        shown_on_terminal(folder, each.arguments, each.columns, "NO_COLOR=1");
    CAPTURE(shown);
    CHECK(left_out_of(shown) == each.left_out);
    CHECK(widest_row(shown) <= static_cast<std::size_t>(each.columns));
    const std::vector<std::string> wide =
        shown_on_terminal(folder, each.arguments + " --wide", each.columns, "NO_COLOR=1");
    CHECK(left_out_of(wide).empty());
    CHECK(widest_row(wide) > static_cast<std::size_t>(each.columns));
  }
}

TEST_CASE("help is as wide as its terminal, from 60 to 100 characters", "[cli]") {
  for (const auto& [columns, width] : {std::pair(20, 60), std::pair(70, 70), std::pair(200, 100)}) {
    CAPTURE(columns);
    for (const std::string arguments :
         {"--help", "simulate --help all", "describe --help", "measure batches --help all"}) {
      CAPTURE(arguments);
      std::size_t widest = 0;
      for (const std::string& line : shown_on_terminal(arguments, columns))
        widest = std::max(widest, line.size());
      CHECK(widest <= static_cast<std::size_t>(width));
      CHECK(widest > static_cast<std::size_t>(width) - 10);
    }
  }
}

TEST_CASE("fixed columns of a table stay on the narrowest terminal", "[cli]") {
  CHECK(titles_of(shown_on_terminal(kRanking, 10)) == "#  strategy");
}

TEST_CASE("--wide and files have all columns", "[cli]") {
  const std::string all = titles_of(lines(Folder().run(kRanking).out));

  CHECK(all.ends_with("whole job  inputs"));
  CHECK(titles_of(shown_on_terminal(kRanking + " --wide", 72)) == all);
}

TEST_CASE("colours are for terminals that support them", "[cli]") {
  CHECK(has_colours(shown_on_terminal(kRanking, 200)));
  CHECK_FALSE(has_colours(shown_on_terminal(kRanking, 200, "NO_COLOR=1")));
  CHECK_FALSE(has_colours(shown_on_terminal(kRanking, 200, "TERM=dumb")));
  CHECK_FALSE(has_colours(lines(Folder().run(kRanking).out)));
}

TEST_CASE("--columns shows these columns, in this order", "[cli]") {
  const Outcome outcome = Folder().run(kRanking + " --columns rounds,strategy,epoch");

  REQUIRE(outcome.status == 0);
  CHECK(lines(outcome.out)[2] == "#  rounds  strategy          epoch");
  CHECK(lines(outcome.out)[4] == "1       3  local-sgd, H 65  19.6 s");
}

TEST_CASE("--sort orders rows by a column, over all points of a sweep", "[cli]") {
  const std::string sweep = kRanking + " --sweep batch=64,128 --columns strategy,rounds";

  // The rows, by their place and number of rounds.
  const auto rows = [&](const std::string& order) {
    std::vector<std::string> all = lines(Folder().run(sweep + " --sort " + order).out);
    std::vector<std::string> found;
    for (std::size_t i = 4; i < 8 && i < all.size(); ++i) {
      const std::vector<std::string> cells = words(all[i]);
      found.push_back(cells.front() + ": " + cells.back());
    }
    return found;
  };

  CHECK(rows("rounds") == std::vector<std::string>{"128: 3", "64: 6", "128: 195", "64: 390"});
  CHECK(rows("rounds:desc") == std::vector<std::string>{"64: 390", "128: 195", "64: 6", "128: 3"});
}

TEST_CASE("--sort orders unranked rows separately, below", "[cli]") {
  const std::vector<std::string> all =
      lines(Folder()
                .run("simulate --platform deep-est-esb --nodes 4 --network resnet20 --dataset "
                     "cifar10 --strategy sync,one-shot,hetgrad --columns strategy,all-data "
                     "--sort all-data")
                .out);

  REQUIRE(all.size() > 8);
  CHECK(words(all[4])[1] == "hetgrad");
  CHECK(words(all[5])[1] == "sync");
  CHECK(all[6].empty());
  CHECK(all[7].starts_with("Not ranked: "));
}

TEST_CASE("a column shows precisions that differ between points", "[cli]") {
  const auto table = [](const std::string& platforms) {
    return Folder()
        .run("simulate --network resnet50 --dataset imagenet --strategy sync --sweep platform=" +
             platforms)
        .out;
  };

  CHECK(table("dgx-a100,dgx-h100").find("precision") == std::string::npos);
  CHECK(table("dgx-a100,deep-est-esb").find("precision") != std::string::npos);
}

TEST_CASE("unknown columns of forecasts are reported, with the closest", "[cli]") {
  const auto error = [](const std::string& flags) {
    const Outcome outcome = Folder().run(kRanking + " " + flags);
    CHECK(outcome.status == 2);
    return outcome.err;
  };

  CHECK(error("--columns epoc") ==
        "epochcast: --columns: unknown column \"epoc\"; did you mean \"epoch\"?\n");
  CHECK(error("--sort blockd") ==
        "epochcast: --sort: unknown column \"blockd\"; did you mean \"blocked\"?\n");
  CHECK(error("--sort epoch:down") ==
        "epochcast: --sort: unknown order \"down\"; known: asc, desc\n");
  CHECK(error("--sort epoch --format csv") ==
        "epochcast: --columns, --sort: are of tables; expected --format table\n");
}

}  // namespace
}  // namespace epochcast::tests
