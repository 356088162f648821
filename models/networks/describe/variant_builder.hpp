// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/networks/describe/network.hpp"

namespace epochcast::describe {

using Shape = std::vector<std::int64_t>;

/// Whether a layer's output has to stay in memory until the backward pass.
enum class Output { kKept, kFreed };

/// The settings of a convolution over [channels, height, width].
struct Convolution {
  std::int64_t channels;
  std::int64_t kernel;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t groups = 1;
  bool bias = false;
};

/// The settings of a pooling window.
struct Window {
  std::int64_t kernel;
  std::int64_t stride;
  std::int64_t padding = 0;
};

/// Describes a network for one sample shape, layer by layer in the order of the forward pass,
/// tracking the shape of the activation.
///
/// Counting rules, the same for every network:
/// - Floating-point operations of one sample. Convolutions, linear layers and matrix products: 2
/// per multiply-add,
///   padding included, bias additions left out. Batch norm and layer norm: 4 per element (mean,
///   variance, normalise, scale and shift, as in training). Softmax: 5 per element. Any other
///   function of one element, and an addition: 1 per element. Pooling: 1 per element of each
///   window.
/// - Activation bytes: the layer's output in float32 if PyTorch's backward pass reads it
/// (`Output::kKept`), whether
///   for this layer or for the next one, else 0. A function computed in place (ReLU) or an addition
///   into its operand writes the buffer of the layer before, which is counted there. Views cost
///   nothing. The indices of max-pooling, dropout masks, the batch itself and the workspace of a
///   library are not counted.
///
/// A wrong sequence (a convolution after `flatten`, a window larger than the map) is our bug and
/// throws std::logic_error.
class VariantBuilder {
 public:
  /// Starts at the shape of a sample as a data set delivers it.
  VariantBuilder(Shape input, std::string note);

  /// The shape of the current activation.
  [[nodiscard]] const Shape& shape() const { return shape_; }
  /// Continues from another activation, for branches.
  void set_shape(Shape shape) { shape_ = std::move(shape); }

  /// Tensors NAME.weight [channels, in / groups, kernel, kernel] and, with `bias`, NAME.bias.
  void convolution(const std::string& name,
                   const Convolution& settings,
                   Output output = Output::kKept);
  /// `factor` times as many rows and columns, each pixel copied (nearest neighbour).
  void upsample(const std::string& name, std::int64_t factor);
  /// Over channels (the first extent of a map, or features); adds two running statistics per
  /// channel to the buffers.
  void batch_norm(const std::string& name, Output output = Output::kKept);
  /// Over features (the last extent).
  void layer_norm(const std::string& name);
  /// On the last extent, for every row of the others.
  void linear(const std::string& name, std::int64_t features, Output output = Output::kKept);
  /// A linear layer with one output per class.
  void classifier(const std::string& name);
  /// A function of one element computed in place, such as ReLU: its output takes no memory of its
  /// own.
  void in_place(const std::string& name);
  /// A function of one element with an output of its own, such as GELU or dropout.
  void pointwise(const std::string& name, Output output = Output::kKept);
  /// The sum of the current activation and one of the same shape.
  void add(const std::string& name, Output output);
  /// Joins branches to `channels` channels by copying them.
  void concatenate(const std::string& name, std::int64_t channels, Output output = Output::kKept);
  void pool(const std::string& name, const Window& window, Output output = Output::kKept);
  /// Average-pools to [channels, size, size]; a map smaller than that is repeated.
  void adaptive_average_pool(const std::string& name, std::int64_t size);
  /// The mean of every channel, leaving [channels].
  void global_average_pool(const std::string& name);
  /// Makes one extent of all; a view.
  void flatten();
  /// Scaled dot-product attention among [tokens, features] whose three projections are already
  /// computed: scores, softmax (dropped out with `dropout`), weighted values. The probabilities are
  /// kept, as PyTorch 1.13 keeps them.
  void attention(const std::string& name, std::int64_t heads, bool dropout);
  /// Appends a layer that no other member describes.
  void append(Layer layer, Shape output);

  /// The finished description.
  [[nodiscard]] Variant build() const { return variant_; }

 private:
  [[nodiscard]] std::int64_t elements() const;
  [[nodiscard]] std::int64_t bytes(Output output) const;
  void require_map(const std::string& name) const;

  Variant variant_;
  Shape shape_;
};

/// How many elements a tensor or activation of this shape has.
[[nodiscard]] std::int64_t element_count(const Shape& shape);

}  // namespace epochcast::describe
