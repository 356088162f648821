// SPDX-License-Identifier: Apache-2.0
#include "sim/engine.hpp"

#include <xbt/log.h>

#include <simgrid/s4u.hpp>

namespace epochcast::sim {

namespace sg = simgrid::s4u;

sg::Engine& engine() {
  // Options must be set before any platform is built.
  static sg::Engine& instance = []() -> sg::Engine& {
    xbt_log_control_set("xbt_cfg.thres:warning");
    static char name[] = "epochcast";
#ifdef __SANITIZE_ADDRESS__
    // AddressSanitizer supports no stacks but those of threads.
    static char contexts[] = "--cfg=contexts/factory:thread";
    static char* arguments[] = {name, contexts, nullptr};
    static int count = 2;
#else
    static char* arguments[] = {name, nullptr};
    static int count = 1;
#endif
    static sg::Engine made(&count, arguments);
    sg::Engine::set_config("network/model:CM02");
    sg::Engine::set_config("network/crosstraffic:0");
    // No TCP windows. 0 would mean the same, but SimGrid then ignores rates of single messages.
    sg::Engine::set_config("network/TCP-gamma:1e30");
    sg::Engine::set_config("network/weight-S:0");
    // Events closer together than this are one event; the default of 1 ns is as long as a link's
    // latency.
    sg::Engine::set_config("surf/precision:1e-13");
    sg::Engine::set_config("contexts/guard-size:0");
    return made;
  }();
  return instance;
}

}  // namespace epochcast::sim
