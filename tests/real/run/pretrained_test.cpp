// SPDX-License-Identifier: Apache-2.0
// Weights as whole jobs use them.
#include <filesystem>

#include "tests/catch.hpp"
#include "tests/real/run/jobs.hpp"

namespace epochcast::tests {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

TEST_CASE("training starts from pretrained weights, with a note") {
  const ShortTraining job;
  const std::string file = weights_file("small-cnn.pt");
  const std::string still = "--set learning-rate=0 ";

  const Outcome outcome = job.run("--format json --pretrained " + file);

  REQUIRE(outcome.status == 0);
  const Json run = Json::parse(outcome.out).at("runs").at(0);
  CHECK(run.at("config").at("pretrained") == file);
  const std::string note = run.at("notes").at(1);
  CHECK_THAT(note, Catch::StartsWith("pretrained: " + file + ", checksum "));
  CHECK_THAT(outcome.err, Catch::Contains(note));
  // Nothing is learned: a random start has the loss of its seed, the file's weights have a
  // different one.
  CHECK(job.test_loss(still + "--seed 1") != job.test_loss(still + "--seed 2"));
  const double pretrained = job.test_loss(still + "--pretrained " + file);
  CHECK(pretrained != job.test_loss(still));
}

TEST_CASE("a classifier missing in the file is initialised randomly, with a note") {
  const ShortTraining job;
  const std::string file = weights_file("small-cnn-headless.pt");

  const Outcome outcome = job.run("--format json --pretrained " + file);

  REQUIRE(outcome.status == 0);
  CHECK_THAT(Json::parse(outcome.out).at("runs").at(0).at("notes").at(1).get<std::string>(),
             Catch::EndsWith(
                 "; the classifier fc2 keeps its initial values: there is no fc2.weight there"));
}

TEST_CASE("weights of another network are refused with the differences") {
  const ShortTraining job;
  const std::string file = weights_file("small-cnn.pt");

  const Outcome other = job.run("--set network=resnet20 --pretrained " + file);
  CHECK(other.status == 2);
  REQUIRE(lines(other.err).size() >= 2);
  CHECK_THAT(lines(other.err)[0],
             Catch::StartsWith("epochcast: --pretrained: " + file +
                               ": lacks tensors of the network: bn1.weight, bn1.bias, "));
  CHECK(lines(other.err)[1] == "epochcast: --pretrained: " + file +
                                   ": has tensors that the network lacks: conv1.bias, "
                                   "conv2.bias, conv2.weight, fc1.bias, fc1.weight, fc2.bias, "
                                   "fc2.weight");

  CHECK(job.run("--pretrained none.pt").err ==
        "epochcast: --pretrained: none.pt: cannot be read: No such file or directory\n");
  CHECK(job.run("--pretrained tiny.json").err ==
        "epochcast: --pretrained: tiny.json: is no file of PyTorch's; expected one of "
        "torch.save(model.state_dict(), \"tiny.json\")\n");
}

TEST_CASE("a checkpoint depends on the weights' content, not on the file's name") {
  const ShortTraining job;
  const fs::path file = job.folder.path() / "w.pt";
  fs::copy_file(weights_file("small-cnn.pt"), file);
  const std::string training = "--pretrained w.pt --checkpoint saved ";
  REQUIRE(job.run(training).status == 0);
  CHECK(job.run(training + "--resume --set epochs=2").status == 0);

  fs::remove(file);
  fs::copy_file(weights_file("small-cnn-headless.pt"), file);
  const Outcome other = job.run(training + "--resume --set epochs=3");

  CHECK(other.status == 2);
  CHECK_THAT(other.err,
             Catch::Contains("/checkpoint.json is of another job: --pretrained w.pt (checksum "));
}

}  // namespace
}  // namespace epochcast::tests
