// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/cli/program.hpp"

namespace epochcast::tests {
namespace {

using OrderedJson = nlohmann::ordered_json;

const std::string kExample = EPOCHCAST_SOURCE_DIR "/tests/cli/data/validation.json";

// clang-format off
const std::string kTable = R"(resnet20 on 4 nodes, 200 Mbit/s, emulate

point                           forecast          5 - 95 %  measured     least .. most  runs   error  compute  exchange  blocked  inside      KS
------------------------------  --------  ----------------  --------  ----------------  ----  ------  -------  --------  -------  --------  ----
sync                              10.3 s  9.90 s .. 10.6 s    10.0 s  9.90 s .. 10.2 s     3  +3.0 %   +1.0 %    +3.0 %   -1.0 %  yes, 3/3  0.66
node-based, averaging-period 4    7.60 s  7.50 s .. 7.80 s    8.00 s  7.90 s .. 8.10 s     3  -5.0 %   -2.5 %    -2.5 %    0.0 %  no, 0/3   0.99
local-sgd, local-steps 8          7.90 s  7.80 s .. 8.00 s    7.95 s  7.85 s .. 8.05 s     3  -0.6 %    0.0 %    -0.6 %    0.0 %  yes, 2/3  0.46
dlb                               9.00 s  8.90 s .. 9.10 s         -                 -     0       -        -         -        -  -            -

  tau 0.33; 0 of 2 pairs are ranked wrongly; the fastest is right
  dlb: failed: mpirun exited with status 1

small-cnn on 1 node, train

point  forecast  5 - 95 %  measured  least .. most  runs    error  compute  exchange  blocked  inside  KS
-----  --------  --------  --------  -------------  ----  -------  -------  --------  -------  ------  --
sync     2.20 s         -    2.00 s         2.00 s     1  +10.0 %    0.0 %     0.0 %  +10.0 %  -        -

5 configurations, 1 of them failed
  error:    median 4.0 %, 95 % within 10.0 %, worst 10.0 % (small-cnn on 1 node, train: sync)
  phases:   90 % of the configurations have none above 10.0 % of the epoch
  ranking:  tau 0.33; 0 of 2 pairs are ranked wrongly; the fastest is right in 1 of 1 group
  coverage: 66.7 % of the measured medians and 55.6 % of 9 single runs are inside their forecast's interval
  spread:   Kolmogorov-Smirnov distance 0.44 between single runs and their forecasts

tier          rows  median error  90 % within   worst  wrong pairs  runs inside
------------  ----  ------------  -----------  ------  -----------  -----------
same cluster     3         3.0 %        5.0 %   5.0 %       0 of 2       5 of 9
extrapolated     1        10.0 %       10.0 %  10.0 %            -            -

)";

const std::string kMarkdown = R"(### resnet20 on 4 nodes, 200 Mbit/s, emulate

| point | forecast | 5 - 95 % | measured | least .. most | runs | error | compute | exchange | blocked | inside | KS |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: |
| sync | 10.3 s | 9.90 s .. 10.6 s | 10.0 s | 9.90 s .. 10.2 s | 3 | +3.0 % | +1.0 % | +3.0 % | -1.0 % | yes, 3/3 | 0.66 |
| node-based, averaging-period 4 | 7.60 s | 7.50 s .. 7.80 s | 8.00 s | 7.90 s .. 8.10 s | 3 | -5.0 % | -2.5 % | -2.5 % | 0.0 % | no, 0/3 | 0.99 |
| local-sgd, local-steps 8 | 7.90 s | 7.80 s .. 8.00 s | 7.95 s | 7.85 s .. 8.05 s | 3 | -0.6 % | 0.0 % | -0.6 % | 0.0 % | yes, 2/3 | 0.46 |
| dlb | 9.00 s | 8.90 s .. 9.10 s | - | - | 0 | - | - | - | - | - | - |

- Ranking: tau 0.33; 0 of 2 pairs are ranked wrongly; the fastest is right
- dlb: failed: mpirun exited with status 1

### small-cnn on 1 node, train

| point | forecast | 5 - 95 % | measured | least .. most | runs | error | compute | exchange | blocked | inside | KS |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: |
| sync | 2.20 s | - | 2.00 s | 2.00 s | 1 | +10.0 % | 0.0 % | 0.0 % | +10.0 % | - | - |

**5 configurations, 1 of them failed.**

- Error: median 4.0 %, 95 % within 10.0 %, worst 10.0 % (small-cnn on 1 node, train: sync)
- Phases: 90 % of the configurations have none above 10.0 % of the epoch
- Ranking: tau 0.33; 0 of 2 pairs are ranked wrongly; the fastest is right in 1 of 1 group
- Coverage: 66.7 % of the measured medians and 55.6 % of 9 single runs are inside their forecast's interval
- Spread: Kolmogorov-Smirnov distance 0.44 between single runs and their forecasts

| tier | rows | median error | 90 % within | worst | wrong pairs | runs inside |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
| same cluster | 3 | 3.0 % | 5.0 % | 5.0 % | 0 of 2 | 5 of 9 |
| extrapolated | 1 | 10.0 % | 10.0 % | 10.0 % | - | - |

)";
// clang-format on

