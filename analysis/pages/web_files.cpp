// SPDX-License-Identifier: Apache-2.0
#include "analysis/pages/web_files.hpp"

#include <array>
#include <stdexcept>
#include <string>

// The assembler includes the files directly: no step of the build converts them to source.
#define EPOCHCAST_EMBED(symbol, path)                                        \
  asm(".section .rodata\n" #symbol "_begin:\n.incbin \"" path "\"\n" #symbol \
      "_end:\n.byte 0\n.previous\n");                                        \
  extern "C" {                                                               \
  [[gnu::visibility("hidden")]] extern const char symbol##_begin[];          \
  [[gnu::visibility("hidden")]] extern const char symbol##_end[];            \
  }

EPOCHCAST_EMBED(epochcast_page_css, EPOCHCAST_WEB "/page.css")
EPOCHCAST_EMBED(epochcast_text_js, EPOCHCAST_WEB "/text.js")
EPOCHCAST_EMBED(epochcast_tables_js, EPOCHCAST_WEB "/tables.js")
EPOCHCAST_EMBED(epochcast_charts_js, EPOCHCAST_WEB "/charts.js")
EPOCHCAST_EMBED(epochcast_timeline_js, EPOCHCAST_WEB "/timeline.js")
EPOCHCAST_EMBED(epochcast_forecasts_js, EPOCHCAST_WEB "/forecasts.js")
EPOCHCAST_EMBED(epochcast_curves_js, EPOCHCAST_WEB "/curves.js")
EPOCHCAST_EMBED(epochcast_plots_js, EPOCHCAST_WEB "/plots.js")
EPOCHCAST_EMBED(epochcast_page_js, EPOCHCAST_WEB "/page.js")
EPOCHCAST_EMBED(epochcast_serve_html, EPOCHCAST_WEB "/serve.html")
EPOCHCAST_EMBED(epochcast_serve_css, EPOCHCAST_WEB "/serve.css")
EPOCHCAST_EMBED(epochcast_experiment_js, EPOCHCAST_WEB "/experiment.js")
EPOCHCAST_EMBED(epochcast_inverse_js, EPOCHCAST_WEB "/inverse.js")
EPOCHCAST_EMBED(epochcast_serve_js, EPOCHCAST_WEB "/serve.js")
EPOCHCAST_EMBED(epochcast_fidelity_md, EPOCHCAST_FIDELITY)
EPOCHCAST_EMBED(epochcast_chart_js, EPOCHCAST_CHART_JS)
EPOCHCAST_EMBED(epochcast_chart_licence, EPOCHCAST_WEB "/chart.js.licence")

namespace epochcast {
namespace {

struct WebFile {
  std::string_view name;
  std::string_view text;
};

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

#define EPOCHCAST_FILE(name, symbol) \
  WebFile { name, between(symbol##_begin, symbol##_end) }

}  // namespace

std::string_view web_file(std::string_view name) {
  static const std::array files = {
      EPOCHCAST_FILE("page.css", epochcast_page_css),
      EPOCHCAST_FILE("text.js", epochcast_text_js),
      EPOCHCAST_FILE("tables.js", epochcast_tables_js),
      EPOCHCAST_FILE("charts.js", epochcast_charts_js),
      EPOCHCAST_FILE("timeline.js", epochcast_timeline_js),
      EPOCHCAST_FILE("forecasts.js", epochcast_forecasts_js),
      EPOCHCAST_FILE("curves.js", epochcast_curves_js),
      EPOCHCAST_FILE("plots.js", epochcast_plots_js),
      EPOCHCAST_FILE("page.js", epochcast_page_js),
      EPOCHCAST_FILE("serve.html", epochcast_serve_html),
      EPOCHCAST_FILE("serve.css", epochcast_serve_css),
      EPOCHCAST_FILE("experiment.js", epochcast_experiment_js),
      EPOCHCAST_FILE("inverse.js", epochcast_inverse_js),
      EPOCHCAST_FILE("serve.js", epochcast_serve_js),
      EPOCHCAST_FILE("fidelity.md", epochcast_fidelity_md),
      EPOCHCAST_FILE("chart.js", epochcast_chart_js),
      EPOCHCAST_FILE("chart.js.licence", epochcast_chart_licence),
  };
  for (const WebFile& file : files) {
    if (file.name == name) return file.text;
  }
  throw std::out_of_range("no file of the pages: " + std::string(name));
}

}  // namespace epochcast
