#include "eider/app/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "eider/app/printable.h"
#include "eider/base/failure.h"
#include "eider/reflect/constraints.h"

namespace eider {

namespace {

constexpr int kExitThrew = 1;
constexpr int kExitUnsaid = 1;
constexpr int kExitUsage = 2;
constexpr int kServerFault = 500;
constexpr std::size_t kHelpColumn = 28;
constexpr std::string_view kFooter =
    "SIGINT or SIGTERM finishes what is in flight and exits with 0; a second one leaves at once.\n";
/// What the environment calls the options of every application begins so.
constexpr std::string_view kProgram = "eider";

/// "0.0.0.0:80", "[::1]:8080", or what has no port: "unix:/path", "systemd".
struct Place {
  ListenAt at;

  static Result<Place, std::string> from_text(std::string_view text) {
    Place place;
    const std::size_t colon = text.rfind(':');
    const std::string_view host = text.substr(0, colon);
    if (text == "systemd" || text.starts_with("unix:")) {
      place.at.host = text;
      return place;
    }
    const bool has_brackets = host.starts_with('[') && host.ends_with(']');
    const bool is_torn = !has_brackets && host.find_first_of(":[]") != std::string_view::npos;
    if (colon == std::string_view::npos || colon == 0 || is_torn ||
        !reflect::read_text(reflect::type_of<std::uint16_t>(), &place.at.port,
                            text.substr(colon + 1))) {
      return fail("must be HOST:PORT, [IPV6]:PORT, unix:/path or systemd");
    }
    place.at.host = host;
    return place;
  }
};

struct BackendName {
  Backend backend;

  [[nodiscard]] std::string to_text() const {
    switch (backend) {
      case Backend::automatic:
        return "auto";
      case Backend::epoll:
        return "epoll";
      case Backend::io_uring:
        return "io_uring";
    }
    return {};
  }

  static Result<BackendName, std::string> from_text(std::string_view text) {
    const auto backend = parse_backend(text);
    if (!backend) {
      return fail("must be auto, epoll or io_uring");
    }
    return BackendName{*backend};
  }
};

/// What every application can be told, as its own options are.
struct Serving {
  std::string host;
  std::uint16_t port;
  std::vector<Place> listen;
  std::vector<std::uint16_t> tls_port;
  std::vector<Place> listen_tls;
  std::string cert;
  std::string key;
  bool proxy_protocol;
  bool share_port;
  std::optional<Range<unsigned, 1, 1024>> threads;
  BackendName backend;
  std::optional<Range<unsigned, 0, 86400>> drain_seconds;
  bool routes;

  static constexpr OptionText kOptions[] = {
      {"host", "where to listen: 127.0.0.1, 0.0.0.0, ::1, …", "ADDRESS"},
      {"port", "0 to 65535; 0 takes any that is free", "PORT"},
      {"listen",
       "in place of --host and --port, and as often as wanted: 0.0.0.0:80,\n"
       "[::1]:8080, unix:/run/app.sock, or systemd for the sockets\nthat it passes on",
       "ADDRESS"},
      {"tls_port", "a further port of --host, where TLS is spoken", "PORT"},
      {"listen_tls", "as --listen, with TLS", "ADDRESS"},
      {"cert", "the certificate with its chain, PEM; without one,\none for this machine is made",
       "FILE"},
      {"key", "its private key, PEM", "FILE"},
      {"proxy_protocol", "every connection begins with it: only behind a balancer"},
      {"share_port", "let other processes listen on the port, too"},
      {"threads", "event loops, 1 to 1024; without it, one per core"},
      {"backend", "auto, epoll or io_uring", "NAME"},
      {"drain_seconds", "how long requests in flight may take after SIGTERM; without it, 10"},
      {.member = "routes",
       .help = "list what is served and what stands ahead of each handler, and end",
       .is_in_environment = false}};
};

Serving serving_of(const ServerOptions& given) {
  return {.host = given.host,
          .port = given.port,
          .listen = {},
          .tls_port = {},
          .listen_tls = {},
          .cert = given.certificate,
          .key = given.key,
          .proxy_protocol = given.expects_proxy_protocol,
          .share_port = given.shares_port,
          .threads = std::nullopt,
          .backend = {given.backend},
          .drain_seconds = std::nullopt,
          .routes = given.lists_routes};
}

void add_places(std::vector<ListenAt>& places, const std::vector<Place>& more, bool is_secure) {
  for (const Place& place : more) {
    places.push_back(place.at);
    places.back().is_secure = is_secure;
  }
}

/// The first place that --listen or --listen-tls names is in place of host and port.
void add_places(ServerOptions& options, const Serving& read) {
  std::vector<ListenAt> places;
  add_places(places, read.listen, false);
  add_places(places, read.listen_tls, true);
  if (!places.empty()) {
    options.host = std::move(places.front().host);
    options.port = places.front().port;
    options.is_secure = places.front().is_secure;
    places.erase(places.begin());
  }
  for (const std::uint16_t port : read.tls_port) {
    places.push_back({.host = options.host, .port = port, .is_secure = true});
  }
  options.also.insert(options.also.end(), places.begin(), places.end());
  for (ListenAt& place : options.also) {
    place.expects_proxy_protocol |= options.expects_proxy_protocol;
  }
}

ServerOptions to_server_options(ServerOptions options, const Serving& read) {
  options.backend = read.backend.backend;
  options.host = read.host;
  options.port = read.port;
  options.certificate = read.cert;
  options.key = read.key;
  options.expects_proxy_protocol = read.proxy_protocol;
  options.shares_port = read.share_port;
  options.lists_routes = read.routes;
  options.threads = read.threads ? unsigned{*read.threads} : options.threads;
  if (read.drain_seconds) {
    options.drain = std::chrono::seconds(unsigned{*read.drain_seconds});
  }
  add_places(options, read);
  return options;
}

Exit misused(std::string_view what) {
  return Exit(kExitUsage, detail::app::printable(what) + "; see --help\n");
}

// The command line's grammar and the layout of its help are CLI11's; values are read here, where a
// wrong one is told by the place that it came from.
class Parser {
 public:
  Parser(const OptionSet& own, const OptionSet& serving);

