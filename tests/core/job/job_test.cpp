// SPDX-License-Identifier: Apache-2.0
#include "core/job/job.hpp"

#include <unistd.h>

#include <fstream>

#include "core/job/given_platform.hpp"
#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

namespace fs = std::filesystem;

const std::string kEstimated = R"({"grade": "estimated", "method": "m"})";
const std::string kPublished = R"({"grade": "published", "reference": "r"})";

std::string trace_of(const std::string& device, const std::string& source, double seconds) {
  return R"({"schema": "epochcast.trace/1", "name": "t", "title": "T", "device": ")" + device +
         R"(", "source": )" + source + R"(, "costs": [{"network": "tiny", "input": [2],
         "batches": [{"batch": 8, "seconds": [)" +
         std::to_string(seconds) + "]}]}]}";
}

/// A small catalogue in a temporary folder.
class SmallCatalog {
 public:
  SmallCatalog()
      : root_(fs::temp_directory_path() / ("epochcast-job-test-" + std::to_string(getpid()))) {
    fs::remove_all(root_);
    write(
        "models/platforms/box.json",
        R"({"schema": "epochcast.platform/1", "name": "box", "title": "Box", "source": )" +
            kPublished +
            R"(, "nodes": [{"name": "n", "count": 1, "devices": [{"class": "gpu", "model": "v100"}]}]})");
    write("models/networks/tiny.json",
          R"({"schema": "epochcast.network/1", "name": "tiny", "title": "Tiny", "source": )" +
              kPublished +
              R"(, "variants": [{"input": [2], "buffers": 0, "layers": [{"name": "fc",
              "tensors": [["w", [2]]], "forward": "4flop", "activation": "4B"}]}]})");
    write("models/datasets/dots.json",
          R"({"schema": "epochcast.dataset/1", "name": "dots", "title": "Dots", "source": )" +
              kPublished + R"(, "train_samples": 60, "test_samples": 10, "shape": [2],
              "sample": "2B", "classes": 5})");
    write("traces/guess.json", trace_of("v100", kEstimated, 0.2));
  }
  ~SmallCatalog() { fs::remove_all(root_); }
  SmallCatalog(const SmallCatalog&) = delete;
  SmallCatalog& operator=(const SmallCatalog&) = delete;

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }

  [[nodiscard]] Catalog catalog() const { return Catalog(root_); }
  [[nodiscard]] const fs::path& root() const { return root_; }

 private:
  fs::path root_;
};

JobConfig small_config() {
  JobConfig config;
  config.platform = "box";
  config.network = "tiny";
  config.dataset = "dots";
  return config;
}

WorkerInfo worker_of(const std::string& model) {
  WorkerInfo worker;
  worker.device_class = "gpu";
  worker.model = model;
  return worker;
}

Texts problems_of_load(const JobConfig& config, const SmallCatalog& files) {
  return problems_of([&] { static_cast<void>(load_job(config, files.catalog())); });
}

TEST_CASE("a catalogue lists the names in a folder, sorted") {
  const SmallCatalog files;
  files.write("models/platforms/alpha.json", "{}");
  files.write("models/platforms/notes.txt", "");

  CHECK(files.catalog().names("models/platforms") == Texts{"alpha", "box"});
}

TEST_CASE("a name is a file of the catalogue, anything with a slash or .json is a path") {
  const SmallCatalog files;
  const fs::path box = files.root() / "models/platforms/box.json";

  CHECK(files.catalog().find("models/platforms", "box", "--platform") == box);
  CHECK(files.catalog().find("models/platforms", box.string(), "--platform") == box);
}

TEST_CASE("a job that trains on the first samples only has a data set of that size") {
  const SmallCatalog files;
  JobConfig config = small_config();
  config.learning.train_samples = 40;
  CHECK(load_job(config, files.catalog()).dataset.train_samples == 40);

  config.learning.train_samples = 61;  // more than there are: an error when the data are opened
  CHECK(load_job(config, files.catalog()).dataset.train_samples == 60);
}

