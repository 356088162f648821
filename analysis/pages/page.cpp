// SPDX-License-Identifier: Apache-2.0
#include "analysis/pages/page.hpp"

#include <random>

#include "analysis/pages/escaped_html.hpp"
#include "analysis/pages/web_files.hpp"

namespace epochcast {
namespace {

/// Data as a script that is not executed: nothing in it can end the element.
std::string data_script(const PageView& view) {
  std::string text =
      view.data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;)
    text.replace(at, 1, "\\u003c");
  return "<script type=\"application/json\" data-view=\"" + escaped_html(view.name) + "\">" + text +
         "</script>\n";
}

/// A nonce of the content security policy: only this page's own scripts run.
std::string random_word() {
  std::random_device random;
  std::string word;
  for (int i = 0; i < 4; ++i) word += std::to_string(random());
  return word;
}

}  // namespace

std::string page_html(const std::string& title,
                      const std::string& command,
                      const std::vector<PageView>& views) {
  const std::string nonce = random_word();
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src &#39;none&#39;; "
      "base-uri &#39;none&#39;; form-action &#39;none&#39;; style-src &#39;nonce-" +
      nonce + "&#39;; script-src &#39;nonce-" + nonce + "&#39;\">\n<title>" + escaped_html(title) +
      "</title>\n<style nonce=\"" + nonce + "\">\n" + std::string(web_file("page.css")) +
      "</style>\n</head>\n<body>\n<main>\n<h1>" + escaped_html(title) + "</h1>\n";
  if (!command.empty()) html += "<pre>" + escaped_html(command) + "</pre>\n";
  for (const PageView& view : views)
    html += "<section data-view=\"" + view.name + "\"></section>\n";
  html +=
      "</main>\n<noscript><p>The charts and tables of this page are drawn by its own scripts, "
      "which are switched off.</p></noscript>\n";
  for (const PageView& view : views) html += data_script(view);
  html +=
      "<script type=\"text/plain\">" + std::string(web_file("chart.js.licence")) + "</script>\n";
  for (const char* name : {"chart.js",
                           "text.js",
                           "tables.js",
                           "charts.js",
                           "timeline.js",
                           "forecasts.js",
                           "curves.js",
                           "plots.js",
                           "calibration.js",
                           "validation.js",
                           "page.js"}) {
    html += "<script nonce=\"" + nonce + "\">" + std::string(web_file(name)) + "</script>\n";
  }
  return html + "</body>\n</html>\n";
}

}  // namespace epochcast
