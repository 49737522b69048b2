// Responses of the HTTP client: complete, or with a body that is still arriving.
// Layering: must not be changed by their readers.
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

/// A response with its whole body in memory. All views are valid as long as the response.
class ClientResponse {
 public:
  /// For the client.
  explicit ClientResponse(std::unique_ptr<detail::client::Received> received) noexcept;
  ClientResponse(ClientResponse&& other) noexcept;
  ClientResponse& operator=(ClientResponse&& other) noexcept;
  ~ClientResponse();

  /// Returns the status, 200 to 999.
  [[nodiscard]] int status() const noexcept;
  /// Returns whether the status is 2xx.
  [[nodiscard]] bool is_ok() const noexcept { return status() / 100 == 2; }
  /// Returns the first header with that name, case-insensitive.
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const noexcept;
  /// Returns all headers in their order.
  [[nodiscard]] std::span<const Field> headers() const noexcept;
  /// Returns the body, decompressed.
  [[nodiscard]] std::string_view body() const noexcept;
  /// Returns the trailers of a chunked body (RFC 9110, section 6.5).
  [[nodiscard]] std::span<const Field> trailers() const noexcept;
  /// Returns the last URL: not the first one if redirects were followed.
  [[nodiscard]] std::string_view url() const noexcept;

  /// Reads the body as JSON, regardless of its Content-Type.
  ///
  /// errors   as json::read: 400 if it is not JSON, 422 with the validation errors
  template <class T>
  [[nodiscard]] Result<T> json(const json::Limits& limits = {}) const {
    return eider::json::read<T>(body(), limits);
  }

 private:
  std::unique_ptr<detail::client::Received> received_;
};

/// A response whose body is read in pieces; the server is slowed down to the speed of the reader.
/// Destroying it before the end closes the connection, or resets the HTTP/2 stream. The client must
/// outlive it.
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
  /// Returns the trailers; empty until the end of the body.
  [[nodiscard]] std::span<const Field> trailers() const noexcept;

  /// Reads the next piece: `auto piece = co_await reply.next();` Only one task may wait.
  ///
  /// returns  a piece of the body, decompressed, valid until the next call; empty: the end
  /// errors   timed_out (ClientOptions::between_bytes), connection_lost, bad_response, bad_coding,
  ///          too_large; for a body that is still being sent: bad_request, or the exception of its
  ///          producer
  [[nodiscard]] Task<Result<std::string_view, ClientError>> next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eider