const std::string kLegend =
    R"(Times are seconds per epoch, measured ones medians over runs. Error: forecast / measured - 1; the forecast was made
before the runs. Compute, exchange (communication that is not hidden) and blocked (waiting for other workers):
forecast - measured, in % of the measured epoch. Inside: whether the measured median is in the forecast's 5 - 95 %
interval, and how many single runs are. KS: Kolmogorov-Smirnov distance between the runs and the forecast's distribution,
at least 1 / (2 runs). Pairs: of a group, distinguishable if their least .. most do not overlap, and chance does not
explain the difference (Welch's t-test, 95 %). Tiers: forecasts of the cluster that was calibrated, and of others.
)";

OrderedJson example() { return OrderedJson::parse(Folder().read(kExample)); }

/// The example as v.json in `folder`, with its groups renamed.
void write_renamed(const Folder& folder, const std::string& name) {
  OrderedJson json = example();
  for (OrderedJson& row : json["rows"]) row["group"] = name + " " + row["group"].get<std::string>();
  json["provenance"]["command"] = "epochcast validate " + name;
  folder.write(name + ".json", json.dump());
}

// By hand: 10.3 / 10.0, 7.6 / 8.0, 7.9 / 7.95 and 2.2 / 2.0, less 1. Of the three ranked ones,
// node-based and local-sgd are forecast in the wrong order, (2 - 1) / 3, but overlap.
TEST_CASE("a saved validation is shown as tables with a summary", "[cli]") {
  const Outcome outcome = Folder().run({"report", kExample});

  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out == kTable + kLegend);
}

TEST_CASE("a saved validation is shown as Markdown", "[cli]") {
  const Outcome outcome = Folder().run({"report", kExample, "--format", "markdown"});

  CHECK(outcome.status == 0);
  CHECK(outcome.out == kMarkdown + kLegend);
}

TEST_CASE("as JSON, a saved validation is unchanged, with the program that wrote it", "[cli]") {
  const Outcome outcome = Folder().run({"report", kExample, "--format", "json"});
  OrderedJson expected = example();
  expected["provenance"]["program"] = "epochcast " EPOCHCAST_VERSION;

  CHECK(outcome.status == 0);
  CHECK(outcome.out == expected.dump(2) + "\n");
}

TEST_CASE("several validations are shown as one", "[cli]") {
  const Folder folder;
  write_renamed(folder, "first");
  write_renamed(folder, "second");
  const Outcome outcome = folder.run("report first.json second.json --format json");
  const OrderedJson json = OrderedJson::parse(outcome.out);

  REQUIRE(json["rows"].size() == 10);
  CHECK(json["rows"][5]["group"] == "second resnet20 on 4 nodes, 200 Mbit/s, emulate");
  CHECK(json["provenance"]["command"] == "epochcast validate first\nepochcast validate second");
  CHECK(json["provenance"]["date"] == "2026-11-21");
}

TEST_CASE("a configuration in two files is reported", "[cli]") {
  const Folder folder;
  OrderedJson json = example();
  folder.write("a.json", json.dump());
  json["rows"] = OrderedJson::array({json["rows"][4]});
  folder.write("b.json", json.dump());
  const Outcome outcome = folder.run("report a.json b.json");

  CHECK(outcome.status == 2);
  CHECK(outcome.err ==
        "epochcast: b.json: /rows/0: \"sync\" of \"small-cnn on 1 node, train\" is in a.json "
        "already\n");
}

TEST_CASE("exceeded bounds are reported after the result, exit 1", "[cli]") {
  const Outcome outcome = Folder().run({"report",
                                        kExample,
                                        "--max-median-error",
                                        "3%",
                                        "--max-worst-error",
                                        "0.08",
                                        "--min-tau",
                                        "0.9",
                                        "--min-coverage",
                                        "90%"});

  CHECK(outcome.status == 1);
  CHECK(outcome.out == kTable + kLegend);
  CHECK(outcome.err ==
        "epochcast: 1 of 5 configurations failed: there is no bound that these keep\n"
        "epochcast: the median error is 4.00 %, 1.00 points above the bound of 3.00 %\n"
        "epochcast: the worst error (small-cnn on 1 node, train: sync) is 10.00 %, 2.00 points "
        "above the bound of 8.00 %\n"
        "epochcast: the tau of resnet20 on 4 nodes, 200 Mbit/s, emulate is 0.33, 0.57 below the "
        "bound of 0.90\n"
        "epochcast: the coverage is 66.67 %, 23.33 points below the bound of 90.00 %\n");
}

