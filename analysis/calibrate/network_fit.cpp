// SPDX-License-Identifier: Apache-2.0
#include "analysis/calibrate/network_fit.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "analysis/calibrate/fit_warnings.hpp"
#include "base/error.hpp"

namespace epochcast {
namespace {

constexpr std::size_t kFewestSizes = 3;
constexpr double kLeastSpread = 0.01;  // the smallest assumed uncertainty of a median

double weight_of(const MessagePoint& point) {
  const double of_median = point.relative_spread / std::sqrt(point.samples);
  return 1 / (point.seconds * std::max(of_median, kLeastSpread));
}

struct Means {
  double weights = 0;  ///< their sum
  double bytes = 0;
  double seconds = 0;
};

Means weighted_means(const std::vector<MessagePoint>& points) {
  Means means;
  for (const MessagePoint& point : points) {
    const double weight = std::pow(weight_of(point), 2);
    means.weights += weight;
    means.bytes += weight * point.bytes;
    means.seconds += weight * point.seconds;
  }
  means.bytes /= means.weights;
  means.seconds /= means.weights;
  return means;
}

/// Seconds per byte of the line with the least sum of squared relative errors and no negative
/// latency.
double slope_of_line(const std::vector<MessagePoint>& points) {
  const Means means = weighted_means(points);
  double covariance = 0;
  double variance = 0;
  for (const MessagePoint& point : points) {
    const double weight = std::pow(weight_of(point), 2);
    covariance += weight * (point.bytes - means.bytes) * (point.seconds - means.seconds);
    variance += weight * std::pow(point.bytes - means.bytes, 2);
  }
  const double slope = variance > 0 ? covariance / variance : means.seconds / means.bytes;
  if (slope * means.bytes <= means.seconds) return slope;
  // Through the origin.
  return (covariance + means.weights * means.bytes * means.seconds) /
         (variance + means.weights * means.bytes * means.bytes);
}

std::vector<FitPoint> fitted(const std::vector<MessagePoint>& points, const MessageCosts& costs) {
  std::vector<FitPoint> with_fit;
  with_fit.reserve(points.size());
  for (const MessagePoint& point : points)
    with_fit.push_back({point.bytes, point.seconds, costs.message_s(point.bytes)});
  return with_fit;
}

struct Scope {
  std::string name;  ///< "messages between nodes"
  std::string pair;  ///< scope of ping-pongs
  std::string ring;  ///< of ring steps
};

std::optional<ScopeFit> fit_scope(const MessageTrace& trace, const Scope& scope) {
  const std::vector<MessagePoint> alone = points_of(trace, "ping-pong", scope.pair);
  const std::vector<MessagePoint> busy = points_of(trace, "ring-step", scope.ring);
  if (alone.empty()) return std::nullopt;
  for (const auto* points : {&alone, &busy}) {
    if (points->empty() || points->size() >= kFewestSizes) continue;
    throw UserError(trace.file + ": has messages of " + std::to_string(points->size()) +
                    " sizes (" + scope.pair + "); expected at least " +
                    std::to_string(kFewestSizes));
  }
  ScopeFit fit;
  const std::vector<MessagePoint>& points = busy.empty() ? alone : busy;
  fit.bytes_per_s = fastest_of(points);
  fit.costs.regimes = {fit_line(points, fit.bytes_per_s)};
  fit.ping_pong = fitted(alone, fit.costs);
  fit.ring_step = fitted(busy, fit.costs);
  for (const auto* measured : {&alone, &busy}) {
    for (const MessagePoint& point : *measured) fit.stalls += point.stalls;
  }
  check_fit(trace.file + ": " + scope.name, points, fit.costs);
  fit.costs.uncertainty = uncertainty_of(points, fit.costs);
  fit.costs.notes = warnings_of(scope.name, points);

  return fit;
}

using Seconds = double MessagePoint::*;

/// The bandwidth of a large message without latency, if two sizes or more were measured.
double slope_of(const std::vector<MessagePoint>& points, Seconds seconds) {
  const MessagePoint& large = points.back();
  const MessagePoint& small = points.front();
  if (points.size() < 2 || large.*seconds <= small.*seconds) return large.bytes / large.*seconds;
  return (large.bytes - small.bytes) / (large.*seconds - small.*seconds);
}

/// The bandwidth of each node's link: the largest of its pairs, its ring, and its exchanges with
/// all others at once, by their usual `seconds` or their least ones.
std::vector<double> links_by(const MessageTrace& trace, const NetworkFit& fit, Seconds seconds) {
  std::vector<double> links(static_cast<std::size_t>(trace.node_count()), fit.between->bytes_per_s);
  // Pairs and hubs have few samples of one or two sizes: they only distinguish links.
  for (const char* kind : {"opposite", "hub-step"}) {
    for (const std::vector<int>& nodes : nodes_of(trace, kind)) {
      const std::vector<MessagePoint> points = points_of(trace, kind, "between", nodes);
      if (points.empty()) continue;
      const double bytes_per_s = slope_of(points, seconds);
      for (const int node : nodes) {
        double& link = links[static_cast<std::size_t>(node)];
        if (bytes_per_s > kEqualLinks * link) link = bytes_per_s;
      }
    }
  }
  return links;
}

bool are_equal(const std::vector<double>& links) {
  const auto [least, most] = std::minmax_element(links.begin(), links.end());
  return *most <= kEqualLinks * *least;
}

/// The bandwidth of each node's link. Empty without measurements, or if it is the same for all:
/// links differ only if messages differ regardless of load, since load does not affect every
/// message.
std::vector<double> fit_links(const MessageTrace& trace, const NetworkFit& fit) {
  const bool is_measured =
      !nodes_of(trace, "opposite").empty() || !nodes_of(trace, "hub-step").empty();
  if (!fit.between || !is_measured) return {};
  std::vector<double> links = links_by(trace, fit, &MessagePoint::seconds);
  if (are_equal(links) || are_equal(links_by(trace, fit, &MessagePoint::least_s))) return {};
  return links;
}

}  // namespace

MessageRegime fit_line(const std::vector<MessagePoint>& points, double fastest) {
  std::vector<MessagePoint> large;
  std::copy_if(points.begin(), points.end(), std::back_inserter(large), [](const auto& point) {
    return point.bytes >= kLargeMessageBytes;
  });
  // Relative errors would let the smallest messages determine the bandwidth.
  const double s_per_byte =
      std::max(slope_of_line(large.size() >= kFewestSizes ? large : points), 1 / fastest);
  const Means means = weighted_means(points);
  return {.latency_s = std::max(0.0, means.seconds - s_per_byte * means.bytes),
          .bytes_per_s = 1 / s_per_byte};
}

double fastest_of(const std::vector<MessagePoint>& points) {
  // Two sizes on a noisy link may give any slope.
  double fastest = points.size() >= kFewestSizes ? fit_line(points).bytes_per_s : 0;
  for (const MessagePoint& point : points) {
    if (point.bytes >= std::min(kLargeMessageBytes, points.back().bytes))
      fastest = std::max(fastest, point.bytes / point.seconds);
  }
  return fastest;
}

namespace {

void note_measured_on(NetworkFit& fit, const MessageTrace& trace) {
  MeasuredOn measured_on = {.nodes = trace.node_count(), .ranks_per_node = 1};
  for (int node = 0; node < measured_on.nodes; ++node) {
    const auto ranks = std::count(trace.node_of_rank.begin(), trace.node_of_rank.end(), node);
    measured_on.ranks_per_node = std::max(measured_on.ranks_per_node, static_cast<int>(ranks));
  }
  if (fit.between) fit.between->costs.measured_on = measured_on;
  if (fit.node) fit.node->costs.measured_on = measured_on;
}

}  // namespace

NetworkFit fit_network(const MessageTrace& trace) {
  const int nodes = trace.node_count();
  check_times(trace);
  NetworkFit fit;
  fit.between =
      fit_scope(trace, {.name = "messages between nodes", .pair = "between", .ring = "all"});
  fit.node = fit_scope(
      trace, {.name = "messages inside nodes", .pair = "node", .ring = nodes > 1 ? "node" : "all"});
  fit.link_bytes_per_s = fit_links(trace, fit);
  const std::vector<MessagePoint> reduce = points_of(trace, "reduce", "all");
  note_measured_on(fit, trace);
  if (!reduce.empty()) fit.reduce_bytes_per_s = reduce.back().bytes / reduce.back().seconds;
  if (!fit.between && !fit.node)
    throw UserError(trace.file +
                    ": has no ping-pong; expected a trace of epochcast measure messages");
  return fit;
}

}  // namespace epochcast
