// A Redis error, thrown; if a handler does not catch it, it becomes the response.
// Layering: must not show keys or values to the client, and must not log stored data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "eider/core/base/failure.h"

namespace eider {

enum class RedisFault : std::uint8_t {
  open,     ///< the URL or an option is invalid
  login,    ///< the server rejected the user, or a command at the start of the connection
  refused,  ///< the server responded with an error: code() is its first word
  reply,    ///< the response does not fit the requested type
  busy,     ///< too many commands wait, or the server is loading or busy with a script
  expired,  ///< no response in time
  lost,     ///< the connection was lost after the command and before its response
  aborted,  ///< a watched key was changed, so the transaction was not executed
};

/// Returns the name of the enumerator: "expired".
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

  /// Returns the same failure for one of several commands, of which the others may have been
  /// executed.
  [[nodiscard]] RedisFailure among_others() const;

  [[nodiscard]] RedisFault fault() const noexcept { return fault_; }
  /// Returns whether the command was sent and may have been executed. Otherwise nothing was
  /// executed.
  [[nodiscard]] bool may_be_done() const noexcept { return done_ == Done::unknown; }
  /// Returns "WRONGTYPE", "NOSCRIPT", or a code of a script; empty if the server reported no error.
  [[nodiscard]] const std::string& code() const noexcept { return code_; }
  /// Returns the complete text of the server, for the handler only: it may repeat sent data.
  [[nodiscard]] const std::string& message() const noexcept { return message_; }
  /// Returns the cause.
  [[nodiscard]] const char* what() const noexcept override { return cause_.c_str(); }

 private:
  RedisFault fault_;
  Done done_;
  std::string cause_;
  std::string code_;
  std::string message_;
};

}  // namespace eider
