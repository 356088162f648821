// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/throughput/collective_time.hpp"
#include "analysis/throughput/training_job.hpp"

namespace epochcast {

/// Names of choices in rows files and options.
template <typename Value>
struct RowName {
  const char* name;
  Value value;
};

inline constexpr RowName<Transport> kTransportNames[] = {
    {"rdma", Transport::rdma}, {"staged", Transport::staged}, {"tcp", Transport::tcp}};
inline constexpr RowName<Exchange> kExchangeNames[] = {
    {"none", Exchange::none},
    {"ring", Exchange::ring},
    {"nccl", Exchange::nccl},
    {"byteps", Exchange::byteps},
    {"parameter-server", Exchange::parameter_server},
    {"grpc", Exchange::grpc},
    {"peer", Exchange::peer}};
inline constexpr RowName<PeerGraph> kGraphNames[] = {{"directed", PeerGraph::directed},
                                                     {"pairs", PeerGraph::pairs},
                                                     {"node-pairs", PeerGraph::node_pairs}};
inline constexpr RowName<GradientOverlap> kOverlapNames[] = {
    {"none", GradientOverlap::none},
    {"bucket", GradientOverlap::bucket},
    {"tensor", GradientOverlap::tensor},
    {"priority", GradientOverlap::priority},
    {"unknown", GradientOverlap::unknown}};
inline constexpr RowName<CollectiveLibrary> kLibraryNames[] = {{"nccl", CollectiveLibrary::nccl},
                                                               {"gloo", CollectiveLibrary::gloo}};
inline constexpr RowName<CollectiveKind> kCollectiveNames[] = {
    {"all-reduce", CollectiveKind::all_reduce},
    {"broadcast", CollectiveKind::broadcast},
    {"reduce", CollectiveKind::reduce},
    {"all-gather", CollectiveKind::all_gather},
    {"all-to-all", CollectiveKind::all_to_all},
    {"central-server", CollectiveKind::central_server},
    {"sharded-servers", CollectiveKind::sharded_servers}};

}  // namespace epochcast
