// SPDX-License-Identifier: Apache-2.0
// "What would it take?": the page's form of epochcast find.
"use strict";

const kFindable = [["network.bandwidth", "network.bandwidth"], ["network.latency", "network.latency"], ["nodes", "nodes"],
  ["batch", "batch"], ["local-steps", "local-steps (H)"], ["averaging-period", "averaging-period (K')"]];
const kConditions = [["efficiency > 90%", "efficiency > 90%"], ["exposed < 10%", "exposed < 10%"], ["blocked < 5%", "blocked < 5%"],
  ["epoch < 60s", "epoch < 60s"], ["sync faster than byteps by 1.1x", "sync faster than byteps by 1.1x"]];

/** "24.1Gbps"; "100Mbps or less" at the begin of the range; as in cli/show/show_found.cpp. */
function foundText(answer, wants) {
  if (!answer.found) {
    if (!answer.closest) return "none";
    return answer.closest.problems.length > 0 ? "impossible" : `none; closest ${answer.closest.text}`;
  }
  const isLeastCount = answer.found.value === 1 && wants === "smallest";
  if (answer.before || isLeastCount) return answer.found.text;
  return answer.found.text + (wants === "largest" ? " or more" : " or less");
}

/** A form that stays when experiments change, and its last answer. */
class Inverse {
  constructor(experiment) {
    this.experiment = experiment;
    this.controller = null;
    this.asked = null; // address of the last request's experiment and question
    const option = ([value, text]) => make("option", { value }, text);
    this.name = make("select", { id: "find-name" }, ...kFindable.map(option));
    this.extreme = make("select", { id: "find-extreme" }, option(["smallest", "smallest"]), option(["largest", "largest"]));
    this.where = make("input", { type: "text", id: "find-where", value: kConditions[0][0], size: 30, list: "find-conditions" });
    this.state = make("p", { class: "status muted", role: "status" });
    this.answer = make("div", {});
    const form = make("form", { class: "controls inverse", onsubmit: (event) => { event.preventDefault(); this.press(); } },
      make("label", { for: "find-extreme" }, "The"), this.extreme, make("label", { for: "find-name" }, "value of"), this.name,
      make("label", { for: "find-where" }, "with"), this.where,
      make("datalist", { id: "find-conditions" }, ...kConditions.map(option)), make("button", { type: "submit" }, "Find"));
    byId("questions").append(make("h2", {}, "What would it take?"), form, this.state, this.answer);
  }

  press() {
    this.experiment.setQuestion({ find: this.name.value, where: this.where.value, largest: this.extreme.value === "largest" });
    this.find();
  }

  /** The experiment or its question has changed: the question of an opened link is answered. */
  renew() {
    const { question } = this.experiment;
    const isAnother = question && JSON.stringify(question) !== this.asked?.question;
    if (isAnother) {
      if (![...this.name.options].some(({ value }) => value === question.find))
        this.name.append(make("option", { value: question.find }, question.find));
      this.name.value = question.find;
      this.where.value = question.where;
      this.extreme.value = question.largest ? "largest" : "smallest";
      this.find();
    } else {
      this.showAge();
    }
  }

  /** An answer from before the last change is dimmed. */
  showAge() {
    const isStale = this.asked !== null && this.asked.settings !== JSON.stringify(this.experiment.settings);
    this.answer.classList.toggle("is-stale", isStale);
    this.state.textContent = isStale ? "The experiment has changed since: press Find again." : "";
  }

  async find() {
    this.controller?.abort();
    const controller = new AbortController();
    this.controller = controller;
    const { find, where, largest } = this.experiment.question;
    this.asked = { settings: JSON.stringify(this.experiment.settings), question: JSON.stringify(this.experiment.question) };
    const settings = { ...this.experiment.settings };
    delete settings[find];
    const conditions = where.split(/ and |;/).map((text) => text.trim()).filter((text) => text !== "");
    this.answer.replaceChildren();
    this.state.textContent = "Looking.";
    try {
      let found = null;
      await ask("/api/find", { settings, find, where: conditions, largest, intervals: true }, controller.signal, (line) => { found = line; });
      this.answer.replaceChildren(...this.show(found));
    } catch (error) {
      if (error.name === "AbortError") return;
      this.answer.replaceChildren(make("ul", { class: "notes" },
        ...(error.problems ?? [error.message]).map((problem) => make("li", {}, problem))));
    }
    this.showAge();
  }

  show(found) {
    const figureText = (condition, value) => (value === null ? "-" : condition.includes("%") ? percentText(value) : digits(value));
    const figures = (tried) => Object.entries(tried.figures).map(([condition, value]) => figureText(condition, value)).join(", ");
    const use = (answer) => (answer.found ? make("button", {
      type: "button", onclick: () => { this.experiment.set(found.name, answer.found.text); this.experiment.show(); },
    }, "use") : "");
    const bounds = (answer) => (answer.bounds ? answer.bounds.map((bound) => (bound === "" ? "none" : bound)).join(" .. ") : "-");
    const columns = [
      { title: "strategy", isLeft: true, cell: (answer) => answer.name },
      { title: found.name, cell: (answer) => ({ text: foundText(answer, found.wants), value: answer.found?.value }) },
      ...(found.answers.some((answer) => answer.bounds) ? [{
        title: "5 - 95 %", explain: "the same for epochs as short, and as long, as these quantiles of the forecast",
        cell: (answer) => ({ text: bounds(answer), value: answer.bounds ? numberIn(answer.bounds[0]) : undefined }),
      }] : []),
      { title: found.where.join(", "), cell: (answer) => (answer.found ?? answer.closest ? figures(answer.found ?? answer.closest) : "-") },
      { title: "looked at", cell: (answer) => `${answer.looked} values${answer.is_monotone ? "" : ", not monotone"}` },
      { title: "take it", cell: (answer) => ({ text: use(answer), value: answer.strategy }) },
    ];
    // Below the table: a long reason would make its column wider than the page.
    const impossible = found.answers.filter((answer) => !answer.found && answer.closest?.problems.length > 0)
      .map((answer) => ({ name: answer.name, reason: `impossible: ${answer.closest.problems[0]}` }));
    const notRanked = found.answers.filter((answer) => answer.not_ranked !== "")
      .map((answer) => ({ name: answer.name, reason: answer.not_ranked }));
    const reasons = [...impossible, ...notRanked];
    return [
      tableOf(`The ${found.wants} ${found.name} with ${found.where.join(" and ")}`, columns, found.answers, null,
        (answer) => answer.not_ranked !== ""),
      ...(reasons.length > 0 ? [reasonList(reasons, found.answers.length)] : []),
      make("p", { class: "muted" },
        `${found.holds_for ? `Answers hold for ${found.holds_for}, and the H, K' and overlap in their names. ` : ""}` +
        `${found.compared_with ? `They compare with ${found.compared_with}. ` : ""}${kAccuracyIsElsewhere}`),
      make("pre", {}, found.provenance.command),
    ];
  }
}
