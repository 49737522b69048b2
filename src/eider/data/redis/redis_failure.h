// What Redis refused or failed to do, thrown: a handler that does not catch it answers by it.
// Must not tell the client anything of keys or values, nor the log anything that was stored.
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
  /// The server's own error. The log gets its words up to the first that is quoted, for what is
  /// quoted was sent.
  ///
  /// done  unknown where it is one of several commands, for the others were done
  RedisFailure(std::string_view command, std::string_view error, Done done = Done::nothing);

  /// The same of a script, which may have written ahead of it, save where the server did not begin
  /// it. The log gets its code alone: its words are the script's.
  [[nodiscard]] static RedisFailure of_script(std::string_view command, std::string_view error,
                                              Done done = Done::nothing);

  /// The same of one of several commands, of which the others may be done.
  [[nodiscard]] RedisFailure among_others() const;

  [[nodiscard]] RedisFault fault() const noexcept { return fault_; }
  /// Whether it is unknown if the command was done: it had been sent. Else nothing was done.
  [[nodiscard]] bool may_be_done() const noexcept { return done_ == Done::unknown; }
  /// "WRONGTYPE", "NOSCRIPT", or a script's own; empty when it is no error of the server's.
  [[nodiscard]] const std::string& code() const noexcept { return code_; }
  /// All that the server said, for the handler alone: it may repeat what was sent.
  [[nodiscard]] const std::string& said() const noexcept { return said_; }
  /// The cause, always.
  [[nodiscard]] const char* what() const noexcept override { return cause_.c_str(); }

 private:
  RedisFault fault_;
  Done done_;
  std::string cause_;
  std::string code_;
  std::string said_;
};

}  // namespace eider
