// SPDX-License-Identifier: Apache-2.0
#include "analysis/calibrate/network_fit.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/calibrate/fit_doubts.hpp"
#include "core/error.hpp"

namespace epochcast {
namespace {

constexpr std::size_t kFewestSizes = 3;
constexpr double kLeastSpread = 0.01;  // medians are not known better than this

struct Line {
  double latency_s = 0;
  double s_per_byte = 0;
  double misfit = 0;  ///< sum of squares, in units of the points' spreads
};

double weight_of(const MessagePoint& point) {
  const double of_median = point.relative_spread / std::sqrt(point.samples);
  return 1 / (point.seconds * std::max(of_median, kLeastSpread));
}

/// The line through points [begin, end) with the least misfit of those that begin at or above 0 and
/// rise by `least_s_per_byte` or more.
Line fit_line(const std::vector<MessagePoint>& points,
              std::size_t begin,
              std::size_t end,
              double least_s_per_byte) {
  const auto count = static_cast<Eigen::Index>(end - begin);
  Eigen::MatrixX2d terms(count, 2);
  Eigen::VectorXd seconds(count);
  for (Eigen::Index row = 0; row < count; ++row) {
    const MessagePoint& point = points[begin + static_cast<std::size_t>(row)];
    const double weight = weight_of(point);
    terms.row(row) << weight, weight * point.bytes;
    seconds[row] = weight * point.seconds;
  }
  Line line;
  Eigen::Vector2d found = Eigen::Vector2d::Zero();
  if (count > 1) found = terms.colPivHouseholderQr().solve(seconds);
  if (count == 1 || found[0] < 0)
    found = {0, terms.col(1).dot(seconds) / terms.col(1).squaredNorm()};
  if (found[1] < least_s_per_byte) {
    const Eigen::VectorXd rest = seconds - least_s_per_byte * terms.col(1);
    found = {std::max(0.0, terms.col(0).dot(rest) / terms.col(0).squaredNorm()), least_s_per_byte};
  }
  line.latency_s = found[0];
  line.s_per_byte = found[1];
  line.misfit = (terms * Eigen::Vector2d(line.latency_s, line.s_per_byte) - seconds).squaredNorm();
  return line;
}

/// Where one line goes over into the next: where they cross if that is between the points that they
/// were fitted to, else at the later one.
double breakpoint(const Line& below, double last, const Line& above, double first) {
  const double slopes = below.s_per_byte - above.s_per_byte;
  const double crossing = slopes == 0 ? first : (above.latency_s - below.latency_s) / slopes;
  return std::round(crossing > last && crossing < first ? crossing : first);
}

std::vector<FitPoint> fitted(const std::vector<MessagePoint>& points, const MessageCosts& costs) {
  std::vector<FitPoint> with_fit;
  with_fit.reserve(points.size());
  for (const MessagePoint& point : points)
    with_fit.push_back({point.bytes, point.seconds, costs.message_s(point.bytes)});
  return with_fit;
}

struct Scope {
  std::string name;             ///< "messages between nodes"
  std::string pair;             ///< scope of ping-pongs
  std::string ring;             ///< of ring steps and barriers
  int members = 2;              ///< of the ring
  std::vector<int> nodes = {};  ///< of just these, where links of single nodes were measured
};

std::optional<ScopeFit> fit_scope(const MessageTrace& trace, const Scope& scope) {
  const std::vector<MessagePoint> alone = points_of(trace, "ping-pong", scope.pair, scope.nodes);
  const std::vector<MessagePoint> busy = points_of(trace, "ring-step", scope.ring, scope.nodes);
  if (alone.empty() && (busy.empty() || scope.nodes.empty())) return std::nullopt;
  for (const auto* points : {&alone, &busy}) {
    if (points->empty() || points->size() >= kFewestSizes) continue;
    throw UserError(trace.file + ": has messages of " + std::to_string(points->size()) +
                    " sizes (" + scope.pair + "); expected at least " +
                    std::to_string(kFewestSizes));
  }
  ScopeFit fit;
  fit.bytes_per_s = fastest_of(busy.empty() ? alone : busy);
  if (!alone.empty()) {
    const std::vector<MessageRegime> regimes = fit_regimes(alone, fastest_of(alone));
    fit.ping_pong = fitted(alone, {.regimes = regimes});
    fit.costs.regimes = regimes;
  }
  if (!busy.empty()) {
    fit.costs.regimes = fit_regimes(busy, fit.bytes_per_s);
    fit.ring_step = fitted(busy, fit.costs);
  }
  for (const auto* points : {&alone, &busy}) {
    for (const MessagePoint& point : *points) fit.stalls += point.stalls;
  }
  const std::vector<MessagePoint>& points = busy.empty() ? alone : busy;
  check_fit(trace.file + ": " + scope.name, points, fit.costs);
  fit.costs.uncertainty = uncertainty_of(points, fit.costs);
  fit.costs.notes = doubts_of(scope.name, points);

  const std::vector<MessagePoint> barrier = points_of(trace, "barrier", scope.ring, scope.nodes);
  if (!barrier.empty())
    fit.costs.barrier_round_s = barrier.front().seconds / std::ceil(std::log2(scope.members));
  return fit;
}

/// What a large message gets: the geometric mean over sizes.
double usual_rate_of(const std::vector<MessagePoint>& points) {
  double sum = 0;
  double count = 0;
  for (const MessagePoint& point : points) {
    if (point.bytes < std::min(kLargeMessageBytes, points.back().bytes)) continue;
    sum += std::log(point.bytes / point.seconds);
    ++count;
  }
  return std::exp(sum / count);
}

/// What ring steps between nodes shared, if that and not the links limited large messages: then
/// `fit` is made again, of opposite messages where these are large.
std::optional<Backbone> fit_backbone(const MessageTrace& trace, ScopeFit& fit) {
  const std::vector<MessagePoint> alone = points_of(trace, "opposite", "between");
  std::vector<MessagePoint> points = points_of(trace, "ring-step", "all");
  const auto ranks = trace.node_of_rank.size();
  double crossing = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    crossing += trace.node_of_rank[rank] != trace.node_of_rank[(rank + 1) % ranks] ? 1 : 0;
  // Of two nodes, a ring's messages are a pair of opposite ones themselves.
  if (trace.node_count() < 3 || alone.size() < kFewestSizes || points.size() < kFewestSizes)
    return std::nullopt;
  const double ring_bytes_per_s = usual_rate_of(points);
  if (usual_rate_of(alone) <= kEqualLinks * ring_bytes_per_s) return std::nullopt;
  const Backbone backbone = {.bytes_per_s = crossing * ring_bytes_per_s,
                             .ring_bytes_per_s = ring_bytes_per_s,
                             .nodes = trace.node_count()};
  std::erase_if(points, [](const auto& point) { return point.bytes >= kLargeMessageBytes; });
  for (const MessagePoint& point : alone) {
    if (point.bytes >= kLargeMessageBytes) points.push_back(point);
  }
  fit.bytes_per_s = fastest_of(alone);
  fit.costs.regimes = fit_regimes(points, fit.bytes_per_s);
  fit.costs.uncertainty = std::max(fit.costs.uncertainty, uncertainty_of(points, fit.costs));
  for (FitPoint& step : fit.ring_step) {
    step.fitted_s =
        std::max(fit.costs.message_s(step.bytes), crossing * step.bytes / backbone.bytes_per_s);
  }
  return backbone;
}

/// Rings of some nodes only, from the most to the fewest nodes.
std::vector<FasterNodes> fit_faster(const MessageTrace& trace) {
  std::vector<FasterNodes> faster;
  for (const std::vector<int>& nodes : nodes_of(trace, "ring-step")) {
    const auto members =
        std::count_if(trace.node_of_rank.begin(), trace.node_of_rank.end(), [&](int node) {
          return std::binary_search(nodes.begin(), nodes.end(), node);
        });
    auto fit = fit_scope(trace,
                         {.name = "messages between nodes " + nodes_text(nodes),
                          .pair = "between",
                          .ring = "between",
                          .members = static_cast<int>(std::max<std::ptrdiff_t>(2, members)),
                          .nodes = nodes});
    if (fit) faster.push_back({.nodes = nodes, .fit = std::move(*fit)});
  }
  std::stable_sort(faster.begin(), faster.end(), [](const auto& a, const auto& b) {
    return a.nodes.size() > b.nodes.size();
  });
  for (std::size_t i = 1; i < faster.size(); ++i) {
    const auto& outer = faster[i - 1].nodes;
    const auto& inner = faster[i].nodes;
    if (!std::includes(outer.begin(), outer.end(), inner.begin(), inner.end()))
      throw UserError(trace.file + ": has ring steps of nodes " + nodes_text(inner) +
                      " and of nodes " + nodes_text(outer) +
                      "; expected ones of the faster nodes, and of the fastest of these");
  }
  return faster;
}

using Seconds = double MessagePoint::*;

/// What a large message gets, latency aside, where two sizes or more were measured.
double slope_of(const std::vector<MessagePoint>& points, Seconds seconds) {
  const MessagePoint& large = points.back();
  const MessagePoint& small = points.front();
  if (points.size() < 2 || large.*seconds <= small.*seconds) return large.bytes / large.*seconds;
  return (large.bytes - small.bytes) / (large.*seconds - small.*seconds);
}

/// What each node's link gives: the most of a pair or a ring that it is in, and of what it
/// exchanged with all others at once, by their usual `seconds` or their least ones.
std::vector<double> links_by(const MessageTrace& trace, const NetworkFit& fit, Seconds seconds) {
  std::vector<double> links(static_cast<std::size_t>(trace.node_count()), fit.between->bytes_per_s);
  const auto raise = [&links](const std::vector<int>& nodes, double bytes_per_s) {
    for (const int node : nodes) {
      double& link = links[static_cast<std::size_t>(node)];
      link = std::max(link, bytes_per_s);
    }
  };
  for (const FasterNodes& faster : fit.faster) raise(faster.nodes, faster.fit.bytes_per_s);
  // Pairs and hubs have few samples of one size or two: they tell links apart, not more.
  const auto raise_clearly = [&](const std::string& kind, const std::vector<int>& nodes) {
    const std::vector<MessagePoint> points = points_of(trace, kind, "between", nodes);
    if (points.empty()) return;
    const double bytes_per_s = slope_of(points, seconds);
    for (const int node : nodes) {
      if (bytes_per_s > kEqualLinks * links[static_cast<std::size_t>(node)])
        raise({node}, bytes_per_s);
    }
  };
  for (const std::vector<int>& pair : nodes_of(trace, "opposite")) raise_clearly("opposite", pair);
  for (const std::vector<int>& hub : nodes_of(trace, "hub-step")) raise_clearly("hub-step", hub);
  return links;
}

bool are_equal(const std::vector<double>& links) {
  const auto [least, most] = std::minmax_element(links.begin(), links.end());
  return *most <= kEqualLinks * *least;
}

/// What each node's link gives. Empty where that was not measured, or is the same for all: links
/// differ where messages do whatever else keeps them, and busy machines do not keep every one.
std::vector<double> fit_links(const MessageTrace& trace, const NetworkFit& fit) {
  const bool is_measured =
      !nodes_of(trace, "opposite").empty() || !nodes_of(trace, "hub-step").empty();
  if (!fit.between || !is_measured) return {};
  std::vector<double> links = links_by(trace, fit, &MessagePoint::seconds);
  if (are_equal(links) || are_equal(links_by(trace, fit, &MessagePoint::least_s))) return {};
  return links;
}

}  // namespace

std::string nodes_text(const std::vector<int>& nodes) {
  std::string text;
  for (const int node : nodes) text += (text.empty() ? "" : ", ") + std::to_string(node);
  return text;
}

double fastest_of(const std::vector<MessagePoint>& points) {
  const MessageRegime last = fit_regimes(points).back();
  const auto sizes = std::count_if(points.begin(), points.end(), [&](const MessagePoint& point) {
    return point.bytes >= last.from_bytes;
  });
  // Two sizes of a noisy link may show any slope, or none.
  double fastest = sizes >= static_cast<std::ptrdiff_t>(kFewestSizes) ? last.bytes_per_s : 0;
  for (const MessagePoint& point : points) {
    if (point.bytes >= std::min(kLargeMessageBytes, points.back().bytes))
      fastest = std::max(fastest, point.bytes / point.seconds);
  }
  return fastest;
}

std::vector<MessageRegime> fit_regimes(const std::vector<MessagePoint>& points, double fastest) {
  const std::size_t count = points.size();
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const std::size_t most = std::max<std::size_t>(1, count / 2);
  // best[k][end]: least misfit of the first `end` points by k + 1 lines of two points or more.
  std::vector<std::vector<double>> best(most, std::vector<double>(count + 1, kNever));
  std::vector<std::vector<std::size_t>> begin_of(most, std::vector<std::size_t>(count + 1, 0));
  for (std::size_t end = 1; end <= count; ++end)
    best[0][end] = fit_line(points, 0, end, 1 / fastest).misfit;
  for (std::size_t k = 1; k < most; ++k) {
    for (std::size_t end = 2 * (k + 1); end <= count; ++end) {
      for (std::size_t begin = 2 * k; begin + 2 <= end; ++begin) {
        const double misfit = best[k - 1][begin] + fit_line(points, begin, end, 1 / fastest).misfit;
        if (misfit >= best[k][end]) continue;
        best[k][end] = misfit;
        begin_of[k][end] = begin;
      }
    }
  }
  std::size_t lines = 0;
  double least = kNever;
  for (std::size_t k = 0; k < most; ++k) {
    // Two numbers for each line and one for each breakpoint.
    const double criterion =
        best[k][count] + static_cast<double>(3 * k + 2) * std::log(static_cast<double>(count));
    if (criterion < least) {
      least = criterion;
      lines = k;
    }
  }
  std::vector<MessageRegime> regimes;
  std::size_t end = count;
  Line above;
  for (std::size_t k = lines + 1; k-- > 0;) {
    const std::size_t begin = k == 0 ? 0 : begin_of[k][end];
    const Line line = fit_line(points, begin, end, 1 / fastest);
    if (!regimes.empty()) {
      regimes.front().from_bytes =
          breakpoint(line, points[end - 1].bytes, above, points[end].bytes);
    }
    regimes.insert(
        regimes.begin(),
        {.from_bytes = 0, .latency_s = line.latency_s, .bytes_per_s = 1 / line.s_per_byte});
    above = line;
    end = begin;
  }
  return regimes;
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
  for (FasterNodes& faster : fit.faster) faster.fit.costs.measured_on = measured_on;
}

}  // namespace