TEST_CASE("a job may be given a platform instead of its file") {
  const SmallCatalog files;
  JobConfig config = small_config();
  const Job of_files = load_job(config, files.catalog());
  Platform platform = of_files.platform;
  platform.title = "Another box";
  config.platform = "no-such-file.json";

  const Job job = load_job(config, platform, files.catalog());

  CHECK(job.platform == platform);
  CHECK(job.network.name == of_files.network.name);
  CHECK(job.traces == of_files.traces);
}

TEST_CASE("an unknown name is refused with the closest one, a missing file with its path") {
  const SmallCatalog files;
  JobConfig config = small_config();
  config.platform = "bx";
  CHECK(problems_of_load(config, files) ==
        Texts{"--platform: unknown platform \"bx\"; did you mean \"box\"?"});

  config.platform = "other/cluster.json";
  CHECK(problems_of_load(config, files) == Texts{"--platform: other/cluster.json: no such file"});

  config = small_config();
  config.traces = {"gues"};
  CHECK(problems_of_load(config, files) ==
        Texts{"--trace: unknown trace \"gues\"; did you mean \"guess\"?"});
}

TEST_CASE("without a data set, the only one that the network takes is the job's") {
  const SmallCatalog files;
  JobConfig config = small_config();
  config.dataset.clear();
  CHECK(load_job(config, files.catalog()).dataset.name == "dots");

  files.write("models/datasets/spots.json",
              R"({"schema": "epochcast.dataset/1", "name": "spots", "title": "Spots", "source": )" +
                  kPublished + R"(, "train_samples": 60, "test_samples": 10, "shape": [2],
                  "sample": "2B", "classes": 5})");
  CHECK(problems_of_load(config, files) ==
        Texts{"--dataset: missing; tiny takes samples of 2 (dots, spots)"});
  config.network.clear();
  CHECK(problems_of_load(config, files) ==
        Texts{"--network: missing; `epochcast list networks` lists them",
              "--dataset: missing; `epochcast list datasets` lists them"});
}

TEST_CASE("a network that does not take the samples is refused with the data sets that fit") {
  const SmallCatalog files;
  files.write("models/datasets/spots.json",
              R"({"schema": "epochcast.dataset/1", "name": "spots", "title": "Spots", "source": )" +
                  kPublished + R"(, "train_samples": 60, "test_samples": 10, "shape": [3],
                  "sample": "2B", "classes": 5})");
  JobConfig config = small_config();
  config.dataset = "spots";

  CHECK(problems_of_load(config, files) ==
        Texts{(files.root() / "models/networks/tiny.json").string() +
              ": network tiny has no variant for spots, whose samples are 3; it takes samples of 2 "
              "(dots)"});
}

TEST_CASE("a catalogue without models and traces is refused, and so is one without platforms") {
  const SmallCatalog files;
  const std::string empty = (files.root() / "models").string();
  CHECK(problems_of([&] { Catalog{empty}; }) ==
        Texts{empty + ": has no models/ and traces/; set EPOCHCAST_DATA to the folder that holds "
                      "them"});

  fs::remove_all(files.root() / "models/platforms");
  CHECK(problems_of_load(small_config(), files) ==
        Texts{(files.root() / "models/platforms").string() +
              ": no such folder; set EPOCHCAST_DATA to the folder that holds models/ and traces/"});
}

TEST_CASE("the user's own files are found before catalogue files of the same name") {
  const SmallCatalog files;
  const fs::path own = files.root() / "own";
  files.write("own/models/platforms/box.json", "{}");
  files.write("own/models/platforms/my-box.json", "{}");
  files.write("own/traces/of-something-else.json", "[]");
  const Catalog catalog(files.root(), {own, "nowhere"});

  CHECK(catalog.find("models/platforms", "my-box", "") == own / "models/platforms/my-box.json");
  CHECK(catalog.find("models/platforms", "box", "") == own / "models/platforms/box.json");
  CHECK(catalog.find("models/networks", "tiny", "") == files.root() / "models/networks/tiny.json");
  CHECK(catalog.names("models/platforms") == Texts{"box", "my-box"});
  CHECK(catalog_traces(catalog).size() == 1);
}

