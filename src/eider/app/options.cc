#include "eider/app/options.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "eider/app/printable.h"
#include "eider/app/run_app.h"
#include "eider/app/serving_options.h"
#include "eider/app/settings.h"
#include "eider/base/failure.h"
#include "eider/reflect/constraints.h"

namespace eider {

namespace {

using detail::app::LiveSettings;
using detail::app::OptionSpec;
using detail::app::Serving;
using detail::app::ServingProcess;
using detail::app::Settings;

constexpr int kExitThrew = 1;
constexpr int kExitUnsaid = 1;
constexpr int kExitUsage = 2;
constexpr int kServerFault = 500;
constexpr std::size_t kHelpColumn = 28;
constexpr std::string_view kFooter =
    "SIGINT or SIGTERM finishes what is in flight and exits with 0; a second one leaves at once.\n";
/// What the environment calls the options of every application begins so.
constexpr std::string_view kProgram = "eider";

Exit misused(std::string_view what) {
  return Exit(kExitUsage, detail::app::printable(what) + "; see --help\n");
}

// The command line's grammar and the layout of its help are CLI11's; values are read by Settings,
// where a wrong one is told by the place that it came from.
class Parser {
 public:
  /// settings  outlives it
  explicit Parser(Settings& settings);

  /// errors  see read_command_line
  Result<void, Exit> parse(int argc, const char* const* argv);
  /// Whether the command line itself says something of it. Pre: there is such an option.
  [[nodiscard]] bool is_given(std::string_view word) const {
    return find(word)->option->count() != 0;
  }
  /// The flag that is answered in place of serving; null: none is given.
  [[nodiscard]] const OptionSpec* answer() const;

 private:
  struct Added {
    Settings::Entry* entry;
    CLI::Option* option;
    [[nodiscard]] const OptionSpec& spec() const noexcept { return *entry->spec; }
  };

  void add(Settings::Entry& entry, const std::string& group);
  /// word  "--port"; returns null for what is none
  [[nodiscard]] const Added* find(std::string_view word) const;
  [[nodiscard]] Result<void, Exit> check_values() const;
  [[nodiscard]] Exit unknown(std::span<const char* const> words,
                             const std::vector<std::string>& left) const;

