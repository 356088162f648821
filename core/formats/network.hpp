// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/source.hpp"

namespace epochcast {

/// The target of a sample: a class, numbers, or a class (a token) for each of its own tokens.
enum class TargetKind { classes, values, tokens };

/// The targets of samples.
struct Targets {
  TargetKind kind = TargetKind::classes;
  std::vector<std::int64_t> shape = {};  ///< of a sample's values or tokens; {}: a single one
};

/// A data set's size and the shape of its samples. Read from models/datasets/*.json, or from the
/// data itself.
struct Dataset {
  std::string name;
  std::string title;
  std::int64_t train_samples = 0;
  std::int64_t test_samples = 0;
  std::vector<std::int64_t> shape;  ///< of one sample, channels first; {tokens} for text
  double sample_bytes = 0;
  /// Number of labels; for tokens, the size of the vocabulary; for values, their number per sample.
  /// Equals the outputs of a network's last layer per sample (or token).
  std::int64_t classes = 0;
  bool are_tokens = false;  ///< samples are numbers of a vocabulary's words
  Targets targets = {};
  /// Pixels of the short side that images of a folder are resized to, from which samples are
  /// cropped at their full scale: at a random place in training, in the middle in tests. Absent:
  /// the usual ImageNet recipe (real/data/image_crop.hpp).
  std::optional<std::int64_t> resize = {};
  Source source;
};

/// The kind of a layer's multiply-adds. Grouped convolutions compute an output from few inputs (49
/// at most, as depthwise ones do); recurrent layers compute step after step.
enum class ProductKind { convolution, grouped_convolution, matrix, recurrent };

/// One layer of a network, in the order in which backward finishes it.
struct Layer {
  std::string name = {};
  std::int64_t parameters = 0;
  double forward_flops = 0;     ///< per sample, a multiply-add counted as two
  double activation_bytes = 0;  ///< per sample, what backward needs of its output
  ProductKind kind = ProductKind::matrix;
  double product_flops = 0;  ///< of forward_flops: matrix products and convolutions
  double moved_bytes = 0;    ///< per sample, what forward reads and writes beside parameters
  double operations = 0;     ///< that forward starts, one after the other
  /// Of its parameters, in the order of their numbers.
  std::vector<std::vector<std::int64_t>> tensors = {};
};

/// The parts of a model's state that one worker keeps.
struct StateShares {
  double parameters = 1;
  double gradients = 1;
  double optimizer = 1;
  double vectors = 0;  ///< more of the parameters' size, such as those of an outer optimizer

  bool operator==(const StateShares&) const = default;
};

/// A neural network, as far as timing is concerned, for one shape of samples and number of classes.
struct Network {
  std::string name = {};
  std::string title = {};
  std::vector<std::int64_t> input = {};
  std::vector<Layer> layers = {};  ///< backward order: the first one's gradient is ready first
  std::int64_t buffers = 0;        ///< BatchNorm running statistics, elements
  Source source = {};
  /// That its last layer scores, whatever the data set has; absent: as many as that, or unknown.
  std::optional<std::int64_t> fixed_classes = {};
  /// Of a gradient's value when it is exchanged: --gradient-bytes, never from a file.
  int bytes_per_gradient = 4;
  /// Of a value that backward needs: by the precision of the job's batches, never from a file.
  int bytes_per_activation = 4;

  [[nodiscard]] std::int64_t parameters() const;
  /// Bytes of all gradients, as they are exchanged.
  [[nodiscard]] double gradient_bytes() const;
  /// Bytes of all parameters: float32.
  [[nodiscard]] double parameter_bytes() const;
  [[nodiscard]] double forward_flops() const;
  [[nodiscard]] double activation_bytes() const;
  /// Bytes needed to train with this batch: parameters, gradients and momentum (float32 each),
  /// BatchNorm statistics, and per sample the input and the activations that backward needs (of
  /// bytes_per_activation). `kept`: what the worker keeps of parameters, gradients and momentum,
  /// and more.
  [[nodiscard]] double training_bytes(std::int64_t batch, const StateShares& kept = {}) const;
};

/// Reads `epochcast.dataset/1`. Throws a UserError that lists every problem.
[[nodiscard]] Dataset parse_dataset(const nlohmann::json& document, const std::string& file);
[[nodiscard]] Dataset load_dataset(const std::filesystem::path& file);

/// A data set of samples of this shape and nothing else: parse_network() then takes the number of
/// classes that such samples usually have, by the network's file or the shape.
[[nodiscard]] Dataset dataset_of_shape(std::vector<std::int64_t> shape);

/// Reads the variant of `epochcast.network/1` (core/formats/network_file.hpp) that fits the data
/// set's samples. Throws a UserError that lists every problem, or the shapes that the network has
/// when none fits.
[[nodiscard]] Network parse_network(const nlohmann::json& document,
                                    const std::string& file,
                                    const Dataset& dataset);
[[nodiscard]] Network load_network(const std::filesystem::path& file, const Dataset& dataset);

/// A note that the network scores fewer or more classes than the data set has, with both numbers;
/// empty if they are equal.
[[nodiscard]] std::string class_note(const Network& network, const Dataset& dataset);

/// The kinds of model files, for messages.
inline constexpr const char* kExpectedModelFile =
    "a TorchScript file that ends in .pt, .pth or .ts";
/// Whether a network is given as a file with a model, rather than by name or as a description: by
/// its ending, one of kExpectedModelFile's or ".pt2", what torch.export writes. Loading refuses it
/// and names an alternative.
[[nodiscard]] bool is_model_file(const std::string& network);

/// The problem of a name that is none of the networks that LibTorch computes by name.
[[nodiscard]] std::string unknown_network(const std::string& name,
                                          const std::vector<std::string>& known);

/// The name of a network in traces and results: that of a model file without its ending; other
/// names are unchanged.
[[nodiscard]] std::string network_name(const std::string& network);

/// "3x32x32"
[[nodiscard]] std::string shape_text(const std::vector<std::int64_t>& shape);

}  // namespace epochcast
