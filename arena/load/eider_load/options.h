// What the command line asks for.
// Must not do any of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "answer_reader.h"
#include "eider/runtime/loop.h"
#include "eider/runtime/time.h"
#include "shared.h"

namespace load {

enum class Mode : std::uint8_t { sequential, rate, closed, websocket, broadcast, events, help };
enum class Format : std::uint8_t { text, json };

struct Options {
  Mode mode = Mode::help;
  Format format = Format::text;
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
  std::string path = "/";
  std::string host_field = "arena.example";
  std::optional<std::string> body;  // a POST when there is one
  std::vector<std::string> fields;  // further header lines, "Name: value"
  Expected expected;
  eider::Duration timeout = std::chrono::seconds(10);
  eider::Duration limit = std::chrono::seconds(1200);  // of the whole run
  unsigned connections = 10;                           // "clients" where each has a new one
  std::uint64_t requests = 100;                        // of each client
  double rate = 1000;                                  // requests a second, of all connections
  eider::Duration duration = std::chrono::seconds(1);
  unsigned depth = 1;
  std::size_t message_bytes = 16;  // of a WebSocket message
  unsigned events = 100;           // of one event stream
  unsigned threads = 1;
  std::uint64_t errors_max = 100;  // more end the run
  std::uint64_t seed = 1;
  Arrivals arrivals = Arrivals::poisson;
  eider::Backend backend = eider::Backend::epoll;
};

/// Why a command line cannot be followed, in one line with the mend.
struct BadOptions {
  std::string why;
};

[[nodiscard]] std::variant<Options, BadOptions> read_options(int argc, char** argv);

/// The text of --help.
[[nodiscard]] const char* help_text() noexcept;

/// The request that all connections send, as bytes.
[[nodiscard]] std::string request_bytes(const Options& options);

}  // namespace load
