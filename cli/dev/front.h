// The server for the browser: forwards requests to the program, and responds while it is built.
// Layering: must not build or start anything; supervisor.h does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/dev/dev_state.h"
#include "eider/app/app.h"

namespace eider::dev {

struct FrontOptions {
  /// Address of the program: "http://127.0.0.1:40001".
  std::string program;
  /// Token that the program requires in each request (EIDER_DEV_TOKEN): its port is open to other
  /// users of this machine, and to web pages whose host names resolve to this machine.
  std::string token = {};
  /// Allowed host names in addition to localhost, names below it, and IP addresses.
  std::vector<std::string> hosts = {};
  /// Only this machine can connect, so the program may trust all clients.
  bool is_local = true;
};

/// state  outlives the app
[[nodiscard]] App make_front(DevState& state, FrontOptions options);

/// Returns whether requests with that Host are allowed. This prevents DNS rebinding: a web page can
/// make its own host name resolve to this machine, but it can use no other name.
///
/// authority  "localhost:8080", "[::1]:8080"
[[nodiscard]] bool is_allowed_host(std::string_view authority,
                                   const std::vector<std::string>& names);

/// Returns the nonce of a Content-Security-Policy, which scripts may need; empty: there is none.
[[nodiscard]] std::string_view nonce_of(std::string_view policy);

}  // namespace eider::dev
