#include "eider/io/ws/ws_shared.h"

#include <algorithm>
#include <utility>

#include "eider/io/ws/ws_session.h"

namespace eider::ws::detail {

namespace {

constexpr std::size_t kSpareInboxesMax = 64;

}  // namespace

WsShared::WsShared(Loop& loop, WsTopics& topics, const std::shared_ptr<LogSink>& log)
    : loop_(loop), topics_(&topics), log_(&log), side_(ws::Side::server) {}

WsShared::WsShared(Loop& loop, ws::MaskSource& masks)
    : loop_(loop), writer_(masks), side_(ws::Side::client) {}

WsShared::~WsShared() = default;

std::unique_ptr<WsInbox> WsShared::take_inbox() {
  if (spare_inboxes_.empty()) {
    return std::make_unique<WsInbox>();
  }
  auto inbox = std::move(spare_inboxes_.back());
  spare_inboxes_.pop_back();
  return inbox;
}

void WsShared::give_back(std::unique_ptr<WsInbox> inbox) {
  // The bytes are forgotten before another connection gets the memory.
  inbox->clear();
  if (spare_inboxes_.size() < kSpareInboxesMax) {
    spare_inboxes_.push_back(std::move(inbox));
  }
}

void WsShared::adopt(std::unique_ptr<WsSession> session) {
  orphans_.push_back(std::move(session));
}

void WsShared::release(WsSession& session) noexcept {
  const auto found = std::ranges::find(orphans_, &session, &std::unique_ptr<WsSession>::get);
  if (found != orphans_.end()) {
    // It leaves the list before it is destroyed: its handler may end others.
    const auto ended = std::move(*found);
    orphans_.erase(found);
  }
}

void WsShared::release_all() noexcept {
  orphans_.clear();
}

}  // namespace eider::ws::detail
