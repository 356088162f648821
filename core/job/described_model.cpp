// SPDX-License-Identifier: Apache-2.0
#include "core/job/described_model.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/files/checksum.hpp"
#include "base/process/child.hpp"
#include "base/process/interruption.hpp"
#include "base/process/temp_folder.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "epochcast-describe";

bool is_writable(const fs::path& folder) {
  std::error_code unwritable;
  fs::create_directories(folder, unwritable);
  return access(folder.c_str(), W_OK) == 0;
}

/// The user's cache folder or, if that is not writable, as in some batch jobs, one for temporary
/// files.
fs::path cache_folder() {
  const char* named = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  fs::path folder;
  if (named != nullptr && *named != '\0') {
    folder = named;
  } else if (home != nullptr && *home != '\0') {
    folder = fs::path(home) / ".cache";
  }
  if (!folder.empty() && is_writable(folder / "epochcast" / "models"))
    return folder / "epochcast" / "models";
  return private_temporary_folder("epochcast") / "models";
}

/// The model's name or, if file names would become too long, its beginning and a checksum.
std::string cached_name(const fs::path& model) {
  constexpr std::size_t kLongest = 40;
  const std::string name = network_name(model.string());
  return name.size() <= kLongest ? name : name.substr(0, kLongest) + "-" + checksum(name);
}

/// As `epochcast describe` takes them, without the dashes.
std::string option_of(const Targets& targets) {
  switch (targets.kind) {
    case TargetKind::classes:
      return "targets=class";
    case TargetKind::values:
      return "values=" + shape_text(targets.shape);
    case TargetKind::tokens:
      return "targets=tokens";
  }
  return {};
}

}  // namespace

fs::path description_of_model(const fs::path& model, const Dataset& dataset) {
  const std::string samples = shape_text(dataset.shape);
  const std::string classes = std::to_string(std::max<std::int64_t>(1, dataset.classes));
  const std::string kind = dataset.are_tokens ? "tokens" : "numbers";
  const std::string targets = option_of(dataset.targets);
  fs::path file =
      cache_folder() /
      (cached_name(model) + "-" + samples + "-" + kind + "-" + classes + "-" + targets + "-" +
       checksum_of_file(model, kDataFile) + "-" EPOCHCAST_VERSION "-with-classes.json");
  if (fs::exists(file)) return file;
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / kProgram;
  if (!fs::exists(program))
    throw UserError("--network: " + model.string() +
                    ": there is no LibTorch to look into models with; install the package "
                    "epochcast-training, or run `epochcast describe MODEL.pt --input " +
                    samples + " --output my-network.json` where it is, and give that file");
  std::error_code unwritable;  // reported by the program
  fs::create_directories(file.parent_path(), unwritable);
  std::cerr << "describing " << model.string() << ", once\n";
  const SignalScope signals;
  Child child = Child::start({program.string(),
                              model.string(),
                              "--input=" + samples,
                              "--classes=" + classes,
                              "--samples=" + kind,
                              "--" + targets,
                              "--output=" + file.string(),
                              "--quiet"},
                             // A model may print; stdout is for the program's own output.
                             {.out = STDERR_FILENO});
  const Ending ending = child.wait().ending();
  if (ending == Ending::done) return file;
  throw UserError(
      "--network: " + model.string() + ": cannot be described for samples of " + samples +
      (ending == Ending::killed ? ": LibTorch has died of it; the file may be damaged, or "
                                  "samples of that size take more memory than there is"
                                : " (above)"));
}

void warn_of_loading(const fs::path& model) {
  if (!fs::exists(model)) return;  // reported by the loader
  const fs::path mark = cache_folder() / ("loaded-" + checksum_of_file(model, kDataFile));
  if (fs::exists(mark)) return;
  std::cerr << "loading " << model.string()
            << " runs what is in it; use model files that you trust\n";
  std::error_code unwritable;  // the warning is then repeated
  fs::create_directories(mark.parent_path(), unwritable);
  std::ofstream(mark) << model.string() << '\n';
}

Network network_in(const fs::path& file, const Dataset& dataset) {
  return load_network(is_model_file(file) ? description_of_model(file, dataset) : file, dataset);
}

}  // namespace epochcast
