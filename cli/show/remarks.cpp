// SPDX-License-Identifier: Apache-2.0
#include "cli/show/remarks.hpp"

#include <ostream>
#include <utility>

namespace epochcast {
namespace {

constexpr std::size_t kMostNamed = 4;   // named places of one remark; the others are counted
constexpr std::size_t kMostOfFlag = 3;  // remarks on one flag that are shown; more are one

/// "--overlap" of "--overlap: TEXT"; empty for other texts.
std::string flag_of(const std::string& text) {
  const std::size_t colon = text.find(": ");
  const std::string flag = text.substr(0, colon);
  const bool is_flag =
      colon != std::string::npos && flag.starts_with("--") && flag.find(' ') == std::string::npos;
  return is_flag ? flag : std::string();
}

}  // namespace

std::size_t Remarks::Names::number_of(const std::string& name) {
  const auto [known, is_new] = numbers.try_emplace(name, all.size());
  if (is_new) all.push_back(name);
  return known->second;
}

void Remarks::expect(const std::string& strategy, const std::string& place) {
  expected_[strategies_.number_of(strategy)].insert(places_.number_of(place));
}

void Remarks::add(const std::string& text, const std::string& strategy, const std::string& place) {
  expect(strategy, place);
  const auto [about, is_new] = about_.try_emplace(text);
  if (is_new) texts_.push_back(text);
  about->second[strategies_.number_of(strategy)].insert(places_.number_of(place));
}

std::string Remarks::places_text(const Numbers& places) const {
  std::string text;
  std::size_t named = 0;
  for (const std::size_t place : places) {
    if (named == kMostNamed)
      return text + " and " + std::to_string(places.size() - named) + " more";
    text += (named++ == 0 ? "" : "; ") + places_.all[place];
  }
  return text;
}

std::vector<std::string> Remarks::subjects_of(const About& about) const {
  const bool has_others = strategies_.all.size() > 1 || places_.all.size() > 1;
  if (about == expected_ && has_others) return {"all"};
  // Strategies with the same places share a line.
  std::map<Numbers, std::vector<std::size_t>> strategies_at;
  for (const auto& [strategy, places] : about) strategies_at[places].push_back(strategy);
  std::vector<std::string> subjects;
  for (const auto& [places, strategies] : strategies_at) {
    std::string who;
    for (const std::size_t strategy : strategies)
      who += (who.empty() ? "" : ", ") + strategies_.all[strategy];
    const bool is_everywhere = places.size() == places_.all.size();
    const bool are_all = strategies.size() == strategies_.all.size();
    if (is_everywhere) {
      subjects.push_back(who);
    } else if (strategies_.all.size() == 1) {
      subjects.push_back(places_text(places));
    } else {
      subjects.push_back((are_all ? "all" : who) + " [" + places_text(places) + "]");
    }
  }
  return subjects;
}

Remarks Remarks::with_one_for_each_flag() const {
  std::map<std::string, std::size_t> counts;
  for (const std::string& text : texts_) ++counts[flag_of(text)];
  Remarks folded = *this;
  folded.texts_.clear();
  folded.about_.clear();
  for (const std::string& text : texts_) {
    const std::string flag = flag_of(text);
    const bool is_folded = !flag.empty() && counts[flag] > kMostOfFlag;
    const std::string shown =
        is_folded ? flag + ": does not apply; --strategy NAME says why" : text;
    const auto [about, is_new] = folded.about_.try_emplace(shown);
    if (is_new) folded.texts_.push_back(shown);
    for (const auto& [strategy, places] : about_.at(text))
      about->second[strategy].insert(places.begin(), places.end());
  }
  return folded;
}

void Remarks::print(std::ostream& out, const std::string& prefix) const {
  for (const std::string& text : texts_) {
    for (const std::string& subject : subjects_of(about_.at(text)))
      out << "  " << subject << ": " << prefix << text << '\n';
  }
}

}  // namespace epochcast