  /// errors  see read_command_line
  Result<void, Exit> parse(int argc, const char* const* argv);
  /// Whether the command line itself says something of it. Pre: there is such an option.
  [[nodiscard]] bool is_given(std::string_view word) const {
    return find(word)->option->count() != 0;
  }

 private:
  struct Added {
    const detail::app::OptionSpec* spec;
    CLI::Option* option;
  };
  /// What is said of one option, and where.
  struct Said {
    std::string where;  // "--port", "EIDER_PORT"
    std::vector<std::string> values;
  };

  void add(const OptionSet& set, const std::string& group);
  void add(const detail::app::OptionSpec& spec, const std::string& group);
  /// word  "--port"; returns null for what is none
  [[nodiscard]] const Added* find(std::string_view word) const;
  [[nodiscard]] Result<void, Exit> check_values() const;
  [[nodiscard]] Exit unknown(std::span<const char* const> words,
                             const std::vector<std::string>& left) const;
  [[nodiscard]] static Said said_of(const Added& added);
  static Result<void, Exit> assign(const Added& added);

  CLI::App app_;
  std::vector<Added> added_;
};

Parser::Parser(const OptionSet& own, const OptionSet& serving) {
  app_.get_formatter()->column_width(kHelpColumn);
  app_.footer(std::string(kFooter));
  add(own, own.program().empty() ? "Options" : "Options of " + own.program());
  const std::string group =
      own.options().empty() ? "Options" : "Options of every Eider application";
  add(serving, group);
  app_.set_help_flag("--help", "this text")->group(group);
  app_.allow_extras();  // they are told here: CLI11 would list them in reverse
}

void Parser::add(const OptionSet& set, const std::string& group) {
  for (const detail::app::OptionSpec& spec : set.options()) {
    add(spec, spec.section.empty() ? group : "Options of " + spec.section);
  }
}

/// "where notes are kept (default notes.db; NOTES_DATABASE_FILE)"
std::string help_of(const detail::app::OptionSpec& spec) {
  std::string facts = spec.initial.empty() ? "" : "default " + spec.initial;
  if (!spec.environment.empty()) {
    facts.append(facts.empty() ? "" : "; ").append(spec.environment);
  }
  if (spec.help.empty() || facts.empty()) {
    return spec.help + facts;
  }
  return spec.help + " (" + facts + ")";
}

void Parser::add(const detail::app::OptionSpec& spec, const std::string& group) {
  const std::string name = "--" + spec.name;
  const bool is_flag = spec.form == detail::app::OptionSpec::Form::flag;
  CLI::Option* const option =
      is_flag ? app_.add_flag(name)->description(help_of(spec))
              : app_.add_option(name, CLI::callback_t(), help_of(spec))->type_name(spec.takes);
  option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->group(group);
  added_.push_back({&spec, option});
}

/// CLI11 leaves two empty lines between groups.
std::string without_empty_pairs(std::string text) {
  for (std::size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;) {
    text.erase(at, 1);
  }
  return text;
}

/// "notes.example,10.0.0.7" of the environment, of an option that takes many.
std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> all;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    all.emplace_back(list.substr(0, comma));
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  }
  return all;
}

