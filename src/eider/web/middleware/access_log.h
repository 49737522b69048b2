// Writes a log line for each request after its response.
// Layering: must be fast, because it runs on the event loop.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "eider/app/redact_query.h"
#include "eider/core/base/log.h"
#include "eider/io/runtime/time.h"
#include "eider/server/observer.h"

namespace eider {

/// Default names of query parameters with secrets: "token", "access_token", "password", "secret",
/// "signature", "x-amz-signature".
[[nodiscard]] std::vector<std::string> redacted_query_names();

enum class AccessFormat : std::uint8_t {
  /// Method, target, status, sent bytes of the body, milliseconds, protocol and address of the
  /// client. Then the request ID (request_id), if any, and "aborted" if the response is incomplete:
  ///
  ///     GET /notes/7?full=1 200 812 3.1 HTTP/2 192.0.2.1 5be1c0ffee5be1c0
  text,
  /// An object: time, method, target, route, status, bytes_in, bytes_out, milliseconds, protocol,
  /// address, request_id, user and is_complete.
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

/// Writes one line per request, for App::observe. Unknown values are "-", and empty in JSON, for
/// example for a malformed request. Status 0 is a client that disconnected before the response. The
/// line is written when the last byte has been sent, or can no longer be sent, also for streams,
/// files and WebSockets.
///
/// Each request is exactly one line; quotes and control characters of clients are escaped. A secret
/// query (redact_query) is logged as "?hidden", also in the Referer of such a route. A parameter in
/// `secrets` is hidden in every request.
///
/// secrets  names of parameters, without regard to case: {"token"}
[[nodiscard]] Observer access_log(std::shared_ptr<LogSink> sink,
                                  AccessFormat format = AccessFormat::text,
                                  std::vector<std::string> secrets = redacted_query_names());
/// Logs a warning "slow request" with the same fields for each request that took longer than
/// `limit`, from its headers to the last byte of its response: for App::observe. For an event
/// stream, a WebSocket and other content that is produced while it is sent, the time ends when the
/// response headers are sent. A large file takes as long as its client needs to read it. If the
/// handler has not responded in time, "slow request still running" is logged once before, with
/// method, route, milliseconds, address, and the operation that the handler waits for.
[[nodiscard]] SlowObserver slow_log(std::shared_ptr<LogSink> sink, Duration limit,
                                    std::vector<std::string> secrets = redacted_query_names());
/// The same on standard error; formats other than text go to standard output, without a log level.
[[nodiscard]] Observer access_log(AccessFormat format = AccessFormat::text,
                                  std::vector<std::string> secrets = redacted_query_names());

}  // namespace eider
