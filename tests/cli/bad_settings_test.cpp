// SPDX-License-Identifier: Apache-2.0
#include "tests/catch.hpp"
#include "tests/cli/program.hpp"

namespace epochcast::tests {
namespace {

struct Mistake {
  std::string flags;  ///< after those of a valid job
  std::string error;
};

void check_each(const std::string& job, const std::vector<Mistake>& mistakes) {
  const Folder folder;
  for (const Mistake& mistake : mistakes) {
    CAPTURE(mistake.flags);
    const Outcome outcome = folder.run(job + " " + mistake.flags);

    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err == "epochcast: " + mistake.error + "\n");
  }
}

TEST_CASE("a misspelt name gets the closest known one, exit 2", "[cli]") {
  const std::string files = "--network resnet20 --dataset cifar10";
  check_each("simulate",
             {{files + " --platform deep-est-ebs",
               "--platform: unknown platform \"deep-est-ebs\"; did you mean \"deep-est-esb\"?"},
              {"--platform pair.json --network resnet-50 --dataset cifar10",
               "--network: unknown network \"resnet-50\"; did you mean \"resnet50\"?"},
              {"--platform pair.json --network resnet20 --dataset cifar11",
               "--dataset: unknown dataset \"cifar11\"; did you mean \"cifar10\"?"},
              {files + " --platform pair.json --trace estimated-v100",
               "--trace: unknown trace \"estimated-v100\"; did you mean "
               "\"estimated-v100-32gb\"?"}});
  check_each(
      kJob,
      {{"--strategy hetgrat",
        "--strategy: unknown strategy \"hetgrat\"; did you mean \"hetgrad\"?"},
       {"--all-reduce rings",
        "--all-reduce: unknown all-reduce algorithm \"rings\"; did you mean \"ring\"?"},
       {"--format jsn", "--format: unknown format \"jsn\"; did you mean \"json\"?"},
       {"--density 2", "unknown option \"--density\"; `--help all` lists the options"},
       {"--nodse 2", "unknown option \"--nodse\"; did you mean \"--nodes\"?"},
       {"--sweep node=1,2", "--sweep node: unknown setting \"node\"; did you mean \"nodes\"?"},
       {"--set btch=1", "--set btch: unknown setting \"btch\"; did you mean \"batch\"?"},
       {"--workers gpus",
        "--workers: unknown device class \"gpus\"; did you mean \"gpu\"? (platform pair)"},
       {"--exchange-seconds nodes=1s",
        "--exchange-seconds: unknown device class \"nodes\"; did you mean \"node\"?"}});
  check_each("simulate --platform pair.json " + files,
             {{"--batch-seconds gpus=1s",
               "--batch-seconds: unknown device class \"gpus\"; did you mean \"gpu\"?"}});
}

TEST_CASE("a name that resembles none gives the list of all", "[cli]") {
  check_each(kJob, {{"--format xml", "--format: unknown format \"xml\"; known: table, json, csv"}});
}

TEST_CASE("options that cannot be parsed give an explanation, exit 2", "[cli]") {
  check_each(
      kJob,
      {{"fast",
        "got \"fast\"; simulate takes options only, each with two dashes; `epochcast simulate "
        "--help` lists them"},
       {"--nodes 2 --nodes 1", "--nodes: given more than once"},
       {"--nodes", "--nodes: its value is missing"},
       {"--sweep", "--sweep: its value is missing"},
       {"--set batch", "--set: got \"batch\"; expected a setting and its value, such as batch=64"},
       {"--sweep nodes",
        "--sweep: got \"nodes\"; expected a setting and its values, such as nodes=4,8,12"},
       {"--sweep nodes=",
        "--sweep: got \"nodes=\"; expected a setting and its values, such as nodes=4,8,12"},
       {"--sweep nodes=1,,2", "--sweep nodes: got \"\"; expected a whole number of at least 1"},
       {"--sweep nodes=1 --sweep nodes=2", "--sweep nodes: given more than once"},
       {"--sweep nodes=1,2,1", "--sweep nodes: duplicate value \"1\""},
       {"--deterministic maybe", "--deterministic: got \"maybe\"; expected on or off"}});
}

TEST_CASE("impossible values are refused with the expected ones, exit 2", "[cli]") {
  const std::string count = "expected a whole number of at least 1";
  check_each(
      kJob,
      {{"--batch 0", "--batch: got \"0\"; " + count},
       {"--batch -5", "--batch: got \"-5\"; " + count},
       {"--batch 1e9", "--batch: got \"1e9\"; " + count},
       {"--batch 99999999999999999999", "--batch: got \"99999999999999999999\"; " + count},
       {"--nodes 0", "--nodes: got \"0\"; " + count},
       {"--local-steps 0", "--local-steps: got \"0\"; " + count},
       {"--averaging-period 0", "--averaging-period: got \"0\"; " + count},
       {"--seed -1", "--seed: got \"-1\"; expected a whole number of at least 0"},
       {"--bucket -1MB", "--bucket: got \"-1MB\"; expected a value above zero"},
       {"--bucket 1", "--bucket: got \"1\"; expected a size with its unit, such as \"32GiB\""},
       {"--alpha 1.5", "--alpha: got \"1.5\"; expected a share from 0 to 1"},
       {"--alpha nan", "--alpha: got \"nan\"; expected a share from 0 to 1"},
       {"--overlap maybe", "--overlap: got \"maybe\"; expected one of none, bucket, dear"},
       {"--exchange-seconds -1s",
        "--exchange-seconds: got \"-1s\"; expected a value that is not negative"}});
}

TEST_CASE("settings that do not fit the platform or the data set are refused, exit 2", "[cli]") {
  check_each(
      kJob,
      {{"--strategy sync --nodes 3",
        "--nodes: got 3; platform pair (pair.json) has 2 nodes; set node.count for more of them"},
       {"--strategy sync --batch 30000",
        "--batch: one iteration of all workers takes 60000 samples; the data set has 50000"},
       {"--strategy sync --batch 20000",
        "--batch: a batch of 20000 samples of resnet20 needs 30.4 GB; device test-gpu has 17.2 "
        "GB: at most 11301 fit; --accumulate adds up smaller ones"},
       {"--strategy node-based --averaging-period 196",
        "--averaging-period: got 196; an epoch has 195 iterations, so at most that"},
       {"--strategy local-sgd --local-steps 196",
        "--local-steps: one round of 196 steps takes more than an epoch: 2 workers with batch 128 "
        "make 195 steps through 50000 samples"},
       {"--strategy sync --exchange-seconds node=1s",
        "--exchange-seconds: this strategy exchanges among all workers; add all=TIME"}});
}

TEST_CASE("a trace without the device gives a hint what to add, exit 2", "[cli]") {
  check_each(
      "simulate --platform pair.json --network resnet20 --dataset cifar10 --strategy sync",
      {{"--trace cpu.json",
        "--trace: none of cpu.json has costs of resnet20 with 3x32x32 samples on device "
        "test-gpu; add a trace that does, or --batch-seconds gpu=TIME"},
       {"",
        "no trace of the catalogue has costs of resnet20 with 3x32x32 samples on device "
        "test-gpu; add a trace that does, a description of the device (`epochcast list devices` "
        "shows those that there are), or --batch-seconds gpu=TIME"},
       {"--batch-seconds cpu=1s", "--batch-seconds: no value for test-gpu; add gpu=TIME"}});
}

TEST_CASE("a timeline is for one run", "[cli]") {
  check_each(kJob,
             {{"--timeline t.json --strategy sync,dlb",
               "--timeline: 2 runs were asked for; expected one --strategy and no --sweep"},
              {"--timeline t.json --strategy sync --sweep nodes=1,2",
               "--timeline: 2 runs were asked for; expected one --strategy and no --sweep"}});
}

TEST_CASE("names of files may not be empty", "[cli]") {
  const Folder folder;
  for (const std::string option : {"--timeline", "--experiment"}) {
    std::vector<std::string> arguments = words(kJob + " --strategy sync");
    arguments.insert(arguments.end(), {option, ""});
    const Outcome outcome = folder.run(arguments);

    CHECK(outcome.status == 2);
    CHECK(outcome.err == "epochcast: " + option + ": got \"\"; expected the name of a file\n");
  }
}

TEST_CASE("all mistakes among the flags are reported at once", "[cli]") {
  const Outcome outcome = Folder().run(kJob + " --batch 0 --alpha 2 --set seed=x --overlap maybe");

  CHECK(outcome.status == 2);
  CHECK(outcome.err ==
        "epochcast: --batch: got \"0\"; expected a whole number of at least 1\n"
        "epochcast: --overlap: got \"maybe\"; expected one of none, bucket, dear\n"
        "epochcast: --alpha: got \"2\"; expected a share from 0 to 1\n"
        "epochcast: --set seed: got \"x\"; expected a whole number of at least 0\n");
}

}  // namespace
}  // namespace epochcast::tests
