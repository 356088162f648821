// SPDX-License-Identifier: Apache-2.0
// docs/papers.md names files and symbols: they must exist.
#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "base/files/text_file.hpp"
#include "strategies/settings.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = EPOCHCAST_SOURCE_DIR;

TEST_CASE("docs/papers.md: every file and symbol that it names is there") {
  const std::string page = read_text_file(kRoot / "docs/papers.md");
  // `strategies/sync.cpp#run_sync`, `core/job/learning_rate.hpp`, `tests/models`
  const std::regex reference("`([a-z_]+/[A-Za-z0-9_./-]+)(?:#([A-Za-z_]+))?`");
  int found = 0;
  for (std::sregex_iterator match(page.begin(), page.end(), reference), end; match != end;
       ++match) {
    const std::string file = (*match)[1];
    const std::string symbol = (*match)[2];
    CAPTURE(file, symbol);
    ++found;
    REQUIRE(fs::exists(kRoot / file));
    if (symbol.empty()) continue;
    CHECK(read_text_file(kRoot / file).find(symbol) != std::string::npos);
  }
  CHECK(found > 40);
}

TEST_CASE("docs/papers.md: every setting that it offers is one, and nothing is known to be wrong") {
  const std::string page = read_text_file(kRoot / "docs/papers.md");
  const std::regex flag("--([a-z][a-z-]*)");
  for (std::sregex_iterator match(page.begin(), page.end(), flag), end; match != end; ++match) {
    const std::string name = (*match)[1];
    CAPTURE(name);
    const auto& known = all_settings().rows();
    const bool is_setting = std::any_of(
        known.begin(), known.end(), [&](const Setting& setting) { return setting.name == name; });
    CHECK((is_setting || name == "seeds"));
  }
  CHECK(page.find("wrong") == std::string::npos);
}

enum class Here { yes, no };

/// Subjects of the three papers and of their users, and whether Epochcast has them.
struct Item {
  std::string section;
  std::string name;  ///< how its row begins
  Here here = Here::yes;
};

