// SPDX-License-Identifier: Apache-2.0
#include "cli/options/measure_flags.hpp"

#include <boost/program_options/value_semantic.hpp>

#include "cli/options/run_flags.hpp"
#include "cli/options/sampling_options.hpp"
#include "compression/compression.hpp"

namespace epochcast {
namespace {

namespace po = boost::program_options;

using Words = std::vector<std::string>;

auto* text_named(const char* name) { return po::value<std::string>()->value_name(name); }
auto* text_named(const char* name, const char* fallback) {
  return text_named(name)->default_value(fallback);
}
auto* texts_named(const char* name) { return po::value<Words>()->composing()->value_name(name); }

real::SamplingRule message_rule() {
  real::SamplingRule rule;
  rule.warmup = 3;
  rule.min_samples = 10;
  rule.max_samples = 1000;
  rule.max_s = 5;
  rule.confidence_width = 0.05;
  return rule;
}

/// Adds the flags of the trace's origin.
void add_trace_flags(po::options_description& options) {
  options.add_options()("machine",
                        text_named("TEXT"),
                        "description of the machine (default: processor, cores, hypervisor)")(
      "title", text_named("TEXT"), "the trace's title");
}

void add_batch_job(po::options_description& options) {
  options.add_options()(
      "network",
      texts_named("NAME|FILE,..."),
      "networks, from `list networks` or model files, repeated or separated by commas")(
      "dataset",
      text_named("NAME|FILE|FOLDER"),
      "data set that decides the samples' shape and the classes: from `list datasets`, a file or a "
      "folder (default: what --data names, else cifar10)")(
      "data",
      text_named("FOLDER|procedural"),
      "the data set's folder, or procedural: samples of its shape computed from the seed; loading "
      "them is part of a batch, as in training (default: what --dataset names, else procedural)")(
      "sequence",
      text_named("COUNT"),
      "cut rows of tokens (train.bin, val.bin) into samples of so many, as `train` does")(
      "image-size",
      text_named("COUNT"),
      "side of the samples that are cut out of a folder of images, as `train` does")(
      "loss",
      text_named("NAME"),
      "minimised function, as in `train`: auto, cross-entropy, mse, ...")(
      "optimizer",
      text_named("NAME"),
      "whose steps are part of a batch: sgd, adamw, ... (default: sgd)")(
      "clip-norm", text_named("NUMBER"), "scale gradients down to this norm before a step")(
      "augment", text_named("on|off", "on"), "crop and flip images at random, as training does")(
      "batch", texts_named("SIZE,..."), "batch sizes, repeated or separated by commas");
}

void add_batch_device(po::options_description& options) {
  options.add_options()("ranks",
                        text_named("COUNT", "1"),
                        "processes that measure at the same time, as they train at the same time")(
      "device", text_named("cpu|cuda:N", "cpu"), "what computes")(
      "threads", text_named("COUNT", "1"), "CPU threads")(
      "precision",
      text_named("NAME", "float32"),
      "what batches are computed in, as in `train`: float32, tf32, float16 or bfloat16; the trace "
      "records it, and serves forecasts of this precision only")(
      "device-name",
      text_named("MODEL"),
      "the trace's `device`, a platform's device model; for a CPU by default its name and the "
      "threads");
  add_trace_flags(options);
  options.add_options()("seed", text_named("SEED", "1"), "seed of samples and parameters")(
      "slow-down",
      text_named("NAME=FACTOR,..."),
      "by class (cpu, gpu), device name or rank, as in `train`: a device whose batches take so "
      "many times as long, by sleeping; its trace is written beside the other, "
      "FILE-slowed-3x.json");
}

/// The methods to measure, and their settings but those of warm-up.
void add_compressions(po::options_description& options) {
  options.add_options()("compression",
                        texts_named("NAME,..."),
                        "also measure how long compressing gradients takes, for these methods of "
                        "`list compressions`, or all");
  for (const StrategySetting* setting : kernel_settings()) {
    options.add_options()(std::string(setting->name).c_str(),
                          text_named(std::string(setting->value_name).c_str(),
                                     std::string(setting->fallback).c_str()),
                          ("for --compression: " + std::string(setting->help)).c_str());
  }
}

}  // namespace

po::options_description batch_flags() {
  po::options_description options;
  options.add_options()("help,h", "this text");
  add_batch_job(options);
  options.add_options()("output", text_named("FILE"), "trace file to write")(
      "append",
      text_named("FILE"),
      "trace file to add a session to (or to create), instead of --output");
  add_batch_device(options);
  add_sampling_options(options, real::SamplingRule{}, "batches");
  options.add_options()("layers-batch",
                        text_named("SIZE"),
                        "batch size at which the layers' shares of the backward pass are "
                        "measured (default: the middle one; 0: not at all)")(
      "overlap",
      text_named("NAME"),
      "all-reduce, from `list collectives`, for which to measure how much batches and exchanges "
      "slow each other down while they overlap; or none (default: ring, with several ranks)")(
      "bucket",
      text_named("BYTES", "4MB"),
      "bytes of each of these exchanges, of the gradients at most")(
      "drop-preempted",
      "measure a batch again when another process took more than 3 % of its time (CPU only)");
  add_compressions(options);
  return options;
}

po::options_description message_flags() {
  po::options_description options;
  options.add_options()("help,h", "this text")("output", text_named("FILE"), "trace file to write")(
      "bytes",
      texts_named("BYTES,..."),
      "message sizes, repeated or separated by commas (default: 1 B to 64 MiB in powers of 4)")(
      "all-reduce",
      texts_named("NAME,..."),
      "all-reduce algorithms, from `list collectives`, repeated or separated by commas (default: "
      "ring, recursive-doubling, rabenseifner, openmpi)")(
      "ranks-per-node",
      text_named("COUNT", "0"),
      "treat every so many ranks of a machine as a node of their own (0: all that share memory "
      "are one node)");
  add_trace_flags(options);
  add_sampling_options(options, message_rule(), "samples");
  return options;
}

CommandHelp measure_help() {
  HelpGroup batches = help_group("measure batches", batch_flags());
  HelpGroup messages = help_group("measure messages", message_flags());
  batches.word = "batches";
  messages.word = "messages";
  std::erase_if(batches.options, [](const OptionHelp& option) { return option.name == "ranks"; });
  HelpGroup where = help_group("Where", mpirun_flags());
  where.options.insert(where.options.begin(),
                       {.name = "ranks",
                        .value = "COUNT",
                        .help = "processes that measure together, which mpirun starts (default: 1 "
                                "of batches, 2 of messages, or as many as --hosts have room for)"});
  return {.usage = "batches|messages [OPTIONS]",
          .about =
              "Writes a cost trace of batches, or a message trace, that forecasts are made of and "
              "`epochcast calibrate` reads.",
          .groups = {std::move(batches), std::move(messages), std::move(where)},
          .most_used = {"network",
                        "dataset",
                        "batch",
                        "bytes",
                        "output",
                        "device",
                        "device-name",
                        "ranks",
                        "hosts"},
          .examples = {"epochcast measure batches --network resnet20 --batch 8,32,128 --output "
                       "my-cpu.json",
                       "epochcast measure messages --hosts left,right --output my-links.json"}};
}

}  // namespace epochcast
