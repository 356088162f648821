// SPDX-License-Identifier: Apache-2.0
// How real jobs end when they do not end by themselves.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/formats/checkpoint_format.hpp"
#include "tests/catch.hpp"
#include "tests/real/run/jobs.hpp"
#include "tests/real/run/running_program.hpp"
#include "tests/support/soon.hpp"

namespace epochcast::tests {
namespace {

namespace fs = std::filesystem;

const std::string kLong =
    kTrain + "--strategy sync --epochs 100000 --checkpoint saved --checkpoint-every 1 ";

/// The running job's processes of that program.
std::vector<pid_t> processes_of(const std::string& program) {
  std::vector<pid_t> found;
  for (const pid_t pid : RunningProgram::processes()) {
    std::string name;
    std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/comm"), name);
    if (name == program) found.push_back(pid);
  }
  return found;
}

void wait_for_checkpoint(const Folder& folder) {
  REQUIRE(soon([&] { return folder.has("saved/checkpoint.json"); }));
}

TEST_CASE("an interrupted job ends with all its processes and reports the kept results") {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Folder folder;
    folder.write("tiny.json", kTinyDataset);
    RunningProgram job(folder, kLong);
    wait_for_checkpoint(folder);

    kill(job.pid(), signal);

    CHECK(soon([&] { return job.has_ended() && RunningProgram::processes().empty(); }));
    CHECK(job.status() == 128 + signal);
    CHECK_THAT(lines(folder.read("err.txt")).back(),
               Catch::StartsWith(std::string("epochcast: ended by ") +
                                 (signal == SIGINT ? "SIGINT" : "SIGTERM") +
                                 "; the checkpoint in saved is of epoch "));
    CHECK(fs::is_empty(folder.path() / "tmp"));
  }
}

TEST_CASE("ranks end with mpirun, mpirun with the command, and leave no files") {
  for (const std::string victim : {"epochcast", "mpirun", "epochcast-run"}) {
    CAPTURE(victim);
    const Folder folder;
    folder.write("tiny.json", kTinyDataset);
    RunningProgram job(folder, kLong);
    wait_for_checkpoint(folder);

    kill(processes_of(victim).front(), SIGKILL);

    CHECK(soon([&] { return job.has_ended() && RunningProgram::processes().empty(); }));
    CHECK(fs::is_empty(folder.path() / "tmp"));
  }
}

TEST_CASE("a job that is killed while its ranks start leaves no shared memory") {
  const Folder folder;
  folder.write("tiny.json", kTinyDataset);
  const fs::path memory = folder.path() / "memory";
  fs::create_directory(memory);
  const char* const kPlace = "OMPI_MCA_btl_vader_backing_directory";
  setenv(kPlace, memory.c_str(), 1);
  RunningProgram job(folder, kLong);
  unsetenv(kPlace);
  // Each rank makes a folder before it starts MPI.
  REQUIRE(soon([&] { return !fs::is_empty(memory); }));

  for (const std::string program : {"epochcast", "mpirun", "epochcast-run"}) {
    for (const pid_t pid : processes_of(program)) kill(pid, SIGKILL);
  }

  const bool is_gone = soon([&] { return job.has_ended() && RunningProgram::processes().empty(); });
  INFO("left: " << RunningProgram::process_text());
  CHECK(is_gone);
  CHECK(soon([&] { return fs::is_empty(memory); }));
}

TEST_CASE("two jobs never write the same checkpoint folder") {
  const Folder folder;
  folder.write("tiny.json", kTinyDataset);
  RunningProgram job(folder, kLong);
  wait_for_checkpoint(folder);

  const Outcome second =
      folder.run(kTrain + "--strategy sync --epochs 1 --checkpoint saved --resume");

  CHECK(second.status == 2);
  CHECK_THAT(second.err,
             Catch::Contains("epochcast: --checkpoint: " + (folder.path() / "saved").string() +
                             " is in use by another job (process "));
  CHECK_THAT(second.err, Catch::Contains("); wait until it has ended, or choose another folder\n"));
  CHECK_FALSE(job.has_ended());
}

TEST_CASE("a job can be resumed right after the previous one was killed") {
  const Folder folder;
  folder.write("tiny.json", kTinyDataset);
  RunningProgram killed(folder, kLong);
  wait_for_checkpoint(folder);
  // No rank ends by itself; stopped ones cannot react.
  const std::vector<pid_t> ranks = processes_of("epochcast-run");
  REQUIRE(ranks.size() == 2);
  kill(ranks.back(), SIGSTOP);
  kill(processes_of("mpirun").front(), SIGKILL);
  kill(killed.pid(), SIGKILL);

  const auto done =
      read_manifest(folder.path() / "saved/checkpoint.json", folder.read("saved/checkpoint.json"))
          .epoch;
  const std::string resumed =
      kTrain + "--strategy sync --checkpoint saved --resume --epochs " + std::to_string(done + 1);
  const Outcome early = folder.run(resumed);
  CHECK(early.status == 2);
  CHECK_THAT(early.err, Catch::Contains(" is in use by another job (process "));

  kill(ranks.back(), SIGKILL);
  const Outcome last = folder.run(resumed);
  CAPTURE(last.err);
  CHECK(last.status == 0);
}

}  // namespace
}  // namespace epochcast::tests