NetworkFit fit_network(const MessageTrace& trace) {
  const int nodes = trace.node_count();
  const auto ranks = static_cast<int>(trace.node_of_rank.size());
  const auto in_first =
      static_cast<int>(std::count(trace.node_of_rank.begin(), trace.node_of_rank.end(), 0));
  check_times(trace);
  NetworkFit fit;
  fit.between = fit_scope(
      trace,
      {.name = "messages between nodes", .pair = "between", .ring = "all", .members = ranks});
  fit.node = fit_scope(trace,
                       {.name = "messages inside nodes",
                        .pair = "node",
                        .ring = nodes > 1 ? "node" : "all",
                        .members = std::max(2, in_first)});
  if (fit.between) fit.faster = fit_faster(trace);
  fit.link_bytes_per_s = fit_links(trace, fit);
  if (fit.between && fit.link_bytes_per_s.empty()) fit.backbone = fit_backbone(trace, *fit.between);
  const std::vector<MessagePoint> reduce = points_of(trace, "reduce", "all");
  note_measured_on(fit, trace);
  if (!reduce.empty()) fit.reduce_bytes_per_s = reduce.back().bytes / reduce.back().seconds;
  if (!fit.between && !fit.node)
    throw UserError(trace.file +
                    ": has no ping-pong; expected a trace of epochcast measure messages");
  return fit;
}

}  // namespace epochcast
