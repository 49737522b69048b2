#include "options.h"

#include <fmt/format.h>
#include <getopt.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string_view>
#include <utility>

#include "eider/app/options.h"

namespace load {

namespace {

constexpr double kSecondsMax = 86400;
constexpr std::uint64_t kConnectionsMax = 1'000'000;
constexpr std::uint64_t kCountMax = 1'000'000'000;
constexpr std::uint64_t kDepthMax = 4096;
constexpr std::uint64_t kThreadsMax = 256;
constexpr std::uint64_t kMessageBytesMax = std::uint64_t{16} << 20U;
constexpr std::uint64_t kEventsMax = 1'000'000;
constexpr double kRateMax = 100'000'000;

constexpr option kKnown[] = {{"help", no_argument, nullptr, 'H'},
                             {"json", no_argument, nullptr, 'j'},
                             {"address", required_argument, nullptr, 'a'},
                             {"port", required_argument, nullptr, 'p'},
                             {"path", required_argument, nullptr, 'u'},
                             {"host", required_argument, nullptr, 'o'},
                             {"body", required_argument, nullptr, 'b'},
                             {"body-bytes", required_argument, nullptr, 'q'},
                             {"header", required_argument, nullptr, 'h'},
                             {"expect-status", required_argument, nullptr, 's'},
                             {"expect-body", required_argument, nullptr, 'e'},
                             {"expect-bytes", required_argument, nullptr, 'l'},
                             {"timeout", required_argument, nullptr, 't'},
                             {"limit", required_argument, nullptr, 'L'},
                             {"clients", required_argument, nullptr, 'c'},
                             {"connections", required_argument, nullptr, 'c'},
                             {"requests", required_argument, nullptr, 'n'},
                             {"rate", required_argument, nullptr, 'r'},
                             {"seconds", required_argument, nullptr, 'd'},
                             {"depth", required_argument, nullptr, 'D'},
                             {"bytes", required_argument, nullptr, 'm'},
                             {"events", required_argument, nullptr, 'v'},
                             {"threads", required_argument, nullptr, 'T'},
                             {"errors-max", required_argument, nullptr, 'E'},
                             {"seed", required_argument, nullptr, 'S'},
                             {"arrivals", required_argument, nullptr, 'A'},
                             {"backend", required_argument, nullptr, 'B'},
                             {nullptr, 0, nullptr, 0}};

/// A whole number in a range; none when the text is anything else.
std::optional<std::uint64_t> whole(const char* text, std::uint64_t min, std::uint64_t max) {
  std::uint64_t value = 0;
  const char* end = text + std::strlen(text);
  const auto read = std::from_chars(text, end, value);
  const bool is_good = read.ec == std::errc() && read.ptr == end && value >= min && value <= max;
  return is_good ? std::optional(value) : std::nullopt;
}

/// A number above 0 and up to `max`.
std::optional<double> positive(const char* text, double max) {
  double value = 0;
  const char* end = text + std::strlen(text);
  const auto read = std::from_chars(text, end, value);
  const bool is_good = read.ec == std::errc() && read.ptr == end && value > 0 && value <= max;
  return is_good ? std::optional(value) : std::nullopt;
}

std::optional<eider::Duration> seconds(const char* text) {
  const auto value = positive(text, kSecondsMax);
  return value ? std::optional(eider::Duration(std::llround(*value * 1e9))) : std::nullopt;
}

/// Puts what was read where it belongs; false when nothing could be read.
template <class Value, class Member>
bool keep(const std::optional<Value>& value, Member& member) {
  if (value) {
    member = static_cast<Member>(*value);
  }
  return value.has_value();
}

std::optional<Arrivals> arrivals(std::string_view text) {
  if (text == "uniform") {
    return Arrivals::uniform;
  }
  return text == "poisson" ? std::optional(Arrivals::poisson) : std::nullopt;
}

/// What the request looks like and what must come back.
bool apply_message(Options& options, int found, const char* value) {
  switch (found) {
    case 'u':
      options.path = value;
      return options.path.starts_with('/');
    case 'o':
      options.host_field = value;
      return true;
    case 'b':
      options.body = value;
      return true;
    case 'q': {
      const auto bytes = whole(value, 1, kMessageBytesMax);
      options.body = std::string(bytes.value_or(0), 'x');
      return bytes.has_value();
    }
    case 'h':
      options.fields.emplace_back(value);
      return options.fields.back().find(':') != std::string::npos;
    case 's':
      return keep(whole(value, 100, 599), options.expected.status);
    case 'e':
      options.expected.body = value;
      return true;
    case 'l':
      return keep(whole(value, 0, kCountMax), options.expected.body_bytes);
    case 'm':
      return keep(whole(value, 1, kMessageBytesMax), options.message_bytes);
    case 'v':
      return keep(whole(value, 1, kEventsMax), options.events);
    default:
      return false;
  }
}

bool apply(Options& options, int found, const char* value) {
  switch (found) {
    case 'H':
      options.mode = Mode::help;
      return true;
    case 'j':
      options.format = Format::json;
      return true;
    case 'a':
      options.host = value;
      return true;
    case 'p':
      return keep(whole(value, 1, 65535), options.port);
    case 't':
      return keep(seconds(value), options.timeout);
    case 'L':
      return keep(seconds(value), options.limit);
    case 'c':
      return keep(whole(value, 1, kConnectionsMax), options.connections);
    case 'n':
      return keep(whole(value, 1, kCountMax), options.requests);
    case 'r':
      return keep(positive(value, kRateMax), options.rate);
    case 'd':
      return keep(seconds(value), options.duration);
    case 'D':
      return keep(whole(value, 1, kDepthMax), options.depth);
    case 'T':
      return keep(whole(value, 1, kThreadsMax), options.threads);
    case 'E':
      return keep(whole(value, 0, kCountMax), options.errors_max);
    case 'S':
      return keep(whole(value, 0, kCountMax), options.seed);
    case 'A':
      return keep(arrivals(value), options.arrivals);
    case 'B':
      return keep(eider::parse_backend(value), options.backend);
    default:
      return apply_message(options, found, value);
  }
}

std::optional<Mode> mode_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Mode>, 6> kModes = {
      {{"sequential", Mode::sequential},
       {"rate", Mode::rate},
       {"closed", Mode::closed},
       {"websocket", Mode::websocket},
       {"broadcast", Mode::broadcast},
       {"events", Mode::events}}};
  const auto* const found = std::ranges::find(kModes, name, &decltype(kModes)::value_type::first);
  return found == kModes.end() ? std::nullopt : std::optional(found->second);
}

BadOptions bad(std::string_view what, std::string_view given = {}) {
  return {fmt::format("{}{} (eider_load --help lists what can be asked)", what, given)};
}

}  // namespace

