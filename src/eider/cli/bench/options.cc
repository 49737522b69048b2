#include "eider/cli/bench/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "eider/base/text.h"
#include "eider/cli/bench/duration.h"
#include "eider/cli/bench/request_rules.h"

namespace eider::bench {

namespace {

constexpr std::uint64_t kConnectionsMax = 1'000'000;
constexpr std::uint64_t kThreadsMax = 256;
constexpr std::uint64_t kPipelineMax = 4096;
constexpr std::uint64_t kRequestsMax = 1'000'000'000'000;
constexpr std::uint64_t kMessageBytesMax = std::uint64_t{64} << 20U;
constexpr double kRateMax = 100'000'000;

using Value = std::string_view;

/// A whole number in a range; false when the text is anything else.
template <class Number>
bool keep_whole(Value text, std::uint64_t max, Number& into) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  const bool is_good = read.ec == std::errc() && read.ptr == end && value >= 1 && value <= max;
  into = is_good ? static_cast<Number>(value) : into;
  return is_good;
}

bool keep_rate(Value text, double& into) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  const bool is_good = read.ec == std::errc() && read.ptr == end && value > 0 && value <= kRateMax;
  into = is_good ? value : into;
  return is_good;
}

bool keep_duration(Value text, Duration& into) {
  const auto value = read_duration(text);
  into = value.value_or(into);
  return value.has_value();
}

bool keep_method(Value text, std::string& into) {
  into = text;
  return is_method_to_ask(text);
}

bool keep_field(Value text, std::vector<std::string>& into) {
  const std::size_t colon = text.find(':');
  if (colon == Value::npos || !is_field_to_add(text.substr(0, colon), text.substr(colon + 1))) {
    return false;
  }
  into.emplace_back(text);
  return true;
}

bool keep_name(Value text, std::string& into) {
  into = text;
  return !text.empty();
}

bool keep_arrivals(Value text, Arrivals& into) {
  into = text == "poisson" ? Arrivals::poisson : Arrivals::uniform;
  return text == "poisson" || text == "uniform";
}

bool keep_backend(Value text, Backend& into) {
  into = text == "epoll" ? Backend::epoll : text == "io_uring" ? Backend::io_uring : into;
  return text == "epoll" || text == "io_uring" || text == "auto";
}

/// takes  what its value may be, for people; empty: it has none
struct Known {
  char letter;
  std::string_view name;
  std::string_view takes;
  bool (*keep)(Options&, Value);
};

constexpr std::string_view kTime = "a time such as 500ms, 10s or 1m";
constexpr std::string_view kFile = "the name of a file";

constexpr std::array<Known, 26> kKnown = {{
    {'c', "connections", "a number from 1 to 1000000",
     [](Options& o, Value v) { return keep_whole(v, kConnectionsMax, o.connections); }},
    {'t', "threads", "a number from 1 to 256",
     [](Options& o, Value v) { return keep_whole(v, kThreadsMax, o.threads); }},
    {'d', "duration", kTime, [](Options& o, Value v) { return keep_duration(v, o.duration); }},
    {'n', "requests", "a number from 1 on",
     [](Options& o, Value v) { return keep_whole(v, kRequestsMax, o.requests); }},
    {'r', "rate", "requests a second, a number above 0",
     [](Options& o, Value v) { return keep_rate(v, o.rate); }},
    {0, "arrivals", "uniform or poisson",
     [](Options& o, Value v) { return keep_arrivals(v, o.arrivals); }},
    {'p', "pipeline", "a number from 1 to 4096",
     [](Options& o, Value v) { return keep_whole(v, kPipelineMax, o.pipeline); }},
    {0,
     "http2",
     {},
     [](Options& o, Value) {
       o.version = Version::http_2;
       return true;
     }},
    {0, "streams", "a number from 1 to 4096",
     [](Options& o, Value v) { return keep_whole(v, kPipelineMax, o.streams); }},
    {0, "warmup", kTime, [](Options& o, Value v) { return keep_duration(v, o.warmup); }},
    {0, "timeout", kTime, [](Options& o, Value v) { return keep_duration(v, o.timeout); }},
    {'m', "method", "a method such as GET, but not CONNECT",
     [](Options& o, Value v) { return keep_method(v, o.method); }},
    {'H', "header", "'Name: value', but neither Content-Length nor Transfer-Encoding",
     [](Options& o, Value v) { return keep_field(v, o.fields); }},
    {'b', "body", "the content to send",
     [](Options& o, Value v) {
       o.body = std::string(v);
       return true;
     }},
    {0, "body-file", kFile, [](Options& o, Value v) { return keep_name(v, o.body_file); }},
    {0, "message-bytes", "a number from 1 to 67108864",
     [](Options& o, Value v) { return keep_whole(v, kMessageBytesMax, o.message_bytes); }},
    {0,
     "binary",
     {},
     [](Options& o, Value) {
       o.message = ws::MessageType::binary;
       return true;
     }},
    {0,
     "check-echo",
     {},
     [](Options& o, Value) {
       o.check = Check::echo;
       return true;
     }},
    {0, "requests-file", kFile, [](Options& o, Value v) { return keep_name(v, o.requests_file); }},
    {'k',
     "insecure",
     {},
     [](Options& o, Value) {
       o.certificates = Certificates::any;
       return true;
     }},
    {0, "cacert", kFile, [](Options& o, Value v) { return keep_name(v, o.authorities_file); }},
    {0, "json", kFile, [](Options& o, Value v) { return keep_name(v, o.json_file); }},
    {0, "html", kFile, [](Options& o, Value v) { return keep_name(v, o.html_file); }},
    {0,
     "no-progress",
     {},
     [](Options& o, Value) {
       o.progress = Progress::none;
       return true;
     }},
    {0, "backend", "auto, epoll or io_uring",
     [](Options& o, Value v) { return keep_backend(v, o.backend); }},
    {'h',
     "help",
     {},
     [](Options& o, Value) {
       o.wants_help = true;
       return true;
     }},
}};

