// SPDX-License-Identifier: Apache-2.0
#include "analysis/forecast/job_inputs.hpp"

#include <fstream>

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

namespace fs = std::filesystem;

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "epochcast-inputs-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] fs::path write(const std::string& name, const std::string& text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

nlohmann::json inputs_with(const std::string& data) {
  JobConfig config;
  config.network = "small-cnn";
  config.dataset = "cifar10";
  config.learning.data = data;
  return job_inputs(config, Command::train, {}, Catalog::standard());
}

TEST_CASE("data of the same size with the old modification time count as other inputs") {
  const TemporaryFolder folder;
  const fs::path file = folder.write("cats/1.png", "one");
  const auto time = fs::last_write_time(file);
  const nlohmann::json before = inputs_with(folder.path().string());
  CHECK(inputs_with(folder.path().string()) == before);

  static_cast<void>(folder.write("cats/1.png", "two"));
  fs::last_write_time(file, time);

  CHECK(inputs_with(folder.path().string()) != before);
}

TEST_CASE("data behind links count, and cyclic links end") {
  const TemporaryFolder elsewhere;
  const TemporaryFolder folder;
  const fs::path file = elsewhere.write("1.png", "one");
  fs::create_directory_symlink(elsewhere.path(), folder.path() / "cats");
  fs::create_directory_symlink(folder.path(), folder.path() / "dogs");
  const nlohmann::json before = inputs_with(folder.path().string());
  REQUIRE(before["data"].size() == 1);

  static_cast<void>(elsewhere.write("2.png", "two"));

  CHECK(inputs_with(folder.path().string())["data"].size() == 2);
}

TEST_CASE("replaced pretrained weights count as other inputs") {
  const TemporaryFolder folder;
  const fs::path file = folder.write("weights.pt", "one");
  const auto inputs = [&] {
    JobConfig config;
    config.network = "small-cnn";
    config.dataset = "cifar10";
    config.learning.data = "procedural";
    config.learning.pretrained = file.string();
    return job_inputs(config, Command::train, {}, Catalog::standard());
  };
  const nlohmann::json before = inputs();
  CHECK(inputs() == before);

  static_cast<void>(folder.write("weights.pt", "two"));

  CHECK(inputs() != before);
}

TEST_CASE("settings that do not count in a command are not among its inputs") {
  CHECK(inputs_with("procedural").contains("data") == false);
  CHECK(inputs_with("procedural").contains("platform") == false);
  CHECK(inputs_with("procedural")["settings"].contains("learning-rate"));
  CHECK_FALSE(inputs_with("procedural")["settings"].contains("deterministic"));
}

}  // namespace
}  // namespace epochcast::tests
