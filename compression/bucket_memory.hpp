// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace epochcast {

/// The numbers that a compression or a strategy keeps from one exchange of a bucket to the next, by
/// name.
class BucketMemory {
 public:
  /// The bucket's numbers of that name: zeros when asked for the first time, or with another count.
  template <typename T>
  [[nodiscard]] std::span<T> numbers(std::size_t bucket, std::string_view name, std::size_t count) {
    std::vector<std::byte>& bytes = bytes_of(bucket, name);
    if (bytes.size() != count * sizeof(T)) bytes.assign(count * sizeof(T), std::byte{0});
    // Memory of a vector is aligned for every T.
    return {reinterpret_cast<T*>(bytes.data()), count};
  }
  /// As many as were kept last.
  template <typename T>
  [[nodiscard]] std::span<const T> kept(std::size_t bucket, std::string_view name) {
    const std::vector<std::byte>& bytes = bytes_of(bucket, name);
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  /// Replaces them.
  template <typename T>
  void keep(std::size_t bucket, std::string_view name, std::span<const T> values) {
    const std::span<const std::byte> bytes = std::as_bytes(values);
    bytes_of(bucket, name).assign(bytes.begin(), bytes.end());
  }

  /// Empty if there are none.
  [[nodiscard]] std::string save() const;
  /// Replaces them all. Throws a RunError for anything but what save() returned, also if it lacks
  /// numbers that there are.
  void load(const std::string& text);

 private:
  std::vector<std::byte>& bytes_of(std::size_t bucket, std::string_view name) {
    return all_[{bucket, std::string(name)}];
  }

  std::map<std::pair<std::size_t, std::string>, std::vector<std::byte>> all_;
};

}  // namespace epochcast
