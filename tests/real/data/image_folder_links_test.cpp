// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <filesystem>

#include "tests/catch.hpp"
#include "tests/real/data/files.hpp"
#include "tests/real/data/images.hpp"
#include "tests/real/data/tiny_folder.hpp"

namespace epochcast::real::tests {
namespace {

TEST_CASE("links to images and to folders of them elsewhere are followed") {
  const TinyFolder files;
  const TemporaryFolder elsewhere;
  write_file(elsewhere / "more/c.png", plain_png(0, 0, 255));
  std::filesystem::create_symlink(elsewhere / "more/c.png", files / "train/cat/c.png");
  std::filesystem::create_directory_symlink(elsewhere / "more", files / "train/dog/more");

  const DataSplit split = files.open();

  REQUIRE(split.train->size() == 5);
  CHECK(sample_of(*split.train, 1).label == 0);  // cat/c.png
  CHECK(sample_of(*split.train, 4).label == 1);  // dog/more/c.png
}

TEST_CASE("images that are no regular files are refused") {
  const TinyFolder files;
  mkfifo((files / "train/cat/pipe.png").c_str(), 0600);
  std::filesystem::create_symlink("/dev/null", files / "train/dog/device.png");

  CHECK(files.problems() ==
        Texts{files / "train/cat/pipe.png: is not a regular file; expected an image",
              files / "train/dog/device.png: is not a regular file; expected an image"});
}

TEST_CASE("a link to an enclosing folder is refused") {
  const TinyFolder files;
  std::filesystem::create_directory_symlink("..", files / "train/cat/up");
  std::filesystem::create_directory_symlink(".", files / "train/dog/here");

  CHECK(files.problems() ==
        Texts{files / "train/cat/up: links to a folder that it lies in; expected images of its "
                      "class",
              files / "train/dog/here: links to a folder that it lies in; expected images of its "
                      "class"});
}

TEST_CASE("a link to images of another class is refused") {
  const TinyFolder files;
  std::filesystem::create_directory_symlink("../dog", files / "train/cat/friends");

  CHECK(files.problems() == Texts{files / "train/dog: is the same folder as " +
                                  (files / "train/cat/friends; expected every folder once")});

  files.remove("train/cat/friends");
  std::filesystem::create_symlink("../dog/b.png", files / "train/cat/b.png");
  CHECK(files.problems() == Texts{files / "train/cat/b.png: links to " +
                                  (std::filesystem::canonical(files / "train/dog/b.png").string() +
                                   "; expected an image of its class")});
}

TEST_CASE("a folder with two links is reported once, with both names") {
  const TinyFolder files;
  const TemporaryFolder elsewhere;
  write_file(elsewhere / "c.png", plain_png(0, 0, 255));
  std::filesystem::create_directory_symlink(elsewhere / "", files / "train/cat/more");
  std::filesystem::create_directory_symlink(elsewhere / "", files / "train/dog/more");

  CHECK(files.problems() == Texts{files / "train/dog/more: is the same folder as " +
                                  (files / "train/cat/more; expected every folder once")});
}

TEST_CASE("a link to a missing image is reported") {
  const TinyFolder files;
  std::filesystem::create_symlink("gone.png", files / "train/cat/c.png");

  CHECK(files.problems() == Texts{files / "train/cat/c.png: links to a file that is not there"});
}

}  // namespace
}  // namespace epochcast::real::tests
