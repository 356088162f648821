#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Claims about the check of recorded forecasts and about the translation of systems into rows files."""
import copy
import unittest

import clusters
import large_batch
import translate

ROW = {"id": "s/w/n2d8", "workload": "w", "nodes": 2, "devices": 8, "strategy": "sync", "overlap": True,
       "unit": "samples/s"}
SYSTEM = {"system": "s", "asked": [ROW, dict(ROW, id="s/w/other", strategy="fedbuff")],
          "workloads": [{"id": "w", "batch_per_device": 32}]}
GOOD = {"s/w/n2d8": {"forecast": 100.0, "low": 90.0, "high": 110.0}}


class Check(unittest.TestCase):
    def test_complete_forecasts_have_no_problem(self):
        self.assertEqual(clusters.problems_of(GOOD, GOOD, [SYSTEM]), [])

    def test_a_missing_and_an_extra_forecast_are_reported(self):
        recorded = {"s/w/other": GOOD["s/w/n2d8"]}
        self.assertEqual(clusters.problems_of(recorded, GOOD, [SYSTEM]),
                         ["s/w/n2d8: not forecast", "s/w/other: not a question that can be expressed"])

    def test_forecasts_outside_their_interval_and_infinite_ones_are_reported(self):
        outside = copy.deepcopy(GOOD)
        outside["s/w/n2d8"]["low"] = 101.0
        infinite = copy.deepcopy(GOOD)
        infinite["s/w/n2d8"]["high"] = float("inf")

        self.assertEqual(clusters.problems_of(outside, GOOD, [SYSTEM]), ["s/w/n2d8: outside its interval"])
        self.assertEqual(clusters.problems_of(infinite, GOOD, [SYSTEM]), ["s/w/n2d8: not a positive number"])

    def test_a_forecast_that_the_program_no_longer_makes_is_reported(self):
        other = {"s/w/n2d8": {"forecast": 101.0, "low": 90.0, "high": 110.0}}
        self.assertEqual(clusters.problems_of(GOOD, other, [SYSTEM]),
                         ["s/w/n2d8: forecast is recorded as 100.0, the program says 101.0"])


class Units(unittest.TestCase):
    def test_every_unit_of_training_returns_to_itself(self):
        workload = {"id": "w", "batch_per_device": 32, "tokens_per_sample": 128, "epoch_samples": 10_000}
        for unit in ("samples/s", "tokens/s", "s per epoch", "s per iteration", "ms per iteration"):
            row = dict(ROW, unit=unit)
            self.assertAlmostEqual(translate.from_step(row, workload, translate.step_s(row, workload, 7.0)), 7.0)

    def test_a_rate_of_all_devices_is_the_step_of_their_samples(self):
        self.assertAlmostEqual(translate.step_s(ROW, {"id": "w", "batch_per_device": 32}, 512.0), 8 * 32 / 512.0)

    def test_strong_scaling_divides_a_workload_s_global_batch(self):
        workload = {"id": "w", "batch_per_device": None, "global_batch": 256}
        self.assertEqual(translate.row_json(ROW, workload)["batch"], 32)


def given(workload, devices, batch):
    row = dict(ROW, id=f"{workload}/n1d{devices}", workload=workload, nodes=1, devices=devices, measured=1.0)
    return row, {"id": workload, "batch_per_device": batch}


class Left(unittest.TestCase):
    SMALL, LARGE = given("net-b16", 1, 16), given("net-b64", 1, 64)
    NODE = given("net-b64", 4, 64)
    DATA = {"system": "s", "given": [SMALL[0], LARGE[0], NODE[0]], "workloads": [SMALL[1], LARGE[1]]}

    def test_fewer_devices_leave_other_batches_and_smaller_rows_of_the_workload(self):
        kept, of_workload = clusters.fewer_devices(self.DATA, self.NODE[0])
        self.assertEqual(kept, [self.SMALL[0], self.LARGE[0]])
        self.assertEqual(of_workload, [self.LARGE[0]])

    def test_smaller_batches_leave_no_row_of_the_batch_itself(self):
        kept, of_network = clusters.smaller_batches(self.DATA, self.NODE[0])
        self.assertEqual((kept, of_network), ([self.SMALL[0]], [self.SMALL[0]]))
        self.assertEqual(clusters.smaller_batches(self.DATA, self.SMALL[0]), ([], []))


