// SPDX-License-Identifier: Apache-2.0
#include "cli/options/command_line.hpp"

#include <boost/program_options.hpp>
#include <vector>

#include "base/error.hpp"
#include "base/text/suggest.hpp"
#include "core/job/setting_text.hpp"

namespace epochcast {

namespace po = boost::program_options;

po::variables_map parse_words(const po::options_description& options,
                              int argc,
                              const char* const* argv,
                              const std::string& expected) {
  po::variables_map values;
  try {
    constexpr auto kStyle =
        po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
    const po::positional_options_description no_positions;
    po::command_line_parser parser(argc, argv);
    const auto parsed = parser.options(options).positional(no_positions).style(kStyle).run();
    for (const auto& option : parsed.options) {
      for (const std::string& value : option.value)
        check_plain_text(value, "--" + option.string_key);
    }
    po::store(parsed, values);
  } catch (const po::unknown_option& error) {
    std::vector<std::string> names;
    for (const auto& option : options.options()) names.push_back("--" + option->long_name());
    const std::string word = error.get_option_name();  // with the value in "--name=value"
    throw UserError(unknown_option(word.substr(0, word.find('=')), names));
  } catch (const po::too_many_positional_options_error&) {
    throw UserError("got a word that belongs to no option; expected " + expected);
  } catch (const po::error& error) {
    throw UserError(error.what());
  }
  return values;
}

}  // namespace epochcast
