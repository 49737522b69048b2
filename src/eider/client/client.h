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
#include "eider/http/method.h"
#include "eider/runtime/task.h"

namespace eider {

namespace detail {
class Dialler;
struct ClientState;
}  // namespace detail

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
  HttpClient(ClientOptions options, std::unique_ptr<detail::Dialler> dialler);
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

 private:
  [[nodiscard]] detail::ClientState& state();

  ClientOptions options_;
  std::unique_ptr<detail::Dialler> dialler_;
  std::unique_ptr<detail::ClientState> state_;  // made by the first request, on its loop
};

}  // namespace eider
