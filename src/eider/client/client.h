// Client: an HTTP client for coroutines.
// Layering: must not be shared between threads: each event loop has its own client.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "eider/client/client_error.h"
#include "eider/client/client_options.h"
#include "eider/client/client_request.h"
#include "eider/client/client_response.h"
#include "eider/client/ws/ws_client.h"
#include "eider/io/runtime/task.h"
#include "eider/protocols/http/method.h"

namespace eider {

namespace detail::client {
struct ClientState;
}  // namespace detail::client
namespace net {
class Dialler;
}  // namespace net

/// An HTTP client. All requests share its connections. It must outlive them and their responses.
///
///     HttpClient client;
///     auto reply = co_await client.get("http://127.0.0.1:8080/notes");
///     if (!reply) … reply.error().text …
///     auto notes = reply->json<std::vector<Note>>();
///
/// Destroying a task that waits for a response closes its connection, or resets its HTTP/2 stream.
class HttpClient {
 public:
  using Reply = ClientRequest::Reply;

  explicit HttpClient(ClientOptions options = {});
  /// Uses the connections of `dialler`, for tests.
  HttpClient(ClientOptions options, std::unique_ptr<net::Dialler> dialler);
  HttpClient(HttpClient&& other) noexcept;
  HttpClient& operator=(HttpClient&& other) noexcept;
  ~HttpClient();

  /// Builds a request step by step; then call `send()` or `send_streamed()`.
  /// Pre: on an event loop, and always on the same one.
  [[nodiscard]] ClientRequest request(Method method, std::string_view url);

  /// Sends a request without a body.
  ///
  /// url      "http://host[:port][/path][?query]"
  /// returns  the response, with any status
  /// errors   see ClientFault
  [[nodiscard]] Task<Reply> get(std::string_view url);
  [[nodiscard]] Task<Reply> head(std::string_view url);
  [[nodiscard]] Task<Reply> delete_(std::string_view url);
  /// value  any value that json::write accepts
  template <class T>
  [[nodiscard]] Task<Reply> post_json(std::string_view url, const T& value) {
    return request(Method::post, url).json(value).send();
  }
  template <class T>
  [[nodiscard]] Task<Reply> put_json(std::string_view url, const T& value) {
    return request(Method::put, url).json(value).send();
  }

  /// Connects a WebSocket with this client's name resolution, allowed addresses, proxies and TLS,
  /// instead of those of the options. If there is an HTTP/2 connection to the host, and the host
  /// supports WebSockets over it (RFC 8441), the WebSocket is a stream of it. It may outlive the
  /// client.
  ///
  /// url      "ws://host[:port][/path][?query]", or wss:// for TLS
  /// errors   see WsClientFault
  [[nodiscard]] Task<WsClient::Connected> websocket(std::string url, WsClientOptions options = {});

 private:
  [[nodiscard]] detail::client::ClientState& state();

  ClientOptions options_;
  std::unique_ptr<net::Dialler> dialler_;
  std::shared_ptr<detail::client::ClientState> state_;  // created by the first request, on its loop
};

}  // namespace eider
