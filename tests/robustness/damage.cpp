// SPDX-License-Identifier: Apache-2.0
#include "tests/robustness/damage.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace epochcast::tests {
namespace {

namespace fs = std::filesystem;

std::size_t below(std::size_t limit, Random& random) {
  return static_cast<std::size_t>(random.next() % limit);
}

std::string any_of(const Files& files, Random& random) {
  return std::next(files.begin(), static_cast<std::ptrdiff_t>(below(files.size(), random)))->first;
}

std::string flip_bits(std::string& text, Random& random) {
  const std::size_t count = 1 + below(3, random);
  // Headers are short compared with the rest, and get as many.
  const std::size_t end =
      below(2, random) == 0 ? std::min<std::size_t>(text.size(), 400) : text.size();
  for (std::size_t i = 0; i < count && end > 0; ++i) {
    char& byte = text[below(end, random)];
    byte = static_cast<char>(byte ^ (1 << below(8, random)));
  }
  return std::to_string(count) + " bits flipped";
}

std::string overwrite(std::string& text, Random& random) {
  const std::size_t begin = below(text.size() + 1, random);
  const std::size_t size = std::min<std::size_t>(text.size() - begin, 1 + below(512, random));
  std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(begin), size, '\0');
  return "zeros from " + std::to_string(begin) + " on";
}

/// Damages one file, which may remain unchanged by chance.
std::string damage_one(std::string& text, Random& random) {
  switch (below(8, random)) {
    case 0:
      text.clear();
      return "emptied";
    case 1:
      text.resize(below(text.size() + 1, random));
      return "cut off at " + std::to_string(text.size());
    case 2:
      text += text.substr(below(text.size() + 1, random));
      return "ends twice";
    case 3:
      return overwrite(text, random);
    default:
      return flip_bits(text, random);
  }
}

Damage try_damage(Files& files, Random& random, const Files& older) {
  const std::string one = any_of(files, random);
  switch (below(8, random)) {
    case 0: {
      const std::string other = any_of(files, random);
      std::swap(files[one], files[other]);
      return {.text = one + " and " + other + " changed places", .files = {one, other}};
    }
    case 1:
      if (const auto before = older.find(one); before != older.end()) {
        files[one] = before->second;
        return {.text = "an older " + one + " came back", .files = {one}};
      }
      [[fallthrough]];
    default: {
      const std::string what = damage_one(files[one], random);
      return {.text = one + ": " + what, .files = {one}};
    }
  }
}

}  // namespace

Damage damage(Files& files, Random& random, const Files& older) {
  const Files before = files;
  for (;;) {
    Damage done = try_damage(files, random, older);
    if (files != before) return done;
  }
}

Files read_files(const fs::path& folder) {
  Files files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::ifstream stream(entry.path(), std::ios::binary);
    files[entry.path().filename()] = {std::istreambuf_iterator<char>(stream),
                                      std::istreambuf_iterator<char>()};
  }
  return files;
}

void write_files(const fs::path& folder, const Files& files) {
  fs::remove_all(folder);
  fs::create_directories(folder);
  for (const auto& [name, text] : files) std::ofstream(folder / name, std::ios::binary) << text;
}

}  // namespace epochcast::tests
