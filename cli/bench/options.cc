#include "cli/bench/options.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <charconv>
#include <functional>
#include <utility>

#include "cli/bench/request_rules.h"
#include "eider/app/settings/option_set.h"
#include "eider/core/base/text.h"

namespace eider::bench {

namespace {

constexpr std::uint64_t kConnectionsMax = 1'000'000;
constexpr std::uint64_t kThreadsMax = 256;
constexpr std::uint64_t kPipelineMax = 4096;
constexpr std::uint64_t kCountMax = 1'000'000'000'000;
constexpr std::uint64_t kBodyBytesMax = std::uint64_t{64} << 20U;
constexpr std::uint64_t kEventsMax = 1'000'000;
constexpr Duration kTimeMin = std::chrono::microseconds(1);
constexpr Duration kTimeMax = std::chrono::hours(24);
constexpr double kRateMax = 100'000'000;
constexpr std::size_t kHelpColumn = 34;

constexpr std::string_view kFooter =
    R"(  eider bench -c 100 -d 10s http://localhost:8080/hello
  eider bench --rate 5000 --requests-file load/requests.txt --json report.json http://localhost:8080

TIME is a whole number with us, ms, s, m or h. Ctrl-C ends the run and prints the report.

Exit codes: 0 all requests got a response (if one is expected, that one), 1 some did not, or nothing
was measured, 2 invalid usage)";

using Text = std::string_view;

/// How the value of an option is parsed and stored.
///
/// type   name in the help: "N"; empty for a flag
/// takes  expected value, for error messages
/// keep   stores the value; returns false if it is invalid
struct Kind {
  std::string type;
  std::string takes;
  std::function<bool(Text)> keep;
};

/// read  returns nothing for an invalid text
template <class Into, class Read>
Kind kind(std::string type, std::string takes, Into& into, Read read) {
  return {std::move(type), std::move(takes), [&into, read](Text text) {
            auto value = read(text);
            const bool is_one = value.has_value();
            if (is_one) {
              into = *std::move(value);
            }
            return is_one;
          }};
}

template <class Number>
std::optional<Number> read_number(Text text) {
  Number value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  const bool is_number = read.ec == std::errc() && read.ptr == end;
  return is_number ? std::optional(value) : std::nullopt;
}

template <class Number>
std::optional<Number> read_whole(Text text, std::uint64_t min, std::uint64_t max) {
  const auto value = read_number<std::uint64_t>(text);
  const bool is_good = value && *value >= min && *value <= max;
  return is_good ? std::optional(static_cast<Number>(*value)) : std::nullopt;
}

std::optional<double> read_rate(Text text) {
  const auto value = read_number<double>(text);
  return value && *value > 0 && *value <= kRateMax ? value : std::nullopt;
}

std::optional<Duration> read_time(Text text) {
  const auto value = parse_duration(text);
  return value && *value >= kTimeMin && *value <= kTimeMax ? value : std::nullopt;
}

std::optional<std::string> read_name(Text text) {
  return text.empty() ? std::nullopt : std::optional(std::string(text));
}

std::optional<std::string> read_method(Text text) {
  return is_method_to_ask(text) ? std::optional(std::string(text)) : std::nullopt;
}

std::optional<Arrivals> read_arrivals(Text text) {
  if (text != "uniform" && text != "poisson") {
    return std::nullopt;
  }
  return text == "poisson" ? Arrivals::poisson : Arrivals::uniform;
}

bool is_field(Text text) {
  const std::size_t colon = text.find(':');
  return colon != Text::npos && is_field_to_add(text.substr(0, colon), text.substr(colon + 1));
}

template <class Number>
Kind whole(Number& into, std::uint64_t min, std::uint64_t max) {
  return kind("N", fmt::format("a number from {} to {}", min, max), into,
              [min, max](Text text) { return read_whole<Number>(text, min, max); });
}

template <class Number>
Kind whole(std::optional<Number>& into, std::uint64_t min, std::uint64_t max) {
  return kind("N", fmt::format("a number from {} to {}", min, max), into,
              [min, max](Text text) { return read_whole<Number>(text, min, max); });
}

Kind time(Duration& into) {
  return kind("TIME", "a time such as 500ms, 10s or 1m, at most a day", into, read_time);
}

Kind file(std::string& into) {
  return kind("FILE", "the name of a file", into, read_name);
}

Kind content(std::optional<std::string>& into) {
  return kind("TEXT", "a text", into, [](Text text) { return std::optional(std::string(text)); });
}

Kind fields(std::vector<std::string>& into) {
  return {"TEXT", "'Name: value', but neither Content-Length nor Transfer-Encoding",
          [&into](Text text) {
            into.emplace_back(text);
            return is_field(text);
          }};
}

/// A flag: sets a member to one value.
template <class Member>
Kind set(Member& member, Member to) {
  return {{}, {}, [&member, to](Text) {
            member = to;
            return true;
          }};
}

// CLI11 provides the grammar and the layout of the help. Values are parsed here, so that errors
// name the expected value.
class Grammar {
 public:
  explicit Grammar(Options& options);