TEST_CASE("EPOCHCAST_PATH lists the user's own folders") {
  const SmallCatalog files;
  setenv("EPOCHCAST_DATA", files.root().c_str(), 1);
  setenv("EPOCHCAST_PATH", ("::" + (files.root() / "traces").string() + ":").c_str(), 1);
  const Catalog catalog = Catalog::standard();
  setenv("EPOCHCAST_PATH", "/nowhere", 1);
  const Texts problems = problems_of([] { static_cast<void>(Catalog::standard()); });
  unsetenv("EPOCHCAST_DATA");
  unsetenv("EPOCHCAST_PATH");

  REQUIRE_FALSE(catalog.own().empty());
  CHECK(catalog.own().front() == files.root() / "traces");
  CHECK(problems == Texts{"EPOCHCAST_PATH: /nowhere: no such folder"});
}

TEST_CASE("other JSON among the traces is ignored") {
  const SmallCatalog files;
  for (const char* other : {"[1, 2]", "3", "{}", R"({"schema": 3})", R"({"schema": "x/1"})"}) {
    files.write("traces/other.json", other);

    CHECK(catalog_traces(files.catalog()).size() == 1);
  }
}

TEST_CASE("the trace of the best grade is used if a device has several") {
  const SmallCatalog files;
  files.write("traces/published.json", trace_of("v100", kPublished, 0.1));
  files.write("traces/a-guess-first-by-name.json", trace_of("v100", kEstimated, 0.3));

  const Job job = load_job(small_config(), files.catalog());

  const BatchCost cost = job.cost_of(worker_of("v100"));
  CHECK(cost.grade() == Grade::published);
  CHECK(cost.median(8).total_s() == Approx(0.1));
}

TEST_CASE("--trace restricts the choice to the traces named") {
  const SmallCatalog files;
  files.write("traces/published.json", trace_of("v100", kPublished, 0.1));
  JobConfig config = small_config();
  config.traces = {"guess"};

  const Job job = load_job(config, files.catalog());

  CHECK(job.cost_of(worker_of("v100")).median(8).total_s() == Approx(0.2));
}

TEST_CASE("a device without a trace is reported with the options to add") {
  const SmallCatalog files;
  files.write("traces/second.json", trace_of("a100", kEstimated, 0.1));
  JobConfig config = small_config();
  CHECK(problems_of([&] {
          static_cast<void>(load_job(config, files.catalog()).cost_of(worker_of("h100")));
        }) ==
        Texts{"no trace of the catalogue has costs of tiny with 2 samples on device h100; add a "
              "trace that does, a description of the device (`epochcast list devices` shows those "
              "that there are), or --batch-seconds gpu=TIME"});

  config.traces = {"guess", "second"};
  CHECK(problems_of([&] {
          static_cast<void>(load_job(config, files.catalog()).cost_of(worker_of("h100")));
        }) ==
        Texts{"--trace: none of guess second has costs of tiny with 2 samples on device h100; add "
              "a trace that does, or --batch-seconds gpu=TIME"});
}

/// The trace of a device with another precision than float32.
std::string trace_in(const std::string& precision, const std::string& device, double seconds) {
  return with(trace_of(device, kPublished, seconds),
              R"("input": [2],)",
              R"("input": [2], "precision": ")" + precision + R"(",)");
}

TEST_CASE("a trace serves jobs of its own precision only") {
  const SmallCatalog files;
  files.write("traces/exact.json", trace_of("v100", kPublished, 0.4));
  files.write("traces/half.json", trace_in("float16", "v100", 0.1));
  JobConfig config = small_config();
  config.traces = {"exact", "half"};
  const auto seconds = [&](Precision precision) {
    config.precision = precision;
    const Job job = load_job(config, files.catalog());
    return job.cost_of(worker_of("v100")).median(8).total_s();
  };
  CHECK(seconds(Precision::float16) == Approx(0.1));
  CHECK(seconds(Precision::float32) == Approx(0.4));

  const std::string exact = (files.root() / "traces/exact.json").string();
  const std::string advice =
      " has the cost of tiny on v100 in float32, and the job computes in bfloat16 on all devices; "
      "measure it with `epochcast measure batches --precision bfloat16`, or leave --precision out";
  CHECK(problems_of([&] { static_cast<void>(seconds(Precision::bfloat16)); }) ==
        Texts{"--precision: " + exact + advice});
}

