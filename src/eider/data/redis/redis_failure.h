// A Redis error, thrown; if a handler does not catch it, it becomes the response.
// Layering: must not show keys or values to the client, and must not log stored data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "eider/core/base/failure.h"

namespace eider {

enum class RedisFault : std::uint8_t {
  open,     ///< the URL or an option is not understood
  login,    ///< the server does not accept the user, or a command of the connection's begin
  refused,  ///< the server answered with an error: code() is its first word
  reply,    ///< the answer does not fit the type that was asked for
  busy,     ///< too much waits already, or the server is loading, or in a script for long
  expired,  ///< no answer in time
  lost,     ///< the connection broke behind the command and ahead of its answer
  aborted,  ///< a watched key was changed, so nothing of the transaction was done
};

/// "expired", as the enumerator is written.
[[nodiscard]] std::string_view to_text(RedisFault fault) noexcept;

class RedisFailure : public Failure {
 public:
  enum class Done : std::uint8_t { nothing, unknown };

  /// cause  for the log: without keys, values and passwords
  RedisFailure(RedisFault fault, Done done, std::string cause);
  /// An error of the server. The log gets its words up to the first quote, because quoted parts
  /// contain sent data.
  ///
  /// done  unknown for one of several commands, because the others were executed
  RedisFailure(std::string_view command, std::string_view error, Done done = Done::nothing);

  /// As above for a script, which may have written before the error, unless the server did not
  /// start it. The log gets only its code, because its words come from the script.
  [[nodiscard]] static RedisFailure of_script(std::string_view command, std::string_view error,
                                              Done done = Done::nothing);

  /// The same of one of several commands, of which the others may be done.
  [[nodiscard]] RedisFailure among_others() const;

  [[nodiscard]] RedisFault fault() const noexcept { return fault_; }
  /// Whether it is unknown if the command was done: it had been sent. Else nothing was done.
  [[nodiscard]] bool may_be_done() const noexcept { return done_ == Done::unknown; }
  /// Returns "WRONGTYPE", "NOSCRIPT", or a code of a script; empty if the server reported no error.
  [[nodiscard]] const std::string& code() const noexcept { return code_; }
  /// Returns the complete text of the server, for the handler only: it may repeat sent data.
  [[nodiscard]] const std::string& message() const noexcept { return message_; }
  /// The cause, always.
  [[nodiscard]] const char* what() const noexcept override { return cause_.c_str(); }

 private:
  RedisFault fault_;
  Done done_;
  std::string cause_;
  std::string code_;
  std::string message_;
};

}  // namespace eider
