#include "eider/app/settings/options.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "eider/app/life/openapi_option.h"
#include "eider/app/life/run_app.h"
#include "eider/app/settings/printable.h"
#include "eider/app/settings/server_options.h"
#include "eider/app/settings/settings.h"
#include "eider/core/base/describes_only.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/startup_code.h"
#include "eider/core/reflect/constraints.h"
#include "eider/protocols/http/status.h"

namespace eider {

namespace {

using detail::app::OptionSpec;
using detail::app::ProgramOptions;
using detail::app::Settings;
using detail::base::CodeName;
using detail::base::with_code;

constexpr int kExitThrew = 1;
constexpr int kExitUnsaid = 1;
constexpr int kExitUsage = 2;
constexpr std::size_t kHelpColumn = 28;
constexpr std::size_t kHelpWidth = 72;
constexpr std::string_view kFooter =
    "SIGINT or SIGTERM starts a graceful shutdown; a second one exits at once.\n"
    "Exit codes: 0 success, 1 failure, 2 invalid usage";

/// code  used if the text has no code yet
Exit misused(CodeName code, std::string_view what) {
  return Exit(kExitUsage, with_code(code, detail::app::printable(what)) + "; see --help\n");
}

Exit failed(std::string_view what) {
  return Exit(kExitThrew, with_code("startup-failed", detail::app::printable(what)) + "\n");
}

/// A word of the command line that is not an option.
struct Unknown {
  std::string word;
  std::string nearest;                 // the option that was probably meant; empty: none is similar
  const OptionSpec* secret = nullptr;  // was given as a value instead of its file

  [[nodiscard]] Exit exit() const {
    return misused(
        secret != nullptr ? CodeName("secret-in-plain-text") : CodeName("unknown-option"), text());
  }
  [[nodiscard]] std::string text() const {
    if (secret != nullptr) {
      const std::string& variable = secret->secret_environment;
      return word +
             " is a secret, and every user of this machine can read the command line. Write "
             "the secret to a file and use --" +
             secret->name + " FILE" +
             (variable.empty() ? "" : ", or set the environment variable " + variable);
    }
    return word + " is not an option" + (nearest.empty() ? "" : " (did you mean " + nearest + "?)");
  }
};

// CLI11 implements the grammar of the command line and the layout of the help. Settings reads the
// values, because its errors name where a value came from.
class Parser {
 public:
  /// settings  must outlive this object
  explicit Parser(Settings& settings);

  /// Reads all known options; unknown() returns the rest.
  ///
  /// errors  see read_command_line
  Result<void, Exit> parse(int argc, const char* const* argv);
  [[nodiscard]] bool asks_for_help() const noexcept { return help_ != Help::none; }
  /// Returns the requested help text. Pre: asks_for_help().
  [[nodiscard]] std::string help();
  /// The first word of the command line that is not an option of the program, or nothing.
  [[nodiscard]] std::optional<Unknown> unknown(int argc, const char* const* argv) const;
  /// Returns whether the command line contains the option. Pre: there is such an option.
  [[nodiscard]] bool is_given(std::string_view word) const {
    return find(word)->option->count() != 0;
  }
  /// The given flag that prints a text instead of serving; null: none.
  [[nodiscard]] const OptionSpec* output() const;

 private:
  struct Added {
    Settings::Entry* entry;
    CLI::Option* option;
    [[nodiscard]] const OptionSpec& spec() const noexcept { return *entry->spec; }
  };

  [[nodiscard]] std::vector<std::string> with_values_joined(int argc,
                                                            const char* const* argv) const;
  void add(Settings::Entry& entry, const std::string& group);
  /// word  "--port"; returns null if there is no such option
  [[nodiscard]] const Added* find(std::string_view word) const;
  [[nodiscard]] Result<void, Exit> check_values() const;
  [[nodiscard]] std::string table() const;

  enum class Help : std::uint8_t { none, common, all, table };

