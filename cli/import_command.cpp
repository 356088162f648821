// SPDX-License-Identifier: Apache-2.0
// `epochcast import`: records of other people's jobs become cost traces.
#include <chrono>
#include <ctime>
#include <iostream>
#include <set>

#include "base/error.hpp"
#include "base/json/json_text.hpp"
#include "base/text/plain_text.hpp"
#include "base/text/shell_text.hpp"
#include "base/text/units.hpp"
#include "cli/commands.hpp"
#include "cli/import_curves.hpp"
#include "cli/import_forecast.hpp"
#include "cli/options/import_options.hpp"
#include "cli/options/job_options.hpp"
#include "core/costs/batch_cost.hpp"
#include "core/formats/cost_trace.hpp"
#include "core/formats/message_trace.hpp"

namespace epochcast {
namespace {

/// "2026-11-21", in UTC.
std::string day_of(double since_1970_s) {
  const auto when = static_cast<std::time_t>(since_1970_s);
  std::tm utc{};
  gmtime_r(&when, &utc);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &utc);
  return text;
}

/// The day on which the file was last written.
std::string day_of(const std::filesystem::path& file) {
  const auto age =
      std::filesystem::file_time_type::clock::now() - std::filesystem::last_write_time(file);
  const auto written = std::chrono::system_clock::now() - age;
  return day_of(std::chrono::duration<double>(written.time_since_epoch()).count());
}

Source source_of(const ImportOptions& options, const ImportedJob& job, const std::string& command) {
  Source source = {.grade = Grade::measured,
                   .machine = options.machine,
                   .date = options.date,
                   .command = command,
                   .versions = job.versions,
                   .note = job.note};
  if (source.date.empty())
    source.date = job.began_s ? day_of(*job.began_s) : day_of(options.settings.files.front());
  return source;
}

CostTrace cost_of(const ImportOptions& options, const ImportedJob& job, const Source& source) {
  CostTrace cost;
  cost.device = options.device;
  cost.network = options.network.name;
  cost.input = options.network.input;
  cost.precision = options.precision;
  cost.batches = job.batches;
  cost.source = source;
  return rounded(std::move(cost));
}

TraceFile cost_trace(const ImportOptions& options, const ImportedJob& job, const Source& source) {
  TraceFile trace = {.name = as_name(options.output.name().stem().string()),
                     .title = options.title.empty() ? "Batches of " + options.network.name +
                                                          " on " + options.device + ", imported"
                                                    : options.title,
                     .device = options.device,
                     .source = source,
                     .costs = {cost_of(options, job, source)}};
  const std::filesystem::path& file = options.output.name();
  if (!options.is_append || !std::filesystem::exists(file)) return trace;
  return merged(load_trace(file), trace, file.string());
}

MessageTrace message_trace(const ImportOptions& options,
                           const ImportedJob& job,
                           const Source& source) {
  return rounded(MessageTrace{.name = as_name(options.messages_output.name().stem().string()),
                              .title = options.title.empty()
                                           ? "All-reduces of " + options.network.name + ", imported"
                                           : options.title,
                              .source = source,
                              .node_of_rank = job.all_reduces.node_of_rank,
                              .costs = job.all_reduces.costs});
}

void check_messages(const ImportOptions& options, const ImportedJob& job) {
  if (!options.messages_output.is_wanted() || !job.all_reduces.costs.empty()) return;
  std::string found = "no all-reduces";
  const AllReduceCosts& all = job.all_reduces;
  if (all.unsized > 0) {
    found = std::to_string(all.unsized) +
            " all-reduces without their size (LibTorch 2.1 writes it, older ones with "
            "record_shapes=True)";
  } else if (all.uncounted > 0) {
    found = std::to_string(all.uncounted) +
            " all-reduces among an unknown number of ranks (import the profiles of all ranks)";
  } else if (all.unmatched > 0) {
    found = std::to_string(all.unmatched) + " all-reduces that are not the same on all ranks";
  } else if (all.partial > 0) {
    found = std::to_string(all.partial) + " all-reduces among some ranks only";
  }
  throw UserError("--messages-output: got " + found + "; expected all-reduces of the whole job");
}

/// Samples of all ranks.
BatchSamples pooled(const std::vector<BatchSamples>& batches, std::int64_t batch) {
  BatchSamples all;
  const auto add = [](std::vector<double>& to, const std::vector<double>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (const BatchSamples& samples : batches) {
    if (samples.batch != batch) continue;
    all.batch = batch;
    add(all.total_s, samples.total_s);
    add(all.load_s, samples.load_s);
    add(all.forward_s, samples.forward_s);
    add(all.backward_s, samples.backward_s);
    add(all.step_s, samples.step_s);
  }
  return all;
}

void show_batch(std::ostream& out, const BatchSamples& batch, const ImportOptions& options) {
  const auto median = [](const std::vector<double>& samples_s) {
    return format_seconds(median_of(samples_s));
  };
  out << "batch " << batch.batch << " of " << options.network.name << " on " << options.device
      << ": median " << median(batch.total_s) << " of " << batch.total_s.size() << '\n';
  if (batch.load_s.empty()) return;
  out << "  load " << median(batch.load_s) << ", forward " << median(batch.forward_s)
      << ", backward " << median(batch.backward_s) << ", step " << median(batch.step_s) << '\n';
}

void show_summary(std::ostream& out, const ImportOptions& options, const ImportedJob& job) {
  for (const std::string& finding : job.findings) out << finding << '\n';
  std::set<std::int64_t> sizes;
  for (const BatchSamples& samples : job.batches) sizes.insert(samples.batch);
  for (const std::int64_t size : sizes) show_batch(out, pooled(job.batches, size), options);
  for (const MessageCost& cost : job.all_reduces.costs) {
    out << "all-reduce of " << cost.bytes << " B by " << cost.algorithm << " ("
        << (cost.scope == "all" ? "all ranks" : "ranks of a node") << "): " << cost.samples_s.size()
        << ", median " << format_seconds(median_of(cost.samples_s)) << '\n';
  }
  const AllReduceCosts& all = job.all_reduces;
  const auto left_out = [&out](std::int64_t count, const char* why) {
    if (count > 0) out << "left out: " << count << " all-reduces " << why << '\n';
  };
  left_out(all.unsized, "whose size the profile does not contain (record_shapes=True)");
  left_out(all.uncounted, "among an unknown number of ranks (import the profiles of all)");
  left_out(all.unmatched, "that are not the same in the profiles of all ranks");
  left_out(all.partial, "among neither all ranks nor those of a node");
}

void show_written(std::ostream& out, const ImportOptions& options) {
  std::string written;
  for (const OutputFile* file : {&options.output, &options.messages_output}) {
    if (file->is_wanted()) written += (written.empty() ? "" : " and ") + file->name().string();
  }
  if (!written.empty()) out << "wrote " << written << '\n';
}

/// Shows values that no profile contains.
void show_assumptions(std::ostream& out, const ForecastRequest& request) {
  if (request.are_samples_given) return;
  out << "an epoch is taken to have " << request.dataset.train_samples
      << " samples (--dataset or --train-samples sets another number)\n";
}

/// Platforms of the catalogue have other devices: the trace needs a platform of the user's own.
bool is_known_device(const Catalog& catalog, const std::string& device) {
  for (const std::string& name : catalog.names("models/platforms")) {
    const Platform platform = load_platform(catalog.find("models/platforms", name, "import"));
    for (const NodeGroup& node : platform.nodes) {
      for (const DeviceGroup& group : node.devices) {
        if (group.model == device) return true;
      }
    }
  }
  return false;
}

}  // namespace

int run_import(const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments.front() == "curves")
    return run_import_curves({arguments.begin() + 1, arguments.end()});
  const Catalog catalog = Catalog::standard();
  const ImportOptions options = parse_import_options(arguments, catalog);
  if (options.forecast) check_forecast(options);
  const ImportedJob job = import_job(options.settings);
  check_messages(options, job);
  if (options.forecast) check_records(options, job);
  std::vector<std::string> command = {"epochcast", "import"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const Source source = source_of(options, job, shell_text(command));
  if (options.output.is_wanted())
    options.output.write(json_text(to_json(cost_trace(options, job, source))));
  if (options.messages_output.is_wanted())
    options.messages_output.write(json_text(to_json(message_trace(options, job, source))));
  // With a machine-readable format, only the forecast is printed.
  const bool is_read = options.forecast && options.forecast->format != Format::table;
  std::ostream& out = is_read ? std::cerr : std::cout;
  show_summary(out, options, job);
  show_written(out, options);
  if (options.forecast) {
    show_assumptions(out, *options.forecast);
    out << std::endl;
    forecast_imported(options, job, cost_of(options, job, source), shell_text(command));
    return 0;
  }
  if (!is_known_device(catalog, options.device)) {
    std::cout << "no platform of `epochcast list platforms` has a device \"" << options.device
              << "\"; one of yours must, for simulate to use this trace\n";
  }
  return 0;
}

}  // namespace epochcast
