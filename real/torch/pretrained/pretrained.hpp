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

/// Copies values of the same names from a PyTorch file (see read_state_dict()) into the parameters
/// and BatchNorm statistics of `network`, which is on the CPU. Values of another floating type are
/// rounded to float32.
///
/// The classifier (TorchNetwork::classifier()) may have another shape or be missing: it keeps its
/// values then. BatchNorm's counters may be missing, and every name may begin with "module.", as
/// torch.nn.DataParallel and DistributedDataParallel write it. Throws a UserError that lists all
/// other names that are missing, unexpected, or of another shape, and leaves the network unchanged.
[[nodiscard]] Pretrained load_pretrained(TorchNetwork& network, const std::filesystem::path& file);

}  // namespace epochcast::real
