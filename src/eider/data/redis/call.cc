#include "eider/data/redis/call.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>

#include "eider/data/redis/cluster.h"
#include "eider/data/redis/link.h"
#include "eider/data/redis/reply.h"

namespace eider::redis::detail {
namespace {

/// Longer times would overflow the clock.
constexpr Duration kTimeMax = std::chrono::hours(24 * 365);

constexpr std::string_view kMulti = "*1\r\n$5\r\nMULTI\r\n";
constexpr std::string_view kExec = "*1\r\n$4\r\nEXEC\r\n";

}  // namespace

CommandName::CommandName(std::string_view name) noexcept
    : bytes_(static_cast<std::uint8_t>(std::min(name.size(), text_.size()))) {
  std::memcpy(text_.data(), name.data(), bytes_);
}

Call::Call(Link& link, std::string_view name, Duration time) noexcept
    : link_(&link), time_(std::min(time, kTimeMax)), name_(name) {}

Call::~Call() {
  if (state_ == State::waiting || state_ == State::sent) {
    link_->abandon(*this);
  }
  // An exception of an argument's encoder has left an incomplete command.
  if (writing_ != nullptr) {
    writing_->truncate(number_);
  }
}

Buffer* Call::begin(std::uint64_t watched) {
  writing_ = link_->begin(*this, watched);
  return writing_;
}

void Call::check(std::string_view command) {
  const CommandKind kind = check_command(command, link_->use());
  is_blocking_ = is_blocking_ || kind == CommandKind::blocking;
  kind_ = kind == CommandKind::script ? kind : kind_;
}

void Call::check_written() {
  check(writing_->view().substr(number_));
}

void Call::end(std::uint32_t replies) {
  writing_ = nullptr;
  link_->end(*this, replies);
}

void Call::read(const ReplyTarget& to, RespCursor& in, RedisFailure::Done others) {
  const RespItem item = in.peek();
  if (item.kind == RespKind::error) {
    in.skip();
    return fail_with(kind_ == CommandKind::script
                         ? RedisFailure::of_script(name(), item.text, others)
                         : RedisFailure(name(), item.text, others));
  }
  if (to.type == nullptr) {
    return in.skip();
  }
  if (auto read = read_reply(*to.type, to.value, in); !read) {
    std::string cause = "Redis executed ";
    cause.append(name()).append(", but ").append(read.error());
    fail_with(RedisFailure(RedisFault::reply, RedisFailure::Done::unknown, std::move(cause)));
  }
}

void Call::fail_with(RedisFailure failure) {
  if (failure_ == nullptr) {
    failure_ = std::make_unique<RedisFailure>(std::move(failure));
  }
}

void Call::rethrow() const {
  if (failure_ != nullptr) [[unlikely]] {
    throw RedisFailure(*failure_);
  }
}

void Call::finish() noexcept {
  state_ = State::done;
  disarm();
  if (whole_ != nullptr) {
    whole_->on_part();
  } else if (waiting_.is_there()) {
    link_->loop().defer(*this);
  }
}

void Call::begin_again() noexcept {
  failure_.reset();
  take_anew();
}

void Call::expire() {
  link_->expire(*this);
}

class PipelineCall::Part final : public Call {
 public:
  Part(PipelineCall& whole, Link& link, Duration time, std::string_view word,
       const ReplyTarget& target)
      : Call(link, name_in(word), time), target_(&target) {
    belong_to(whole);
    if (Buffer* const out = begin()) {
      check(word);
      out->append(word);
      end(1);
    }
  }
  using Call::failure;

 private:
  static std::string_view name_in(std::string_view word) {
    RespCursor words(word);
    return words.next().number == 0 ? std::string_view() : words.next().text;
  }
  void take(RespCursor answer) override { read(*target_, answer); }

  const ReplyTarget* target_;  // is filled in later
};

PipelineCall::PipelineCall(Link& link, Duration time, std::span<const std::string_view> words,
                           std::span<const ReplyTarget> targets)
    : Call(link, "a pipeline", time), targets_(targets) {
  if (link.use() == ConnectionUse::front) {
    parts_left_ = words.size();
    for (std::size_t i = 0; i < words.size(); ++i) {
      parts_.push_back(std::make_unique<Part>(*this, link, time, words[i], targets[i]));
    }
    return;
  }
  if (Buffer* const out = begin()) {
    for (const std::string_view word : words) {
      check(word);
      out->append(word);
    }
    end(static_cast<std::uint32_t>(words.size()));
  }
}

PipelineCall::~PipelineCall() = default;

void PipelineCall::on_part() noexcept {
  if (--parts_left_ == 0) {
    finish();
  }
}

/// Throws the first failure; other commands may have been executed.
void PipelineCall::rethrow() const {
  Call::rethrow();
  const auto failed =
      std::ranges::find_if(parts_, [](const auto& part) { return part->failure() != nullptr; });
  if (failed == parts_.end()) {
    return;
  }
  const bool is_nothing_done = std::ranges::all_of(parts_, [](const auto& part) {
    return part->failure() != nullptr && !part->failure()->may_be_done();
  });
  const RedisFailure& first = *(*failed)->failure();
  throw is_nothing_done ? RedisFailure(first) : first.among_others();
}

void PipelineCall::take(RespCursor answer) {
  read(targets_[taken_++], answer,
       targets_.size() > 1 ? RedisFailure::Done::unknown : RedisFailure::Done::nothing);
}

TransactionCall::TransactionCall(Link& link, Duration time, std::span<const std::string_view> words,
                                 std::span<const ReplyTarget> targets, std::uint64_t* watched)
    : Call(link, "a transaction", time), targets_(targets), watched_(watched) {
  if (Buffer* const out = begin(watched == nullptr ? 0 : *watched)) {
    out->append(kMulti);
    for (const std::string_view word : words) {
      check(word);
      out->append(word);
    }
    out->append(kExec);
    end(static_cast<std::uint32_t>(words.size() + 2));
  }
}

/// Reads "OK" of MULTI, "QUEUED" of each command, and the list of EXEC, or null if a watched key
/// was changed.
void TransactionCall::take(RespCursor answer) {
  const RespItem item = answer.peek();
  const std::size_t index = taken_++;
  // If MULTI was rejected, the following commands are executed separately.
  if (index == 0 && item.kind == RespKind::error) {
    return read({}, answer, RedisFailure::Done::unknown);
  }
  // An error before EXEC shows why EXEC will do nothing; EXEC's own error shows only that.
  if (index <= targets_.size()) {
    return item.kind == RespKind::error ? read({}, answer) : void();
  }
  if (item.kind == RespKind::null) {
    return fail_with(RedisFailure(RedisFault::aborted, RedisFailure::Done::nothing,
                                  "a watched key was changed: the transaction was not executed"));
  }
  if (item.kind == RespKind::error) {
    return read({}, answer);
  }
  if (item.kind != RespKind::array || std::cmp_not_equal(item.number, targets_.size())) {
    return fail_with(
        RedisFailure(RedisFault::reply, RedisFailure::Done::unknown,
                     "Redis executed the transaction, but returned the wrong number of results"));
  }
  (void)answer.next();
  for (const ReplyTarget& target : targets_) {
    // Reading a value that does not fit may stop in its middle, so each value gets its own cursor.
    RespCursor value = answer;
    answer.skip();
    read(target, value, RedisFailure::Done::unknown);
  }
}

}  // namespace eider::redis::detail
