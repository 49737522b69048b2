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
  /// Where the program listens, "http://127.0.0.1:40001".
  std::string program;
  /// What the program needs in each request (EIDER_DEV_TOKEN): its port is open to other users of
  /// this machine, and to pages whose names lead to this machine.
  std::string token = {};
  /// Names by which this may be asked beside localhost, names below it, and addresses.
  std::vector<std::string> hosts = {};
  /// Only this machine can connect here, so the program may take all clients for its own.
  bool is_local = true;
};

/// state  outlives the app
[[nodiscard]] App make_front(DevState& state, FrontOptions options);

/// Whether pages of that Host may be asked for: a page of another site that has its own name lead
/// to this machine (DNS rebinding) is kept out, since a name is all that it can choose.
///
/// authority  "localhost:8080", "[::1]:8080"
[[nodiscard]] bool is_allowed_host(std::string_view authority,
                                   const std::vector<std::string>& names);

/// The nonce of a Content-Security-Policy, which a script may need; empty: there is none.
[[nodiscard]] std::string_view nonce_of(std::string_view policy);

}  // namespace eider::dev
