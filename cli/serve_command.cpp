// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <boost/program_options.hpp>
#include <iostream>

#include "base/error.hpp"
#include "cli/commands.hpp"
#include "cli/options/job_options.hpp"
#include "core/job/setting_text.hpp"
#include "serve/forking_server.hpp"
#include "serve/routes.hpp"
#include "strategies/settings.hpp"

namespace epochcast {
namespace {

namespace po = boost::program_options;

constexpr int kMostPort = 65535;
/// A constant, so permalinks work later and on other
/// machines.
constexpr int kUsualPort = 8417;

po::options_description serve_options() {
  po::options_description options;
  options.add_options()("port",
                        po::value<std::string>()->value_name("N"),
                        ("of 127.0.0.1; 0: one that is free (default: " +
                         std::to_string(kUsualPort) + ", or one that is free)")
                            .c_str())("help,h", "show this text")(
      "experiment", po::value<std::string>()->value_name("FILE"), "settings from a JSON file")(
      "set",
      po::value<std::vector<std::string>>()->value_name("NAME=VALUE"),
      "a setting, such as batch=64; may be repeated");
  return options;
}

/// The ports to try, in turn.
std::vector<int> ports_from(const po::variables_map& values) {
  if (values.count("port") == 0) return {kUsualPort, ForkingServer::kAnyPort};
  try {
    return {parse_small_count(values["port"].as<std::string>(), 0, kMostPort)};
  } catch (const UserError& error) {
    throw UserError(std::string("--port: ") + error.what());
  }
}

/// The initial settings of the page: those that differ from the defaults.
std::vector<SettingText> given_in(const JobConfig& config) {
  const std::vector<SettingText> usual = all_settings().texts(JobConfig(), in(Command::simulate));
  std::vector<SettingText> given;
  for (const SettingText& setting : all_settings().texts(config, in(Command::simulate))) {
    if (std::find(usual.begin(), usual.end(), setting) == usual.end()) given.push_back(setting);
  }
  return given;
}

}  // namespace

CommandHelp serve_help() {
  CommandHelp help = {
      .usage = "[OPTIONS]",
      .about =
          "The page is on this machine alone; Ctrl-C ends it. Settings are what it begins with.",
      .groups = {help_group("The page", serve_options())},
      .most_used = {"port", "experiment", "set", "platform", "network", "dataset", "nodes"},
      .examples = {
          "epochcast serve --platform deep-est-esb --nodes 16 --network resnet50 --dataset "
          "imagenet"}};
  for (HelpGroup& group : setting_groups(Command::simulate))
    help.groups.push_back(std::move(group));
  return help;
}

int run_serve(const std::vector<std::string>& arguments) {
  po::options_description options;
  options.add(setting_options(Command::simulate)).add(serve_options());
  const po::variables_map values = parse_flags("serve", arguments, options);
  const std::vector<SettingText> given = given_in(config_from(Command::simulate, values));
  const Catalog catalog = Catalog::standard();
  const std::vector<int> ports = ports_from(values);
  ForkingServer server(ports);
  if (server.port() != ports.front() && ports.front() != ForkingServer::kAnyPort) {
    std::cerr << "epochcast: port " << ports.front()
              << " is in use; links to this page open while this server runs\n";
  }
  JobCache memory(catalog, given);
  add_routes(server, catalog, given, memory);
  std::cout << "http://127.0.0.1:" << server.port() << "/\n" << std::flush;
  server.serve();
  return 0;
}

}  // namespace epochcast
