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

WsSession& WsShared::make_session(const WsRoute& route, UpgradedLine& line,
                                  const WsAgreement& agreement) {
  return sessions_.make(*this, route, line, agreement);
}

void WsShared::destroy(WsSession& session) noexcept {
  sessions_.destroy(session);
}

std::size_t WsShared::session_blocks() const noexcept {
  return sessions_.blocks();
}

void WsShared::adopt(WsSession& session) {
  orphans_.push_back(&session);
}

void WsShared::release(WsSession& session) noexcept {
  // It leaves the list before it is destroyed: its handler may end others.
  if (std::erase(orphans_, &session) != 0) {
    destroy(session);
  }
}

void WsShared::release_all() noexcept {
  while (!orphans_.empty()) {
    release(*orphans_.back());
  }
}

}  // namespace eider::ws::detail
