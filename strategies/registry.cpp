// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "core/error.hpp"
#include "core/suggest.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {
namespace {

constexpr std::array kStrategies = {
    Strategy{.name = "sync",
             .summary = "synchronous all-reduce of gradients, equal batches",
             .source = "baseline",
             .run = run_sync},
    Strategy{.name = "sync-fastest",
             .summary = "sync among the fastest device class alone",
             .source = "arXiv 2508.08540",
             .participants = Participants::fastest_workers,
             .run = run_sync},
    Strategy{.name = "hetgrad",
             .summary = "batches by speed, gradients weighted by batch (--partition)",
             .source = "HetGrad, J. Supercomputing 2022",
             .divides_by_speed = true,
             .run = run_hetgrad},
    Strategy{.name = "hetgrad-unweighted",
             .summary = "batches by speed, plain mean of gradients (--partition)",
             .source = "HetGrad, J. Supercomputing 2022",
             .divides_by_speed = true,
             .run = run_hetgrad_unweighted},
    Strategy{
        .name = "node-based",
        .summary = "gradients inside nodes, parameters between nodes every K' (--averaging-period)",
        .source = "TNNLS 2023",
        .run = run_node_based},
    Strategy{.name = "local-sgd",
             .summary = "average parameters every H local steps (--local-steps)",
             .source = "Stich, ICLR 2019",
             .run = run_local_sgd},
    Strategy{.name = "unbalanced-local-sgd",
             .summary = "local SGD, slower workers make fewer steps (--local-steps)",
             .source = "arXiv 2508.08540",
             .run = run_unbalanced_local_sgd},
    Strategy{
        .name = "biased-local-sgd",
        .summary =
            "unbalanced, with loss-based sampling and weighted averaging (--alpha, --sampling)",
        .source = "arXiv 2508.08540",
        .run = run_biased_local_sgd},
    Strategy{.name = "byteps",
             .summary = "CPUs sum the gradients that the other devices push (--partition-bytes)",
             .source = "Jiang et al., OSDI 2020",
             .participants = Participants::workers_and_servers,
             .run = run_byteps},
    Strategy{.name = "dlb",
             .summary = "sync, batches rebalanced after every epoch",
             .source = "IEEE TETCI 2023",
             .divides_by_speed = true,
             .run = run_dlb},
};

}  // namespace

std::span<const Strategy> strategies() { return kStrategies; }

const Strategy& find_strategy(std::string_view name) {
  std::vector<std::string> names;
  for (const Strategy& strategy : kStrategies) {
    if (strategy.name == name) return strategy;
    names.emplace_back(strategy.name);
  }
  throw UserError("--strategy: " + unknown_name("strategy", name, names));
}

}  // namespace epochcast
