#include "eider/auth/passwords/derivation_pool.h"

#include <argon2.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

#include "eider/core/base/failure.h"
#include "eider/io/runtime/signals_blocked.h"

namespace eider::detail::passwords {

namespace {

/// The interface of argon2 has non-const pointers for data that it only reads.
std::uint8_t* bytes_of(std::string& text) noexcept {
  return reinterpret_cast<std::uint8_t*>(text.data());
}

std::optional<std::string> run_argon2(std::string& password, Argon2Hash& like) {
  std::string tag(like.tag.size(), '\0');
  argon2_context context{};
  context.out = bytes_of(tag);
  context.outlen = static_cast<std::uint32_t>(tag.size());
  context.pwd = bytes_of(password);
  context.pwdlen = static_cast<std::uint32_t>(password.size());
  context.salt = bytes_of(like.salt);
  context.saltlen = static_cast<std::uint32_t>(like.salt.size());
  context.t_cost = like.cost.passes;
  context.m_cost = like.cost.memory_kib;
  context.lanes = like.cost.lanes;
  context.threads = 1;  // the pool limits the number of concurrent runs
  context.version = ARGON2_VERSION_13;
  context.flags = ARGON2_DEFAULT_FLAGS;
  const argon2_type type = like.variant == Argon2Variant::argon2id ? Argon2_id : Argon2_i;
  return argon2_ctx(&context, type) == ARGON2_OK ? std::optional(std::move(tag)) : std::nullopt;
}

}  // namespace

Derivation::Derivation(std::string_view password, Argon2Hash like)
    : password_(password), like_(std::move(like)) {}

Derivation::~Derivation() {
  explicit_bzero(password_.data(), password_.capacity());
  if (holder_ != nullptr) {
    *holder_ = nullptr;
  }
}

void Derivation::wait(Loop& loop, std::coroutine_handle<> waiting, Derivation*& holder) noexcept {
  loop_ = &loop;
  waiting_ = waiting;
  holder_ = &holder;
  holder = this;
}

void Derivation::abandon() noexcept {
  waiting_.clear();
  holder_ = nullptr;
}

void Derivation::execute() noexcept {
  try {
    tag_ = run_argon2(password_, like_);
  } catch (const std::bad_alloc&) {
    tag_.reset();  // as if argon2 had reported that it has no memory
  }
}

void Derivation::run() {
  if (waiting_.is_there() && executes_in_run_) {
    execute();
  }
  if (waiting_.is_there()) {
    waiting_.resume();
  }
}

namespace {

constexpr int kNiceMore = 10;

/// Linux has a priority per thread. If it cannot be lowered, hashes compete with responses.
void yield_to_others() noexcept {
  const auto thread = static_cast<id_t>(::gettid());
  (void)::setpriority(PRIO_PROCESS, thread, ::getpriority(PRIO_PROCESS, thread) + kNiceMore);
}

}  // namespace

DerivationPool::DerivationPool(PoolLimits limits, Execute execute)
    : limits_(limits), execute_(std::move(execute)) {
  threads_.reserve(limits_.threads);
  start_threads();
  if (threads_.empty() && limits_.threads > 0) {
    throw Failure(Error::internal("passwords: Cannot start a thread"));
  }
}

// Nothing may be thrown after the first thread was started: destroying joinable threads terminates
// the process.
void DerivationPool::start_threads() {
  const SignalsBlocked blocked;
  try {
    while (threads_.size() < limits_.threads) {
      threads_.emplace_back([this] { serve(); });
      pthread_setname_np(threads_.back().native_handle(), "eider-passwords");
    }
  } catch (const std::system_error&) {
    // Fewer threads than requested: queued work waits for the existing ones.
  } catch (const std::bad_alloc&) {
    // As above.
  }
}

DerivationPool::~DerivationPool() {
  {
    const std::unique_lock lock(mutex_);
    is_stopped_ = true;
  }
  has_work_.notify_all();
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

bool DerivationPool::submit(std::unique_ptr<Derivation>& work) {
  const std::unique_lock lock(mutex_);
  if (limits_.threads == 0) {
    ++counts_.started;
    work->execute_in_run();
    Loop& loop = work->loop();
    loop.post(std::unique_ptr<Posted>(std::move(work)));
    return true;
  }
  // A thread may still count as idle although work for it is in the queue.
  if (queue_.size() >= idle_ + limits_.queue_max) {
    ++counts_.rejected;
    return false;
  }
  queue_.push_back(std::move(work));
  has_work_.notify_one();
  return true;
}

void DerivationPool::abandon(Derivation& work) noexcept {
  const std::unique_lock lock(mutex_);
  work.abandon();
  counts_.abandoned += std::erase_if(
      queue_, [&work](const std::unique_ptr<Derivation>& queued) { return queued.get() == &work; });
}

PasswordCounts DerivationPool::counts() const {
  const std::unique_lock lock(mutex_);
  PasswordCounts counts = counts_;
  counts.queued = queue_.size();
  return counts;
}

// Awaited work keeps the pool alive, so the queue is empty when the pool stops.
std::unique_ptr<Derivation> DerivationPool::next() {
  std::unique_lock lock(mutex_);
  ++idle_;
  has_work_.wait(lock, [this] { return !queue_.empty() || is_stopped_; });
  --idle_;
  if (is_stopped_) {
    return nullptr;
  }
  ++counts_.started;
  std::unique_ptr<Derivation> work = std::move(queue_.front());
  queue_.pop_front();
  return work;
}

void DerivationPool::serve() {
  yield_to_others();
  while (std::unique_ptr<Derivation> work = next()) {
    execute_(*work);
    deliver(std::move(work));
  }
}

// Under the lock, so that the loop still exists: a waiting task runs on it, and needs the lock to
// be destroyed.
void DerivationPool::deliver(std::unique_ptr<Derivation> work) {
  const std::unique_lock lock(mutex_);
  if (work->is_awaited()) {
    Loop& loop = work->loop();
    loop.post(std::unique_ptr<Posted>(std::move(work)));
  } else {
    work.reset();
  }
}

}  // namespace eider::detail::passwords
