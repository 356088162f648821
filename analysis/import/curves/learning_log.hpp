// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/measured_curves.hpp"

namespace epochcast {

/// The entry of a log at one moment: numbers by name.
using LogRecord = std::map<std::string, double>;

/// The records of a log, by its content: TensorBoard event files, MLPerf logs (`:::MLLOG`), JSON
/// lines, or CSV with a header. Numbers alone; anything else in a record is ignored. Throws a
/// UserError about `file`.
[[nodiscard]] std::vector<LogRecord> read_learning_log(const std::filesystem::path& file);

/// The counter of progress in a log, and the tested quantity.
enum class LogProgress { samples, epochs, steps };
enum class LogResult { accuracy, loss, perplexity };

/// A field of a log, and its meaning.
template <typename Meaning>
struct LogField {
  std::string name;
  Meaning meaning;
};

/// The fields to read; without a name, they are recognised by usual names.
struct LogFields {
  std::string progress = {};
  std::string result = {};
};

/// Of samples: of an epoch, and of a step of all workers.
struct LogUnits {
  double epoch = 0;
  double step = 0;
};

/// A job's tests, and how they were read.
struct LoggedTests {
  LogField<LogProgress> progress;
  LogField<LogResult> result;
  bool counts_from_zero = false;  ///< epochs: the first one is 0, so each is one more
  std::vector<MeasuredTest> tests;
};

/// The tests in a log. Accuracies above 1 are percent. Of several records at the same place, the
/// last one counts. Throws a UserError about `file` that lists its fields, when none or several may
/// be meant.
[[nodiscard]] LoggedTests tests_in(const std::vector<LogRecord>& records,
                                   const std::string& file,
                                   const LogFields& fields,
                                   const LogUnits& units);

}  // namespace epochcast
