// SPDX-License-Identifier: Apache-2.0
#include "analysis/calibrate/roofline_fit.hpp"

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

DeviceSpec device_of(const std::string& name, double flops_per_s, double bytes_per_s) {
  DeviceSpec device;
  device.name = name;
  device.device_class = "gpu";
  device.flops_per_s = {{Precision::float32, flops_per_s}};
  device.memory_bytes_per_s = bytes_per_s;
  return device;
}

Network network_of(const std::string& name, ProductKind kind, double flops, double bytes) {
  Network network;
  network.name = name;
  network.layers = {{.name = "all",
                     .parameters = 1000,
                     .kind = kind,
                     .product_flops = flops,
                     .moved_bytes = bytes,
                     .operations = 10}};
  return network;
}

/// Rows of devices that reach 40 % of their rate in convolutions, 60 % in matrix products and half
/// of their bandwidth, and start an operation in 4 us.
std::vector<MeasuredBatch> rows_of_known_device() {
  const Efficiency truth = {.of_products = {{ProductKind::convolution, 0.4},
                                            {ProductKind::grouped_convolution, 0.1},
                                            {ProductKind::matrix, 0.6},
                                            {ProductKind::recurrent, 0.1}},
                            .of_memory = 0.5,
                            .of_cores = 1,
                            .operation_s = 4e-6};
  std::vector<MeasuredBatch> rows;
  for (const DeviceSpec& device : {device_of("a", 1e13, 1e12), device_of("b", 4e13, 1.5e12)}) {
    for (const Network& network : {network_of("conv", ProductKind::convolution, 4e9, 1e6),
                                   network_of("wide", ProductKind::convolution, 8e9, 9e7),
                                   network_of("text", ProductKind::matrix, 2e9, 5e6),
                                   network_of("prose", ProductKind::matrix, 6e9, 2e6),
                                   network_of("thin", ProductKind::matrix, 1e8, 8e7),
                                   network_of("flat", ProductKind::convolution, 1e8, 6e7)}) {
      for (const std::int64_t batch : {1, 64}) {
        MeasuredBatch row = {.device = device, .network = network, .batch = batch};
        row.seconds =
            seconds_of(work_of(network, batch, row.precision), device, row.precision, truth);
        rows.push_back(row);
      }
    }
  }
  return rows;
}

TEST_CASE("efficiencies follow from the times of batches, and forecast networks left out") {
  std::vector<MeasuredBatch> rows = rows_of_known_device();
  const Efficiency fitted = fit_roofline(rows).by_class.at({"gpu", Kernels::plain});

  CHECK(fitted.of_products.at(ProductKind::convolution) == Approx(0.4).epsilon(0.02));
  CHECK(fitted.of_products.at(ProductKind::matrix) == Approx(0.6).epsilon(0.02));
  CHECK(fitted.of_memory == Approx(0.5).epsilon(0.02));
  CHECK(fitted.operation_s == Approx(4e-6).epsilon(0.02));
  CHECK(fitted.most_error < 1.05);
  for (const MeasuredBatch& row : rows) {
    CAPTURE(row.device.name, row.network.name, row.batch);
    CHECK(row.without_network_s == Approx(row.seconds).epsilon(0.06));
    CHECK(row.without_device_s == Approx(row.seconds).epsilon(0.06));
  }
}

TEST_CASE("a factor common to all networks of a device cancels with one measured there") {
  std::vector<MeasuredBatch> rows = rows_of_known_device();
  for (MeasuredBatch& row : rows) row.seconds *= row.device.name == "a" ? 2 : 0.5;
  const Efficiency fitted = fit_roofline(rows).by_class.at({"gpu", Kernels::plain});

  CHECK(fitted.usual_error > 1.3);
  CHECK(fitted.usual_scaled_error < 1.15);
}

TEST_CASE("plain and tuned kernels are fitted separately") {
  std::vector<MeasuredBatch> rows = rows_of_known_device();
  const std::size_t count = rows.size();
  for (std::size_t i = 0; i < count; ++i) {
    rows.push_back(rows[i]);
    rows.back().kernels = Kernels::tuned;
    rows.back().seconds /= 2;
  }
  const Roofline fitted = fit_roofline(rows);
  CHECK(fitted.by_class.at({"gpu", Kernels::tuned}).of_memory ==
        Approx(2 * fitted.by_class.at({"gpu", Kernels::plain}).of_memory).epsilon(0.05));
}

TEST_CASE("a different device left out of the fit increases the stated error") {
  std::vector<MeasuredBatch> rows = rows_of_known_device();
  for (MeasuredBatch& row : rows) row.seconds *= row.device.name == "a" ? 2 : 1;
  // Fitted to one device alone, the other's batches have an error of a factor of two.
  CHECK(fit_roofline(rows).by_class.at({"gpu", Kernels::plain}).usual_error ==
        Approx(2).epsilon(0.1));
}

TEST_CASE("one network is too few for a fit") {
  std::vector<MeasuredBatch> rows = rows_of_known_device();
  rows.resize(2);
  CHECK_THROWS_AS(fit_roofline(rows), UserError);
}

TEST_CASE("models/roofline.json equals the fit of its rows", "[long]") {
  const Catalog catalog{EPOCHCAST_SOURCE_DIR};
  std::vector<MeasuredBatch> rows;
  for (const std::string name : {"published-throughput",
                                 "nvidia-h100-80gb-hbm3-throughput",
                                 "xeon-spr-1thread-torch1.13",
                                 "amd-epyc-1thread-torch1.13"}) {
    const auto more = load_measured_batches(catalog.find("traces", name, "the test"), catalog);
    rows.insert(rows.end(), more.begin(), more.end());
  }
  const Roofline fitted = fit_roofline(rows);
  const Roofline known = load_roofline(catalog.root() / "models/roofline.json");
  REQUIRE(fitted.by_class.size() == known.by_class.size());
  for (const auto& [key, efficiency] : fitted.by_class) {
    CAPTURE(key.first, static_cast<int>(key.second));
    const Efficiency& written = known.by_class.at(key);
    for (const auto& [kind, share] : efficiency.of_products)
      CHECK(written.of_products.at(kind) == Approx(share).epsilon(0.02));
    CHECK(written.of_memory == Approx(efficiency.of_memory).epsilon(0.02));
    CHECK(written.operation_s == Approx(efficiency.operation_s).epsilon(0.02));
    CHECK(written.most_error == Approx(efficiency.most_error).epsilon(0.02));
  }
}

}  // namespace
}  // namespace epochcast::tests
