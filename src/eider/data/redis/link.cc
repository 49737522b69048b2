#include "eider/data/redis/link.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "eider/data/redis/cluster.h"
#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/net_error.h"
#include "eider/io/runtime/sleep.h"

namespace eider::redis::detail {
namespace {

using Done = RedisFailure::Done;

/// If the socket has not accepted this many bytes, no more are written to it.
constexpr std::size_t kUnsentBytesMax = std::size_t{256} * 1024;

/// The shortest value, of three bytes, becomes a string.
constexpr std::size_t kValueBytes = 32;
/// The number of values is limited in proportion to the size limit of a response.
constexpr std::size_t kBytesPerValue = 64;

RespLimits limits_of(const Settings& settings) noexcept {
  const std::size_t bytes_max = settings.options.reply_bytes_max;
  return {.bytes_max = bytes_max,
          .values_max = std::max(RespLimits().values_max, bytes_max / kBytesPerValue),
          .value_bytes = kValueBytes};
}

}  // namespace

Link::Link(Loop& loop, net::Net& net, std::shared_ptr<const Settings> settings, LinkOwner* owner,
           ConnectionUse use, Cluster* cluster)
    : loop_(loop),
      net_(net),
      settings_(std::move(settings)),
      owner_(owner),
      use_(use),
      cluster_(cluster),
      reader_(limits_of(*settings_)),
      pauses_(settings_->options,
              reinterpret_cast<std::uintptr_t>(this) ^
                  static_cast<std::uint64_t>(loop.now().time_since_epoch().count())) {}

Link::~Link() {
  for (const auto& calls : {queue_.take_sent(), queue_.take_waiting()}) {
    for (Call* const call : calls) {
      Call& waiting = call->whole_ != nullptr ? *call->whole_ : *call;
      waiting.waiting_.clear();
      fail(*call, RedisFailure(RedisFault::lost, Done::unknown, "the Redis client was closed"));
    }
  }
}

void Link::end_calls() {
  constexpr std::string_view kWhy = "the session was closed";
  fail_sent(kWhy);
  fail_waiting(RedisFault::lost, kWhy);
}

// Connecting.

void Link::connect() {
  if (is_ready_ || is_connecting_ || use_ == ConnectionUse::front) {
    return;
  }
  is_connecting_ = true;
  connecting_.start(keep_connecting());
}

/// Tries to connect until it succeeds, or the connection is not needed any more.
Task<> Link::keep_connecting() {
  if (const Instant earliest = pauses_.not_before(); loop_.now() < earliest) {
    co_await sleep_for(earliest - loop_.now());
  }
  while (is_wanted()) {
    auto opened = co_await with_deadline(open_connection(net_, *settings_),
                                         settings_->options.connect_time_max);
    if (opened && *opened) {
      is_connecting_ = false;
      adopt(std::move(**opened));
      co_return;
    }
    note_failed_attempt(
        opened ? std::move(opened->error())
               : ConnectFailure{RedisFault::expired, "the server did not respond in time"});
    co_await sleep_for(pauses_.next());
  }
  is_connecting_ = false;
}

void Link::note_failed_attempt(ConnectFailure failed) {
  why_ = std::move(failed.why);
  // If the server rejected the login, waiting does not help; the next call tries again.
  if (failed.fault == RedisFault::login) {
    fail_waiting(RedisFault::login, why_);
  }
  if (cluster_ != nullptr) {
    cluster_->refresh_soon();
  }
}

void Link::adopt(Opened opened) {
  stream_ = std::move(opened.stream);
  host_ = std::move(opened.host);
  stream_->hand_over(*this);
  stream_->stream().read_while_waiting();
  is_ready_ = true;
  ++life_;
  why_.clear();
  pending_.release();  // the former connection may have ended within a response
  heard_ = loop_.now();
  made_ = heard_;
  if (owner_ != nullptr) {
    owner_->on_connected();
  }
  loop_.defer(*this);
}

// Sending calls.

bool Link::is_full() noexcept {
  const RedisOptions& options = settings_->options;
  // Abandoned calls that were sent still occupy the server.
  return calls() >= options.commands_max || queue_.sent() >= options.commands_max ||
         queue_.waiting().size() >= options.waiting_bytes_max;
}

RedisFailure Link::busy() const {
  return {RedisFault::busy, Done::nothing,
          "too many commands are waiting for Redis at " + settings_->target.place()};
}

Buffer* Link::begin(Call& call, std::uint64_t life) {
  if (life != 0 && life != this->life()) {
    tell_aborted(call);
    return nullptr;
  }
  if (is_full()) {
    fail(call, busy());
    return nullptr;
  }
  call.is_bound_ = life != 0;
  // The first byte of this call: it follows the waiting bytes.
  call.number_ = queue_.waiting().size();
  return &queue_.waiting();
}

void Link::end(Call& call, std::uint32_t replies) {
  Buffer& waiting = queue_.waiting();
  const std::size_t begun = call.number_;
  const std::size_t bytes = waiting.size() - begun;
  if (bytes > std::numeric_limits<std::uint32_t>::max()) {
    waiting.truncate(begun);
    return fail(call,
                RedisFailure(RedisFault::refused, Done::nothing, "a command is larger than 4 GiB"));
  }
  if (use_ == ConnectionUse::front) {
    const std::string whole(waiting.view().substr(begun));
    waiting.truncate(begun);
    return cluster_->route(call, whole, replies);
  }
  enqueue(call, bytes, replies);
}

void Link::enqueue(Call& call, std::size_t bytes, std::uint32_t replies) {
  queue_.push(call, static_cast<std::uint32_t>(bytes), replies);
  if (!call.is_armed()) {
    loop_.arm(call, loop_.now() + call.time_);
  }
  if (is_ready_) {
    loop_.defer(*this);
  } else {
    connect();
  }
}

void Link::send(Call& call) {
  if (is_full()) {
    return fail(call, busy());
  }
  Buffer& waiting = queue_.waiting();
  const std::size_t begun = waiting.size();
  const Routed& routed = *call.routed_;
  if (routed.is_asking) {
    waiting.append("*1\r\n$6\r\nASKING\r\n");
  }
  waiting.append(routed.bytes);
  call.link_ = this;
  enqueue(call, waiting.size() - begun, routed.replies + (routed.is_asking ? 1U : 0U));
}

void Link::hold(Call& call, std::string_view why) {
  if (is_full()) {
    return fail(call, busy());
  }
  why_ = why;
  call.link_ = this;
  enqueue(call, 0, 1);
}

/// A blocking command that was sent ends with its connection. Otherwise, the server would execute
/// it later, for example remove an element from a list that no caller gets.
void Link::abandon(Call& call) noexcept {
  queue_.give_up(call);
  if (call.is_blocking_ && call.state_ == Call::State::sent) {
    return break_off("a blocking command was canceled", false);
  }
  // While Redis is not available, do not let slots of abandoned calls accumulate.
  if (!is_ready_) {
    queue_.compact_many();
  }
}

void Link::expire(Call& call) {
  const bool was_sent = call.state_ == Call::State::sent;
  // The call that the server is executing may have a longer time limit.
  const Call* const first = was_sent ? queue_.front() : nullptr;
  const Duration limit = std::max({settings_->options.command_time_max, call.time_,
                                   first == nullptr ? Duration::zero() : first->time_});
  abandon(call);
  std::string cause = "Redis at " + settings_->target.place() + " did not respond to ";
  cause.append(call.name()).append(" in time; ");
  cause.append(was_sent ? "the command was sent and may have been executed"
                        : "the command was not sent and not executed");
  if (!was_sent && !why_.empty()) {
    cause.append(": ").append(why_);
  }
  fail(call, RedisFailure(RedisFault::expired, was_sent ? Done::unknown : Done::nothing,
                          std::move(cause)));
  // A server that is silent for the time of a command is considered lost.
  if (was_sent && silence() >= limit) {
    break_off("the server does not respond");
  }
}

void Link::fail(Call& call, RedisFailure failure) noexcept {
  call.fail_with(std::move(failure));
  call.finish();
}

/// Reports that the keys are not watched any more; the next transaction is a new one.
void Link::tell_aborted(Call& call) {
  call.end_watch();
  fail(call, RedisFailure(RedisFault::aborted, Done::nothing,
                          "the connection with the watched keys was lost: nothing was executed"));
}

// Writing.

void Link::flush() {
  lost_.reset();
  if (!is_ready_ || stream_->stream().waiting_bytes() > kUnsentBytesMax || !queue_.has_waiting()) {
    return;
  }
  if (queue_.sent() == 0) {
    heard_ = loop_.now();
  }
  queue_.send(stream_->stream().output(), 4 * kUnsentBytesMax);
  if (stream_->stream().flush() && queue_.has_waiting()) {
    loop_.defer(*this);
  }
}

// Responses.

void Link::on_bytes(std::string_view bytes) {
  if (pending_.empty()) {
    const std::size_t read = read_answers(bytes);
    if (is_ready_ && read != bytes.size()) {
      pending_.append(bytes.substr(read));
    }
  } else {
    pending_.append(bytes);
    const std::size_t read = read_answers(pending_.view());
    if (read == pending_.size()) {
      pending_.reset(kBufferKeptMax);
    } else {
      pending_.consume(read);
    }
  }
  if (!is_ready_) {
    pending_.release();
  } else if (reader_.bytes_wanted() > pending_.size()) {
    (void)pending_.reserve(reader_.bytes_wanted() - pending_.size());
  }
}

std::size_t Link::read_answers(std::string_view in) {
  std::size_t at = 0;
  while (is_ready_ && at != in.size()) {
    const auto bytes = reader_.read(in.substr(at));
    if (!bytes) {
      break_off(std::string("the server sent ").append(text(bytes.error())));
      return in.size();
    }
    if (*bytes == 0) {
      break;
    }
    answer(in.substr(at, *bytes));
    at += *bytes;
  }
  return at;
}

void Link::answer(std::string_view bytes) {
  // Only complete responses count, because a server may send a partial one forever.
  heard_ = loop_.now();
  const RespCursor cursor(bytes);
  if (cursor.peek().kind == RespKind::push) {
    if (owner_ != nullptr) {
      owner_->on_push(cursor);
    }
    return;
  }
  if (queue_.sent() == 0) {
    // For example, a server that closes the connection sends "-ERR max number of clients reached".
    return break_off("the server sent an unexpected response");
  }
  const bool is_demoted = settings_->target.kind == TargetKind::sentinel &&
                          cursor.peek().kind == RespKind::error &&
                          cursor.peek().text.starts_with("READONLY ");
  answer_front(cursor);
  if (is_demoted) {
    break_off("the server is no longer the primary");
  }
}

void Link::answer_pushed(RespCursor push) {
  if (queue_.sent() != 0) {
    answer_front(push);
  }
}

void Link::answer_front(RespCursor answer) {
  Call* const call = queue_.front();
  const bool is_last = queue_.answer();
  if (call != nullptr) {
    if (cluster_ == nullptr || cluster_->note(*call, answer, host_)) {
      call->take(answer);
    }
    // A call may end the connection if its response is unexpected; then all calls have failed.
    if (!is_ready_) {
      return;
    }
    if (is_last) {
      queue_.give_up(*call);
      if (cluster_ == nullptr || !cluster_->redirect(*call)) {
        call->finish();
      }
    }
  }
  queue_.drop_done();
}

// End of the connection.

void Link::on_broken(NetError error) {
  break_off(text(error));
}

void Link::break_off(std::string_view why, bool has_failed) {
  if (!is_ready_) {
    return;
  }
  is_ready_ = false;
  reader_ = RespReader(limits_of(*settings_));
  stream_->close();
  // The stream may have called this function, so destroy it later.
  lost_ = std::move(stream_);
  loop_.defer(*this);
  why_ = why;
  if (has_failed) {
    pauses_.note_end(made_, loop_.now());
  }
  fail_sent(why);
  for (Call* const call : queue_.take_bound()) {
    tell_aborted(*call);
  }
  if (cluster_ != nullptr) {
    cluster_->refresh_soon();
  }
  if (owner_ != nullptr) {
    owner_->on_lost();
  }
  if (is_wanted()) {
    connect();
  }
}

void Link::fail_sent(std::string_view why) {
  for (Call* const call : queue_.take_sent()) {
    std::string cause = "the connection to Redis at " + settings_->target.place();
    cause.append(" was lost after ").append(call->name());
    cause.append(", which may have been executed: ").append(why);
    fail(*call, RedisFailure(RedisFault::lost, Done::unknown, std::move(cause)));
  }
}

/// Pre: all sent calls have responses.
void Link::fail_waiting(RedisFault fault, std::string_view why) {
  for (Call* const call : queue_.take_waiting()) {
    fail(*call, RedisFailure(fault, Done::nothing, std::string(why)));
  }
}

}  // namespace eider::redis::detail
