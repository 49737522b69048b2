// A line for each request, when its last byte has left.
// Must not be slow: it is written on the loop's thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "eider/app/secret_query.h"
#include "eider/core/base/log.h"
#include "eider/io/runtime/time.h"
#include "eider/server/observer.h"

namespace eider {

/// "token", "access_token", "password", "secret": what a link may have that opens something.
[[nodiscard]] std::vector<std::string> secret_query_names();

enum class AccessFormat : std::uint8_t {
  /// Method, target, status, bytes of content that were sent, milliseconds, protocol and the
  /// client's address as the connection has it, then the request's name where it has one
  /// (request_id), and "cut" where not all has left:
  ///
  ///     GET /notes/7?full=1 200 812 3.1 HTTP/2 192.0.2.1 5be1c0ffee5be1c0
  text,
  /// An object: time, method, target, route, status, bytes_in, bytes_out, milliseconds, protocol,
  /// address, request_id, user and is_whole.
  json,
  /// The Common Log Format of web servers, with the name of an Identity:
  ///
  ///     192.0.2.1 - ann [22/Nov/2026:20:59:44 +0000] "GET /notes/7 HTTP/2" 200 812
  common,
  /// The same with Referer and User-Agent.
  combined,
  /// A line "request" with the members of `json` as fields, for logs that know such (open_log).
  fields,
};

/// For App::observe: one line per request. What is not known is "-", in JSON empty, such as all of
/// a request that was malformed; status 0 is a client that has left before it was answered. A line
/// comes when the last byte has left, or cannot any more: of streams, files and WebSockets too.
///
/// Whatever a client sends, it is one line, and its quotes and control bytes end nothing. Of a
/// query that is a secret (secret_query) it says "?hidden", in the Referer of such a route, too; of
/// one with a name of `secrets` wherever it goes to and whoever has refused it.
///
/// secrets  in any case: {"token"}
[[nodiscard]] Observer access_log(std::shared_ptr<LogSink> sink,
                                  AccessFormat format = AccessFormat::text,
                                  std::vector<std::string> secrets = secret_query_names());
/// Logs a warning "slow request" with the same fields for each request that took longer than
/// `limit`, from its head to the last byte of its response: for App::observe. For an event stream,
/// a WebSocket and other content that is produced while it is sent the time ends when the response
/// head is sent. A large file takes as long as its client needs to read it. Before that warning,
/// once, "slow request goes on" with method, route, milliseconds, address, and what it waits for,
/// where the handler has not answered by then.
[[nodiscard]] SlowObserver slow_log(std::shared_ptr<LogSink> sink, Duration limit,
                                    std::vector<std::string> secrets = secret_query_names());
/// The same on standard error; other formats than text on standard output, as they are.
[[nodiscard]] Observer access_log(AccessFormat format = AccessFormat::text,
                                  std::vector<std::string> secrets = secret_query_names());

}  // namespace eider
