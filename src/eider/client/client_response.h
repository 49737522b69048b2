// Answers as the HTTP client gives them: whole, or with their content still to come.
// Must not be changed by their readers.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "eider/client/client_error.h"
#include "eider/core/base/result.h"
#include "eider/core/json/read.h"
#include "eider/io/runtime/task.h"
#include "eider/protocols/http/head.h"

namespace eider {

namespace detail::client {
struct Answered;
struct ClientState;
struct Received;
}  // namespace detail::client

/// An answer with all of its content in memory. All views are valid as long as it is.
class ClientResponse {
 public:
  /// For the client.
  explicit ClientResponse(std::unique_ptr<detail::client::Received> received) noexcept;
  ClientResponse(ClientResponse&& other) noexcept;
  ClientResponse& operator=(ClientResponse&& other) noexcept;
  ~ClientResponse();

  /// 200 to 999.
  [[nodiscard]] int status() const noexcept;
  /// 2xx.
  [[nodiscard]] bool is_ok() const noexcept { return status() / 100 == 2; }
  /// The first field of that name, compared without case.
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const noexcept;
  /// All field lines in their order.
  [[nodiscard]] std::span<const Field> headers() const noexcept;
  /// The content, decompressed.
  [[nodiscard]] std::string_view body() const noexcept;
  /// The fields behind a chunked content (RFC 9110, section 6.5).
  [[nodiscard]] std::span<const Field> trailers() const noexcept;
  /// What was asked last: another URL than the first one when redirects were followed.
  [[nodiscard]] std::string_view url() const noexcept;

  /// The content read as JSON, whatever its Content-Type says.
  ///
  /// errors   as json::read: 400 for what is no JSON, 422 with the members that do not fit
  template <class T>
  [[nodiscard]] Result<T> json(const json::Limits& limits = {}) const {
    return eider::json::read<T>(body(), limits);
  }

 private:
  std::unique_ptr<detail::client::Received> received_;
};

/// An answer whose content is taken piece by piece; the server is slowed down to the pace of that.
/// Destroying it before the end closes the connection, or ends the stream of HTTP/2. The client
/// outlives it.
class ClientStream {
 public:
  /// For the client.
  ClientStream(detail::client::ClientState& state, detail::client::Answered answered);
  ClientStream(ClientStream&& other) noexcept;
  ClientStream& operator=(ClientStream&& other) noexcept;
  ~ClientStream();

  [[nodiscard]] int status() const noexcept;
  [[nodiscard]] bool is_ok() const noexcept { return status() / 100 == 2; }
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const noexcept;
  [[nodiscard]] std::span<const Field> headers() const noexcept;
  [[nodiscard]] std::string_view url() const noexcept;
  /// Empty until the content has come to its end.
  [[nodiscard]] std::span<const Field> trailers() const noexcept;

  /// `auto piece = co_await reply.next();` One waits at a time.
  ///
  /// returns  some content, decompressed, valid until the next call; empty: the end
  /// errors   timed_out (ClientOptions::silence), connection_lost, bad_answer, bad_coding,
  ///          too_large; of content that is still being sent: bad_request, or what its producer
  ///          throws
  [[nodiscard]] Task<Result<std::string_view, ClientError>> next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eider