  CLI::App app_;
  std::vector<Added> added_;
  std::size_t own_count_ = 0;
  Help help_ = Help::none;
};

Parser::Parser(Settings& settings) : own_count_(settings.own().options().size()) {
  app_.get_formatter()->column_width(kHelpColumn);
  app_.footer(std::string(kFooter));
  const std::string& program = settings.own().program();
  const std::string own = program.empty() ? "Options" : "Options of " + program;
  for (Settings::Entry& entry : settings.entries()) {
    const OptionSpec& spec = *entry.spec;
    add(entry, !spec.group.empty()    ? spec.group
               : spec.section.empty() ? own
                                      : "Options of " + spec.section);
  }
  app_.set_help_flag("-h,--help", "Show the common options and exit")->group("Help");
  app_.add_flag("--help-all")->description("Show all options and exit")->group("Help");
  app_.add_flag("--help-table")->group("");  // docs/reference is generated from it
  app_.allow_extras();  // unknown() reports them: CLI11 would list them in reverse order
}

/// Returns "File with the notes (default: notes.db; env: NOTES_DATABASE_FILE)".
std::string help_of(const OptionSpec& spec) {
  std::string facts =
      spec.initial.empty() || spec.initial == "false" ? "" : "default: " + spec.initial;
  for (const std::string& name : {spec.environment, spec.secret_environment}) {
    if (!name.empty()) {
      facts.append(facts.empty() ? "" : "; ").append("env: ").append(name);
    }
  }
  std::string all = detail::app::wrapped(spec.help, kHelpWidth);
  if (facts.empty()) {
    return all;
  }
  const std::size_t column = all.size() - (all.rfind('\n') + 1);  // npos + 1 is 0
  const bool fits = column + facts.size() + 3 <= kHelpWidth;
  return all.append(all.empty() ? "(" : fits ? " (" : "\n(").append(facts).append(")");
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

/// CLI11 writes two empty lines between groups.
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
  return misused("missing-option-value",
                 "--" + spec.name + " requires a value (" + spec.takes + ")");
}

/// CLI11 uses the next word as the value even if it is an option; then the value is missing.
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

std::string Parser::help() {
  if (help_ == Help::table) {
    return table();
  }
  for (std::size_t index = 0; help_ == Help::common && index < added_.size(); ++index) {
    const bool is_hidden = added_[index].spec().is_advanced;
    if (is_hidden || index >= own_count_) {
      added_[index].option->group(is_hidden ? "" : "Common options");
    }
  }
  return without_empty_pairs(app_.help());
}

/// Returns `text` as a cell of a Markdown table.
std::string cell(std::string_view text, bool is_code) {
  std::string all;
  for (const char byte : text) {
    all.append(byte == '|' ? "\\" : "").push_back(byte == '\n' ? ' ' : byte);
  }
  return is_code && !all.empty() ? "| `" + all + "` " : "| " + all + " ";
}

/// Returns all options as Markdown tables, one for each group.
std::string Parser::table() const {
  std::string all;
  std::string group;
  for (const Added& added : added_) {
    const OptionSpec& spec = added.spec();
    if (const std::string& now = added.option->get_group(); now != group) {
      group = now;
      all.append(all.empty() ? "## " : "\n## ").append(group);
      all.append(
          "\n\n| Option | Environment variable | Settings key | Default | Description |\n"
          "|---|---|---|---|---|\n");
    }
    const bool is_flag = spec.form == OptionSpec::Form::flag;
    all.append(cell("--" + spec.name + (is_flag ? "" : " " + spec.takes), true));
    all.append(cell(spec.environment, true));
    all.append(cell(is_for_files(*added.entry) ? added.entry->key : "", true));
    all.append(cell(spec.initial, false)).append(cell(spec.help, false)).append("|\n");
  }
  return all;
}

std::optional<Unknown> Parser::unknown(int argc, const char* const* argv) const {
  const std::vector<std::string> left = app_.remaining();  // not in their order
  if (left.empty()) {
    return std::nullopt;
  }
  const std::span<const char* const> words(argv + 1, static_cast<std::size_t>(argc - 1));
  const auto first = std::ranges::find_if(
      words, [&](const std::string& word) { return std::ranges::find(left, word) != left.end(); });
  const std::string word = first == words.end() ? left.front() : *first;
  if (!word.starts_with("--") || word.size() == 2) {
    return Unknown{"'" + word + "'", {}};
  }
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> known;
  for (const Added& added : added_) {
    known.push_back("--" + added.spec().name);
    if (added.spec().is_secret && known.back() == name + "-file") {
      return Unknown{name, known.back(), &added.spec()};
    }
  }
  return Unknown{name, detail::app::nearest_option(name, known)};
}

/// Turns "--read-only false" into "--read-only=false", because CLI11 reads the value of a flag only
/// in this form.
std::vector<std::string> Parser::with_values_joined(int argc, const char* const* argv) const {
  std::vector<std::string> words(argv, argv + argc);
  words.front().erase(0, words.front().rfind('/') + 1);  // the usage line of the help shows it
  for (std::size_t index = 1; index + 1 < words.size(); ++index) {
    const Added* const added = find(words[index]);
    const std::string& next = words[index + 1];
    if (added != nullptr && added->spec().form == OptionSpec::Form::flag && !added->spec().output &&
        (next == "true" || next == "false")) {
      words[index].append("=").append(next);
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(index) + 1);
    }
  }
  return words;
}

Result<void, Exit> Parser::parse(int argc, const char* const* argv) {
  const std::vector<std::string> words = with_values_joined(argc, argv);
  std::vector<const char*> pointers;
  std::ranges::transform(words, std::back_inserter(pointers), &std::string::c_str);
  try {
    app_.parse(static_cast<int>(pointers.size()), pointers.data());
  } catch (const CLI::CallForHelp&) {
    help_ = Help::common;
  } catch (const CLI::ParseError& error) {  // the last word is an option without its value
    const Added* const last = find(argv[argc - 1]);
    return fail(last == nullptr ? misused("unknown-option", error.what())
                                : without_value(last->spec()));
  }
  for (const auto& [name, form] :
       {std::pair("--help-all", Help::all), std::pair("--help-table", Help::table)}) {
    help_ = app_.count(name) != 0 ? form : help_;
  }
  if (auto checked = check_values(); !checked && !asks_for_help()) {
    return checked;
  }
  for (const Added& added : added_) {
    if (added.option->count() != 0) {
      added.entry->said =
          Settings::Said{"--" + added.spec().name, added.option->results(), added.spec().is_secret};
    }
  }
  return {};
}

const OptionSpec* Parser::output() const {
  const auto given = std::ranges::find_if(
      added_, [](const Added& added) { return added.spec().output && added.option->count() != 0; });
  return given == added_.end() ? nullptr : &given->spec();
}

/// Returns the error for options that contradict each other. If the settings file sets one of the
/// keys, the error contains its place.
///
/// words    message for options of the command line or the environment
/// in_file  message for the file, to follow the key
Exit misused_together(const Settings& settings, std::initializer_list<std::string_view> keys,
                      const std::string& words, std::string_view in_file) {
  for (const std::string_view key : keys) {
    if (const std::string place = settings.place_of(key); !place.empty()) {
      return misused("missing-option", place + ": " + std::string(key) + std::string(in_file));
    }
  }
  return misused("missing-option", words);
}

/// Options of workers have no effect without --workers, so they are rejected. They are allowed with
/// `--workers 0`.
Result<void, Exit> check_workers(const Settings& settings, const ServerOptions& given,
                                 const ServerOptions& read) {
  constexpr std::string_view kInFile = " requires server.workers";
  if (given.workers != 0 || settings.is_set("server.workers")) {
    return {};
  }
  if (read.workers_start != given.workers_start) {
    return fail(misused_together(settings, {"server.workers_start"},
                                 "--workers-start requires --workers", kInFile));
  }
  if (settings.is_set("server.stuck_seconds")) {
    return fail(misused_together(settings, {"server.stuck_seconds"},
                                 "--stuck-seconds requires --workers", kInFile));
  }
  return {};
}

/// The same for a certificate without a TLS address, and --group without --user.
Result<void, Exit> check_together(const Settings& settings, const ServerOptions& given,
                                  const ProgramOptions& read) {
  const ServerOptions& server = read.server;
  const bool has_certificate = server.certificate != given.certificate || server.key != given.key;
  if (has_certificate && !read.has_tls()) {
    return fail(misused_together(
        settings, {"server.cert", "server.key"},
        "--cert and --key require an address for TLS: add --tls-port or --listen-tls",
        " requires an address for TLS: add server.tls_port or server.listen_tls"));
  }
  if (!server.rights.group.empty() && server.rights.user.empty()) {
    return fail(misused_together(settings, {"server.group"},
                                 "--group requires --user. Add --user NAME, or remove --group",
                                 " requires server.user"));
  }
  return check_workers(settings, given, server);
}

/// --listen and --listen-tls replace host and port. But if they come from the environment or a
/// file, they do not replace a host or port of the command line.
void set_others_aside(const Parser& parser, Settings& settings) {
  const bool is_told = parser.is_given("--host") || parser.is_given("--port");
  for (Settings::Entry& entry : settings.entries()) {
    const bool is_place = entry.key == "server.listen" || entry.key == "server.listen_tls";
    entry.is_aside = is_told && is_place && !entry.said;
  }
}

std::shared_ptr<Settings> settings_of(const OptionSet& own, ProgramOptions& of_all) {
  return std::make_shared<Settings>(own, of_all.set(), of_all.live);
}

/// Reads all values from `settings`, and writes them to the structs of the options.
///
/// errors  the result for main() if there is nothing to serve
Result<void, Exit> read_settings(int argc, const char* const* argv, Settings& settings) {
  Parser parser(settings);
  if (auto parsed = parser.parse(argc, argv); !parsed) {
    return parsed;
  }
  if (parser.asks_for_help()) {
    return fail(Exit(0, parser.help()));
  }
  if (const auto unknown = parser.unknown(argc, argv)) {
    return fail(unknown->exit());
  }
  set_others_aside(parser, settings);
  settings.hear_environment();
  auto reading = settings.read();
  if (!reading) {
    return fail(misused("invalid-option-value", reading.error()));
  }
  settings.take(*std::move(reading));
  const OptionSpec* const output = parser.output();
  return output == nullptr ? Result<void, Exit>() : fail(Exit(0, output->output()));
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
  std::perror("standard output");  // partial output must not look complete
  return kExitUnsaid;
}

Exit run_main(Exit (*program)(int, char**), int argc, char** argv) {
  return run_main([&] { return program(argc, argv); });
}

Exit run_main(const std::function<Exit()>& program) try {
  return program();
} catch (const Failure& failure) {
  return !is_server_error(failure.error().status()) ? misused("invalid-setting", failure.what())
                                                    : failed(failure.what());
} catch (const std::exception& failure) {
  return failed(failure.what());
}

namespace {

/// first  has read the program's own options; null: they are read here
Result<ServerOptions, Exit> read_all(int argc, const char* const* argv, const OptionSet& own,
                                     ServerOptions given, const Settings* first) {
  ProgramOptions of_all(given);
  auto settings = settings_of(own, of_all);
  if (first != nullptr) {
    settings->adopt(*first);
  }
  try {
    if (auto read = read_settings(argc, argv, *settings); !read) {
      return fail(std::move(read.error()));
    }
  } catch (const CLI::ConstructionError& error) {  // the name of a server option
    throw Failure(Error::internal(error.what()));
  }
  if (auto checked = check_together(*settings, given, of_all); !checked) {
    return fail(std::move(checked.error()));
  }
  if (of_all.print_config) {
    std::string all;
    for (const std::string& misspelled : settings->unknown_variables(Settings::Unknown::all)) {
      all.append("# ").append(detail::app::printable(misspelled)).append("\n");
    }
    return fail(Exit(0, all + settings->print()));
  }
  ServerOptions options = of_all.result();
  options.limits = settings->limits();
  options.settings = std::move(settings);
  return options;
}

/// The program's own options. They are read before the app is created, which adds those of its
/// modules.
struct OwnReading {
  std::string help;  // so far without the app's options; empty: not requested
  /// Options that may be misspelled, one per line: they may be the reason why the app cannot be
  /// created.
  std::string slips;
  /// Help was requested, or a word may be an option of the app that prints a text and exits.
  bool may_not_serve = false;
};

/// For standard error; the log has a field `code=unknown-variable`.
std::string warning_text(std::string_view misspelled) {
  return "warning[unknown-variable]: " + detail::app::printable(misspelled) + "\n";
}

Result<OwnReading, Exit> read_own(int argc, const char* const* argv, Settings& settings) {
  Parser parser(settings);
  if (auto parsed = parser.parse(argc, argv); !parsed) {
    return fail(std::move(parsed.error()));
  }
  settings.hear_environment();
  auto reading = settings.read_known();
  if (!reading && !parser.asks_for_help()) {
    return fail(misused("invalid-option-value", reading.error()));
  }
  if (reading) {
    settings.take(*std::move(reading));
  }
  OwnReading read{.help = parser.asks_for_help() ? parser.help() : "", .slips = {}};
  const auto unknown = parser.unknown(argc, argv);
  if (unknown && !unknown->nearest.empty()) {
    read.slips.append(unknown->exit().text());
  }
  read.may_not_serve = parser.asks_for_help() || unknown;
  for (const std::string& misspelled : settings.unknown_variables(Settings::Unknown::misspelled)) {
    read.slips.append(warning_text(misspelled));
  }
  return read;
}

/// Returns the options of an app. Without an option --openapi, adds one.
OptionSet described_options(const App& app) {
  OptionSet all = app.options();
  if (std::ranges::find(all.options(), "openapi", &OptionSpec::name) == all.options().end()) {
    all.add_output("openapi", "Print the OpenAPI document of all routes and exit",
                   [&app, program = all.program()] {
                     return detail::app::openapi_of(app.operations(), program);
                   });
  }
  return all;
}

}  // namespace

Result<ServerOptions, Exit> read_command_line(int argc, const char* const* argv,
                                              const OptionSet& own, ServerOptions given) {
  return read_all(argc, argv, own, std::move(given), nullptr);
}

Exit run_app(const OptionSet& own, int argc, const char* const* argv,
             const std::function<App()>& make, const ServerOptions& given) {
  return run_main([&]() -> Exit {
    ProgramOptions of_all(given);
    const std::shared_ptr<Settings> first = settings_of(own, of_all);
    const auto read = read_own(argc, argv, *first);
    if (!read) {
      return read.error();
    }
    bool describes = read->may_not_serve || of_all.print_config || of_all.server.lists_routes;
    std::optional<App> app;
    const auto make_app = [&](bool describes_only) {
      std::optional<detail::base::DescribesOnly> while_made;
      if (describes_only) {
        while_made.emplace();
      }
      app.reset();
      return run_main([&] {
        app = make();
        app->options(own);
        return Exit(0);
      });
    };
    Exit made = make_app(describes);
    if (!app && describes && read->help.empty()) {
      // Creating the app may need the real files and databases.
      describes = false;
      made = make_app(false);
    }
    if (!app) {
      return read->help.empty()
                 ? Exit(made.code(), made.text() + read->slips)
                 : Exit(0, read->help + "Options of modules are missing in this list: " +
                               detail::base::split_code(made.text(), "startup-failed").text);
    }
    auto options = read_all(argc, argv, described_options(*app), given, first.get());
    if (options && describes && !options->lists_routes) {
      if (made = make_app(false); !app) {
        return Exit(made.code(), made.text() + read->slips);
      }
      options = read_all(argc, argv, described_options(*app), given, first.get());
    }
    return options ? app->serve(*options) : options.error();
  });
}

}  // namespace eider
