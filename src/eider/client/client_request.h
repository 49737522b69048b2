// A request of the HTTP client, built step by step.
// Layering: must not be sent twice.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "eider/client/client_error.h"
#include "eider/client/client_response.h"
#include "eider/core/base/result.h"
#include "eider/core/json/write.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"
#include "eider/protocols/http/method.h"

namespace eider {

class MultipartForm;

namespace detail::client {
struct ClientState;
struct RequestParts;
}  // namespace detail::client

/// The name and value of a form field.
using FormField = std::pair<std::string_view, std::string_view>;
/// Returns the next piece of the body at each call; an empty piece is the end.
using ContentProducer = std::function<Task<std::string>()>;

/// A request of the HTTP client:
///
///     auto reply =
///         co_await client.request(Method::put, url).header("If-Match", etag).json(note).send();
///
/// Invalid requests are reported when they are sent: ClientFault::bad_request.
class ClientRequest {
 public:
  using Reply = Result<ClientResponse, ClientError>;
  using StreamedReply = Result<ClientStream, ClientError>;

  /// For the client, which outlives the request and its response.
  ClientRequest(detail::client::ClientState& state, Method method, std::string_view url);
  ClientRequest(ClientRequest&& other) noexcept;
  ClientRequest& operator=(ClientRequest&& other) noexcept;
  ~ClientRequest();

  /// Adds a header. The client itself sets the headers of the connection and the framing.
  ClientRequest& header(std::string_view name, std::string_view value);
  /// Sets Authorization: Basic (RFC 7617). user  without a colon
  ClientRequest& basic_auth(std::string_view user, std::string_view password);
  /// Sets Authorization: Bearer (RFC 6750).
  ClientRequest& bearer(std::string_view token);
  /// Adds a query parameter, percent-encoded.
  ClientRequest& query(std::string_view name, std::string_view value);

  /// Sets the body, unchanged.
  ClientRequest& body(std::string content, std::string_view content_type);
  /// Sets the body to a value as application/json; any value that json::write accepts.
  template <class T>
  ClientRequest& json(const T& value) {
    return body(json::to_text(value), "application/json");
  }
  /// Sets the body to application/x-www-form-urlencoded.
  ClientRequest& form(std::initializer_list<FormField> fields);
  ClientRequest& form(std::span<const FormField> fields);
  /// Sets the body to multipart/form-data.
  ClientRequest& form(const MultipartForm& form);
  /// Sets a body that is produced while it is sent, no faster than the server accepts it. Chunked,
  /// unless a length is set. It cannot be sent again: no retries, and no redirects that keep the
  /// body.
  ///
  /// producer  called, and its task awaited, until it returns an empty piece; an exception ends the
  ///           request
  ClientRequest& body_from(ContentProducer producer, std::string_view content_type);
  ClientRequest& body_from(ContentProducer producer, std::string_view content_type,
                           std::uint64_t bytes);

  /// Replaces ClientOptions::total.
  ClientRequest& timeout(Duration whole);
  /// Allows retries although the method is not idempotent.
  ClientRequest& repeatable();
  /// Disallows retries although the method is idempotent.
  ClientRequest& only_once();

  /// Sends the request and reads the whole response, also while the body is still being sent. The
  /// request is empty afterwards.
  [[nodiscard]] Task<Reply> send();
  /// Sends the request and returns after the response headers; read the body with
  /// ClientStream::next. The request body may still be sent then, until the end of the response or
  /// an error status.
  [[nodiscard]] Task<StreamedReply> send_streamed();

 private:
  detail::client::ClientState* state_;
  std::unique_ptr<detail::client::RequestParts> parts_;
};

}  // namespace eider
