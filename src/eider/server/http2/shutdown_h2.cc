#include "eider/server/http2/shutdown_h2.h"

#include <chrono>

namespace eider::detail::http2 {

namespace {

/// For the client to see that we are going, before the last word about what is still served.
constexpr Duration kGrace = std::chrono::seconds(1);

}  // namespace

void ShutdownH2::begin(Instant now) {
  if (!has_begun()) {
    begun_at_ = now;
    session_.announce_shutdown();
    session_.ping();  // behind it, so that its answer says that the client has seen it
  }
}

void ShutdownH2::finish_if_due(Instant now) {
  if (has_begun() && now - begun_at_ >= kGrace) {
    finish();
  }
}

void ShutdownH2::on_pong() {
  if (has_begun()) {
    finish();
  }
}

void ShutdownH2::finish() {
  if (!std::exchange(is_finished_, true)) {
    session_.shut_down();
  }
}

}  // namespace eider::detail::http2
