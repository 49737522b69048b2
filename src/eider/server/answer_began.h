// When the head of an answer left whose content is made while it is sent.
// Must not be put into requests of other answers: their end is when they are written.
#pragma once

#include "eider/io/runtime/time.h"

namespace eider {

/// In a request whose answer is produced while it is sent (an event stream, Streamed, a
/// ResponseStream), or that became another protocol's, such as a WebSocket.
///
/// at  when its head was given to the connection
struct AnswerBegan {
  Instant at;
};

}  // namespace eider