class Rounds(unittest.TestCase):
    DATA = {"software": "to 80 % of plain PyTorch for ResNet-152, to 50 % for ConvNeXt-Large", "hardware": {
                "device": "a10", "links": {"unit": "Gbit/s", "us-us": [6, 1], "us-eu": [0.2, 100], "eu-asia": [0.1, 200]}},
            "given": [dict(ROW, id="s/w/n1d1", strategy="none", devices=1, measured=50.0)]}
    WORKLOAD = {"id": "w", "parameters": 60_200_000, "gradient_bytes_per_parameter": 2, "global_batch": 1000}
    ASKED = dict(ROW, strategy="hivemind", peers=[{"device": "a10", "site": "us", "count": 2},
                                                  {"device": "a10", "site": "eu", "count": 1}])

    def test_the_loss_is_the_geometric_mean_of_the_stated_ones(self):
        per_parameter = large_batch.loss_per_parameter(self.DATA["software"])
        self.assertAlmostEqual(per_parameter ** 2 * 60.2e6 * 197.8e6, (1 / 0.8 - 1) * (1 / 0.5 - 1))

    def test_a_larger_network_than_the_stated_ones_loses_less_than_in_proportion(self):
        lost = [large_batch.slowdown(self.DATA, {"parameters": p}) - 1 for p in (197.8e6, 4 * 197.8e6)]
        self.assertAlmostEqual(lost[1] / lost[0], 2)

    def test_a_round_has_the_links_of_its_sites(self):
        found = large_batch.round_of(self.DATA, self.WORKLOAD, self.ASKED)
        self.assertEqual([link["sites"] for link in found["links"]], [["us", "us"], ["us", "eu"]])
        self.assertEqual([(p["count"], p["rate"]) for p in found["peers"]], [(2, 50.0), (1, 50.0)])
        self.assertEqual(found["gradient"], "120400000B")

    def test_a_speedup_returns_to_itself(self):
        data = dict(self.DATA, asked=[dict(self.ASKED, unit="speedup over one device")])
        row = large_batch.add_single_rates(data)["asked"][0]
        self.assertAlmostEqual(translate.step_s(row, self.WORKLOAD, 2.0), 1000 / (2 * 50.0))
        self.assertAlmostEqual(translate.from_step(row, self.WORKLOAD, 10.0), 2.0)


class Rows(unittest.TestCase):
    def test_local_steps_exchange_once_in_so_many_steps_of_the_window(self):
        row = dict(ROW, strategy="diloco", window={"steps": 150, "dropped": 10, "exchanges": 17})
        self.assertAlmostEqual(translate.row_json(row, {"id": "w", "batch_per_device": 4})["exchanges"], 17 / 140)

    def test_gossip_is_forecast_from_rows_of_all_reduce(self):
        sync = dict(ROW, id="sync", measured=1.0)
        asked = dict(ROW, strategy="sgp", overlap=False, topology="one-peer exponential")
        data = {"given": [sync]}
        self.assertEqual(translate.measured_rows(data, {"id": "w"}, asked), ([sync], []))
        found = translate.row_json(asked, {"id": "w", "batch_per_device": 4})
        self.assertEqual((found["exchange"], found["overlap"], found["graph"]), ("peer", "none", "directed"))

    def test_averages_are_forecast_from_averages_over_links_of_the_same_kind(self):
        device = dict(ROW, id="device", strategy="none", devices=1, measured=1.0)
        shaped = dict(ROW, id="shaped", strategy="local-sgd", network_bytes_per_s=1e6, measured=1.0)
        data = {"given": [device, shaped, dict(ROW, id="sync", measured=1.0)]}
        for extra, expected in (({}, [device]), ({"network_bytes_per_s": 2e6}, [device, shaped])):
            asked = dict(ROW, strategy="diloco", **extra)
            self.assertEqual(translate.measured_rows(data, {"id": "w"}, asked), (expected, []))

    def test_a_shaped_link_and_servers_are_the_row_s_own(self):
        row = dict(ROW, network_bytes_per_s=125e6, parameter_servers=2)
        found = translate.row_json(row, {"id": "w", "batch_per_device": 32})
        self.assertEqual((found["network"], found["servers"]), ("125000000Bps", 2))

    def test_the_largest_all_reduce_is_the_network_s_rate(self):
        messages = [{"kind": "NCCL all-reduce of 4 nodes", "bytes": size, "measured": rate}
                    for size, rate in ((9, 15.0), (1, 8.5))]
        self.assertEqual(translate.measured_of({"network_given": messages + [{"kind": "iperf", "measured": 9.5}]}),
                         {"network": "15.0Gbps"})
        self.assertEqual(translate.measured_of({}), {})

    def test_a_data_sheet_s_time_of_a_sample_needs_the_network_s_operations(self):
        hardware = {"device": "x", "device_facts": {"peak": {"float16": "100Tflops"}}}
        workload = {"network": "transformer-base", "precision": "mixed float16"}
        self.assertAlmostEqual(float(translate.device_sample(hardware, workload)[:-1]), 6 * 63e6 / 35e12)
        self.assertIsNone(translate.device_sample(hardware, dict(workload, network="resnet50")))


if __name__ == "__main__":
    unittest.main()
