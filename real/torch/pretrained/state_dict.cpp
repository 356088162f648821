// SPDX-License-Identifier: Apache-2.0
#include "real/torch/pretrained/state_dict.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/files/checksum.hpp"
#include "base/files/text_file.hpp"
#include "core/tensors/pickle.hpp"
#include "core/tensors/zip_archive.hpp"

namespace epochcast::real {
namespace {

constexpr FileKind kWeightsFile = {"a network's weights", std::uintmax_t{64} << 30};
constexpr std::size_t kMostPickleBytes = std::size_t{16} << 20;  // a hundred thousand tensors
constexpr std::int64_t kMostRepeated = std::int64_t{1} << 24;    ///< elements

constexpr std::array<std::pair<const char*, torch::ScalarType>, 10> kStorageTypes = {
    {{"FloatStorage", torch::kFloat32},
     {"DoubleStorage", torch::kFloat64},
     {"HalfStorage", torch::kFloat16},
     {"BFloat16Storage", torch::kBFloat16},
     {"LongStorage", torch::kInt64},
     {"IntStorage", torch::kInt32},
     {"ShortStorage", torch::kInt16},
     {"CharStorage", torch::kInt8},
     {"ByteStorage", torch::kUInt8},
     {"BoolStorage", torch::kBool}}};

std::string content_of(const std::filesystem::path& file) {
  try {
    return read_text_file(file, kWeightsFile);
  } catch (const UserError& error) {
    throw UserError(std::string("--pretrained: ") + error.what());
  }
}

/// One file of weights: its archive, and the records read so far.
class WeightsFile {
 public:
  explicit WeightsFile(const std::filesystem::path& file)
      : name_(file.string()), bytes_(content_of(file)) {}

  StateDict read() {
    check_beginning();
    try {
      archive_.emplace(bytes_);
      return {.tensors = tensors(members()), .checksum = checksum(bytes_)};
    } catch (const ZipError& error) {
      fail_damaged(error.what());
    } catch (const PickleError& error) {
      if (error.reason() == PickleError::Reason::damage) fail_damaged(error.what());
      fail(std::string("holds ") + error.what() + ", no dictionary of tensors; save " +
           "model.state_dict(), not the model: torch.save(model.state_dict(), \"" + name_ + "\")");
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw UserError("--pretrained: " + name_ + ": " + what);
  }
  [[noreturn]] void fail_damaged(const std::string& why) const {
    fail("is damaged: " + why + "; copy it again, or save it again with " +
         "torch.save(model.state_dict(), \"" + name_ + "\")");
  }

  /// Before PyTorch 1.6, torch.save() wrote pickles without an archive around them.
  void check_beginning() const {
    if (bytes_.starts_with("PK")) return;
    if (bytes_.starts_with("\x80\x02")) {
      fail(
          "is of the format before PyTorch 1.6; save it again with a newer one: "
          "torch.save(torch.load(\"" +
          name_ + "\"), \"" + name_ + "\")");
    }
    fail("is no file of PyTorch's; expected one of torch.save(model.state_dict(), \"" + name_ +
         "\")");
  }

  std::vector<PickledMember> members() {
    if (archive_->has("constants.pkl")) {
      fail("is a TorchScript archive; save its weights: torch.save(torch.jit.load(\"" + name_ +
           "\").state_dict(), FILE)");
    }
    if (!archive_->has("data.pkl")) {
      fail("is an archive without data.pkl; expected one of torch.save(model.state_dict(), \"" +
           name_ + "\")");
    }
    const std::string_view pickle = archive_->record("data.pkl");
    if (pickle.size() > kMostPickleBytes) {
      fail("has a data.pkl of " + std::to_string(pickle.size()) +
           " bytes; expected the names of tensors");
    }
    return read_pickled_dictionary(pickle);
  }

  std::vector<NamedTensor> tensors(const std::vector<PickledMember>& members) {
    for (const PickledMember& member : members) {
      if (!member.holds_tensors) continue;
      fail("holds \"" + member.name + "\" among other things; save that alone: torch.save(" +
           "torch.load(\"" + name_ + "\")[\"" + member.name + "\"], FILE)");
    }
    std::vector<NamedTensor> tensors;
    for (const PickledMember& member : members) {
      if (!member.tensor)
        fail("holds " + member.kind + " as \"" + member.name + "\"; expected tensors alone");
      tensors.push_back({.name = member.name, .tensor = tensor_of(member.name, *member.tensor)});
    }
    return tensors;
  }

  /// The numbers of a record, [elements].
  const torch::Tensor& record(const std::string& name, const PickledTensor& tensor) {
    const std::string key = tensor.storage_type + " " + tensor.record;
    const auto known = records_.find(key);
    if (known != records_.end()) return known->second;
    const auto* const type =
        std::find_if(kStorageTypes.begin(), kStorageTypes.end(), [&](const auto& each) {
          return each.first == tensor.storage_type;
        });
    if (type == kStorageTypes.end())
      fail("holds \"" + name + "\" as a " + tensor.storage_type + "; expected plain numbers");
    const std::string_view bytes = archive_->record("data/" + tensor.record);
    const auto elements = static_cast<std::int64_t>(bytes.size() / c10::elementSize(type->second));
    torch::Tensor numbers = torch::empty({elements}, torch::TensorOptions(type->second));
    if (elements > 0) std::memcpy(numbers.data_ptr(), bytes.data(), numbers.nbytes());
    return records_.emplace(key, std::move(numbers)).first->second;
  }

  torch::Tensor tensor_of(const std::string& name, const PickledTensor& tensor) {
    const torch::Tensor& numbers = record(name, tensor);
    if (!fits(tensor, numbers.numel()))
      fail_damaged("\"" + name + "\" reaches beyond its " + std::to_string(numbers.numel()) +
                   " numbers");
    if (!is_of_a_size(tensor, numbers.numel()))
      fail_damaged("\"" + name + "\" repeats its " + std::to_string(numbers.numel()) +
                   " numbers more often than any weights do");
    return numbers.as_strided(tensor.shape, tensor.strides, tensor.offset);
  }

  /// Whether every element of the tensor is one of so many numbers.
  static bool fits(const PickledTensor& tensor, std::int64_t numbers) {
    std::int64_t last = tensor.offset;
    if (last < 0 || last > numbers) return false;
    bool is_empty = false;
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
      const std::int64_t steps = tensor.shape[i] - 1;
      const std::int64_t stride = tensor.strides[i];
      if (steps < -1 || stride < 0) return false;
      is_empty = is_empty || steps < 0;
      if (steps <= 0 || stride == 0) continue;
      if (steps > numbers / stride) return false;
      last += steps * stride;
      if (last > numbers) return false;
    }
    return is_empty || last < numbers;
  }

  /// Whether it has no more elements than there are numbers, or few: strides of 0 repeat them.
  static bool is_of_a_size(const PickledTensor& tensor, std::int64_t numbers) {
    const std::int64_t most = std::max(numbers, kMostRepeated);
    std::int64_t elements = 1;
    for (const std::int64_t size : tensor.shape) {
      if (size > 0 && elements > most / size) return false;
      elements *= size;
    }
    return true;
  }

  std::string name_;
  std::string bytes_;
  std::optional<ZipArchive> archive_;
  std::map<std::string, torch::Tensor> records_;
};

}  // namespace

StateDict read_state_dict(const std::filesystem::path& file) { return WeightsFile(file).read(); }

}  // namespace epochcast::real
