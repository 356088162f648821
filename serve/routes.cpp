// SPDX-License-Identifier: Apache-2.0
#include "serve/routes.hpp"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>
#include <vector>

#include "analysis/find/found_json.hpp"
#include "analysis/forecast/few_iterations.hpp"
#include "analysis/forecast/sweep.hpp"
#include "analysis/pages/forecast_html.hpp"
#include "analysis/pages/web_files.hpp"
#include "base/error.hpp"
#include "serve/about.hpp"
#include "serve/page_request.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kJson = "application/json";
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Indices of the tasks: those whose workers keep no step come last, as they take longest.
std::vector<std::size_t> quick_first(const std::vector<ForecastTask>& tasks) {
  std::vector<std::size_t> order(tasks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t index) {
    return find_strategy(tasks[index].strategy).can_save_within_epochs;
  });
  return order;
}

/// The client has gone; its forecasts end.
class ClientGone : public std::exception {};

/// Writes one line of JSON for the command, one for each outcome as it comes, in any order, and one
/// for the end.
void write_forecasts(const PageRequest& page_request, SharedJobs& jobs, httplib::DataSink& sink) {
  const auto say = [&](const Json& json) {
    const std::string line = text_of(json) + "\n";
    if (!sink.is_writable() || !sink.write(line.data(), line.size())) throw ClientGone();
  };
  try {
    const std::vector<ForecastTask> tasks = page_request.tasks();
    say({{"command", page_request.command()}, {"tasks", tasks.size()}});
    const std::vector<std::size_t> order = quick_first(tasks);
    std::vector<ForecastTask> ordered;
    for (const std::size_t index : order) ordered.push_back(tasks[index]);
    forecast_as_finished(ordered, jobs, {}, [&](std::size_t i, ForecastOutcome outcome) {
      Json line = forecast_view({std::move(outcome)});
      line["task"] = order[i];
      say(line);
    });
    say({{"is_done", true}});
  } catch (const ClientGone&) {
    throw;
  } catch (const UserError& error) {
    say({{"problems", error.problems()}});
  } catch (const std::exception& error) {
    say({{"problems", {error.what()}}});
  }
}

/// Throws a UserError if nothing is searched.
Json found_json(const PageRequest& page_request, SharedJobs& jobs) {
  if (!page_request.find)
    throw UserError("request: /find: missing; expected the name of a setting");
  return to_json(
      *page_request.find, find(*page_request.find, simulating(jobs)), page_request.command());
}

void add_files(ForkingServer& server) {
  const auto add = [&](const std::string& path, const std::string& file, const char* type) {
    server.Get(path, [file, type](const httplib::Request&, httplib::Response& response) {
      const std::string_view text = web_file(file);
      response.set_header("Content-Security-Policy", kPolicy);
      response.set_content(text.data(), text.size(), type);
    });
  };
  add("/", "serve.html", "text/html; charset=utf-8");
  for (const char* name : {"page.css", "serve.css"})
    add(std::string("/") + name, name, "text/css; charset=utf-8");
  for (const char* name : {"chart.js",
                           "text.js",
                           "tables.js",
                           "charts.js",
                           "timeline.js",
                           "forecasts.js",
                           "experiment.js",
                           "inverse.js",
                           "serve.js"})
    add(std::string("/") + name, name, "text/javascript; charset=utf-8");
  add("/chart.js.licence", "chart.js.licence", "text/plain; charset=utf-8");
}

}  // namespace

void add_routes(ForkingServer& server,
                const Catalog& catalog,
                const std::vector<SettingText>& given,
                JobCache& cache) {
  add_files(server);
  server.set_receiver([&](const std::string& message) { cache.preload(message); });
  const auto read_request = [&](const httplib::Request& request) {
    PageRequest page_request = request_in(request.body, catalog, given);
    server.send_to_parent(JobCache::text_of(page_request.config));
    return page_request;
  };
  server.Get("/api/about", [&](const httplib::Request&, httplib::Response& response) {
    response.set_content(text_of(about(catalog, given)), kJson);
  });
  server.Post(
      "/api/forecast",
      [&, read_request](const httplib::Request& request, httplib::Response& response) {
        response.set_chunked_content_provider(
            "application/x-ndjson",
            [page_request = read_request(request), &cache](std::size_t, httplib::DataSink& sink) {
              try {
                write_forecasts(page_request, cache.jobs(), sink);
              } catch (const ClientGone&) {
                return false;
              }
              sink.done();
              return true;
            });
      });
  server.Post(
      "/api/find", [&, read_request](const httplib::Request& request, httplib::Response& response) {
        response.set_content(text_of(found_json(read_request(request), cache.jobs())), kJson);
      });
  server.Post("/api/timeline",
              [&, read_request](const httplib::Request& request, httplib::Response& response) {
                constexpr std::size_t kMostEvents = 3000;
                const std::vector<ForecastTask> tasks = read_request(request).tasks();
                response.set_content(text_of(few_iterations(tasks, cache.jobs(), kMostEvents)),
                                     kJson);
              });
}

}  // namespace epochcast
