// SPDX-License-Identifier: Apache-2.0
#include "core/formats/device.hpp"

#include <nlohmann/json.hpp>

#include "base/json/json_file.hpp"
#include "core/job/job.hpp"
#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

const std::string kDevice = R"({"schema": "epochcast.device/1", "name": "g", "title": "G",
  "source": {"grade": "published", "reference": "data sheet"}, "class": "gpu",
  "peak": {"float32": "10Tflops", "float16": "80Tflops"}, "memory": "16GiB", "bandwidth": "900GBps"})";

DeviceSpec parsed(const std::string& text) {
  return parse_device(parse_json(text, "g.json"), "g.json");
}

TEST_CASE("a device without tf32 multiplies in float32 instead") {
  const DeviceSpec device = parsed(kDevice);
  CHECK(device.rate(Precision::float32) == 10e12);
  CHECK(device.rate(Precision::tf32) == 10e12);
  CHECK(device.rate(Precision::float16) == 80e12);
  CHECK(device.rate(Precision::bfloat16) == 0);
  CHECK(device.cores == 1);

  const DeviceSpec with_tf32 = parsed(with(kDevice, "\"float16\"", "\"tf32\""));
  CHECK(with_tf32.rate(Precision::tf32) == 80e12);
}

TEST_CASE("a device's data sheet may state its power, with a source") {
  CHECK_FALSE(parsed(kDevice).power);

  const DeviceSpec device = parsed(with(kDevice,
                                        "\"16GiB\"",
                                        R"("16GiB", "power": {"idle": "15W", "busy": "70W",
          "source": {"grade": "estimated", "method": "idle assumed"}})"));
  REQUIRE(device.power);
  CHECK(device.power->busy_w == 70);
  CHECK(device.power->source.grade == Grade::estimated);
  CHECK(device.source.grade == Grade::published);
}

TEST_CASE("all problems of a device are reported at once") {
  std::string text = with(kDevice, "\"float32\": \"10Tflops\", ", "\"float8\": \"1Tflops\", ");
  text = with(text, "900GBps", "900GB");

  const Texts problems = problems_of([&] { static_cast<void>(parsed(text)); });
  REQUIRE(problems.size() == 3);
  CHECK_THAT(problems[0], Catch::Contains("/peak") && Catch::Contains("float8"));
  CHECK_THAT(problems[1], Catch::Contains("lacks float32"));
  CHECK_THAT(problems[2], Catch::Contains("/bandwidth") && Catch::Contains("900GB"));
}

TEST_CASE("every device of the catalogue has the name of its file") {
  const Catalog catalog{EPOCHCAST_SOURCE_DIR};
  for (const std::string& name : catalog.names("models/devices")) {
    CAPTURE(name);
    const DeviceSpec device = load_device(catalog.find("models/devices", name, "the test"));
    CHECK(device.name == name);
    CHECK((device.device_class == "gpu" || device.device_class == "cpu"));
  }
}

}  // namespace
}  // namespace epochcast::tests
