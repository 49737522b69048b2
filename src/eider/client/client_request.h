// A request of the HTTP client in the making: whatever the one-line calls do not say.
// Must not be sent twice.
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

/// One name and one value of a form.
using FormField = std::pair<std::string_view, std::string_view>;
/// Gives the next piece of content each time it is called; an empty one is the end.
using ContentProducer = std::function<Task<std::string>()>;

///     auto sending = client.request(Method::put, url).header("If-Match", etag).json(note).send();
///     auto reply = co_await std::move(sending);
///
/// What cannot be sent is told when it is sent: ClientFault::bad_request.
class ClientRequest {
 public:
  using Reply = Result<ClientResponse, ClientError>;
  using StreamedReply = Result<ClientStream, ClientError>;

  /// For the client, which outlives the request and its answer.
  ClientRequest(detail::client::ClientState& state, Method method, std::string_view url);
  ClientRequest(ClientRequest&& other) noexcept;
  ClientRequest& operator=(ClientRequest&& other) noexcept;
  ~ClientRequest();

  /// Adds a field. Those of the connection and of the framing are the client's own.
  ClientRequest& header(std::string_view name, std::string_view value);
  /// Authorization: Basic (RFC 7617). user  without a colon
  ClientRequest& basic_auth(std::string_view user, std::string_view password);
  /// Authorization: Bearer (RFC 6750).
  ClientRequest& bearer(std::string_view token);
  /// Adds a pair to the URL's query, encoded.
  ClientRequest& query(std::string_view name, std::string_view value);

  /// The content, as it is.
  ClientRequest& body(std::string content, std::string_view content_type);
  /// Any value that json::write takes, as application/json.
  template <class T>
  ClientRequest& json(const T& value) {
    return body(json::to_text(value), "application/json");
  }
  /// application/x-www-form-urlencoded
  ClientRequest& form(std::initializer_list<FormField> fields);
  ClientRequest& form(std::span<const FormField> fields);
  /// multipart/form-data
  ClientRequest& form(const MultipartForm& form);
  /// Content that is made while it is sent, no faster than the server takes it. Chunked, unless its
  /// length is told. It cannot be sent again: no retries, and no redirects that keep the content.
  ///
  /// producer  called, and its task awaited, until it gives an empty piece; what it throws ends the
  ///           request
  ClientRequest& body_from(ContentProducer producer, std::string_view content_type);
  ClientRequest& body_from(ContentProducer producer, std::string_view content_type,
                           std::uint64_t bytes);

  /// In place of ClientOptions::whole.
  ClientRequest& timeout(Duration whole);
  /// To do this twice does no harm: it may be retried though its method does not say so.
  ClientRequest& repeatable();
  /// It is not to be retried though its method would allow it.
  ClientRequest& only_once();

  /// Asks, and gathers the answer, also while content is still being sent. The request is empty
  /// then.
  [[nodiscard]] Task<Reply> send();
  /// Asks, and comes back with the answer's head; its content is taken by ClientStream::next. The
  /// request's content may still be on its way then, until the answer's end or an error's head.
  [[nodiscard]] Task<StreamedReply> send_streamed();

 private:
  detail::client::ClientState* state_;
  std::unique_ptr<detail::client::RequestParts> parts_;
};

}  // namespace eider
