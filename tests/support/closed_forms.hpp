// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "collectives/parts.hpp"

namespace epochcast::tests {

/// Exact seconds of an all-reduce among equal ranks, or none if this schedule has no closed form.
///
/// The network: every rank has one full-duplex link; a message costs `alpha_s` before its first
/// byte, then `beta_s_per_byte` for each, and transfers that share a link at the same time share it
/// equally. Blocks received in a round are added when the round ends, `gamma_s_per_byte` for each
/// byte added. With P ranks and S bytes:
/// - ring: 2(P-1)α + 2((P-1)/P)Sβ + ((P-1)/P)Sγ
/// - segmented-ring: with n phases (SegmentedRing::phases_for), the ring with (n+1)(P-1)α
/// - recursive-doubling, P a power of two: log2(P)·(α + Sβ + Sγ)
/// - rabenseifner, P a power of two: 2·log2(P)·α + 2((P-1)/P)Sβ + ((P-1)/P)Sγ
/// - linear: (P-1)(α + Sβ + Sγ) + α + (P-1)Sβ (zero for P = 1)
/// - binary-tree: U(P) + D(P), where a range of n ranks has subtrees of l = ⌊n/2⌋ and r = ⌊(n-1)/2⌋
/// ranks
///   (BalancedTree) and the times to reduce it to its first rank, U, and to broadcast from there,
///   D, are U(1) = D(1) = 0, U(2) = α + Sβ + Sγ, D(2) = α + Sβ, and for n > 2, with a ≤ b the two
///   times U(l), U(r), U(n) = α + max(a + 2Sβ, b + Sβ) + 2Sγ   (both children share the link into
///   the root of the range) D(n) = α + 2Sβ + max(D(l), D(r)). For P = 2^k - 1 that is 2(k-1)(α +
///   2Sβ) + 2(k-1)Sγ.
/// Throws std::invalid_argument when ranks < 1.
[[nodiscard]] std::optional<double> closed_form_s(std::string_view name,
                                                  int ranks,
                                                  std::int64_t bytes,
                                                  double alpha_s,
                                                  double beta_s_per_byte,
                                                  double gamma_s_per_byte);

/// Exact seconds of an all-gather of this form (scatter_forms.hpp) on the same network, or none if
/// it has no closed form. With P ranks, S bytes in all and m in the largest part:
/// - ring: (P-1)(α + mβ): the largest part moves in every step
/// - direct: α + (P-1)mβ
/// - recursive, equal parts: ceil(log2 P)·α + ((P-1)/P)Sβ
/// - recursive, P a power of two: T of all ranks, where T of one rank is 0, and of a range with
///   halves of l and h bytes, T(range) = α + max(l, h)β + max(T(low half), T(high half))
/// Without bytes, no message is sent, and the time is 0.
[[nodiscard]] std::optional<double> all_gather_closed_form_s(std::string_view form,
                                                             const Parts& parts,
                                                             std::int64_t bytes,
                                                             double alpha_s,
                                                             double beta_s_per_byte);

/// The same for a reduce-scatter:
/// - ring: (P-1)(α + mβ + mγ)
/// - direct: α + (P-1)mβ + (P-1)mγ
/// - recursive, equal parts: ceil(log2 P)·α + ((P-1)/P)S(β + γ)
/// - recursive, P a power of two: T(range) = α + max(l, h)β + max(lγ + T(low half), hγ + T(high
///   half))
[[nodiscard]] std::optional<double> reduce_scatter_closed_form_s(std::string_view form,
                                                                 const Parts& parts,
                                                                 std::int64_t bytes,
                                                                 double alpha_s,
                                                                 double beta_s_per_byte,
                                                                 double gamma_s_per_byte);

}  // namespace epochcast::tests
