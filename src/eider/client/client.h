// The HTTP client, for coroutines: one line for the usual request, a builder for the rest.
// Must not be shared between threads: each loop has one of its own.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "eider/client/client_error.h"
#include "eider/client/client_options.h"
#include "eider/client/client_request.h"
#include "eider/client/client_response.h"
#include "eider/client/ws_client.h"
#include "eider/io/runtime/task.h"
#include "eider/protocols/http/method.h"

namespace eider {

namespace detail::client {
struct ClientState;
}  // namespace detail::client
namespace net {
class Dialler;
}  // namespace net

/// Connections are kept and shared by all requests. It outlives them and their answers.
///
///     HttpClient client;
///     auto reply = co_await client.get("http://127.0.0.1:8080/notes");
///     if (!reply) … reply.error().text …
///     auto notes = reply->json<std::vector<Note>>();
///
/// Destroying a task that asks closes its connection, or ends its stream of HTTP/2.
class HttpClient {
 public:
  using Reply = ClientRequest::Reply;

  explicit HttpClient(ClientOptions options = {});
  /// For tests: connections come from `dialler`.
  HttpClient(ClientOptions options, std::unique_ptr<net::Dialler> dialler);
  HttpClient(HttpClient&& other) noexcept;
  HttpClient& operator=(HttpClient&& other) noexcept;
  ~HttpClient();

  /// All that can be said about a request; then `send()` or `send_streamed()`.
  /// Pre: on a loop, and always on the same one.
  [[nodiscard]] ClientRequest request(Method method, std::string_view url);

  /// url      "http://host[:port][/path][?query]"
  /// returns  the answer, whatever its status
  /// errors   ClientFault says which
  [[nodiscard]] Task<Reply> get(std::string_view url);
  [[nodiscard]] Task<Reply> head(std::string_view url);
  [[nodiscard]] Task<Reply> delete_(std::string_view url);
  /// value  any that json::write takes
  template <class T>
  [[nodiscard]] Task<Reply> post_json(std::string_view url, const T& value) {
    return request(Method::post, url).json(value).send();
  }
  template <class T>
  [[nodiscard]] Task<Reply> put_json(std::string_view url, const T& value) {
    return request(Method::put, url).json(value).send();
  }

  /// A WebSocket by this client's way to servers: its names, addresses, proxies and TLS, in place
  /// of those of the options. Where there is a connection of HTTP/2 to the host, and the host takes
  /// WebSockets over it (RFC 8441), it is a stream of that. It may outlive the client.
  ///
  /// url      "ws://host[:port][/path][?query]", or wss:// for TLS
  /// errors   WsClientFault says which
  [[nodiscard]] Task<WsClient::Connected> websocket(std::string url, WsClientOptions options = {});

 private:
  [[nodiscard]] detail::client::ClientState& state();

  ClientOptions options_;
  std::unique_ptr<net::Dialler> dialler_;
  std::shared_ptr<detail::client::ClientState> state_;  // made by the first request, on its loop
};

}  // namespace eider
