// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options/variables_map.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace epochcast {

/// The values of a command line, all declared as text; for those that cannot be converted, a
/// problem is added and a harmless value returned.
class OptionValues {
 public:
  OptionValues(const boost::program_options::variables_map& values,
               std::vector<std::string>& problems)
      : values_(values), problems_(problems) {}

  [[nodiscard]] bool has(const std::string& name) const;
  /// The option's value; "" when it was not given.
  [[nodiscard]] std::string text(const std::string& name) const;
  /// The words of a repeatable, comma-separated option.
  [[nodiscard]] std::vector<std::string> list(const std::string& name) const;

  [[nodiscard]] std::int64_t integer(const std::string& name, std::int64_t low, std::int64_t high);
  [[nodiscard]] std::vector<std::int64_t> integers(const std::string& name,
                                                   std::int64_t low,
                                                   std::int64_t high);
  [[nodiscard]] double positive(const std::string& name);

  /// The option's file; a problem when it has no name. The writer checks whether it can be written,
  /// since it may run on another machine.
  [[nodiscard]] std::filesystem::path file_to_write(const std::string& name);

  /// Adds `--NAME: got "VALUE"; expected WHAT`.
  void expected(const std::string& name, const std::string& value, const std::string& what);
  /// Adds `--NAME: missing; expected WHAT`.
  void missing(const std::string& name, const std::string& what);
  void add(const std::string& problem);

 private:
  [[nodiscard]] std::int64_t to_integer(const std::string& name,
                                        const std::string& value,
                                        std::int64_t low,
                                        std::int64_t high);

  const boost::program_options::variables_map& values_;
  std::vector<std::string>& problems_;
};

}  // namespace epochcast
