#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Claims about the check of recorded forecasts and about the translation of systems into rows files."""
import copy
import unittest

import clusters
import translate

ROW = {"id": "s/w/n2d8", "workload": "w", "nodes": 2, "devices": 8, "strategy": "sync", "overlap": True,
       "unit": "samples/s"}
SYSTEM = {"system": "s", "asked": [ROW, dict(ROW, id="s/w/gossip", strategy="sgp")],
          "workloads": [{"id": "w", "batch_per_device": 32}]}
GOOD = {"s/w/n2d8": {"forecast": 100.0, "low": 90.0, "high": 110.0}}


class Check(unittest.TestCase):
    def test_complete_forecasts_have_no_problem(self):
        self.assertEqual(clusters.problems_of(GOOD, GOOD, [SYSTEM]), [])

    def test_a_missing_and_an_extra_forecast_are_reported(self):
        recorded = {"s/w/gossip": GOOD["s/w/n2d8"]}
        self.assertEqual(clusters.problems_of(recorded, GOOD, [SYSTEM]),
                         ["s/w/n2d8: not forecast", "s/w/gossip: not a question that can be expressed"])

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


if __name__ == "__main__":
    unittest.main()
