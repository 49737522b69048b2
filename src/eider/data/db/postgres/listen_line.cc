#include "eider/data/db/postgres/listen_line.h"

#include <utility>

#include "eider/data/db/column_names.h"
#include "eider/data/db/postgres/postgres_error.h"
#include "eider/io/runtime/loop.h"

namespace eider::db::postgres {
namespace {

/// Errors of the channel. Other errors depend on the state of the server, and are temporary.
bool is_refusal(FailureKind kind) noexcept {
  return kind == FailureKind::statement || kind == FailureKind::values;
}

}  // namespace

ListenLine::ListenLine(Loop& loop, ListenLineOwner& owner, const PostgresOptions& options) noexcept
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

}  // namespace eider::db::postgres
