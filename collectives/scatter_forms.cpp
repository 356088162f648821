// SPDX-License-Identifier: Apache-2.0
#include "collectives/scatter_forms.hpp"

#include <array>
#include <bit>
#include <iterator>
#include <stdexcept>
#include <string>

#include "collectives/all_gather.hpp"
#include "collectives/openmpi.hpp"
#include "collectives/reduce_scatter.hpp"

namespace epochcast {
namespace {

using Make = std::unique_ptr<Schedule> (*)(const Parts& parts, std::int64_t bytes);

struct Form {
  ScatterForm form;
  Make reduce_scatter;
  Make all_gather;
};

template <typename OneSchedule>
std::unique_ptr<Schedule> of_parts(const Parts& parts, std::int64_t /*bytes*/) {
  return std::make_unique<OneSchedule>(parts);
}

template <Make all_gather>
std::unique_ptr<Schedule> reverse_of(const Parts& parts, std::int64_t bytes) {
  return std::make_unique<ReversedAllGather>(all_gather(parts, bytes));
}

std::unique_ptr<Schedule> recursive_all_gather(const Parts& parts, std::int64_t /*bytes*/) {
  if (std::has_single_bit(static_cast<unsigned>(parts.ranks())))
    return std::make_unique<DoublingAllGather>(parts);
  return std::make_unique<BruckAllGather>(parts);
}

constexpr Form kForms[] = {
    {{"direct", "every rank sends each other rank its part, all at once"},
     reverse_of<of_parts<DirectAllGather>>,
     of_parts<DirectAllGather>},
    {{"openmpi", "what Open MPI 4.1 picks for this number of ranks and bytes"},
     make_openmpi_reduce_scatter,
     make_openmpi_all_gather},
    {{"recursive", "halving and doubling; if ranks are no power of two, Bruck's and its reverse"},
     reverse_of<recursive_all_gather>,
     recursive_all_gather},
    {{"ring", "parts go round a ring in rank order"},
     of_parts<RingReduceScatter>,
     of_parts<RingAllGather>},
};

constexpr auto kScatterForms = [] {
  std::array<ScatterForm, std::size(kForms)> forms{};
  for (std::size_t i = 0; i < forms.size(); ++i) forms[i] = kForms[i].form;
  return forms;
}();

const Form& form_of(std::string_view name) {
  for (const Form& each : kForms) {
    if (each.form.name == name) return each;
  }
  throw std::invalid_argument("unknown form of a reduce-scatter \"" + std::string(name) + "\"");
}

}  // namespace

std::span<const ScatterForm> scatter_forms() { return kScatterForms; }

std::unique_ptr<Schedule> make_reduce_scatter(std::string_view form,
                                              const Parts& parts,
                                              std::int64_t bytes) {
  return form_of(form).reduce_scatter(parts, bytes);
}

std::unique_ptr<Schedule> make_all_gather(std::string_view form,
                                          const Parts& parts,
                                          std::int64_t bytes) {
  return form_of(form).all_gather(parts, bytes);
}

}  // namespace epochcast
