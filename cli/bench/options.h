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
/// http_1_1 is the default; websocket follows from the URL.
enum class Version : std::uint8_t { http_1_1, http_2, websocket };
/// Required body of a response: any, or the same as that of its message.
enum class Check : std::uint8_t { none, echo };
enum class Certificates : std::uint8_t { checked, any };

/// Which connections stay open, and which of them must receive a message.
enum class Way : std::uint8_t { kept_connections, new_connections, broadcast };

struct Options {
  std::string url;
  unsigned connections = 64;
  /// At most the number of connections.
  unsigned threads = 1;
  Duration duration = std::chrono::seconds(10);
  /// Of the whole run; 0: as many as fit into the duration.
  std::uint64_t requests = 0;
  /// Requests per second of all connections together, in an open loop. 0: a closed loop.
  double rate = 0;
  Arrivals arrivals = Arrivals::uniform;
  /// Maximum number of outstanding requests per connection.
  unsigned pipeline = 1;
  Version version = Version::http_1_1;
  /// The same for HTTP/2.
  unsigned streams = 1;
  Duration warmup{0};
  Duration timeout = std::chrono::seconds(10);
  std::string method;
  /// "Name: value", validated.
  std::vector<std::string> fields;
  std::optional<std::string> body;
  std::string body_file;
  /// Size of the body of a request or message without --body; 0: not specified.
  unsigned body_bytes = 0;
  ws::MessageType message = ws::MessageType::text;
  Check check = Check::none;
  Way way = Way::kept_connections;
  /// Number of events in each event stream; 0: no event streams.
  unsigned events = 0;
  Expected expected;
  /// Number of errors that ends the run; 0: no limit.
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

/// Reads the arguments after `eider bench`. Short options have their value attached or in the next
/// argument (-c64, -c 64), and long ones, too (--rate=10, --rate 10).
///
/// errors   one sentence: the invalid argument, and the expected value
[[nodiscard]] Result<Options, std::string> read_options(
    std::span<const std::string_view> arguments);

/// Returns the text of `eider bench --help`.
[[nodiscard]] std::string help_text();

}  // namespace eider::bench
