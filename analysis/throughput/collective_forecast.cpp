// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "analysis/throughput/rows_file.hpp"

namespace epochcast {
namespace {

// Of a nominal rate, where no message was measured.
constexpr double kSocketShare = 0.97;

constexpr double kStartLatencies = 4;

bool is_same_link(const MeasuredMessage& message, const AskedCollective& asked) {
  return message.library == asked.library && message.latency_s == asked.latency_s &&
         message.bytes_per_s == asked.bytes_per_s;
}

/// The line through the shortest and the longest message of the link.
SocketLink fitted_link(double node_bytes_per_s,
                       const std::vector<MeasuredMessage>& messages,
                       const AskedCollective& asked) {
  const MeasuredMessage* shortest = nullptr;
  const MeasuredMessage* longest = nullptr;
  double fastest = 0;
  for (const MeasuredMessage& message : messages) {
    fastest = std::max(fastest, message.bytes / message.seconds);
    if (!is_same_link(message, asked)) continue;
    if (!shortest || message.bytes < shortest->bytes) shortest = &message;
    if (!longest || message.bytes > longest->bytes) longest = &message;
  }
  // TCP's window doubles each round trip: about two of them pass before it fills a link of 100 ms.
  SocketLink link = {.pair_bytes_per_s = kSocketShare * asked.bytes_per_s,
                     .latency_s = asked.latency_s,
                     .start_s = kStartLatencies * asked.latency_s};
  if (shortest && shortest != longest && longest->seconds > shortest->seconds) {
    link.pair_bytes_per_s =
        std::min(asked.bytes_per_s,
                 (longest->bytes - shortest->bytes) / (longest->seconds - shortest->seconds));
    link.start_s = std::max(0.0, shortest->seconds - shortest->bytes / link.pair_bytes_per_s);
  }
  link.sent_bytes_per_s = fastest > 0 ? fastest : kSocketShare * node_bytes_per_s;
  // A shaped link is shaped where it receives.
  link.received_bytes_per_s =
      asked.bytes_per_s < node_bytes_per_s ? link.pair_bytes_per_s : link.sent_bytes_per_s;
  return link;
}

}  // namespace

std::vector<StepForecast> forecast_collectives(double node_bytes_per_s,
                                               const std::vector<MeasuredMessage>& messages,
                                               const std::vector<AskedCollective>& asked) {
  constexpr double kRunError = 0.04;
  std::vector<StepForecast> forecasts;
  for (const AskedCollective& question : asked) {
    const SocketLink usual = fitted_link(node_bytes_per_s, messages, question);
    const auto time_of = [&](const SocketLink& link) {
      return collective_s(question.library, question.kind, question.bytes, question.nodes, link);
    };
    const double usual_s = time_of(usual);
    const auto change_with = [&](auto change) {
      SocketLink link = usual;
      change(link);
      return std::log(time_of(link) / usual_s);
    };
    double square = kRunError * kRunError;
    for (const double change :
         {change_with([](SocketLink& link) { link.pair_bytes_per_s *= 0.95; }),
          change_with([](SocketLink& link) { link.sent_bytes_per_s *= 0.8; }),
          change_with([](SocketLink& link) { link.latency_s *= 1.2; }),
          change_with([](SocketLink& link) { link.latency_s /= 1.2; }),
          change_with([](SocketLink& link) { link.start_s *= 2; })}) {
      square += change * change;
    }
    const double factor = std::exp(k90PercentDeviations * std::sqrt(square));
    forecasts.push_back({.step_s = usual_s, .low_s = usual_s / factor, .high_s = usual_s * factor});
  }
  return forecasts;
}

}  // namespace epochcast