std::variant<Options, BadOptions> read_options(int argc, char** argv) {
  Options options;
  const auto mode = argc > 1 ? mode_of(argv[1]) : std::nullopt;
  if (!mode) {
    const std::string_view first = argc > 1 ? argv[1] : "--help";
    if (first == "--help" || first == "help") {
      return options;
    }
    return bad("the modes are sequential, rate, closed, websocket, broadcast and events, not ",
               first);
  }
  options.mode = *mode;
  ::opterr = 0;
  while (::optind < argc - 1) {
    const char* const given = argv[::optind + 1];
    const int found = ::getopt_long(argc - 1, argv + 1, "+", kKnown, nullptr);
    if (found == -1) {
      return bad("there is no option before ", given);
    }
    if (!apply(options, found, ::optarg)) {
      return bad("cannot understand ", ::optarg ? fmt::format("{} {}", given, ::optarg) : given);
    }
  }
  if (options.mode != Mode::help && options.port == 0) {
    return bad("--port is missing");
  }
  return options;
}

std::string request_bytes(const Options& options) {
  std::string request = (options.body ? "POST " : "GET ") + options.path +
                        " HTTP/1.1\r\nHost: " + options.host_field + "\r\n";
  for (const std::string& field : options.fields) {
    request += field + "\r\n";
  }
  if (options.body) {
    request += "Content-Type: application/json\r\nContent-Length: " +
               std::to_string(options.body->size()) + "\r\n\r\n" + *options.body;
  } else {
    request += "\r\n";
  }
  return request;
}

const char* help_text() noexcept {
  return R"(eider_load MODE --port PORT [option …]

sequential   each of so many clients opens a new connection for each of its requests, waits
             for the whole answer and closes. Tells the time from the first request to the
             last answer.
rate         an open loop: requests at a fixed rate over connections that stay, by a clock that
             does not wait for answers. Tells the latency from the instant at which each request
             was due (corrected for coordinated omission) and from its actual sending.
closed       a closed loop: each connection sends its next requests once it has all answers.
websocket    a closed loop of WebSocket messages: each must come back byte for byte.
broadcast    WebSockets of one room, where what one sends goes to all: a publisher sends its next
             message when all have the last one. Counts the messages delivered.
events       event streams: each connection asks for the next stream when one has ended. Counts
             the events, `data: 0` and on; PATH must give as many as --events.

where to     --address IP (127.0.0.1)   --port PORT
the request  --path PATH (/)   --host NAME (arena.example)   --header 'Name: value' (repeatable)
             --body TEXT (a POST of that JSON text instead of a GET)   --body-bytes N (of N x)
the answer   --expect-status N (200)   --expect-body TEXT   --expect-bytes N
bounds       --timeout SECONDS (10) of one request   --limit SECONDS (1200) of the run
             --errors-max N (100) end a sequential run
sequential   --clients P (10)   --requests N (100) of each
rate         --rate PER_SECOND (1000)   --connections C (10)   --seconds S (1)
             --arrivals poisson|uniform (poisson)   --seed N (1)
closed       --connections C (10)   --seconds S (1)   --depth D (1) requests in one write
websocket    --connections C (10)   --seconds S (1)   --bytes B (16) of each message
broadcast    --connections S (10) subscribers, and the publisher   --seconds S (1)   --bytes B (16)
events       --connections C (10)   --seconds S (1)   --events N (100) of each stream
also         --threads T (1), not of sequential and broadcast
             --backend epoll|io_uring|auto (epoll)
             --json   prints the report as one line of JSON

Status 0: it ran, with or without wrong answers, which the report counts. 1: nothing could be
measured. 2: it was asked for something unknown.
)";
}

}  // namespace load
