// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "models/networks/describe/families.hpp"
#include "models/networks/describe/variant_builder.hpp"

namespace epochcast::describe {
namespace {

constexpr std::int64_t kSteps = 28;
constexpr std::int64_t kInputs = 28;
constexpr std::int64_t kHidden = 64;

/// A recurrent cell, counted per hidden unit and step. `flop` are the operations of one element
/// beyond the two products; `kept` are the values that backward through time reads.
struct Cell {
  std::string name;
  std::string title;
  std::string reference;
  std::int64_t gates;
  std::int64_t flop;
  std::int64_t kept;
};

Variant recurrent(const Cell& cell) {
  VariantBuilder net(
      {1, 28, 28},
      "an image is read row by row: 28 steps of 28 inputs; one recurrent layer, then "
      "on its last step batch norm, dropout 0.25, linear 32, dropout 0.5, linear 10 "
      "(TNNLS 2023); 64 hidden units and a ReLU after linear 32 as in the MNIST RNN example of "
      "PyTorch, which the authors name");
  const std::int64_t rows = cell.gates * kHidden;
  net.append({.name = cell.name,
              .tensors = {{cell.name + ".weight_ih_l0", {rows, kInputs}},
                          {cell.name + ".weight_hh_l0", {rows, kHidden}},
                          {cell.name + ".bias_ih_l0", {rows}},
                          {cell.name + ".bias_hh_l0", {rows}}},
              .forward_flop = kSteps * (2 * rows * (kInputs + kHidden) + cell.flop * kHidden),
              .activation_bytes = 4 * kSteps * cell.kept * kHidden},
             {kHidden});
  net.batch_norm("norm");
  net.pointwise("dropout1");
  net.linear("fc1", 32);
  net.in_place("relu");
  net.pointwise("dropout2");
  net.classifier("fc2");
  return net.build();
}

}  // namespace

std::vector<Network> recurrent_family() {
  std::vector<Network> networks;
  for (const Cell& cell : {
           // h = tanh(ih + hh): one sum, one function; keeps h.
           Cell{.name = "rnn",
           .title = "Elman RNN on image rows",
           .reference = "Elman, Finding Structure in Time, 1990; as torch.nn.RNN",
           .gates = 1,
           .flop = 2,
           .kept = 1},
           // Four sums and four functions; c = f c + i g (3), h = o tanh(c) (2); keeps the gates, c
           // and h.
           Cell{.name = "lstm",
           .title = "LSTM on image rows",
           .reference = "Hochreiter and Schmidhuber, Long Short-Term Memory, 1997; as "
                        "torch.nn.LSTM",
           .gates = 4,
           .flop = 13,
           .kept = 6},
           // Three sums and three functions; r hn (1), h = (1 - z) n + z h (4); keeps the gates, hn
           // and h.
           Cell{.name = "gru",
           .title = "GRU on image rows",
           .reference = "Cho et al., Learning Phrase Representations, EMNLP 2014; as "
                        "torch.nn.GRU",
           .gates = 3,
           .flop = 11,
           .kept = 5},
       }) {
    networks.push_back({.name = cell.name,
                        .title = cell.title,
                        .reference = cell.reference,
                        .variants = {recurrent(cell)}});
  }
  return networks;
}

}  // namespace epochcast::describe
