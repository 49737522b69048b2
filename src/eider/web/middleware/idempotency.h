// Idempotency keys: repeated requests are processed once.
// Layering: must not replace a database constraint; keys are valid within one running process.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "eider/app/handlers/middleware.h"
#include "eider/io/runtime/time.h"
#include "eider/protocols/http/request.h"

namespace eider {

struct IdempotencyKeys {
  /// Time for which a response is stored for repeated requests.
  Duration ttl = std::chrono::hours(24);
  /// Limit for all stored responses: one half for identified clients (by an Identity, a
  /// certificate, or `client`), the other half for clients that only claim an identity. Above the
  /// limit, the clients with the most data lose their oldest responses; if no client has much (an
  /// eighth of its limit), the oldest responses are removed.
  std::size_t bytes_max = std::size_t{16} << 20U;
  /// Limit for one client. Above it, the oldest responses of this client are removed, so that one
  /// client cannot displace others. Pre: room for several responses of `response_bytes_max`.
  std::size_t bytes_max_per_client = std::size_t{1} << 20U;
  std::size_t keys_max_per_client = 1000;
  /// Larger response bodies are not stored: a repeated request gets a 409, which says that the
  /// first one was completed.
  std::size_t response_bytes_max = std::size_t{64} << 10U;
  /// A request without a key gets a 400.
  bool is_required = false;
  /// Identifies the client; keys of different clients are independent. Default: the name of its
  /// Identity, or else its credentials (Authorization, a certificate), or else its Cookie together
  /// with the address of the connection. That address changes with the network, and is that of the
  /// proxy after one: set this function if you can identify such clients in another way.
  std::function<std::string(const Request&)> client = {};
};

/// Executes a POST or PATCH with the header `Idempotency-Key` only once, even if the client loses
/// the response and repeats the request:
///
///     api.use(idempotency_keys());
///
/// - The same key with the same request (method, host, target, Content-Type and body) gets the
///   stored response, with `Idempotent-Replayed: true`; the handler is not called. For clients that
///   only claim an identity, it has no Set-Cookie.
/// - The same key with another request gets a 422, and a 409 while the first request is in
///   progress.
/// - The key is free again if the response suggests a retry or other credentials (401, 403, 408,
///   425, 429, all 5xx), or if a stream throws before its first byte.
/// - If the client disconnects before the response, or the response is cut off, the outcome is
///   unknown. The same request gets a 409 until the key expires, and the handler is not called. Use
///   `timeout` outside of this middleware: inside, its 503 frees the key.
/// - A key has 1 to 255 visible characters, quoted or not; other values get a 400.
///
/// Guards run before it. Bodies that the handler streams (BodyStream) are not compared, and
/// streamed responses are not stored: like larger ones, they lead to a 409. Its routes are
/// asynchronous.
///
/// source  draft-ietf-httpapi-idempotency-key-header-07
[[nodiscard]] Middleware idempotency_keys(IdempotencyKeys options = {});

}  // namespace eider
