// SPDX-License-Identifier: Apache-2.0
#include "compression/bucket_memory.hpp"

#include <cstdint>
#include <utility>

#include "base/error.hpp"

namespace epochcast {
namespace {

void append(std::string& text, std::uint64_t number) {
  text.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/// Reads what append() and others have written.
class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) {}

  [[nodiscard]] bool is_at_end() const { return next_ == text_.size(); }
  std::uint64_t number() {
    std::uint64_t number = 0;
    std::memcpy(&number, take(sizeof number), sizeof number);
    return number;
  }
  const char* take(std::uint64_t count) {
    if (count > text_.size() - next_)
      throw RunError("the numbers kept between exchanges are incomplete");
    const char* const begin = text_.data() + next_;
    next_ += count;
    return begin;
  }

 private:
  const std::string& text_;
  std::size_t next_ = 0;
};

}  // namespace

std::string BucketMemory::save() const {
  std::string text;
  for (const auto& [key, bytes] : all_) {
    append(text, key.first);
    append(text, key.second.size());
    text += key.second;
    append(text, bytes.size());
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return text;
}

void BucketMemory::load(const std::string& text) {
  const auto before = std::exchange(all_, {});
  Reader reader(text);
  while (!reader.is_at_end()) {
    const std::uint64_t bucket = reader.number();
    const std::uint64_t name_size = reader.number();
    const std::string name(reader.take(name_size), name_size);
    const std::uint64_t size = reader.number();
    const auto* const begin = reinterpret_cast<const std::byte*>(reader.take(size));
    all_[{bucket, name}] = {begin, begin + size};
  }
  for (const auto& [key, bytes] : before)
    if (!all_.contains(key)) throw RunError("it lacks " + key.second + " numbers of this job");
}

}  // namespace epochcast
