// SPDX-License-Identifier: Apache-2.0
#include "rehearse/time/rehearsed_time.hpp"

#include <algorithm>

#include "rehearse/time/sequence_fabric.hpp"
#include "rehearse/time/sequence_learner.hpp"
#include "strategies/summary.hpp"

namespace epochcast {
namespace {

double bytes_of(const std::vector<WorkerReport>& reports) {
  double bytes = 0;
  for (const WorkerReport& report : reports)
    bytes += report.traffic.intra_node_bytes + report.traffic.inter_node_bytes;
  return bytes;
}

}  // namespace

RehearsedTime::RehearsedTime(sim::SimulatedJob& simulated, const Curve& known) {
  run(simulated, known);
}

void RehearsedTime::run(sim::SimulatedJob& simulated, const Curve& known) {
  const std::size_t workers = simulated.workers().size();
  std::vector<std::vector<std::string>> until;  // checksums, by epoch and rank
  const CostDraw draw = simulated.draw();
  std::vector<Sequence> sequences;
  const auto program = [&](Fabric& inner) {
    const auto rank = static_cast<std::size_t>(inner.rank());
    SequenceFabric fabric(inner, sequences[rank]);
    CostLearner time = simulated.learner(inner, draw);
    SequenceLearner learner(time, sequences[rank], known);
    Worker worker = simulated.worker(fabric, learner);
    worker.after_epoch = [&](std::int64_t epoch) {
      const auto index = static_cast<std::size_t>(epoch);
      if (reports_.size() <= index) {
        reports_.resize(index + 1, std::vector<WorkerReport>(workers));
        until.resize(index + 1, std::vector<std::string>(workers));
      }
      reports_[index][rank] = worker.report;
      until[index][rank] = sequences[rank].checksum();
      // Before its test, a model gets the mean of its BatchNorm statistics.
      const std::int64_t statistics = simulated.job().network.buffers;
      if (statistics == 0 || worker.report.has_own_model) return;
      fabric.add_untimed_all_reduce({.element = Element::float32, .count = statistics},
                                    static_cast<double>(worker.report.batch),
                                    fabric.world());
    };
    simulated.strategy().run(worker);
    reports_.back()[rank] = worker.report;
  };
  do {
    sequences = std::vector<Sequence>(workers);
    reports_.clear();
    until.clear();
  } while (!simulated.runtime().run_pass(program, {.is_noisy = draw.seed.has_value()}));
  Sequence all;
  for (const Sequence& one : sequences) all.add(one.checksum());
  follows_losses_ = std::ranges::any_of(sequences, &Sequence::follows_losses);
  if (follows_losses_) all.add("losses");
  sequence_ = all.checksum();
  for (const std::vector<std::string>& of_ranks : until) {
    Digest beginning;
    for (const std::string& one : of_ranks) beginning.add(one);
    beginnings_.push_back(beginning.text());
  }
  for (const Sequence& one : sequences) {
    if (one.known_epochs() < static_cast<std::int64_t>(beginnings_.size()))
      beginnings_.resize(static_cast<std::size_t>(one.known_epochs()));
  }
  if (std::ranges::any_of(sequences, &Sequence::follows_arrivals)) {
    reason_ = "the order of its updates follows the cluster's seconds";
  }
}

const std::vector<WorkerReport>& RehearsedTime::reports(std::int64_t epochs) const {
  return reports_.at(static_cast<std::size_t>(epochs - 1));
}

CurvePoint RehearsedTime::timed(CurvePoint point) const {
  const std::vector<WorkerReport>& now = reports(point.epoch);
  const double before_s = point.epoch > 1 ? reports(point.epoch - 1).front().training_s : 0;
  point.training_s = now.front().training_s;
  point.epoch_s = point.training_s - before_s;
  point.bytes_sent = bytes_of(now);
  return point;
}

RunResult rehearsed_result(const sim::SimulatedJob& simulated,
                           const std::vector<WorkerReport>& reports,
                           const std::vector<std::string>& about_learning) {
  RunResult result = simulated.result(Command::rehearse);
  result.epochs = reports.front().epochs;
  result.iterations_per_epoch = reports.front().iterations_per_epoch;
  result.rounds_per_epoch = reports.front().rounds_per_epoch;
  add_reports(result, simulated.workers(), reports, 1);
  const Job& job = simulated.job();
  sim::add_notes(result, simulated.workers(), reports, simulated.costs(), job.config);
  add_asynchrony_note(result);
  if (const std::string note = class_note(job.network, job.dataset); !note.empty())
    result.notes.push_back(note);
  result.notes.insert(result.notes.end(), about_learning.begin(), about_learning.end());
  return result;
}

}  // namespace epochcast
