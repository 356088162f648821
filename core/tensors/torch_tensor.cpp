// SPDX-License-Identifier: Apache-2.0
#include "core/tensors/torch_tensor.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "core/tensors/pickle.hpp"
#include "core/tensors/zip_archive.hpp"

namespace epochcast {
namespace {

constexpr std::size_t kMostPickleBytes = std::size_t{1} << 20;
/// Records up to here are read as a whole, for their checksum: a fifth of a second.
constexpr std::size_t kMostCheckedBytes = std::size_t{256} << 20;

constexpr std::array<std::pair<std::string_view, ElementType>, 10> kStorageTypes = {
    {{"FloatStorage", ElementType::float32},
     {"DoubleStorage", ElementType::float64},
     {"HalfStorage", ElementType::float16},
     {"BFloat16Storage", ElementType::bfloat16},
     {"LongStorage", ElementType::int64},
     {"IntStorage", ElementType::int32},
     {"ShortStorage", ElementType::int16},
     {"CharStorage", ElementType::int8},
     {"ByteStorage", ElementType::uint8},
     {"BoolStorage", ElementType::boolean}}};

/// Whether the elements lie one after the other, in the order of rows.
bool is_contiguous(const PickledTensor& tensor) {
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    const std::int64_t step = Tensor::elements_of(std::span(tensor.shape).subspan(i + 1));
    if (tensor.shape[i] != 1 && tensor.strides[i] != step) return false;
  }
  return true;
}

/// A file with a tensor in it.
class TensorFile {
 public:
  explicit TensorFile(const std::filesystem::path& file)
      : name_(file.string()), file_(std::make_shared<const MappedFile>(file)) {}

  Tensor open() const {
    check_beginning();
    try {
      return tensor_in(ZipArchive(file_->bytes()));
    } catch (const ZipError& error) {
      fail_damaged(error.what());
    } catch (const PickleError& error) {
      if (error.reason() == PickleError::Reason::damage) fail_damaged(error.what());
      fail(std::string("holds ") + error.what() + ", no tensor, and nothing of it was run; " +
           expected());
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw UserError(name_ + ": " + what); }
  [[noreturn]] void fail_damaged(const std::string& why) const {
    fail("is damaged: " + why + "; copy it again, or save it again with torch.save(tensor, \"" +
         name_ + "\")");
  }
  [[nodiscard]] std::string expected() const {
    return "expected a tensor alone: torch.save(tensor, \"" + name_ + "\")";
  }

  void check_beginning() const {
    if (file_->bytes().starts_with("PK")) return;
    // Before PyTorch 1.6, torch.save() wrote a pickle without an archive.
    fail((file_->bytes().starts_with("\x80") ? "is a bare pickle, which is not read; "
                                             : "is no file of PyTorch's; ") +
         expected());
  }

  [[nodiscard]] Tensor tensor_in(const ZipArchive& archive) const {
    if (archive.has("constants.pkl")) fail("is a TorchScript archive; " + expected());
    if (!archive.has("data.pkl")) fail("is an archive without data.pkl; " + expected());
    if (archive.has("byteorder") && archive.record("byteorder") != "little")
      fail("was written on a big-endian machine; save it on a little-endian one");
    const std::string_view pickle = archive.record("data.pkl");
    if (pickle.size() > kMostPickleBytes)
      fail("has a data.pkl of " + std::to_string(pickle.size()) + " bytes; " + expected());
    PickledTensor tensor = read_pickled_tensor(pickle);
    const auto* const type =
        std::find_if(kStorageTypes.begin(), kStorageTypes.end(), [&](const auto& each) {
          return each.first == tensor.storage_type;
        });
    if (type == kStorageTypes.end())
      fail("holds a " + tensor.storage_type + "; expected plain numbers: save tensor.float()");
    const std::string_view numbers = numbers_of(archive, tensor, type->second);
    return {type->second, std::move(tensor.shape), numbers, file_};
  }

  [[nodiscard]] std::string_view numbers_of(const ZipArchive& archive,
                                            const PickledTensor& tensor,
                                            ElementType type) const {
    const std::string name = "data/" + tensor.record;
    std::string_view record = archive.unchecked_record(name);
    if (record.size() <= kMostCheckedBytes) record = archive.record(name);
    const std::int64_t elements = Tensor::elements_of(tensor.shape);
    const auto stored = static_cast<std::int64_t>(record.size() / bytes_of(type));
    if (elements == 0) return {};
    if (!is_contiguous(tensor))
      fail("is a view whose rows do not follow each other; save tensor.contiguous()");
    if (elements > stored || tensor.offset < 0 || tensor.offset > stored - elements)
      fail_damaged("it reaches beyond its " + std::to_string(stored) + " numbers");
    const std::size_t each = bytes_of(type);
    return record.substr(static_cast<std::size_t>(tensor.offset) * each,
                         static_cast<std::size_t>(elements) * each);
  }

  std::string name_;
  std::shared_ptr<const MappedFile> file_;
};

}  // namespace

Tensor open_torch_tensor(const std::filesystem::path& file) { return TensorFile(file).open(); }

}  // namespace epochcast