  /// errors  one sentence
  Result<void, std::string> parse(std::span<const Text> arguments);
  [[nodiscard]] std::string help() const;

 private:
  struct Added {
    CLI::Option* option;
    Kind kind;
  };

  void add_amounts();
  void add_loops();
  void add_request();
  void add_response();
  void add_websocket();
  void add_rest();
  /// Starts a group: the options that are added next belong to it.
  void begin(std::string group) { group_ = std::move(group); }
  void add(const std::string& names, const std::string& help, Kind kind);
  Result<void, std::string> keep_all() const;
  Result<void, std::string> take_url();
  [[nodiscard]] std::string unknown(const std::string& word) const;

  CLI::App app_{
      "Sends requests to an http:// or https:// URL, or messages to a ws:// or wss:// URL, and "
      "measures\nthroughput and latency.",
      "eider bench URL"};
  Options& o_;
  std::string group_;
  std::vector<Added> added_;
};

Grammar::Grammar(Options& options) : o_(options) {
  app_.get_formatter()->column_width(kHelpColumn);
  app_.footer(std::string(kFooter));
  app_.set_help_flag();  // --help is one of the options below
  app_.allow_extras();   // URLs and unknown options
  add_amounts();
  add_loops();
  add_request();
  add_response();
  add_websocket();
  add_rest();
}

void Grammar::add_amounts() {
  begin("Amount");
  add("-c,--connections", "Number of connections (default: 64)",
      whole(o_.connections, 1, kConnectionsMax));
  add("-t,--threads", "Number of threads (default: 1)", whole(o_.threads, 1, kThreadsMax));
  add("-d,--duration", "Duration of the measurement (default: 10s)", time(o_.duration));
  add("-n,--requests", "End after N requests, or when the duration is over",
      whole(o_.requests, 1, kCountMax));
  add("--warmup", "Time before the measurement starts (default: 0s)", time(o_.warmup));
  add("--timeout", "Time limit for connecting, and for one response (default: 10s)",
      time(o_.timeout));
  add("--errors-max", "End the run after N errors", whole(o_.errors_max, 1, kCountMax));
}

void Grammar::add_loops() {
  begin("Closed loop: each connection sends a request when it has the last response");
  add("-p,--pipeline", "Concurrent requests on one connection (default: 1)",
      whole(o_.pipeline, 1, kPipelineMax));
  add("--http2", "Use HTTP/2; without TLS, with prior knowledge", set(o_.version, Version::http_2));
  add("--streams", "Concurrent streams on one connection, with --http2 (default: 1)",
      whole(o_.streams, 1, kPipelineMax));
  add("--new-connections", "Open a connection for each request; the latency includes\nconnecting",
      set(o_.way, Way::new_connections));
  begin("Open loop: requests are sent by a clock, without waiting for responses");
  add("-r,--rate",
      "Requests per second; the latency is measured from the time when\n"
      "a request was due. --streams, and --pipeline for WebSockets,\nlimit concurrent requests",
      kind("N", "a number of requests per second, above 0", o_.rate, read_rate));
  add("--arrivals", "Distribution of requests: uniform or poisson (default: uniform)",
      kind("WHEN", "uniform or poisson", o_.arrivals, read_arrivals));
}

void Grammar::add_request() {
  begin("Request");
  add("-m,--method", "Request method (default: GET, with a body POST)",
      kind("METHOD", "a method such as GET, but not CONNECT", o_.method, read_method));
  add("-H,--header", "Header, as 'Name: value'; can be repeated", fields(o_.fields));
  add("-b,--body", "Request body", content(o_.body));
  add("--body-file", "File with the request body", file(o_.body_file));
  add("--body-bytes", "Send a body of N letters", whole(o_.body_bytes, 1, kBodyBytesMax));
  add("--requests-file",
      "File with one request per line, sent in turn: METHOD TARGET\n"
      "[BODY], or JSON: {\"path\" or \"url\", \"method\", \"headers\",\n"
      "\"body\"}; empty lines and lines that start with # are ignored",
      file(o_.requests_file));
}

void Grammar::add_response() {
  begin("Response: any other one is an error, and is not counted");
  add("--expect-status", "Status code, 200 to 599", whole(o_.expected.status, 200, 599));
  add("--expect-body", "Response body, compared byte for byte", content(o_.expected.body));
  add("--expect-bytes", "Length of the response body", whole(o_.expected.body_bytes, 0, kCountMax));
  add("--events",
      "Read event streams of N events (\"data: 0\", \"data: 1\", …), one\n"
      "after the other, and count events",
      whole(o_.events, 1, kEventsMax));
}

void Grammar::add_websocket() {
  begin("WebSocket: each message waits for a response message");
  add("--binary", "Send binary messages instead of text", set(o_.message, ws::MessageType::binary));
  add("--check-echo",
      "Compare each response with its message; without a body option,\n"
      "all messages are different",
      set(o_.check, Check::echo));
  add("--broadcast",
      "Send from the first connection, wait until the message has\n"
      "reached all connections, itself included, then send the next;\ncount deliveries",
      set(o_.way, Way::broadcast));
}

void Grammar::add_rest() {
  begin("TLS");
  add("-k,--insecure", "Accept any certificate", set(o_.certificates, Certificates::any));
  add("--cacert", "PEM file with additional trusted certificates", file(o_.authorities_file));
  begin("Results");
  add("--json", "Write the report as JSON to FILE; - is standard output", file(o_.json_file));
  add("--html", "Write the report as a web page to FILE", file(o_.html_file));
  add("--no-progress", "Do not show progress (default without a terminal)",
      set(o_.progress, Progress::none));
  begin("Other");
  add("--backend", "I/O backend: auto, epoll or io_uring (default: auto)",
      kind("NAME", "auto, epoll or io_uring", o_.backend, parse_backend));
  add("-h,--help", "Show this help and exit", set(o_.wants_help, true));
}

void Grammar::add(const std::string& names, const std::string& help, Kind kind) {
  CLI::Option* const option =
      kind.takes.empty() ? app_.add_flag(names)->description(help)->disable_flag_override()
                         : app_.add_option(names, CLI::callback_t(), help)->type_name(kind.type);
  option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->group(group_);
  added_.push_back({option, std::move(kind)});
}

Result<void, std::string> Grammar::parse(std::span<const Text> arguments) {
  try {
    app_.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    return fail(fmt::format("{} (see eider bench --help).", error.what()));
  }
  auto kept = keep_all();
  return kept ? take_url() : kept;
}

Result<void, std::string> Grammar::keep_all() const {
  for (const Added& added : added_) {
    for (const std::string& value : added.option->results()) {
      if (!added.kind.keep(value)) {
        return fail(fmt::format("{} must be {}, not '{}'.", added.option->get_name(),
                                added.kind.takes, value));
      }
    }
  }
  return {};
}

std::string Grammar::unknown(const std::string& word) const {
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> known;
  for (const Added& added : added_) {
    known.push_back(added.option->get_name());
  }
  const std::string nearest = detail::app::nearest_option(name, known);
  return fmt::format("Unknown option {}{}; see eider bench --help.", name,
                     nearest.empty() ? "" : " (did you mean " + nearest + "?)");
}

/// Reads the URL from the remaining arguments.
Result<void, std::string> Grammar::take_url() {
  for (const std::string& rest : app_.remaining()) {
    if (rest.starts_with('-')) {
      return fail(unknown(rest));
    }
    if (!o_.url.empty()) {
      return fail(fmt::format("Two URLs are given: {} and {}.", o_.url, rest));
    }
    o_.url = rest;
  }
  return {};
}

std::string Grammar::help() const {
  std::string text = app_.help();
  // CLI11 leaves two empty lines between groups.
  for (std::size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;) {
    text.erase(at, 1);
  }
  return text;
}

bool is_websocket(Text url) {
  return equals_ignoring_case(url.substr(0, 5), "ws://") ||
         equals_ignoring_case(url.substr(0, 6), "wss://");
}

/// An invalid combination of options, and its fix.
struct Rule {
  bool is_broken;
  std::string_view mend;
};
using Rules = std::vector<Rule>;

int bodies_of(const Options& o) {
  return int{o.body.has_value()} + int{!o.body_file.empty()} + int{o.body_bytes != 0};
}

Rules rules_of_all(const Options& o) {
  const bool has_file = !o.requests_file.empty();
  return {{o.url.empty(), "The URL is missing. Example: eider bench http://127.0.0.1:8080/"},
          {bodies_of(o) > 1,
           "--body, --body-file and --body-bytes cannot be combined. Use one of them."},
          {has_file && (!o.method.empty() || bodies_of(o) != 0),
           "The file of --requests-file contains methods and bodies. Remove --method, --body, "
           "--body-file and --body-bytes."},
          {o.way == Way::new_connections && (o.rate > 0 || o.pipeline > 1),
           "A new connection for each request allows only one request at a time. Remove --rate and "
           "--pipeline."}};
}

/// speaks_http_2  HTTP/2 was also requested
Rules rules_of_websocket(const Options& o, bool speaks_http_2) {
  return {{!o.method.empty() || !o.requests_file.empty(),
           "A WebSocket has messages instead of requests. Remove --method and --requests-file."},
          {!o.expected.is_anything() || o.events != 0,
           "A WebSocket has no responses to check. Remove --expect-… and --events, or use "
           "--check-echo."},
          {o.way == Way::broadcast &&
               (o.threads > 1 || o.pipeline > 1 || o.rate > 0 || o.requests != 0),
           "With --broadcast, each message is sent after all clients received the last one. Remove "
           "--threads, --pipeline, --rate and --requests."},
          {speaks_http_2 || o.streams > 1,
           "A WebSocket uses its own connection. Remove --http2 and --streams."}};
}

Rules rules_of_http(const Options& o) {
  const bool is_http_2 = o.version == Version::http_2;
  return {
      {o.message == ws::MessageType::binary || o.check == Check::echo || o.way == Way::broadcast,
       "--binary, --check-echo and --broadcast require a ws:// or wss:// URL."},
      {o.events != 0 && (is_http_2 || o.pipeline > 1 || o.rate > 0 || !o.expected.is_anything()),
       "Event streams use HTTP/1.1 connections, one stream at a time, and have fixed contents. "
       "Remove --http2, --pipeline, --rate and --expect-…."},
      {o.pipeline > 1 && is_http_2, "HTTP/2 has streams instead of a pipeline. Use --streams."},
      {o.streams > 1 && !is_http_2, "--streams requires --http2. For HTTP/1.1, use --pipeline."},
      {o.rate > 0 && o.pipeline > 1,
       "In an HTTP/1.1 pipeline, a slow response delays the next ones, which would distort the "
       "latency with --rate. Remove --rate or --pipeline, or use --http2 --streams."}};
}

std::optional<std::string> broken(const Rules& rules) {
  for (const Rule& rule : rules) {
    if (rule.is_broken) {
      return std::string(rule.mend);
    }
  }
  return std::nullopt;
}

void ask_for_events(Options& o) {
  o.fields.emplace_back("Accept: text/event-stream");
  o.expected = {200, stream_text(o.events), std::nullopt};
}

/// errors  the first violated rule
Result<Options, std::string> judged(Options o) {
  const bool speaks_http_2 = o.version == Version::http_2;
  const bool is_socket = is_websocket(o.url);
  auto fault = broken(rules_of_all(o));
  if (!fault) {
    fault = broken(is_socket ? rules_of_websocket(o, speaks_http_2) : rules_of_http(o));
  }
  if (fault) {
    return fail(std::move(*fault));
  }
  o.version = is_socket ? Version::websocket : o.version;
  o.check = o.way == Way::broadcast ? Check::echo : o.check;
  if (o.events != 0) {
    ask_for_events(o);
  }
  return o;
}

}  // namespace

Result<Options, std::string> read_options(std::span<const std::string_view> arguments) {
  Options options;
  Grammar grammar(options);
  if (auto parsed = grammar.parse(arguments); !parsed) {
    return fail(std::move(parsed.error()));
  }
  return options.wants_help ? Result<Options, std::string>(std::move(options))
                            : judged(std::move(options));
}

std::string help_text() {
  Options options;
  return Grammar(options).help();
}

}  // namespace eider::bench
