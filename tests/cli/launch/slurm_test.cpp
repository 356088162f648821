// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/slurm.hpp"

#include <cstdlib>
#include <filesystem>

#include "cli/launch/launch.hpp"
#include "cli/options/job_options.hpp"
#include "tests/catch.hpp"
#include "tests/cli/program.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

namespace fs = std::filesystem;

const SlurmOptions kSlurm = {.is_submitted = false, .machines = 4, .time = "2-12:00:00"};

SlurmOptions slurm_options(const std::vector<std::string>& words) {
  return slurm_options_from(parse_flags("train", words, slurm_flags())).value();
}

Texts problems_with(const std::vector<std::string>& words) {
  return problems_of([&] { static_cast<void>(slurm_options(words)); });
}

/// Programs are searched in the folder first.
class SearchPath {
 public:
  explicit SearchPath(const fs::path& folder) : before_(std::getenv("PATH")) {
    setenv("PATH", (folder.string() + ":" + before_).c_str(), 1);
  }
  ~SearchPath() { setenv("PATH", before_.c_str(), 1); }
  SearchPath(const SearchPath&) = delete;
  SearchPath& operator=(const SearchPath&) = delete;

 private:
  std::string before_;
};

TEST_CASE("a batch script contains the job's figures, and the quoted words", "[cli]") {
  JobConfig config;
  config.strategy = "sync";
  config.network = "resnet20";
  config.machine.devices = {"cpu", "cuda:0"};
  config.machine.threads = 3;

  CHECK(batch_script(kSlurm, config, 4, 2, {"mpirun", "--title", "it's; id"}) ==
        "#!/bin/bash\n"
        "#SBATCH --job-name=epochcast-sync-resnet20\n"
        "#SBATCH --nodes=4\n"
        "#SBATCH --ntasks-per-node=2\n"
        "#SBATCH --cpus-per-task=3\n"
        "#SBATCH --gpus-per-node=1\n"
        "#SBATCH --time=2-12:00:00\n"
        "#SBATCH --output=%x-%j.out\n"
        "# mpirun learns the machines from Slurm.\n"
        "mpirun --title 'it'\\''s; id'\n");
}

TEST_CASE("a network's name does not become a command of the script", "[cli]") {
  JobConfig config;
  config.strategy = "sync";
  config.network = "/tmp/net\nid #.json";

  const std::vector<std::string> script = lines(batch_script(kSlurm, config, 1, 1, {"true"}));

  REQUIRE(script.size() == 9);
  CHECK(script[1] == "#SBATCH --job-name=epochcast-sync-net_id__");
  for (std::size_t i = 1; i + 1 < script.size(); ++i) CHECK(script[i].starts_with("#"));
}

TEST_CASE("sbatch accepts a batch script", "[cli]") {
  const Folder folder;
  const SearchPath path(folder.path());
  const std::string script = std::string(200000, '#') + "\ntrue\n";  // exceeds the buffer of a pipe

  folder.write("sbatch", "#!/bin/sh\ncat >'" + (folder.path() / "script").string() + "'\n");
  fs::permissions(folder.path() / "sbatch", fs::perms::owner_all);
  CHECK(submit(script) == 0);
  CHECK(folder.read("script") == script);

  folder.write("sbatch", "#!/bin/sh\nexit 1\n");
  CHECK_THROWS_WITH(submit(script),
                    "sbatch did not take the job; see above (--slurm print shows the script)");
}

TEST_CASE("--slurm-time accepts every form of sbatch's time", "[cli]") {
  for (const std::string time :
       {"90", "90:30", "01:30:00", "1-12", "1-12:30", "1-12:30:30", "120:00:00"})
    CHECK(slurm_options({"--slurm", "--slurm-time", time}).time == time);
}

TEST_CASE("--slurm-time accepts nothing else", "[cli]") {
  for (const std::string time : {"banana", " 1", "1:60", "1:2:3:4", "1-24", "-1", "1s", "1:00\t"}) {
    CAPTURE(time);
    const Texts problems = problems_with({"--slurm", "--slurm-time=" + time});
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].starts_with("--slurm-time: got \""));
  }
  CHECK(problems_with({"--slurm", "--slurm-time", "1\nid"}) ==
        Texts{"--slurm-time: got \"1\\x0aid\"; expected UTF-8 without control characters"});
}

TEST_CASE("machines without a rank of the job are not reserved", "[cli]") {
  const Folder folder;
  const std::string job = "train --network small-cnn --dataset cifar10 --strategy sync --slurm";

  const Outcome idle = folder.run(job + " --slurm-nodes 4 --ranks 2");
  CHECK(idle.status == 2);
  CHECK(idle.out.empty());
  CHECK(idle.err == "epochcast: --slurm-nodes: got 4; 2 ranks, 1 on each machine, take 2\n");
  CHECK(folder.run(job + " --slurm-nodes 4 --ranks 5").err ==
        "epochcast: --slurm-nodes: got 4; 5 ranks, 2 on each machine, take 3\n");
}

TEST_CASE("--hosts names each machine once, a million ranks in all at most", "[cli]") {
  const auto hosts = [](const std::string& text) {
    return problems_of([&] { static_cast<void>(parse_hosts(text, 2)); });
  };

  CHECK(hosts_text(parse_hosts("node1:4,10.0.0.7,b_2.x-y", 2)) == "node1:4,10.0.0.7:2,b_2.x-y:2");
  CHECK(room(parse_hosts("a:4,b", 2)) == 6);
  CHECK(hosts("a:2147483647,b:2") ==
        Texts{"--hosts: a: got \"2147483647\"; expected at most 1000000"});
  CHECK(hosts("a:600000,b:600000") ==
        Texts{"--hosts: got 1200000 ranks in all; expected at most 1000000"});
  CHECK(hosts("a,b,a") == Texts{"--hosts: duplicate machine \"a\""});
  for (const std::string text : {"", ",", "a,", ",a", "-o", "a b", "$(id)", "a\nb", ":2", "a;b"})
    CHECK(hosts(text) ==
          Texts{UserError("--hosts: got \"" + text + "\"; expected names such as node1,node2:4")
                    .what()});
}

}  // namespace
}  // namespace epochcast::tests
