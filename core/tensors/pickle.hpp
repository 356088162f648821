// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace epochcast {

/// A tensor as a pickle describes it; its numbers are a record of the same archive.
struct PickledTensor {
  std::string record;        ///< "0", "1", ...: the record is "data/0"
  std::string storage_type;  ///< "FloatStorage"
  std::int64_t offset = 0;   ///< in the record, in elements
  std::vector<std::int64_t> shape = {};
  std::vector<std::int64_t> strides = {};  ///< in elements, one for each dimension
};

/// A member of a dictionary.
struct PickledMember {
  std::string name;
  std::optional<PickledTensor> tensor = {};
  std::string kind = {};       ///< in words: "a tensor", "a dictionary", "a number", ...
  bool holds_tensors = false;  ///< a dictionary with tensors in it
};

/// The reason why bytes are not the expected pickle: their content, or the damage.
class PickleError : public std::runtime_error {
 public:
  enum class Reason { other_content, damage };

  PickleError(Reason reason, const std::string& what) : std::runtime_error(what), reason_(reason) {}
  [[nodiscard]] Reason reason() const { return reason_; }

 private:
  Reason reason_;
};

/// The members of the dictionary that torch.save() has pickled, a dict or an OrderedDict, in their
/// order; members whose key is no text are omitted.
///
/// Runs no code of the pickle: a call of anything but the functions that rebuild tensors and
/// dictionaries becomes a member of another kind. Reads the opcodes of protocols 2 to 5 (CPython's
/// Lib/pickletools.py) that state_dicts and training checkpoints are made of.
[[nodiscard]] std::vector<PickledMember> read_pickled_dictionary(std::string_view bytes);

/// The tensor that torch.save() has pickled, a parameter's too. Runs no code either; the
/// PickleError names a call that was refused.
[[nodiscard]] PickledTensor read_pickled_tensor(std::string_view bytes);

}  // namespace epochcast
