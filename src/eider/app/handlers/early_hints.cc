#include "eider/app/handlers/early_hints.h"

#include "eider/protocols/http/request.h"

namespace eider {

namespace {

constexpr int kEarlyHints = 103;

}  // namespace

void EarlyHints::send() {
  if (Peer* peer = request_->peer()) {
    peer->inform(kEarlyHints, fields_.field_lines());
  }
  fields_.reset();
}

}  // namespace eider
