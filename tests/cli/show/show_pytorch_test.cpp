// SPDX-License-Identifier: Apache-2.0
#include "cli/show/show_pytorch.hpp"

#include "strategies/strategy.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

JobConfig config_of(const std::string& strategy) {
  JobConfig config;
  config.strategy = strategy;
  config.batch = 24;
  return config;
}

// The recipes themselves are tested in PyTorch: tests/own_model/check_recipes.py.
TEST_CASE("a recipe has the job's settings") {
  JobConfig config = config_of("local-sgd");
  config.of_strategies["local-steps"] = "12";
  CHECK_THAT(pytorch_text(config, 4),
             Catch::Contains("period = 12\n") && Catch::Contains("batches of 24"));

  config = config_of("node-based");
  config.of_strategies["averaging-period"] = "50";
  CHECK_THAT(pytorch_text(config, 4),
             Catch::Contains("size = 4 ") && Catch::Contains("period = 50\n"));
  CHECK_THAT(pytorch_text(config_of("node-based"), 4), Catch::Contains("period = len(loader)"));

  config = config_of("post-local-sgd");
  config.of_strategies["local-from"] = "30";
  CHECK_THAT(pytorch_text(config, 4), Catch::Contains("start = 30 * len(loader)"));
  config = config_of("sync");
  config.bucket_bytes = 5 * 1048576.0;
  CHECK_THAT(pytorch_text(config, 4), Catch::Contains("bucket_cap_mb=5)"));
}

TEST_CASE("with accumulated gradients, the loop steps after several batches, and counts steps") {
  JobConfig config = config_of("one-shot");
  config.epochs = 2;
  CHECK_THAT(pytorch_text(config, 4),
             Catch::Contains("criterion(model(samples), labels).backward()") &&
                 Catch::Contains("period = 2 * len(loader)"));
  config.accumulate = 4;
  config.learning.clip_norm = 1;
  CHECK_THAT(pytorch_text(config, 4),
             Catch::Contains("# import contextlib\n# model, optimizer, after_step = prepare(") &&
                 Catch::Contains("(criterion(model(samples), labels) / 4).backward()") &&
                 Catch::Contains("(i + 1) % 4 == 0") &&
                 Catch::Contains("period = 2 * (len(loader) // 4)") &&
                 Catch::Contains("clip_grad_norm_(model.parameters(), 1)"));
}

TEST_CASE("the loop computes in the job's precision") {
  const auto loop_of = [](Precision precision, const std::string& strategy = "sync") {
    JobConfig config = config_of(strategy);
    config.precision = precision;
    config.learning.clip_norm = 1;
    return pytorch_text(config, 4);
  };

  CHECK_THAT(loop_of(Precision::float16),
             Catch::Contains("# scaler = torch.cuda.amp.GradScaler()\n") &&
                 Catch::Contains("#     with torch.autocast(\"cuda\", dtype=torch.float16):\n"
                                 "#         loss = criterion(model(samples), labels)\n"
                                 "#     scaler.scale(loss).backward()\n"
                                 "#     scaler.unscale_(optimizer)\n"
                                 "#     torch.nn.utils.clip_grad_norm_(model.parameters(), 1)\n"
                                 "#     scaler.step(optimizer)\n"
                                 "#     scaler.update()\n"
                                 "#     after_step()\n"));
  CHECK_THAT(loop_of(Precision::float16, "fsdp"),
             Catch::Contains("# scaler = ShardedGradScaler()\n") &&
                 Catch::Contains("#     model.clip_grad_norm_(1)\n"));
  CHECK_THAT(loop_of(Precision::bfloat16),
             Catch::Contains("dtype=torch.bfloat16):\n") &&
                 Catch::Contains("#     loss.backward()\n") && !Catch::Contains("scaler"));
  CHECK_THAT(loop_of(Precision::tf32),
             Catch::Contains("# torch.backends.cuda.matmul.allow_tf32 = True\n") &&
                 !Catch::Contains("autocast"));
  CHECK_THAT(loop_of(Precision::float32), !Catch::Contains("tf32") && !Catch::Contains("autocast"));
}

