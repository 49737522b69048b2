// What became of one request, told when the last byte of its answer has left, or nobody waits for
// it any more. Must not be kept: all that it refers to is valid for the call alone.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "eider/io/runtime/time.h"
#include "eider/protocols/http/request.h"
#include "eider/server/state.h"

namespace eider {

/// When the head of a response left whose content is produced while it is sent (an event stream,
/// Streamed, a ResponseStream), or that became another protocol's, such as a WebSocket. It is put
/// into such requests only: other responses end when they are written.
///
/// at  when the head was given to the connection
struct AnswerBegan {
  Instant at;
};

struct AnswerRecord {
  /// Nothing of it but the peer is known of a request that could not be read.
  const Request& request;
  /// 0: the client has left before there was an answer.
  int status = 0;
  /// Content alone, without heads and framing, as it was on the wire.
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  /// False: the client, or the connection, was gone before all had left; `bytes_out` is then what
  /// had about left.
  bool is_whole = true;
  /// When the turn of the loop began in which the request's head was there, and when the last of
  /// the answer had been given to the kernel, or was about to be with all of that turn.
  Instant began;
  Instant ended;
  /// "HTTP/1.0", "HTTP/1.1" or "HTTP/2".
  std::string_view protocol;
};

/// Called on the loop's thread, of each loop.
using Observer = std::function<void(const AnswerRecord&)>;

/// An Observer that App::observe knows for one that hears of requests that take long while they go
/// on, too.
struct SlowObserver {
  void operator()(const AnswerRecord& record) const { over(record); }

  Observer over;
  /// Behind this `goes_on` is called, once, with what the request waits for, where its handler has
  /// not answered by then. Looked at once a second, or twice within a shorter time; of ten requests
  /// of a loop at most, the others' turn comes in the next look.
  Duration after;
  std::function<void(const RequestState&)> goes_on;
};

}  // namespace eider
