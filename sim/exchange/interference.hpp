// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace epochcast::sim {

/// The parts of the cluster that an operation's messages may cross: nodes, and the network between
/// nodes.
struct Footprint {
  std::vector<std::size_t> slots;  ///< node indices; index `nodes` is the network
};

/// Detects simulated and replayed collectives that could share links at the same time.
///
/// A collective whose cost was learned while the links were otherwise idle may be replayed only
/// while they are idle again. If that is violated later, has_conflict() becomes true and the
/// simulation must be repeated without replays.
class Interference {
 public:
  /// `origin_s`: SimGrid's clock at time 0 of the pass.
  explicit Interference(std::size_t nodes, double origin_s = 0);

  /// A message-level simulation begins (at `start_s`, possibly in the future). Returns a token for
  /// end_simulated().
  [[nodiscard]] std::uint64_t begin_simulated(const Footprint& footprint, double start_s);
  /// The simulation ends. Returns whether its links were exclusive, i.e. its cost can be replayed.
  bool end_simulated(const Footprint& footprint, std::uint64_t token, double end_s);
  /// Whether nothing else has used the links since the simulation of this token began.
  [[nodiscard]] bool is_alone(const Footprint& footprint, std::uint64_t token) const;
  /// Claims the links for a replay. Returns false when a simulation uses them: then
  /// simulate.
  [[nodiscard]] bool begin_replay(const Footprint& footprint, double start_s, double end_s);
  /// The same for a replay whose end is not known yet.
  [[nodiscard]] bool begin_replay(const Footprint& footprint, double start_s);
  /// That replay ends.
  void end_replay(const Footprint& footprint, double end_s);

  /// Whether a simulation is using any of the links now.
  [[nodiscard]] bool is_simulating(const Footprint& footprint) const;
  /// Whether nothing uses any link at this time or later.
  [[nodiscard]] bool is_idle_from(double time_s) const;

  [[nodiscard]] bool has_conflict() const { return has_conflict_; }
  void set_conflict() { has_conflict_ = true; }

 private:
  struct Slot {
    int simulations = 0;       ///< in progress
    std::uint64_t begins = 0;  ///< of simulations, in total
    double simulated_until_s = 0;
    int replays = 0;  ///< in progress, of unknown end
    double replayed_until_s = 0;
  };
  [[nodiscard]] std::uint64_t begins(const Footprint& footprint) const;

  double origin_s_;
  std::vector<Slot> slots_;
  bool has_conflict_ = false;
};

}  // namespace epochcast::sim
