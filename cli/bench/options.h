// The command-line options of `eider bench`.
// Layering: must not run anything or read files.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/bench/response_check.h"
#include "cli/bench/schedule.h"
#include "eider/core/base/result.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/time.h"
#include "eider/protocols/http/ws/message_reader.h"

namespace eider::bench {

enum class Progress : std::uint8_t { automatic, none };
/// http_1_1 is what a connection speaks unless it is asked for more; websocket by the URL.
enum class Version : std::uint8_t { http_1_1, http_2, websocket };
/// What a response has to hold: anything, or what its message held.
enum class Check : std::uint8_t { none, echo };
enum class Certificates : std::uint8_t { checked, any };

/// What stays open, and which connections have to get what is sent.
enum class Way : std::uint8_t { kept_connections, new_connections, broadcast };

struct Options {
  std::string url;
  unsigned connections = 64;
  /// Never more than there are connections.
  unsigned threads = 1;
  Duration duration = std::chrono::seconds(10);
  /// Of the whole run; 0 is as many as fit into the duration.
  std::uint64_t requests = 0;
  /// Of all connections, a second: an open loop. 0 is a closed one.
  double rate = 0;
  Arrivals arrivals = Arrivals::uniform;
  /// Requests of one connection that wait for their responses at once.
  unsigned pipeline = 1;
  Version version = Version::http_1_1;
  /// The same with HTTP/2.
  unsigned streams = 1;
  Duration warmup{0};
  Duration timeout = std::chrono::seconds(10);
  std::string method;
  /// "Name: value", checked.
  std::vector<std::string> fields;
  std::optional<std::string> body;
  std::string body_file;
  /// Of a request or message without --body; 0 is not said.
  unsigned body_bytes = 0;
  ws::MessageType message = ws::MessageType::text;
  Check check = Check::none;
  Way way = Way::kept_connections;
  /// Of each event stream; 0 where none is asked for.
  unsigned events = 0;
  Expected expected;
  /// More than those end the run; 0 is as many as come.
  std::uint64_t errors_max = 0;
  std::string requests_file;
  Certificates certificates = Certificates::checked;
  std::string authorities_file;
  std::string json_file;
  std::string html_file;
  Progress progress = Progress::automatic;
  Backend backend = Backend::automatic;
  bool wants_help = false;

  [[nodiscard]] bool has_body() const noexcept { return body || !body_file.empty(); }
};

/// Reads what stands behind `eider bench`. Short options take their value behind them or in the
/// next argument (-c64, -c 64), long ones likewise (--rate=10, --rate 10).
///
/// errors   one sentence: which argument cannot be understood, and what it takes
[[nodiscard]] Result<Options, std::string> read_options(
    std::span<const std::string_view> arguments);

/// For `eider bench --help`.
[[nodiscard]] std::string help_text();

}  // namespace eider::bench
