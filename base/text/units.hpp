// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace epochcast {

/// The dimension of a quantity in an input file.
enum class Dimension { seconds, bytes, bytes_per_s, flops, flops_per_s, watts };

/// "a time such as \"1.5ms\"" and the like: the expected value in error messages.
[[nodiscard]] std::string expected_text(Dimension dimension);

/// The value of "12.5GBps", "1.5us", "32GiB", ... in seconds, bytes, bytes/s, flops, flops/s or
/// watts.
///
/// None if the number is malformed, the unit is missing, it measures something else, or the value
/// is not plausible (base/text/plausible.hpp). The sign is kept: the caller decides whether
/// negative values are allowed. "Gbps" counts bits, "GBps" bytes; k, M, G, T are powers of 1000,
/// Ki... of 1024.
[[nodiscard]] std::optional<double> parse_quantity(std::string_view text, Dimension dimension);

/// A text from which parse_quantity() returns exactly this value: counts of bytes and operations in
/// full ("1048576B", "32GiB"), others with as few digits as that takes, but up to six in any case
/// ("12.5us", "12500MBps"). The value is not negative.
[[nodiscard]] std::string quantity_text(double value, Dimension dimension);
/// The value to six significant digits, as far as quantity_text() is concerned: more digits of
/// measured values are noise.
[[nodiscard]] double rounded_quantity(double value, Dimension dimension);

/// "3.21 ms", "51.0 s", "10.5 min", "2.08 h": a time for people, three significant digits.
[[nodiscard]] std::string format_seconds(double seconds);
/// "44.7 MB": bytes for people, in powers of 1000.
[[nodiscard]] std::string format_bytes(double bytes);
/// "36.0 J", "12.5 Wh", "1.23 kWh": energy for people, three significant digits.
[[nodiscard]] std::string format_energy(double joules);

}  // namespace epochcast