/// What the command line says, else the environment.
Parser::Said Parser::said_of(const Added& added) {
  const detail::app::OptionSpec& spec = *added.spec;
  Said said{"--" + spec.name, added.option->results()};
  const char* const text = said.values.empty() && !spec.environment.empty()
                               ? std::getenv(spec.environment.c_str())
                               : nullptr;
  if (text != nullptr && *text != '\0') {
    said.where = spec.environment;
    said.values = spec.form == detail::app::OptionSpec::Form::many ? split(text)
                                                                   : std::vector<std::string>{text};
  }
  return said;
}

Result<void, Exit> Parser::assign(const Added& added) {
  const detail::app::OptionSpec& spec = *added.spec;
  const Said said = said_of(added);
  if (spec.form == detail::app::OptionSpec::Form::many) {
    if (!said.values.empty()) {
      spec.clear();
    }
  } else if (said.values.size() > 1) {
    return fail(misused(said.where + " is given more than once, and takes one value: '" +
                        said.values[0] + "' or '" + said.values[1] + "'"));
  }
  for (const std::string& value : said.values) {
    if (auto assigned = spec.assign(value); !assigned) {
      return fail(misused(said.where + " " + assigned.error() + ", not '" + value + "'"));
    }
  }
  return {};
}

const Parser::Added* Parser::find(std::string_view word) const {
  const auto found = std::ranges::find_if(
      added_, [word](const Added& added) { return word == "--" + added.spec->name; });
  return found == added_.end() ? nullptr : &*found;
}

Exit without_value(const detail::app::OptionSpec& spec) {
  return misused("--" + spec.name + " takes a value (" + spec.takes + "), and none follows it");
}

/// CLI11 takes the next word for the value, whatever it is; but where that is an option it is none.
Result<void, Exit> Parser::check_values() const {
  for (const Added& added : added_) {
    for (const std::string& value : added.option->results()) {
      if (find(value) != nullptr) {
        return fail(without_value(*added.spec));
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
    known.push_back("--" + added.spec->name);
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
    return fail(last == nullptr ? misused(error.what()) : without_value(*last->spec));
  }
  if (auto checked = check_values(); !checked) {
    return checked;
  }
  if (const std::vector<std::string> left = app_.remaining(); !left.empty()) {
    return fail(unknown({argv + 1, static_cast<std::size_t>(argc - 1)}, left));
  }
  for (const Added& added : added_) {
    if (added.spec->answer) {
      if (added.option->count() != 0) {
        return fail(Exit(0, added.spec->answer()));
      }
    } else if (auto assigned = assign(added); !assigned) {
      return assigned;
    }
  }
  return {};
}

/// A certificate that nobody would be shown: whoever names one believes that TLS is spoken.
Result<void, Exit> check_certificate(const ServerOptions& given, const Serving& read) {
  const bool has_place = given.is_secure || std::ranges::any_of(given.also, &ListenAt::is_secure) ||
                         !read.tls_port.empty() || !read.listen_tls.empty();
  const bool is_told = read.cert != given.certificate || read.key != given.key;
  if (is_told && !has_place) {
    return fail(misused(
        "--cert and --key are for TLS, which is spoken nowhere: add --tls-port or --listen-tls"));
  }
  return {};
}

/// --listen and --listen-tls are in place of host and port, but those of the environment are not in
/// place of what the command line says.
void set_environment_aside(const Parser& parser, Serving& read) {
  if (parser.is_given("--host") || parser.is_given("--port")) {
    if (!parser.is_given("--listen")) {
      read.listen.clear();
    }
    if (!parser.is_given("--listen-tls")) {
      read.listen_tls.clear();
    }
  }
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

Exit run_main(Exit (*program)(int, char**), int argc, char** argv) try {
  return program(argc, argv);
} catch (const Failure& failure) {
  return failure.error().status() < kServerFault
             ? misused(failure.what())
             : Exit(kExitThrew, detail::app::printable(failure.what()) + "\n");
} catch (const std::exception& failure) {
  return Exit(kExitThrew, detail::app::printable(failure.what()) + "\n");
}

Result<ServerOptions, Exit> read_command_line(int argc, const char* const* argv,
                                              const OptionSet& own, ServerOptions given) {
  Serving serving = serving_of(given);
  OptionSet of_all(kProgram);
  of_all.add(serving);
  try {
    Parser parser(own, of_all);
    if (auto parsed = parser.parse(argc, argv); !parsed) {
      return fail(std::move(parsed.error()));
    }
    set_environment_aside(parser, serving);
    if (auto checked = check_certificate(given, serving); !checked) {
      return fail(std::move(checked.error()));
    }
  } catch (const CLI::ConstructionError& error) {  // an option that every application has
    throw Failure(Error::internal(error.what()));
  }
  return to_server_options(std::move(given), serving);
}

}  // namespace eider