TEST_CASE("devices whose traces are of different precisions are not mixed") {
  const SmallCatalog files;
  const std::string box = R"("devices": [{"class": "gpu", "model": "v100"}])";
  std::ifstream platform(files.root() / "models/platforms/box.json");
  const std::string text((std::istreambuf_iterator<char>(platform)), {});
  files.write("models/platforms/box.json",
              with(text,
                   box,
                   R"("devices": [{"class": "gpu", "model": "v100", "worker": true},
                                  {"class": "cpu", "model": "xeon", "worker": true}],
                      "interconnect": {"topology": "pcie", "bandwidth": "16GBps", "latency": "1us",
                                       "source": {"grade": "published", "reference": "r"}})"));
  files.write("traces/gpu.json", trace_in("float16", "v100", 0.1));
  files.write("traces/cpu.json", trace_of("xeon", kPublished, 0.4));
  JobConfig config = small_config();
  config.traces = {"gpu", "cpu"};
  const Job job = load_job(config, files.catalog());

  CHECK(problems_of([&] { static_cast<void>(job.cost_of(worker_of("v100"))); }) ==
        Texts{"--precision: " + (files.root() / "traces/gpu.json").string() +
              " has the cost of tiny on v100 in float16, and the job computes in float32 on all "
              "devices; measure it with `epochcast measure batches --precision float32`"});
}

TEST_CASE("--batch-seconds replaces traces: by model first, then by class") {
  const SmallCatalog files;
  JobConfig config = small_config();
  config.batch = 8;
  config.batch_seconds = {{"gpu", 0.5}, {"v100", 0.25}};
  const Job job = load_job(config, files.catalog());

  CHECK(job.traces.empty());
  CHECK(job.cost_of(worker_of("v100")).median(8).total_s() == Approx(0.25));
  CHECK(job.cost_of(worker_of("h100")).median(8).total_s() == Approx(0.5));

  WorkerInfo cpu = worker_of("xeon");
  cpu.device_class = "cpu";
  CHECK(problems_of([&] { static_cast<void>(job.cost_of(cpu)); }) ==
        Texts{"--batch-seconds: no value for xeon; add cpu=TIME"});
}

TEST_CASE("a SimGrid XML platform is left for SimGrid to read") {
  const SmallCatalog files;
  files.write("cluster.xml", "<platform/>");
  JobConfig config = small_config();
  config.platform = (files.root() / "cluster.xml").string();

  const Job job = load_job(config, files.catalog());

  CHECK(job.platform.simgrid_xml == config.platform);
  CHECK(job.platform.nodes.empty());
}

TEST_CASE("a model file with the name of a known network uses the user's own traces only") {
  const SmallCatalog files;
  files.write("own/traces/mine.json", trace_of("v100", kEstimated, 0.1));
  const Catalog catalog(files.root(), {files.root() / "own"});
  const auto files_known = [&](const std::string& network, const Texts& traces) {
    Job job = load_job(small_config(), catalog);
    job.traces.clear();
    job.config.network = network;
    job.config.traces = traces;
    load_costs(job, catalog);
    Texts names;
    for (const CostTrace& cost : job.traces) names.push_back(fs::path(cost.file).filename());
    return names;
  };

  CHECK(files_known("tiny", {}) == Texts{"guess.json", "mine.json"});
  CHECK(files_known("tiny.pt", {}) == Texts{"mine.json"});
  CHECK(files_known("tiny.pt", {"guess"}) == Texts{"guess.json"});  // named by the user
}

TEST_CASE("in the catalogue's own folder, traces of the user's models count") {
  const SmallCatalog files;
  Job job = load_job(small_config(), files.catalog());
  job.traces.clear();
  job.config.network = "tiny.pt";
  fs::remove(files.root() / "models/networks/tiny.json");
  load_costs(job, files.catalog());

  CHECK(job.traces.size() == 1);
}

}  // namespace
}  // namespace epochcast::tests