TEST_CASE("bounds that hold change nothing", "[cli]") {
  const Folder folder;
  OrderedJson json = example();
  json["rows"].erase(3);  // the failed one
  folder.write("v.json", json.dump());
  const Outcome outcome = folder.run(
      "report v.json --max-median-error 4% --max-worst-error 10% --min-tau 0.33 --min-coverage "
      "0.66");

  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
}

TEST_CASE("all mistakes in a report's flags are reported at once", "[cli]") {
  const auto error_of = [](const std::string& flags) {
    const Outcome outcome = Folder().run("report " + kExample + " " + flags);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    return outcome.err;
  };

  CHECK(error_of("--max-median-error 3pc --max-worst-error -1% --min-tau 2 --min-coverage 101%") ==
        "epochcast: --max-median-error: got \"3pc\"; expected a share such as 5% or 0.05\n"
        "epochcast: --max-worst-error: got \"-1%\"; expected a share such as 5% or 0.05\n"
        "epochcast: --min-tau: got \"2\"; expected a number from -1 to 1\n"
        "epochcast: --min-coverage: got \"101%\"; expected a share such as 5% or 0.05, at most "
        "100%\n");
  CHECK(error_of("--format csv") ==
        "epochcast: --format: unknown format \"csv\"; known: table, json, markdown\n");
  CHECK(error_of("--max-eror 3%") ==
        "epochcast: unknown option \"--max-eror\"; known: --format, --html, --wide, "
        "--max-median-error, --max-p95-error, --max-worst-error, "
        "--max-p90-phase-error, --min-tau, --max-wrong-pairs, --min-coverage, --min-run-coverage, "
        "--max-ks, --help, --file\n");
}

TEST_CASE("files that are not validations are reported", "[cli]") {
  const Folder folder;
  folder.write("short.json", folder.read(kExample).substr(0, 40));
  folder.write("other.json", R"({"schema": "epochcast.result/1"})");

  CHECK(folder.run("report").err ==
        "epochcast: report: expected one or more files that epochcast validate wrote\n");
  CHECK(folder.run("report short.json other.json none.json").err ==
        "epochcast: short.json:3:1: not valid JSON (the file ends too early)\n"
        "epochcast: other.json: /schema: got \"epochcast.result/1\"; expected "
        "\"epochcast.validation/1\"\n"
        "epochcast: none.json: cannot be read: No such file or directory\n");
  CHECK(folder.run("report short.json").status == 2);
}

TEST_CASE("a Markdown table escapes names with bars and stars", "[cli]") {
  const Folder folder;
  OrderedJson json = example();
  json["rows"][0]["point"] = "a|b *c*";
  folder.write("v.json", json.dump());

  CHECK(folder.run("report v.json --format markdown").out.find("| a\\|b \\*c\\* | 10.3 s |") !=
        std::string::npos);
}

TEST_CASE("--html writes a page besides the result", "[cli]") {
  const Folder folder;
  const Outcome outcome = folder.run({"report", kExample, "--html", "page.html"});
  const std::string page = folder.read("page.html");

  CHECK(outcome.status == 0);
  CHECK(outcome.out == kTable + kLegend);
  CHECK(page.find("<!DOCTYPE html>\n") == 0);
  CHECK(page.find("<pre>epochcast validate --suite box.json</pre>") != std::string::npos);
  CHECK(page.find("\"date\":\"2026-11-21\"") != std::string::npos);
}

TEST_CASE("a report that cannot be written is an error, exit 1", "[cli]") {
  const Outcome outcome = Folder().run({"report", kExample}, {.out_file = "/dev/full"});

  CHECK(outcome.status == 1);
  CHECK(outcome.err == "epochcast: the result could not be written to stdout\n");
}

TEST_CASE("a page that cannot be written is an error", "[cli]") {
  const Outcome outcome = Folder().run({"report", kExample, "--html", "none/page.html"});

  CHECK(outcome.status == 2);
  CHECK(outcome.err == "epochcast: none/page.html: cannot be written: there is no folder none\n");
}

TEST_CASE("report --help names its flags", "[cli]") {
  const Outcome outcome = Folder().run("report --help all");

  CHECK(outcome.status == 0);
  for (const std::string option : {"--format table|json|markdown",
                                   "--html FILE",
                                   "--max-median-error SHARE",
                                   "--max-p95-error SHARE",
                                   "--max-worst-error SHARE",
                                   "--max-p90-phase-error SHARE",
                                   "--min-tau TAU",
                                   "--max-wrong-pairs SHARE",
                                   "--min-coverage SHARE",
                                   "--min-run-coverage SHARE",
                                   "--max-ks DISTANCE"}) {
    CAPTURE(option);
    CHECK(outcome.out.find("  " + option) != std::string::npos);
  }
}

}  // namespace
}  // namespace epochcast::tests
