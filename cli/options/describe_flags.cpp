// SPDX-License-Identifier: Apache-2.0
#include "cli/options/describe_flags.hpp"

#include <boost/program_options/value_semantic.hpp>

#include "cli/show/table_style.hpp"

namespace epochcast {
namespace {

namespace po = boost::program_options;

constexpr const char* kUsualClasses = "1000";

}  // namespace

po::options_description describe_flags() {
  po::options_description options;
  const auto word = [](const char* name) { return po::value<std::string>()->value_name(name); };
  options.add_options()("model", word("FILE"), "the model file, also given without --model")(
      "input", word("SIZE,..."), "shape of a sample, such as 3,224,224 (an image) or 128 (tokens)")(
      "classes", word("COUNT")->default_value(kUsualClasses), "that the model scores")(
      "samples",
      word("tokens|numbers"),
      "what samples consist of (default: tokens where --input is one size)")(
      "targets",
      word("class|values|tokens")->default_value("class"),
      "target of a sample, for models that take it and return their loss: a class, "
      "--classes values, or a token for each of its own")(
      "values",
      word("SIZE,..."),
      "shape of the values that a sample is mapped to, in place of --targets values")(
      "output",
      word("FILE"),
      "write the description: a network for --network, also where there is no LibTorch")(
      "layers", "show each layer, in the order in which backward is through with them")(
      "quiet", "show only warnings, on stderr")("help,h", "this text");
  options.add(wide_option());
  return options;
}

CommandHelp describe_help() {
  return {.usage = "FILE --input SIZE,... [OPTIONS]",
          .about =
              "Layers and operations of a TorchScript model "
              "(torch.jit.script(model).save(\"MODEL.pt\")): a sample is sent through it. Loading "
              "a model runs what is in it: describe only "
              "models that you trust.",
          .groups = {help_group("Options", describe_flags())},
          .most_used = {},
          .examples = {"epochcast describe MODEL.pt --input 3,224,224 --output my-network.json"}};
}

}  // namespace epochcast
