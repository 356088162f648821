// SPDX-License-Identifier: Apache-2.0
#include "compression/all_to_all.hpp"

namespace epochcast {

std::vector<Request> start_all_to_all(Fabric& fabric,
                                      const Communicator& among,
                                      const std::vector<Payload>& to,
                                      const std::vector<Payload>& from) {
  const int members = among.size();
  const int self = among.member_of(fabric.rank());
  std::vector<Request> requests;
  for (int distance = 1; distance < members; ++distance) {
    const auto source = static_cast<std::size_t>((self + members - distance) % members);
    const auto target = static_cast<std::size_t>((self + distance) % members);
    requests.push_back(fabric.start_receive(among.ranks[source], from[source]));
    requests.push_back(fabric.start_send(among.ranks[target], to[target]));
  }
  return requests;
}

}  // namespace epochcast
