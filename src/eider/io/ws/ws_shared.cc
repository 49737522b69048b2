#include "eider/io/ws/ws_shared.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "eider/io/ws/ws_session.h"

namespace eider::ws::detail {

namespace {

constexpr std::size_t kSpareInboxesMax = 64;
constexpr std::size_t kSpareTurnsMax = 512;

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
  // Clear the bytes before another connection gets the memory.
  inbox->clear();
  if (spare_inboxes_.size() < kSpareInboxesMax) {
    spare_inboxes_.push_back(std::move(inbox));
  }
}

void WsShared::defer(WsSession& session) {
  turn_.sessions.push_back(&session);
  loop_.defer(turn_);
}

// Searches from the end, because a session that ends was usually deferred just before.
void WsShared::withdraw(WsSession& session) noexcept {
  const auto found = std::find(turn_.sessions.rbegin(), turn_.sessions.rend(), &session);
  if (found != turn_.sessions.rend()) {
    *found = nullptr;
  }
}

void WsShared::run_deferred() {
  // Sessions that are deferred meanwhile run in the next round.
  const std::size_t count = turn_.sessions.size();
  for (std::size_t index = 0; index < count; ++index) {
    if (WsSession* const session = std::exchange(turn_.sessions[index], nullptr)) {
      session->run();
    }
  }
  turn_.sessions.erase(turn_.sessions.begin(),
                       turn_.sessions.begin() + static_cast<std::ptrdiff_t>(count));
  if (turn_.sessions.empty() && turn_.sessions.capacity() > kSpareTurnsMax) {
    turn_.sessions = {};
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
  // Remove it from the list before it is destroyed, because its handler may end others.
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
