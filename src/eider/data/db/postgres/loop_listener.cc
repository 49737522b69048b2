#include "eider/data/db/postgres/loop_listener.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "eider/data/db/column_names.h"
#include "eider/data/db/postgres/postgres_error.h"
#include "eider/io/runtime/backoff.h"
#include "eider/io/runtime/loop.h"

namespace eider::db::postgres {
namespace {

namespace runtime = ::eider::detail::runtime;

constexpr Duration kListenPauseMin = std::chrono::milliseconds(100);
constexpr Duration kListenPauseMax = std::chrono::seconds(2);
/// For each notification, the server searches all channels of a connection.
constexpr std::size_t kChannelsMax = 1000;

/// Errors of the channel. Other errors depend on the state of the server, and are temporary.
bool is_refusal(FailureKind kind) noexcept {
  return kind == FailureKind::statement || kind == FailureKind::values;
}

}  // namespace

ListenLine::ListenLine(Loop& loop, LoopListener& owner, const PostgresOptions& options) noexcept
    : FdWatch(loop),
      owner_(owner),
      options_(options),
      connecting_(loop, *this, wire_, options.connect_time_max) {}

ListenLine::~ListenLine() {
  stop();  // libpq is about to close the socket
  connecting_.end();
}

void ListenLine::on_connected(std::optional<BackendKey> /*key*/) {
  is_open_ = true;
  watch(wire_.socket(), Readiness::readable);
  wait_for_a_word();
  owner_.on_open();
}

void ListenLine::listen(const std::string& channel, std::uint64_t number) {
  ask("listen " + db::detail::identifier_sql(channel), {.channel = channel, .number = number});
}

void ListenLine::unlisten(const std::string& channel) {
  ask("unlisten " + db::detail::identifier_sql(channel), {});
}

/// Each statement is a separate round, so that an error does not affect the others.
void ListenLine::ask(const std::string& sql, Asked asked) {
  if (asked_.empty()) {
    wait_for_a_word();
  }
  asked_.push_back(std::move(asked));
  const Wire::Sent sent = wire_.send_plain(sql) ? wire_.flush() : Wire::Sent::broken;
  if (sent == Wire::Sent::broken) {
    close(wire_.error());
  } else if (sent == Wire::Sent::some) {
    watch(wire_.socket(), Readiness::both);
  }
}

void ListenLine::wait_for_a_word() noexcept {
  loop().arm(*this, loop().now() + options_.ping_after);
}

/// Finds out whether the server has crashed, or a router has dropped the connection, by sending an
/// empty query.
void ListenLine::expire() {
  if (!asked_.empty()) {
    return close("the server does not respond");
  }
  ask("", {});
}

void ListenLine::on_ready(Readiness what) {
  if (is_writable(what) && wire_.flush() == Wire::Sent::all) {
    watch(wire_.socket(), Readiness::readable);
  }
  if (is_readable(what)) {
    wait_for_a_word();
  }
  // Notifications that were received before the connection ended are delivered first.
  bool is_alive = wire_.receive();
  take_all();
  while (is_open_ && is_alive && wire_.has_more()) {
    is_alive = wire_.receive();
    take_all();
  }
  if (is_open_ && !is_alive) {
    close(wire_.error());
  }
}

void ListenLine::take_all() {
  while (is_open_) {
    const std::optional<Message> message = wire_.next();
    if (!message) {
      break;
    }
    try {
      take(*message);
    } catch (const std::exception& fault) {
      close(fault.what());
    }
  }
  if (is_open_ && wire_.is_broken()) {
    close(wire_.error());
  }
}

void ListenLine::take(const Message& message) {
  if (message.kind == 'A') {
    const auto [channel, payload] = read_notice(message.body);
    owner_.on_notice(channel, payload);
  } else if (message.kind == 'E') {
    const Refusal refusal = read_refusal(message.body);
    if (refusal.is_end) {
      wire_.note_said(one_line(refusal.message));
    }
    if (!asked_.empty()) {
      failure_.emplace(failure_of(refusal, "listen"));
    }
  } else if (message.kind == 'Z' && !asked_.empty()) {
    finish_answer();
  }
}

void ListenLine::finish_answer() {
  const Asked asked = std::move(asked_.front());
  asked_.pop_front();
  const std::optional<Failure> failure = std::exchange(failure_, std::nullopt);
  if (failure && !(asked.number != 0 && is_refusal(failure->kind()))) {
    close(failure->what());
  } else if (asked.number != 0) {
    owner_.on_answer(asked.channel, asked.number, failure);
  }
}

void ListenLine::close(const std::string& why) {
  is_open_ = false;
  stop();  // libpq is about to close the socket
  disarm();
  connecting_.end();
  asked_.clear();
  // `why` may refer to the connection that is closed now.
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): that is the copy's purpose
  const std::string said = why;
  wire_.close();
  owner_.on_closed(said);
}

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
    line_ = std::make_unique<ListenLine>(loop_, *this, options());
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
