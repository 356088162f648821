#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pages in headless Chromium: what they show, that they load nothing from elsewhere, that keys work,
that a phone's width is enough, and that axe-core finds no violation.

browser_test.py EPOCHCAST AXE_JS; ends with 77 where a browser or axe-core is missing."""

import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import WebDriverWait
except ImportError:
    print("skipped: python3-selenium is not installed")
    sys.exit(77)

EPOCHCAST, AXE = sys.argv[1], pathlib.Path(sys.argv[2])
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
VALIDATION = pathlib.Path(__file__).parents[1] / "cli/data/validation.json"
PATIENCE_S = 120
JOB = ["--platform", "deep-est-esb", "--nodes", "4", "--network", "resnet50", "--dataset", "cifar10"]


def browser(width, is_dark):
    options = Options()
    options.binary_location = CHROMIUM
    # Containers have neither user namespaces nor much shared memory; no test loads foreign pages.
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(service=Service(DRIVER), options=options)
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600},
    )
    scheme = "dark" if is_dark else "light"
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    return driver


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.server = subprocess.Popen([EPOCHCAST, "serve"] + JOB, stdout=subprocess.PIPE, text=True)
        cls.url = cls.server.stdout.readline().strip()
        cls.page = pathlib.Path(cls.folder.name) / "page.html"
        subprocess.run(
            [EPOCHCAST, "simulate"] + JOB[:2] + JOB[4:]
            + ["--strategy", "sync,node-based", "--averaging-period", "2", "--sweep", "nodes=2,4,8", "--html", cls.page],
            check=True, stdout=subprocess.DEVNULL,
        )
        cls.validation = pathlib.Path(cls.folder.name) / "validation.html"
        subprocess.run(
            [EPOCHCAST, "report", VALIDATION, "--html", cls.validation], check=True, stdout=subprocess.DEVNULL)
        cls.wide = browser(1280, False)
        cls.narrow = browser(390, True)

    @classmethod
    def tearDownClass(cls):
        cls.wide.quit()
        cls.narrow.quit()
        cls.server.send_signal(signal.SIGINT)
        assert cls.server.wait(PATIENCE_S) == 128 + signal.SIGINT
        cls.server.stdout.close()
        cls.folder.cleanup()

    def until(self, driver, script, *arguments):
        return WebDriverWait(driver, PATIENCE_S).until(lambda _: driver.execute_script("return " + script, *arguments))

    def open(self, driver, url):
        driver.get("about:blank")
        driver.get(url)
        self.until(driver, "document.querySelectorAll('table tbody tr').length > 0")

    def problems(self, driver):
        """The violations that axe-core finds."""
        driver.execute_script(AXE.read_text())
        return driver.execute_async_script(
            "const done = arguments[0]; axe.run().then((result) => done(result.violations.map("
            "(each) => each.id + ': ' + each.nodes.map((node) => node.target.join(' ')).join(', '))))"
        )

    def test_a_change_is_answered_and_kept_in_the_address(self):
        driver = self.wide
        self.open(driver, self.url)
        self.assertIn("4 nodes", driver.find_element(By.ID, "headline").text)
        field = driver.find_element(By.ID, "field-nodes")
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys("8", Keys.TAB)
        self.until(driver, "document.getElementById('headline').textContent.includes('8 nodes')")
        self.assertIn("nodes=8", driver.current_url)
        self.assertIn("--nodes=8", driver.find_element(By.ID, "command").text)
        link = driver.current_url
        self.open(driver, link)
        self.assertIn("8 nodes", driver.find_element(By.ID, "headline").text)

    def test_a_strategy_that_averages_at_most_once_an_epoch_is_not_the_fastest(self):
        driver = self.wide
        self.open(driver, self.url + "#platform=deep-est-esb&network=resnet50&dataset=cifar10&nodes=4"
                  "&strategy=sync,one-shot")
        self.assertRegex(driver.find_element(By.CSS_SELECTOR, "#headline dd").text, "^sync")
        groups = driver.find_elements(By.CSS_SELECTOR, "#ranking tbody")
        self.assertEqual(len(groups), 2)
        self.assertRegex(groups[1].text, "^Not ranked: [^\n]+\none-shot, steps ")
        self.assertIn("How accurate the model gets", driver.find_element(By.ID, "ranking").text)

    def test_sliders_move_by_keys(self):
        driver = self.wide
        self.open(driver, self.url)
        driver.find_element(By.CSS_SELECTOR, "#field-batch + input[type=range]").send_keys(Keys.ARROW_LEFT)
        self.until(driver, "location.hash.includes('batch=64')")
        self.until(driver, "document.getElementById('command').textContent.includes('--batch=64')")

    def test_an_inverse_question_is_answered_and_its_value_taken(self):
        driver = self.wide
        self.open(driver, self.url + "#platform=deep-est-esb&network=resnet50&dataset=cifar10&nodes=4&strategy=sync")
        driver.find_element(By.CSS_SELECTOR, ".inverse button[type=submit]").click()
        # sync, without and with overlap.
        self.until(driver, "document.querySelectorAll('#questions tbody tr').length === 2")
        self.assertIn("sync, overlap", driver.find_element(By.CSS_SELECTOR, "#questions tbody").text)
        self.assertIn("How accurate the model gets", driver.find_element(By.ID, "questions").text)
        driver.find_element(By.XPATH, "//section[@id='questions']//button[text()='use']").click()
        self.until(driver, "location.hash.includes('network.bandwidth=')")
        self.until(driver, "document.getElementById('command').textContent.includes('--set=network.bandwidth=')")

    def test_an_answer_at_the_end_of_its_range_is_marked_as_in_the_command(self):
        driver = self.wide
        link = self.url + "#platform=deep-est-esb&network=resnet50&dataset=cifar10&nodes=4&strategy=sync"
        self.open(driver, link + "&find=network.bandwidth&where=exposed+<+99%25&largest=false")
        # A link asks its question at once.
        self.until(driver, "document.querySelectorAll('#questions tbody tr').length === 2")
        self.assertRegex(driver.find_element(By.CSS_SELECTOR, "#questions tbody td").text, "^[0-9.]+[MG]bps or less$")
        self.assertEqual(driver.find_element(By.ID, "find-where").get_attribute("value"), "exposed < 99%")
        self.assertIn("find=network.bandwidth", driver.execute_script("return location.hash"))
        self.assertNotIn("--find", driver.find_element(By.ID, "command").text)
        # The answer for another experiment is dimmed.
        field = driver.find_element(By.ID, "field-nodes")
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys("8", Keys.TAB)
        self.until(driver, "document.querySelector('#questions .is-stale') !== null")
        self.until(driver, "location.hash.includes('nodes=8') && location.hash.includes('find=network.bandwidth')")

    def test_an_inverse_question_without_a_forecast_is_impossible(self):
        driver = self.wide
        self.open(driver, self.url + "#platform=deep-est-esb&network=resnet50&dataset=cifar10&nodes=32&strategy=sync,local-sgd&local-steps=32"
                  "&find=network.bandwidth&where=blocked+<+5%25")
        self.until(driver, "document.querySelectorAll('#questions tbody tr').length === 3")
        self.assertIn("impossible", driver.find_element(By.CSS_SELECTOR, "#questions tbody tr:nth-child(3)").text)
        reasons = driver.find_element(By.CSS_SELECTOR, "#questions .notes").text
        self.assertRegex(reasons, "^local-sgd: impossible: .+")
        # The reason is not in the table, where it would make a column wider than the page.
        table = "document.querySelector('#questions table')"
        self.assertLessEqual(*driver.execute_script(f"return [{table}.scrollWidth, {table}.parentNode.clientWidth]"))

    def test_an_error_that_several_strategies_share_is_listed_once(self):
        driver = self.wide
        driver.get("about:blank")
        driver.get(self.url + "#platform=deep-est-esb&network=resnet50&dataset=cifar10&nodes=4&batch=100000"
                   "&strategy=sync,node-based,one-shot")
        self.until(driver, "document.querySelectorAll('#problems li').length > 0")
        self.assertEqual(
            driver.find_element(By.ID, "problems").text,
            "--batch: one iteration of all workers takes 400000 samples; the data set has 50000")

    def test_no_two_strategies_have_the_same_colour(self):
        for driver in self.wide, self.narrow:
            self.open(driver, self.page.as_uri())
            strategies = int(subprocess.run([EPOCHCAST, "list", "strategies", "--names"],
                                            check=True, capture_output=True, text=True).stdout.count("\n"))
            colours = driver.execute_script(
                "return Array.from({length: arguments[0]}, (_, n) => styleOf(n).borderColor)", strategies)
            self.assertEqual(len(set(colours)), strategies)

    def test_an_inverse_question_has_the_uncertainty_of_its_command(self):
        driver = self.wide
        self.open(driver, self.url + "#platform=epyc-vm-2core&network=small-cnn&dataset=cifar10&strategy=sync&repetitions=3"
                  "&find=batch&where=epoch+<+60s")
        self.until(driver, "document.querySelectorAll('#questions tbody tr').length === 2")
        self.assertIn("5 - 95 %", driver.find_element(By.CSS_SELECTOR, "#questions thead").text)
        self.assertNotIn("--deterministic", driver.find_element(By.CSS_SELECTOR, "#questions pre").text)
        # Finally, the page's command belongs to the shown result.
        self.until(driver, "document.getElementById('state').textContent.startsWith('Means')")
        self.assertNotIn("--deterministic", driver.find_element(By.ID, "command").text)

    def test_settings_of_other_strategies_are_neither_shown_nor_requested(self):
        driver = self.wide
        self.open(driver, self.url + "#platform=deep-est-esb&network=resnet50&dataset=cifar10&nodes=4&strategy=sync,local-sgd"
                  "&local-steps=4&network.bandwidth=1Gbps")
        present = "return document.getElementById('field-local-steps') !== null"
        self.assertTrue(driver.execute_script(present))
        self.assertFalse(driver.execute_script("return document.getElementById('field-averaging-period') !== null"))
        driver.find_element(By.ID, "strategy-local-sgd").click()
        self.until(driver, "!document.getElementById('command').textContent.includes('local')")
        self.assertFalse(driver.execute_script(present))
        self.assertNotIn("local-steps", driver.execute_script("return location.hash"))
        self.assertEqual(driver.find_element(By.ID, "problems").text, "")

    def test_an_answer_keeps_order_focus_and_choice(self):
        driver = self.wide
        self.open(driver, self.url + "#platform=deep-est-esb&network=resnet50&dataset=cifar10&nodes=4&strategy=sync,local-sgd")
        self.until(driver, "document.getElementById('timeline-of') !== null")
        driver.execute_script(
            "const of = document.getElementById('timeline-of'); of.selectedIndex = 1; of.dispatchEvent(new Event('change'))")
        chosen = "document.getElementById('timeline-of').selectedOptions[0].textContent"
        name = driver.execute_script("return " + chosen)
        heading = driver.find_element(By.ID, "ranking-strategy")
        heading.send_keys(Keys.ENTER)
        driver.execute_script(
            "window.before = [arguments[0], document.getElementById('timeline-drawing')]; location.hash += '&batch=64'", heading)
        self.until(driver, "window.before.every((element) => !element.isConnected)")
        self.assertEqual(driver.switch_to.active_element.get_attribute("id"), "ranking-strategy")
        sort = "document.getElementById('ranking-strategy').parentElement.getAttribute('aria-sort')"
        self.assertEqual(driver.execute_script("return " + sort), "ascending")
        self.assertEqual(driver.execute_script("return " + chosen), name)

    def test_axes_include_whiskers(self):
        driver = self.wide
        self.open(driver, self.url)
        driver.execute_script(
            "const axis = { title: 'a', text: digits };"
            "const points = [{ x: 1, y: 5, low: 2, high: 9 }, { x: 2, y: 6, low: 5, high: 20 }];"
            "const chart = lineChart('test', [{ name: 'a', points }], axis, axis);"
            "chart.element.id = 'test-chart'; document.body.append(chart.element)")
        self.until(driver, "Chart.getChart(document.querySelector('#test-chart canvas'))?.scales.y.max >= 20")

    def test_removed_drawings_are_released(self):
        driver = self.wide
        self.open(driver, self.page.as_uri())
        count = driver.execute_script(
            "const box = document.createElement('section'); document.body.append(box);"
            "const before = drawn.size;"
            "views.timelines(box, [{ name: 'a', workers: ['0'], streams: ['compute'], names: ['b'], events: [[0, 0, 0, 0, 1, 0]] }]);"
            "box.remove(); drawn.forEach((draw) => draw()); return drawn.size - before")
        self.assertEqual(count, 0)

    def test_errors_are_shown(self):
        driver = self.wide
        self.open(driver, self.url + "#platform=deep-est-esb&network=resnet50&dataset=cifar10&nodes=4")
        field = driver.find_element(By.ID, "field-nodes")
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys("many", Keys.TAB)
        self.until(driver, "document.getElementById('problems').textContent.includes('got \"many\"')")

    def test_tables_sort(self):
        for url in (self.url, self.page.as_uri()):
            driver = self.wide
            self.open(driver, url)
            # Of the ranked ones: the others stay a separate group.
            names = "[...document.querySelectorAll('table tbody:first-of-type th')].map((cell) => cell.textContent)"
            heading = driver.find_element(By.XPATH, "//thead//button[text()='strategy']")
            heading.send_keys(Keys.ENTER)
            ascending = driver.execute_script("return " + names)
            self.assertEqual(heading.find_element(By.XPATH, "..").get_attribute("aria-sort"), "ascending")
            self.assertLess(ascending[0], ascending[-1])
            heading.send_keys(Keys.ENTER)
            descending = driver.execute_script("return " + names)
            self.assertEqual(sorted(descending), sorted(ascending))
            self.assertEqual((descending[0], descending[-1]), (ascending[-1], ascending[0]))

    def test_a_timeline_zooms_by_keys(self):
        driver = self.wide
        self.open(driver, self.page.as_uri())
        canvas = driver.find_element(By.CSS_SELECTOR, ".timeline canvas")
        self.until(driver, "arguments[0].height > 60", canvas)
        before = canvas.screenshot_as_png
        canvas.send_keys("+")
        self.assertNotEqual(before, canvas.screenshot_as_png)
        canvas.send_keys("0")
        self.assertEqual(before, canvas.screenshot_as_png)

    def test_a_validation_s_points_have_descriptions_and_its_rows_sort_within_groups(self):
        driver = self.wide
        self.open(driver, self.validation.as_uri())
        self.until(driver, "document.querySelectorAll('.chart').length === 3")
        self.until(driver, "[...document.querySelectorAll('.chart canvas')].every((canvas) => Chart.getChart(canvas))")
        shown = driver.execute_script(
            "const chart = Chart.getChart(document.querySelector('.chart canvas'));"
            "chart.tooltip.setActiveElements([{ datasetIndex: 0, index: 1 }], { x: 0, y: 0 });"
            "chart.tooltip.update(true);"
            "return chart.tooltip.body.flatMap((each) => each.lines)")
        self.assertEqual(shown, [
            "resnet20 on 4 nodes, 200 Mbit/s, emulate", "node-based, averaging-period 4", "forecast: 7.60 s (7.50 s to 7.80 s)",
            "measured (median of the runs): 8.00 s (7.90 s to 8.10 s)", "error -5.0 %, 3 runs"])
        driver.find_element(By.XPATH, "//thead//button[text()='error']").send_keys(Keys.ENTER)
        rows = '[aria-label^="all configurations"] tbody:first-of-type th[scope=row]'
        names = f"[...document.querySelectorAll('{rows}')].map((cell) => cell.textContent)"
        self.assertEqual(driver.execute_script("return " + names),
                         ["node-based, averaging-period 4", "local-sgd, local-steps 8", "sync", "dlb"])

    def test_a_validation_s_tables_have_numbers_with_units_and_reasons_of_failures(self):
        driver = self.wide
        self.open(driver, self.validation.as_uri())
        rows = driver.execute_script(
            "return [...document.querySelectorAll('[aria-label^=\"all configurations\"] tbody tr')].map((row) =>"
            "[...row.cells].map((cell) => [...cell.childNodes].map((node) => node.textContent).join('|')))")
        group = "resnet20 on 4 nodes, 200 Mbit/s, emulate"
        self.assertEqual(rows[:2], [
            [group + "||tau 0.33; 0 of 2 pairs are ranked wrongly; the fastest is right"],
            ["sync", "10.3 s|9.90 s to 10.6 s", "10.0 s|9.90 s to 10.2 s, 3 runs", "+3.0 %", "+1.0 %", "+3.0 %", "-1.0 %",
             "yes|3 of 3 runs, KS 0.66"]])
        self.assertEqual(rows[4], ["dlb", "9.00 s|8.90 s to 9.10 s", "failed: mpirun exited with status 1"])
        self.assertEqual(rows[5:], [
            ["small-cnn on 1 node, train"],
            ["sync", "2.20 s|no interval", "2.00 s|2.00 s, 1 run", "+10.0 %", "0.0 %", "0.0 %", "+10.0 %", "-"]])
        tiers = driver.execute_script(
            "return [...document.querySelectorAll('[aria-label=tiers] tbody tr')].map((row) => row.innerText.split('\\t'))")
        self.assertEqual(tiers, [
            ["same cluster", "3", "3.0 %", "5.0 %", "5.0 %", "0 of 2", "5 of 9"],
            ["extrapolated", "1", "10.0 %", "10.0 %", "10.0 %", "-", "-"]])
        cards = driver.execute_script("return [...document.querySelectorAll('dd')].map((card) => card.innerText.split('\\n'))")
        self.assertEqual(cards, [
            ["5", "1 of them failed"], ["4.0 %", "of the epoch; 95 % within 10.0 %"],
            ["10.0 %", "of the epoch at most, in 90 % of the configurations"], ["10.0 %", "small-cnn on 1 node, train: sync"],
            ["0.33", "0 of 2 pairs are ranked wrongly; the fastest is right in 1 of 1 group"],
            ["66.7 %", "of the measured medians; 55.6 % of 9 single runs"], ["0.44", "of single runs from their forecasts"]])

    def test_a_validation_without_findings_has_no_charts_but_a_sentence(self):
        driver = self.wide
        self.open(driver, self.validation.as_uri())
        said = driver.execute_script(
            "const data = JSON.parse(document.querySelector('script[data-view]').textContent);"
            "data.rows = data.rows.map((row) => ({ ...row, findings: null, problems: [] })); data.summary.configurations = 0;"
            "const box = make('section', {}); views.validation(box, data);"
            "return [box.querySelectorAll('.chart').length, box.textContent.includes('No configuration has both'),"
            "box.querySelector('table:last-of-type tbody') && failureText({ problems: [], forecast: null, measured: [] })]")
        self.assertEqual(said, [0, True, "failed: there is no forecast; there is no measurement"])

    def test_a_calibration_s_points_are_next_to_their_fits(self):
        driver = self.wide
        self.open(driver, self.validation.as_uri())
        driver.execute_script(
            "const box = make('section', { id: 'test-calibration' }); document.body.append(box);"
            "views.calibration(box, { node: null, judgement: 'good', between: { ping_pong: [],"
            "ring_step: [{ bytes: 1e6, measured_s: 1e-3, fitted_s: 2e-3 }, { bytes: 2e6, measured_s: 3e-3, fitted_s: 4e-3 }] },"
            "all_reduces: [{ algorithm: 'ring', scope: 'nodes', bytes: 1e6, measured_s: 1, forecast_s: 1.1 }] })")
        charts = "[...document.querySelectorAll('#test-calibration canvas')]"
        self.until(driver, charts + ".every((canvas) => Chart.getChart(canvas))")
        self.assertEqual(driver.execute_script(
            f"return {charts}.map((canvas) => Chart.getChart(canvas).data.datasets.map((set) =>"
            "[set.label, set.data[0].x, set.data[0].y]).slice(0, 2))"), [
                [["all ranks send and receive, fit", 1e6, 1e-3], ["all ranks send and receive, fit: fit", 1e6, 2e-3]],
                [["ring among nodes", 1, 1.1], ["equal", 1 / 1.2, 1 / 1.2]]])

    def test_a_seed_that_has_reached_the_target_keeps_its_value_while_others_continue(self):
        driver = self.wide
        self.open(driver, self.page.as_uri())
        curve = driver.execute_script(
            "const point = (epoch, test_accuracy, more) => ({ epoch, training_s: 10 * epoch, bytes_sent: 1, test_loss: 1,"
            "test_accuracy, ...more });"
            "const fast = [point(1, 0.1), point(2, 0.4)];"
            "const slow = [point(1, 0.1), point(2, 0.2, { generator_loss: 2 }), point(3, 0.375)];"
            "return meanCurve({ name: 'sync', curves: [fast, slow, []] })")
        self.assertEqual([curve["seeds"], len(curve["points"])], [2, 3])
        second, third = curve["points"][1:]
        self.assertEqual([second["low"]["test_accuracy"], second["high"]["test_accuracy"]], [0.2, 0.4])
        self.assertEqual([third["test_accuracy"], third["training_s"]], [(0.4 + 0.375) / 2, 30])
        self.assertNotIn("generator_loss", second)  # not of every seed

    def test_labels_of_an_axis_do_not_overlap(self):
        driver = self.wide
        self.open(driver, self.page.as_uri())
        driver.execute_script(
            "const axis = { title: 'a', text: secondsText };"
            "const element = measuredPlot({ heading: 'a', x: axis, y: axis, hasDiagonal: true,"
            "series: [{ name: 'a', points: [{ x: 4, y: 6.7 }] }] });"  # the axis ends at 1.2 * 6.7
            "element.id = 'test-labels'; document.body.append(element)")
        self.until(driver, "Boolean(Chart.getChart(document.querySelector('#test-labels canvas')))")
        labels = driver.execute_script(
            "const { x } = Chart.getChart(document.querySelector('#test-labels canvas')).scales;"
            "x.ctx.font = `${Chart.defaults.font.size}px ${Chart.defaults.font.family}`;"
            "return x.ticks.map((tick, index) => [tick.label, x.getPixelForTick(index), x.ctx.measureText(tick.label).width])"
            ".filter(([label]) => label !== '')")
        self.assertEqual([label for label, _, _ in labels], ["3.33 s", "4.00 s", "5.00 s", "6.00 s", "7.00 s", "8.04 s"])
        for (_, at, width), (_, next_at, next_width) in zip(labels, labels[1:]):
            self.assertGreater(next_at - next_width / 2, at + width / 2)

    def test_a_page_fits_a_phone(self):
        for url in (self.url, self.page.as_uri(), self.validation.as_uri()):
            self.open(self.narrow, url)
            self.assertLessEqual(self.narrow.execute_script("return document.documentElement.scrollWidth"), 390)

    def test_nothing_is_loaded_from_elsewhere_and_no_errors_are_logged(self):
        for url in (self.url, self.page.as_uri(), self.validation.as_uri()):
            self.wide.get_log("browser")
            self.open(self.wide, url)
            loaded = self.wide.execute_script("return performance.getEntriesByType('resource').map((each) => each.name)")
            self.assertEqual([name for name in loaded if not name.startswith((self.url, "data:"))], [])
            self.assertEqual([entry["message"] for entry in self.wide.get_log("browser")], [])

    def test_axe_finds_no_violation(self):
        for driver in (self.wide, self.narrow):
            for url in (self.url, self.page.as_uri(), self.validation.as_uri()):
                self.open(driver, url)
                self.assertEqual(self.problems(driver), [])


if __name__ == "__main__":
    missing = [name for name, is_there in (("chromium", CHROMIUM), ("chromium-driver", DRIVER), ("axe-core", AXE.exists()))
               if not is_there]
    if missing:
        print("skipped: not installed:", ", ".join(missing))
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