TEST_CASE("gradients of two bytes are exchanged as float16, those of other sizes unchanged") {
  const auto text_of = [](const std::string& strategy, int gradient_bytes) {
    JobConfig config = config_of(strategy);
    config.gradient_bytes = gradient_bytes;
    return pytorch_text(config, 4);
  };

  for (const char* strategy : {"sync", "hetgrad"}) {
    CAPTURE(strategy);
    CHECK_THAT(text_of(strategy, 2),
               Catch::Contains("import default_hooks\n") &&
                   Catch::Contains("register_comm_hook(None, default_hooks.fp16_compress_hook)\n"));
  }
  for (const char* strategy : {"post-local-sgd", "node-based"}) {
    CAPTURE(strategy);
    CHECK_THAT(text_of(strategy, 2),
               Catch::Contains("import default_hooks\n") &&
                   Catch::Contains("register_comm_hook(state, default_hooks.fp16_compress_wrapper("
                                   "post_localSGD_hook))\n"));
    CHECK_THAT(text_of(strategy, 4), Catch::Contains("hook(state, post_localSGD_hook)\n"));
  }
  for (const char* strategy : {"sync", "hetgrad", "post-local-sgd", "node-based"}) {
    CAPTURE(strategy);
    CHECK_THAT(text_of(strategy, 4), !Catch::Contains("default_hooks"));
    CHECK_THAT(text_of(strategy, 1),
               !Catch::Contains("default_hooks") &&
                   Catch::Contains("# PyTorch has no hook that exchanges gradients of 1 B "
                                   "(--gradient-bytes): here they have 4.\n"));
  }
  // Without exchanged gradients there are none to compress.
  for (const char* strategy : {"local-sgd", "one-shot"})
    CHECK(text_of(strategy, 2) == text_of(strategy, 4));
}

TEST_CASE("compressions of PyTorch are registered, with their settings; others are named") {
  const auto text_of = [](const std::string& strategy, const std::string& compression) {
    JobConfig config = config_of(strategy);
    config.compression = compression;
    if (compression == "powersgd") config.of_strategies["powersgd-rank"] = "4";
    return pytorch_text(config, 4);
  };

  CHECK_THAT(text_of("sync", "bf16"),
             Catch::Contains("register_comm_hook(None, default_hooks.bf16_compress_hook)\n"));
  CHECK_THAT(text_of("node-based", "fp16"),
             Catch::Contains("default_hooks.fp16_compress_wrapper(post_localSGD_hook)"));
  CHECK_THAT(text_of("sync", "powersgd"),
             Catch::Contains("register_comm_hook(powersgd.PowerSGDState(None, "
                             "matrix_approximation_rank=4, start_powerSGD_iter=1000), "
                             "powersgd.powerSGD_hook)\n"));
  CHECK_THAT(text_of("post-local-sgd", "powersgd"),
             Catch::Contains("# PyTorch combines no other hook with this one") &&
                 Catch::Contains("hook(state, post_localSGD_hook)\n"));
  CHECK_THAT(text_of("sync", "topk"),
             Catch::Contains("# PyTorch has no hook like --compression topk"));
}

TEST_CASE("a recipe says that its period does not change") {
  JobConfig config = config_of("local-sgd");
  CHECK_THAT(pytorch_text(config, 4), !Catch::Contains("--period-rule"));
  config.of_strategies["period-rule"] = "qsr";
  CHECK_THAT(pytorch_text(config, 4),
             Catch::Contains("# PyTorch's averagers have constant periods: --period-rule qsr would "
                             "change this one.\nimport torch"));
}

TEST_CASE("diloco is shown with the names of torchft") {
  JobConfig config = config_of("diloco");
  config.of_strategies["fragments"] = "4";
  config.of_strategies["fragment-delay"] = "2";
  config.compression = "int8";
  CHECK_THAT(pytorch_text(config, 4),
             Catch::Contains("# With torchft: DiLoCo(manager, fragments, optimizer, "
                             "torch.optim.SGD(parameters, lr=0.7,\n#     momentum=0.9, "
                             "nesterov=True), sync_every=32, fragment_sync_delay=2, "
                             "fragment_update_alpha=0,\n#     should_quantize=True), with 4 parts "
                             "of the model in the list of fragments.\n# PyTorch has nothing like "
                             "diloco; `epochcast train` runs it"));
}

TEST_CASE("every strategy has a recipe or a reason for none") {
  for (const Strategy& strategy : strategies()) {
    CAPTURE(strategy.name);
    const std::string text = pytorch_text(config_of(std::string(strategy.name)), 2);
    const bool has_recipe =
        text.find("def prepare(model, optimizer, loader):") != std::string::npos;
    const bool says_no = text.find("PyTorch has nothing like") != std::string::npos;
    CHECK(has_recipe != says_no);
  }
}

}  // namespace
}  // namespace epochcast::tests