const std::vector<Item> kItems = {
    {"[HG]", "speeds"},
    {"[HG]", "partitions of the data"},
    {"[HG]", "batches B_p"},
    {"[HG]", "eq. 1:"},
    {"[HG]", "eq. 2:"},
    {"[HG]", "eq. 3", Here::no},
    {"[HG]", "FuPerMod"},
    {"[HG]", "speed baseline"},
    {"[HG]", "platforms: DEEP-EST DAM (4 nodes) and ESB (8 nodes)"},
    {"[HG]", "DEEP-EST CM"},
    {"[HG]", "CIFAR-10, CIFAR-100, Mini-ImageNet"},
    {"[HG]", "VGG16, DenseNet121, ResNet-101"},
    {"[HG]", "accuracies, weighted against unweighted"},
    {"[HG]", "times equal to those of unweighted gradients"},
    {"[HG]", "other equations, tables and figures"},
    {"[NB]", "eq. 1 to 5"},
    {"[NB]", "eq. 6:"},
    {"[NB]", "eq. 7:"},
    {"[NB]", "algorithm 1"},
    {"[NB]", "algorithm 2: gradients"},
    {"[NB]", "algorithm 2: parameters"},
    {"[NB]", "averagings per epoch"},
    {"[NB]", "table I:"},
    {"[NB]", "table II:"},
    {"[NB]", "table III: gains of ResNet-18, -50 and -101"},
    {"[NB]", "table III: accuracies"},
    {"[NB]", "tables IV, V, VI"},
    {"[NB]", "table VII:"},
    {"[NB]", "platforms"},
    {"[NB]", "networks"},
    {"[NB]", "data sets"},
    {"[NB]", "figures"},
    {"[NB]", "ShuffleNetV2"},
    {"[NB]", "GAN on MNIST"},
    {"[NB]", "CIFAR-100 accuracies"},
    {"[NB]", "ImageNet on CETA"},
    {"[NB]", "recurrent networks on MNIST"},
    {"[NB]", "fine-tuning: ViT"},
    {"[NB]", "optimizers"},
    {"[NB]", "cosine annealing"},
    {"[NB]", "best accuracy"},
    {"[NB]", "AutoAugment", Here::no},
    {"[BL]", "local SGD"},
    {"[BL]", "system-aware steps"},
    {"[BL]", "loss-based sampling"},
    {"[BL]", "indices drawn by one worker"},
    {"[BL]", "slow workers draw uniformly"},
    {"[BL]", "high losses to the slow workers"},
    {"[BL]", "weighted aggregation"},
    {"[BL]", "comparators"},
    {"[BL]", "table 1:"},
    {"[BL]", "table 2:"},
    {"[BL]", "2 CPUs and 8 GPUs"},
    {"[BL]", "Flowers-102"},
    {"[BL]", "machine: one EPYC 7543 and 2 RTX 4090"},
    {"[BL]", "single mini-batch"},
    {"[BL]", "networks"},
    {"[BL]", "ablations"},
    {"[BL]", "learning rates"},
    {"[BL]", "AG News with pretrained DistilBERT", Here::no},
    {"[BL]", "other equations, tables and figures"},
    {"Systems", "local SGD"},
    {"Systems", "post-local SGD"},
    {"Systems", "one-shot averaging"},
    {"Systems", "BytePS"},
    {"Systems", "DLB"},
    {"Systems", "FuPerMod"},
    {"Systems", "ColossalAI"},
    {"Systems", "WFBP, Poseidon, DDP"},
    {"Systems", "Horovod", Here::no},
    {"Systems", "ring all-reduce"},
    {"Systems", "recursive doubling; Rabenseifner"},
    {"Systems", "binary tree"},
    {"Systems", "double binary tree"},
    {"Systems", "MultiTree"},
    {"Systems", "BlueConnect"},
    {"Systems", "Open MPI"},
    {"Systems", "asynchronous SGD"},
    {"Systems", "synchronous parameter server"},
    {"Systems", "staleness-aware learning rates"},
    {"Systems", "SSP"},
    {"Systems", "GSSP"},
    {"Systems", "DASO"},
    {"Systems", "STL-SGD"},
    {"Systems", "TopkA"},
    {"Systems", "gTopk"},
    {"Systems", "Ok-Topk"},
    {"Systems", "Gaussian-k"},
    {"Systems", "TernGrad"},
    {"Systems", "quantization"},
    {"Systems", "DeAR"},
    {"Systems", "dropping late gradients"},
    {"Systems", "per-iteration dynamic batches", Here::no},
    {"Systems", "FedAvg"},
    {"Systems", "torchft"},
    {"Systems", "DDP's hook"},
    {"Systems", "mixed precision"},
    {"Systems", "SlowMo"},
    {"Systems", "DiLoCo"},
    {"Systems", "Streaming DiLoCo"},
    {"Systems", "EDiT, A-EDiT"},
    {"Systems", "FedBuff"},
    {"Systems", "SGP"},
    {"Systems", "decentralized data parallel"},
    {"Systems", "AD-PSGD"},
    {"Systems", "QSR"},
    {"Systems", "AdaComm"},
    {"Systems", "Hogwild", Here::no},
    {"Systems", "Hivemind"},
    {"Systems", "ZeRO stages 1, 2 and 3; FSDP"},
    {"Systems", "PowerSGD"},
    {"Systems", "1-bit Adam"},
    {"Systems", "8-bit gradients"},
};

/// The lines of a section: "## [HG] ..." up to the next heading.
std::vector<std::string> lines_of(const std::string& page, const std::string& section) {
  std::vector<std::string> lines;
  std::istringstream in(page);
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## ")) inside = line.starts_with("## " + section);
    if (inside) lines.push_back(line);
  }
  return lines;
}

TEST_CASE("docs/papers.md: every item of the papers has one row, which says if it is available") {
  const std::string page = read_text_file(kRoot / "docs/papers.md");
  for (const auto& item : kItems) {
    CAPTURE(item.section, item.name);
    std::vector<std::string> rows;
    for (const auto& line : lines_of(page, item.section))
      if (line.starts_with("| " + item.name)) rows.push_back(line);
    REQUIRE(rows.size() == 1);
    const bool refused = rows[0].find("| not available |") != std::string::npos;
    CHECK(refused == (item.here == Here::no));
  }
}

TEST_CASE("docs/papers.md: only items of the list are not available") {
  const std::string page = read_text_file(kRoot / "docs/papers.md");
  long refused = 0;
  for (const char* section : {"[HG]", "[NB]", "[BL]", "Systems"})
    for (const auto& line : lines_of(page, section))
      refused += static_cast<long>(line.find("| not available |") != std::string::npos);
  CHECK(refused == std::count_if(kItems.begin(), kItems.end(), [](const Item& item) {
          return item.here == Here::no;
        }));
}

}  // namespace
}  // namespace epochcast::tests
