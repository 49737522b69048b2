#include "eider/data/db/postgres/loop_listener.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "eider/io/runtime/backoff.h"
#include "eider/io/runtime/loop.h"

namespace eider::db::postgres {
namespace {

namespace runtime = ::eider::detail::runtime;

constexpr Duration kListenPauseMin = std::chrono::milliseconds(100);
constexpr Duration kListenPauseMax = std::chrono::seconds(2);
/// For each notification, the server searches all channels of a connection.
constexpr std::size_t kChannelsMax = 1000;

}  // namespace

LoopListener::LoopListener(Loop& loop, std::shared_ptr<const Settings> settings) noexcept
    : loop_(loop), settings_(std::move(settings)), finder_(loop, settings_->target) {}

LoopListener::~LoopListener() {
  for (Hearer* hearer : hearers_) {
    hearer->on_loop_end();
  }
}

void LoopListener::leave(Hearer& hearer) noexcept {
  hearers_.erase(&hearer);
  deaf_.erase(&hearer);
}

void LoopListener::listen(const std::string& channel, Hearer& hearer) {
  auto found = channels_.find(channel);
  if (found == channels_.end()) {
    if (channels_.size() >= kChannelsMax) {
      throw Failure(FailureKind::busy, "this event loop listens to too many channels");
    }
    found = channels_.emplace(channel, Channel()).first;
    found->second.hearers.push_back(&hearer);
    ask(channel, found->second);
    go_on();
  } else if (std::ranges::count(found->second.hearers, &hearer) == 0) {
    found->second.hearers.push_back(&hearer);
  }
  found = channels_.find(channel);
  if (found != channels_.end() && found->second.is_heard) {
    hearer.on_heard(channel);
  }
}

void LoopListener::ask(const std::string& name, Channel& channel) {
  channel.number = ++numbers_;
  if (line_ != nullptr && line_->is_open()) {
    line_->listen(name, channel.number);
  }
}

void LoopListener::unlisten(const std::string& channel, Hearer& hearer) {
  const auto found = channels_.find(channel);
  if (found == channels_.end() || std::erase(found->second.hearers, &hearer) == 0 ||
      !found->second.hearers.empty()) {
    return;
  }
  channels_.erase(found);
  if (line_ != nullptr && line_->is_open()) {
    line_->unlisten(channel);
  }
  go_on();
}

/// Connects if there are channels, and disconnects after a longer time without channels.
void LoopListener::go_on() {
  disarm();
  if (line_ != nullptr) {
    if (channels_.empty()) {
      loop_.arm(*this, loop_.now() + options().idle_time_max);
    }
  } else if (!channels_.empty() && loop_.now() < pause_end_) {
    loop_.arm(*this, pause_end_);
  } else if (!channels_.empty()) {
    line_ = std::make_unique<ListenLine>(loop_, static_cast<ListenLineOwner&>(*this), options());
    line_->connect(finder_.find());
  }
}

void LoopListener::expire() {
  if (line_ != nullptr) {
    line_.reset();  // it has no channels
  } else {
    go_on();
  }
}

void LoopListener::on_open() {
  again_left_ = channels_.size();
  for (auto& [name, channel] : channels_) {
    if (line_ == nullptr) {
      return;  // it was closed in the meantime
    }
    ask(name, channel);
  }
  go_on();
}

void LoopListener::on_answer(const std::string& channel, std::uint64_t number,
                             const std::optional<Failure>& refusal) {
  tries_ = 0;
  why_.clear();
  const auto found = channels_.find(channel);
  if (found != channels_.end() && found->second.number == number) {
    found->second.is_heard = !refusal;
    for (Hearer* hearer : found->second.hearers) {
      if (refusal) {
        hearer->on_refused(channel, *refusal);
      } else {
        hearer->on_heard(channel);
      }
    }
    if (refusal) {
      channels_.erase(found);
      go_on();
    }
  }
  // The server responds in order: the repeated LISTENs come first.
  if (again_left_ != 0 && --again_left_ == 0) {
    note_heard_again();
  }
}

void LoopListener::on_notice(std::string_view channel, std::string_view payload) {
  const auto found = channels_.find(channel);
  if (found == channels_.end()) {
    return;  // nothing is subscribed to it now
  }
  for (Hearer* hearer : found->second.hearers) {
    hearer->on_notice(channel, payload);
  }
}

void LoopListener::on_closed(const std::string& why) {
  why_ = why;
  if (tries_ != 0 ||
      !std::ranges::any_of(channels_, [](const auto& one) { return one.second.is_heard; })) {
    finder_.note_failure();
  }
  closed_.push_back(std::move(line_));
  loop_.defer(*this);
  again_left_ = 0;
  ++tries_;
  pause_end_ = loop_.now() + runtime::with_jitter(
                                 runtime::pause_behind(tries_, kListenPauseMin, kListenPauseMax));
  note_lost();
  go_on();
}

void LoopListener::note_lost() {
  for (auto& [name, channel] : channels_) {
    if (!std::exchange(channel.is_heard, false)) {
      continue;
    }
    for (Hearer* hearer : channel.hearers) {
      if (deaf_.insert(hearer).second) {
        hearer->on_gap();
      }
    }
  }
}

void LoopListener::note_heard_again() {
  for (Hearer* hearer : std::exchange(deaf_, {})) {
    hearer->on_gap();
  }
}

}  // namespace eider::db::postgres