  CLI::App app_;
  std::vector<Added> added_;
};

Parser::Parser(Settings& settings) {
  app_.get_formatter()->column_width(kHelpColumn);
  app_.footer(std::string(kFooter));
  const OptionSet& own = settings.own();
  const std::string of_own = own.program().empty() ? "Options" : "Options of " + own.program();
  const std::string of_all =
      own.options().empty() ? "Options" : "Options of every Eider application";
  std::size_t count = 0;
  for (Settings::Entry& entry : settings.entries()) {
    const std::string& section = entry.spec->section;
    const std::string& group = count++ < own.options().size() ? of_own : of_all;
    add(entry, section.empty() ? group : "Options of " + section);
  }
  app_.set_help_flag("-h,--help", "this text")->group(of_all);
  app_.allow_extras();  // they are told here: CLI11 would list them in reverse
}

/// "where notes are kept (default notes.db; NOTES_DATABASE_FILE)"
std::string help_of(const OptionSpec& spec) {
  std::string facts = spec.initial.empty() ? "" : "default " + spec.initial;
  for (const std::string& name : {spec.environment, spec.secret_environment}) {
    if (!name.empty()) {
      facts.append(facts.empty() ? "" : "; ").append(name);
    }
  }
  if (spec.help.empty() || facts.empty()) {
    return spec.help + facts;
  }
  return spec.help + " (" + facts + ")";
}

void Parser::add(Settings::Entry& entry, const std::string& group) {
  const OptionSpec& spec = *entry.spec;
  const std::string name = "--" + spec.name;
  const bool is_flag = spec.form == OptionSpec::Form::flag;
  CLI::Option* const option =
      is_flag ? app_.add_flag(name)->description(help_of(spec))
              : app_.add_option(name, CLI::callback_t(), help_of(spec))->type_name(spec.takes);
  option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->group(group);
  added_.push_back({&entry, option});
}

/// CLI11 leaves two empty lines between groups.
std::string without_empty_pairs(std::string text) {
  for (std::size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;) {
    text.erase(at, 1);
  }
  return text;
}

const Parser::Added* Parser::find(std::string_view word) const {
  const auto found = std::ranges::find_if(
      added_, [word](const Added& added) { return word == "--" + added.spec().name; });
  return found == added_.end() ? nullptr : &*found;
}

Exit without_value(const OptionSpec& spec) {
  return misused("--" + spec.name + " takes a value (" + spec.takes + "), and none follows it");
}

/// CLI11 takes the next word for the value, whatever it is; but where that is an option it is none.
Result<void, Exit> Parser::check_values() const {
  for (const Added& added : added_) {
    for (const std::string& value : added.option->results()) {
      if (find(value) != nullptr) {
        return fail(without_value(added.spec()));
      }
    }
  }
  return {};
}

/// words  the whole command line: the value of an unknown option follows it there
/// left   those of them that are no option nor an option's value, in no order
Exit Parser::unknown(std::span<const char* const> words,
                     const std::vector<std::string>& left) const {
  const auto first = std::ranges::find_if(
      words, [&](const std::string& word) { return std::ranges::find(left, word) != left.end(); });
  const std::string word = first == words.end() ? left.front() : *first;
  if (!word.starts_with("--") || word.size() == 2) {
    return misused("'" + word + "' is no option");
  }
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> known;
  for (const Added& added : added_) {
    known.push_back("--" + added.spec().name);
  }
  const std::string nearest = detail::app::nearest_option(name, known);
  return misused(name + " is no option" + (nearest.empty() ? "" : ", but " + nearest + " is"));
}

Result<void, Exit> Parser::parse(int argc, const char* const* argv) {
  try {
    app_.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return fail(Exit(0, without_empty_pairs(app_.help())));
  } catch (const CLI::ParseError& error) {  // the last word is an option that lacks its value
    const Added* const last = find(argv[argc - 1]);
    return fail(last == nullptr ? misused(error.what()) : without_value(last->spec()));
  }
  if (auto checked = check_values(); !checked) {
    return checked;
  }
  if (const std::vector<std::string> left = app_.remaining(); !left.empty()) {
    return fail(unknown({argv + 1, static_cast<std::size_t>(argc - 1)}, left));
  }
  for (const Added& added : added_) {
    if (added.option->count() != 0) {
      added.entry->said =
          Settings::Said{"--" + added.spec().name, added.option->results(), added.spec().is_secret};
    }
  }
  return {};
}

const OptionSpec* Parser::answer() const {
  const auto given = std::ranges::find_if(
      added_, [](const Added& added) { return added.spec().answer && added.option->count() != 0; });
  return given == added_.end() ? nullptr : &given->spec();
}

/// What options are wrong together: blames the first of the keys that a file says, with its place.
///
/// words    where the command line or the environment says them
/// in_file  behind the key
Exit misused_together(const Settings& settings, std::initializer_list<std::string_view> keys,
                      const std::string& words, std::string_view in_file) {
  for (const std::string_view key : keys) {
    if (const std::string place = settings.place_of(key); !place.empty()) {
      return misused(place + ": " + std::string(key) + std::string(in_file));
    }
  }
  return misused(words);
}

/// What is for workers does nothing where nobody says a number of them, be it none: whoever asks
/// for it believes that there are some.
Result<void, Exit> check_workers(const Settings& settings, const ServerOptions& given,
                                 const Serving& read, const ServingProcess& process) {
  constexpr std::string_view kInFile = " is of server.workers: say how many there are, too";
  if (read.workers || given.workers != 0) {
    return {};
  }
  if (read.workers_start != given.workers_start) {
    return fail(misused_together(settings, {"server.workers_start"},
                                 "--workers-start is of --workers: say how many there are, too",
                                 kInFile));
  }
  if (process.stuck_seconds) {
    return fail(misused_together(settings, {"server.stuck_seconds"},
                                 "--stuck-seconds is of --workers: say how many there are, too",
                                 kInFile));
  }
  return {};
}

/// A certificate that nobody would be shown: whoever names one believes that TLS is spoken. A group
/// without a user would be nobody's.
Result<void, Exit> check_together(const Settings& settings, const ServerOptions& given,
                                  const Serving& read, const ServingProcess& process) {
  const bool has_place = given.is_secure || std::ranges::any_of(given.also, &ListenAt::is_secure) ||
                         !read.tls_port.empty() || !read.listen_tls.empty();
  const bool is_told = read.cert != given.certificate || read.key != given.key;
  if (is_told && !has_place) {
    return fail(misused_together(
        settings, {"server.cert", "server.key"},
        "--cert and --key are for TLS, which is spoken nowhere: add --tls-port or --listen-tls",
        " is for TLS, which is spoken nowhere: add server.tls_port or server.listen_tls"));
  }
  if (!process.group.empty() && process.user.empty()) {
    return fail(misused_together(settings, {"server.group"}, "--group is of --user: say that, too",
                                 " is of server.user: say that, too"));
  }
  return check_workers(settings, given, read, process);
}

/// --listen and --listen-tls are in place of host and port, but those of the environment and of
/// files are not in place of what the command line says.
void set_others_aside(const Parser& parser, Settings& settings) {
  const bool is_told = parser.is_given("--host") || parser.is_given("--port");
  for (Settings::Entry& entry : settings.entries()) {
    const bool is_place = entry.key == "server.listen" || entry.key == "server.listen_tls";
    entry.is_aside = is_told && is_place && !entry.said;
  }
}

/// Reads all that is said, of `settings` into the structs that they are of.
///
/// errors  what is told in place of serving
Result<void, Exit> read_settings(int argc, const char* const* argv, Settings& settings) {
  Parser parser(settings);
  if (auto parsed = parser.parse(argc, argv); !parsed) {
    return parsed;
  }
  set_others_aside(parser, settings);
  settings.hear_environment();
  auto reading = settings.read();
  if (!reading) {
    return fail(misused(reading.error()));
  }
  settings.take(*std::move(reading));
  const OptionSpec* const answer = parser.answer();
  return answer == nullptr ? Result<void, Exit>() : fail(Exit(0, answer->answer()));
}

}  // namespace

Exit::operator int() const {
  if (text_.empty()) {
    return code_;
  }
  std::FILE* const where = code_ == 0 ? stdout : stderr;
  const bool is_said = std::fputs(text_.c_str(), where) >= 0 && std::fflush(where) == 0;
  if (is_said || code_ != 0) {
    return code_;
  }
  std::perror("standard output");  // half a document must not pass for the whole
  return kExitUnsaid;
}

Exit run_main(Exit (*program)(int, char**), int argc, char** argv) {
  return run_main([&] { return program(argc, argv); });
}

Exit run_main(const std::function<Exit()>& program) try {
  return program();
} catch (const Failure& failure) {
  return failure.error().status() < kServerFault
             ? misused(failure.what())
             : Exit(kExitThrew, detail::app::printable(failure.what()) + "\n");
} catch (const std::exception& failure) {
  return Exit(kExitThrew, detail::app::printable(failure.what()) + "\n");
}

Result<ServerOptions, Exit> read_command_line(int argc, const char* const* argv,
                                              const OptionSet& own, ServerOptions given) {
  Serving serving = detail::app::serving_of(given);
  ServingProcess process = detail::app::process_of(given);
  OptionSet of_all(kProgram);
  const auto live = std::make_shared<LiveSettings>(given.limits);
  of_all.add(serving).add(process).add(live->serving).add(live->limits, "limits");
  auto settings = std::make_shared<Settings>(own, std::move(of_all), live);
  try {
    if (auto read = read_settings(argc, argv, *settings); !read) {
      return fail(std::move(read.error()));
    }
  } catch (const CLI::ConstructionError& error) {  // an option that every application has
    throw Failure(Error::internal(error.what()));
  }
  if (auto checked = check_together(*settings, given, serving, process); !checked) {
    return fail(std::move(checked.error()));
  }
  if (process.print_config) {
    return fail(Exit(0, settings->print()));
  }
  given.limits =
      with_changes(given.limits, detail::app::serving_limits_of(given.limits), settings->limits());
  given.settings = std::move(settings);
  return detail::app::to_server_options(std::move(given), serving, process);
}

}  // namespace eider
