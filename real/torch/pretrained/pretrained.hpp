// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

// Free of LibTorch headers.

namespace epochcast::real {

class TorchNetwork;

/// The weights that a network has started from.
struct Pretrained {
  std::string checksum;  ///< of the file's content
  std::string note;  ///< the file, its checksum, and whether the classifier is the network's own
};

/// Gives the parameters and BatchNorm statistics of `network`, which is on the CPU, the values that
/// a file of PyTorch's has under the same names (see read_state_dict()). Values of another floating
/// type are rounded to float32.
///
/// The classifier (TorchNetwork::classifier()) may have another shape or be missing: it keeps its
/// values then. BatchNorm's counters may be missing, and every name may begin with "module.", as
/// torch.nn.DataParallel and DistributedDataParallel have it. Throws a UserError that lists what
/// else is missing, unexpected, or of another shape; the network is unchanged then.
[[nodiscard]] Pretrained load_pretrained(TorchNetwork& network, const std::filesystem::path& file);

}  // namespace epochcast::real