bool is_websocket(Value url) {
  return equals_ignoring_case(url.substr(0, 5), "ws://") ||
         equals_ignoring_case(url.substr(0, 6), "wss://");
}

using Refusal = std::optional<std::string>;

/// Walks over the arguments, one option at a time.
class Reading {
 public:
  explicit Reading(std::span<const Value> arguments) : rest_(arguments) {}

  Result<Options, std::string> run() {
    while (!rest_.empty()) {
      const Value next = rest_.front();
      rest_ = rest_.subspan(1);
      if (Refusal fault = read(next)) {
        return fail(std::move(*fault));
      }
    }
    if (is_websocket(options_.url)) {
      speaks_http_2_ = options_.version == Version::http_2;
      options_.version = Version::websocket;
    }
    if (Refusal fault = judge()) {
      return fail(std::move(*fault));
    }
    return std::move(options_);
  }

 private:
  Refusal read(Value argument) {
    if (argument.starts_with("--")) {
      return read_long(argument.substr(2));
    }
    if (argument.size() >= 2 && argument.front() == '-') {
      const char letter = argument[1];
      const auto* const known = std::ranges::find(kKnown, letter, &Known::letter);
      return known == kKnown.end() ? unknown(argument) : take(*known, argument.substr(2));
    }
    if (!options_.url.empty()) {
      return fmt::format("There are two URLs: {} and {}.", options_.url, argument);
    }
    options_.url = argument;
    return std::nullopt;
  }

  Refusal read_long(Value argument) {
    const std::size_t equals = std::min(argument.find('='), argument.size());
    const auto* const known = std::ranges::find(kKnown, argument.substr(0, equals), &Known::name);
    if (known == kKnown.end()) {
      return unknown(fmt::format("--{}", argument));
    }
    if (equals == argument.size()) {
      return take(*known, {});
    }
    return known->takes.empty() ? Refusal(fmt::format("--{} takes no value.", known->name))
                                : keep(*known, argument.substr(equals + 1));
  }

  /// attached  the value as it stands in the same argument; empty: it is the next one
  Refusal take(const Known& known, Value attached) {
    if (known.takes.empty()) {
      return attached.empty() ? keep(known, {}) : unknown(fmt::format("-{}", attached));
    }
    if (!attached.empty()) {
      return keep(known, attached);
    }
    if (rest_.empty()) {
      return fmt::format("--{} takes {}, and nothing follows.", known.name, known.takes);
    }
    const Value value = rest_.front();
    rest_ = rest_.subspan(1);
    return keep(known, value);
  }

  Refusal keep(const Known& known, Value value) {
    if (known.keep(options_, value)) {
      return std::nullopt;
    }
    return fmt::format("--{} takes {}, not '{}'.", known.name, known.takes, value);
  }

  static Refusal unknown(Value argument) {
    return fmt::format("There is no option {} (eider bench --help lists them).", argument);
  }

