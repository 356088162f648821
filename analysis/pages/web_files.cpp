// SPDX-License-Identifier: Apache-2.0
#include "analysis/pages/web_files.hpp"

#include <stdexcept>
#include <string>

// The assembler includes the files directly: no step of the build converts them to source.
#define EPOCHCAST_EMBED(name, symbol, path)                                  \
  asm(".section .rodata\n" #symbol "_begin:\n.incbin \"" path "\"\n" #symbol \
      "_end:\n.byte 0\n.previous\n");                                        \
  extern "C" {                                                               \
  [[gnu::visibility("hidden")]] extern const char symbol##_begin[];          \
  [[gnu::visibility("hidden")]] extern const char symbol##_end[];            \
  }

// clang-format off
#define EPOCHCAST_FILES(each) \
  each("page.css", epochcast_page_css, EPOCHCAST_WEB "/page.css") \
  each("text.js", epochcast_text_js, EPOCHCAST_WEB "/text.js") \
  each("tables.js", epochcast_tables_js, EPOCHCAST_WEB "/tables.js") \
  each("charts.js", epochcast_charts_js, EPOCHCAST_WEB "/charts.js") \
  each("timeline.js", epochcast_timeline_js, EPOCHCAST_WEB "/timeline.js") \
  each("forecasts.js", epochcast_forecasts_js, EPOCHCAST_WEB "/forecasts.js") \
  each("curves.js", epochcast_curves_js, EPOCHCAST_WEB "/curves.js") \
  each("plots.js", epochcast_plots_js, EPOCHCAST_WEB "/plots.js") \
  each("calibration.js", epochcast_calibration_js, EPOCHCAST_WEB "/calibration.js") \
  each("validation.js", epochcast_validation_js, EPOCHCAST_WEB "/validation.js") \
  each("page.js", epochcast_page_js, EPOCHCAST_WEB "/page.js") \
  each("serve.html", epochcast_serve_html, EPOCHCAST_WEB "/serve.html") \
  each("serve.css", epochcast_serve_css, EPOCHCAST_WEB "/serve.css") \
  each("experiment.js", epochcast_experiment_js, EPOCHCAST_WEB "/experiment.js") \
  each("inverse.js", epochcast_inverse_js, EPOCHCAST_WEB "/inverse.js") \
  each("serve.js", epochcast_serve_js, EPOCHCAST_WEB "/serve.js") \
  each("chart.js.licence", epochcast_chart_js_licence, EPOCHCAST_WEB "/chart.js.licence") \
  each("fidelity.md", epochcast_fidelity_md, EPOCHCAST_FIDELITY) \
  each("chart.js", epochcast_chart_js, EPOCHCAST_CHART_JS)
// clang-format on

EPOCHCAST_FILES(EPOCHCAST_EMBED)

namespace epochcast {
namespace {

struct WebFile {
  std::string_view name;
  std::string_view text;
};

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

#define EPOCHCAST_FILE(name, symbol, path) WebFile{name, between(symbol##_begin, symbol##_end)},

}  // namespace

std::string_view web_file(std::string_view name) {
  static const WebFile files[] = {EPOCHCAST_FILES(EPOCHCAST_FILE)};
  for (const WebFile& file : files) {
    if (file.name == name) return file.text;
  }
  throw std::out_of_range("no file of the pages: " + std::string(name));
}

}  // namespace epochcast
