// Creates connections, with the data that the connections of one thread share.
// Layering: must not decide what is sent when, and must not connect; the fleet does.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/bench/connection.h"
#include "cli/bench/options.h"
#include "cli/bench/requests.h"
#include "cli/bench/response_scanner.h"
#include "cli/bench/target.h"
#include "eider/client/ws/random_masks.h"
#include "eider/client/ws/ws_client.h"
#include "eider/client/ws/ws_opening.h"
#include "eider/core/base/buffer.h"
#include "eider/protocols/http/ws/message_reader.h"
#include "eider/protocols/http/ws/message_writer.h"

namespace eider::bench {

/// Data shared by the connections of one thread.
struct H1Terms {
  /// All arguments outlive it.
  H1Terms(const std::vector<Request>& prepared, unsigned depth, const Expected& owed)
      : requests(prepared), pipeline(depth), expected(owed), known(prepared.size()) {}

  const std::vector<Request>& requests;
  unsigned pipeline;
  const Expected& expected;
  std::vector<KnownHead> known;  // by request
  h1::ResponseReader reader;
};

/// streams  maximum number of outstanding requests per connection; the server may allow fewer
/// scheme   "http" or "https"
struct H2Terms {
  const std::vector<Request>& requests;
  unsigned streams;
  std::string_view scheme;
  const Expected& expected;
};

/// A text whose first 16 characters (fewer in a shorter text) encode a number.
class StampedText {
 public:
  explicit StampedText(std::string text) noexcept : text_(std::move(text)) {}

  /// Returns the text with that number; valid until the next call. Texts of less than 16 bytes
  /// repeat.
  [[nodiscard]] std::string_view with(std::uint64_t number) noexcept;

 private:
  std::string text_;
};

/// Returns why these headers do not allow a handshake, in a sentence; nothing if they do.
[[nodiscard]] std::optional<std::string> opening_fault(const Options& options);

struct WsTerms {
  /// All arguments outlive it. Pre: !opening_fault(options).
  WsTerms(const std::vector<Request>& prepared, const Options& options, const Target& target);

  const std::vector<Request>& messages;  // only their parts.body
  std::optional<StampedText> stamped;    // sent instead, if the options specify no message
  unsigned pipeline;
  ws::MessageType type;
  Check check;
  detail::client::WsUrl url;
  WsClientOptions opening;
  detail::client::RandomMasks masks;
  ws::MessageWriter writer{masks};
  ws::MessageLimits limits;
  Buffer scratch;
};

/// Returns a connection for HTTP/1.1 (with optional pipelining), HTTP/2 (RFC 9113) or WebSocket
/// messages (RFC 6455), each of which waits for a response message. All arguments outlive it.
[[nodiscard]] std::unique_ptr<Connection> make_connection(ConnectionUser& user, H1Terms& terms);
[[nodiscard]] std::unique_ptr<Connection> make_connection(ConnectionUser& user,
                                                          const H2Terms& terms);
[[nodiscard]] std::unique_ptr<Connection> make_connection(ConnectionUser& user, WsTerms& terms);

}  // namespace eider::bench