  /// What does not go together.
  [[nodiscard]] Refusal judge() const {
    if (options_.wants_help) {
      return std::nullopt;
    }
    if (options_.url.empty()) {
      return "The URL is missing: eider bench http://127.0.0.1:8080/";
    }
    if (options_.body && !options_.body_file.empty()) {
      return "Both --body and --body-file say what to send: leave one out.";
    }
    const bool describes_one =
        !options_.method.empty() || options_.body || !options_.body_file.empty();
    if (!options_.requests_file.empty() && describes_one) {
      return "The requests of --requests-file have methods and bodies of their "
             "own: leave out "
             "--method, --body and --body-file.";
    }
    if (Refusal fault = options_.version == Version::websocket ? judge_websocket() : judge_http()) {
      return fault;
    }
    return std::nullopt;
  }

  [[nodiscard]] Refusal judge_websocket() const {
    if (!options_.method.empty() || !options_.requests_file.empty()) {
      return "A WebSocket has messages in place of requests: leave out --method and "
             "--requests-file.";
    }
    if (options_.message_bytes != 0 && (options_.body || !options_.body_file.empty())) {
      return "Both --message-bytes and a body say what to send: leave one out.";
    }
    if (speaks_http_2_ || options_.streams > 1) {
      return "A WebSocket is a connection of its own here: leave out --http2 and --streams.";
    }
    return std::nullopt;
  }

  [[nodiscard]] Refusal judge_http() const {
    if (options_.message_bytes != 0 || options_.message == ws::MessageType::binary ||
        options_.check == Check::echo) {
      return "--message-bytes, --binary and --check-echo are of ws:// and wss:// URLs only.";
    }
    if (options_.pipeline > 1 && options_.version == Version::http_2) {
      return "HTTP/2 has streams in place of a pipeline: --streams.";
    }
    if (options_.streams > 1 && options_.version != Version::http_2) {
      return "Streams are of HTTP/2 only: --http2 --streams, or --pipeline.";
    }
    if (options_.rate > 0 && options_.pipeline > 1) {
      return "In a pipeline of HTTP/1.1 a slow answer holds up those behind it, which an open loop "
             "would blame on the server: leave out --rate or --pipeline, or use --http2 --streams.";
    }
    return std::nullopt;
  }

  std::span<const Value> rest_;
  Options options_;
  bool speaks_http_2_ = false;  // asked for, with a WebSocket's URL
};

}  // namespace

Result<Options, std::string> read_options(std::span<const std::string_view> arguments) {
  return Reading(arguments).run();
}

std::string_view help_text() noexcept {
  return R"(eider bench [option …] URL

Sends requests to an http:// or https:// URL, or messages to a ws:// or wss:// URL, and tells how
many were answered and how fast.

how much       -c, --connections N (64)   -t, --threads N (1)   -d, --duration TIME (10s)
               -n, --requests N           ends after so many, or when the duration is over
               --warmup TIME              before counting begins
closed loop    each connection asks again when it has its answer
               -p, --pipeline N (1)       requests that wait for their answers on one connection
               --http2 --streams N (1)    HTTP/2, so many at once on one connection; without TLS by
                                          prior knowledge
open loop      -r, --rate N               requests a second, sent by a clock that does not wait for
                                          answers; latency is counted from when each was due;
                                          --streams and a WebSocket's --pipeline bound what waits
               --arrivals uniform|poisson (uniform)
the request    -m, --method M (GET, POST with a body)   -H, --header 'Name: value' (repeatable)
               -b, --body TEXT   --body-file FILE
               --requests-file FILE       one request a line, asked in turn: METHOD TARGET [BODY],
                                          or JSON: {"path" or "url", "method", "headers", "body"};
                                          empty lines and those that begin with # are passed over
WebSocket      each message waits for one that answers it; -b, --body-file, -H and -p as above
               --message-bytes N (32)     what is sent without a body
               --binary                   bytes in place of text
               --check-echo               an answer has to hold what its message held
TLS            -k, --insecure             any certificate will do
               --cacert FILE              authorities to trust besides the system's, PEM
bounds         --timeout TIME (10s)       of connecting, and of one answer
results        --json FILE   --html FILE  the report, also; - is the standard output
               --no-progress              no line that counts along, as when there is no terminal
also           --backend auto|epoll|io_uring (auto)   -h, --help

TIME is a number with us, ms, s, m or h. Ctrl-C ends the run and reports what there is.
Status 0: every request was answered, whatever the status. 1: some were not, or nothing could be
measured. 2: the command line could not be understood.
)";
}

}  // namespace eider::bench
