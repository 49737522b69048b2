// Requests that may be repeated without being done twice, by the key that the client gives each.
// Must not be taken for a database's own constraint: it holds for one process, while that runs.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "eider/app/handlers/middleware.h"
#include "eider/io/runtime/time.h"
#include "eider/protocols/http/request.h"

namespace eider {

struct IdempotencyKeys {
  /// How long an answer is kept for those that repeat their request.
  Duration lasts = std::chrono::hours(24);
  /// Of all that is kept: one half for clients that are known (an Identity, a certificate, or by
  /// `client`), the other for those that only say who they are, since anybody can say many names.
  /// Beyond it those that have most there lose their oldest answers, and where nobody has much (an
  /// eighth of what one may have) the oldest answers go.
  std::size_t bytes_max = std::size_t{16} << 20U;
  /// Of one client. Beyond these its own oldest are forgotten, so that nobody's many keys or large
  /// answers push out another's. Pre: room for some answers of `answer_bytes_max`.
  std::size_t bytes_max_per_client = std::size_t{1} << 20U;
  std::size_t keys_max_per_client = 1000;
  /// The content of a larger answer is not kept: whoever repeats the request is told by a 409 that
  /// it was done.
  std::size_t answer_bytes_max = std::size_t{64} << 10U;
  /// A request without a key is a 400.
  bool is_required = false;
  /// Who asks: one client's key is never another's. By default the name of its Identity, or else
  /// what it says of itself (Authorization, a certificate), or else its Cookie and the connection's
  /// address together. That address differs from one network to the next, and is a proxy's behind
  /// one: say it where clients nobody knows are told apart otherwise.
  std::function<std::string(const Request&)> client = {};
};

/// Does a POST or PATCH with the field `Idempotency-Key` once, whoever loses the answer:
///
///     api.use(idempotency_keys());
///
/// - The same key with the same request (method, target, Content-Type and content) is answered with
///   the answer that was given, and `Idempotent-Replayed: true`; the handler is not called.
/// - With another request it is a 422; while the first is at work a 409.
/// - The key is free again where the answer asks to try again or for other rights (401, 403, 408,
///   425, 429, all 5xx), or a streamed one's producer throws ahead of its first byte.
/// - Where the client leaves ahead of the answer, or that breaks off, nobody knows whether the
///   handler has done its work: for as long as an answer is kept the same request is a 409 that
///   says so, and the handler is not called. Use `timeout` outside: inside, its 503 frees the key.
/// - A key is 1 to 255 visible characters, in quotes or bare; anything else is a 400.
///
/// Guards run ahead of it. Of content that the handler reads as it comes (BodyStream) it knows
/// nothing, and answers that are streamed are not kept: as larger ones, a 409 says that it was
/// done. Its routes all wait.
///
/// source  draft-ietf-httpapi-idempotency-key-header-07
[[nodiscard]] Around idempotency_keys(IdempotencyKeys options = {});

}  // namespace eider
