#include "eider/auth/mail/smtp.h"

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <coroutine>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "eider/auth/mail/smtp_session.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/reached.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/signals_blocked.h"

namespace eider {

namespace {

using detail::mail::SmtpSession;

/// One message that is passed to a thread and back to the event loop that awaits it.
class Sending final : public Posted {
 public:
  explicit Sending(std::shared_ptr<const MailMessage> its_message)
      : message(std::move(its_message)) {}
  ~Sending() override {
    if (holder != nullptr) {
      *holder = nullptr;
    }
  }
  void run() override {
    if (waiting != nullptr) {
      std::exchange(waiting, nullptr).resume();
    }
  }

  const std::shared_ptr<const MailMessage> message;
  std::atomic<bool> is_abandoned{false};
  DeliveryResult outcome = {DeliveryStatus::retry_later, "the process is ending"};
  Loop* loop = nullptr;
  std::coroutine_handle<> waiting;
  Sending** holder = nullptr;
};

/// The threads, each with its own connection. Awaited messages keep them alive.
class SmtpThreads {
 public:
  explicit SmtpThreads(SmtpOptions options) : options_(std::move(options)) {
    const SignalsBlocked blocked;
    try {
      while (threads_.size() < std::max(options_.connections, 1U)) {
        threads_.emplace_back([this] { serve(); });
        pthread_setname_np(threads_.back().native_handle(), "eider-smtp");
      }
    } catch (const std::system_error&) {
      // Fewer threads than requested are enough, if there is at least one.
    }
    if (threads_.empty()) {
      throw Failure(Error::internal("smtp: Cannot start a thread"));
    }
  }
  ~SmtpThreads() {
    stop();
    for (std::thread& thread : threads_) {
      thread.join();
    }
  }
  SmtpThreads(const SmtpThreads&) = delete;
  SmtpThreads& operator=(const SmtpThreads&) = delete;

  /// Returns false after a stop.
  bool submit(std::unique_ptr<Sending>& sending) {
    const std::lock_guard lock(mutex_);
    if (is_stopped_) {
      return false;
    }
    queue_.push_back(std::move(sending));
    has_work_.notify_one();
    return true;
  }

  /// The mail is no longer awaited: a session that sends it closes its connection.
  void abandon(Sending& sending) noexcept {
    sending.is_abandoned.store(true, std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    sending.waiting = nullptr;
    sending.holder = nullptr;
    std::erase_if(queue_, [&sending](const auto& queued) { return queued.get() == &sending; });
  }

  void stop() noexcept {
    std::deque<std::unique_ptr<Sending>> left;
    {
      const std::lock_guard lock(mutex_);
      is_stopped_ = true;
      left.swap(queue_);
    }
    has_work_.notify_all();
    for (std::unique_ptr<Sending>& sending : left) {
      deliver(std::move(sending));
    }
  }

 private:
  std::unique_ptr<Sending> next() {
    std::unique_lock lock(mutex_);
    has_work_.wait(lock, [this] { return !queue_.empty() || is_stopped_; });
    if (queue_.empty()) {
      return nullptr;
    }
    std::unique_ptr<Sending> sending = std::move(queue_.front());
    queue_.pop_front();
    return sending;
  }

  void serve() {
    SmtpSession session(options_, is_stopped_);
    while (std::unique_ptr<Sending> sending = next()) {
      sending->outcome = session.send(*sending->message, sending->is_abandoned);
      deliver(std::move(sending));
    }
  }

  // Under the lock, so that the loop still exists: a waiting task runs on it, and needs the lock to
  // be destroyed.
  void deliver(std::unique_ptr<Sending> sending) {
    const std::lock_guard lock(mutex_);
    if (sending->waiting != nullptr) {
      Loop& loop = *sending->loop;
      loop.post(std::unique_ptr<Posted>(std::move(sending)));
    } else {
      sending.reset();
    }
  }

  const SmtpOptions options_;
  std::mutex mutex_;
  std::condition_variable has_work_;
  std::deque<std::unique_ptr<Sending>> queue_;
  std::atomic<bool> is_stopped_{false};
  std::vector<std::thread> threads_;
};

class SendAwaiter {
 public:
  SendAwaiter(SmtpThreads& threads, std::unique_ptr<Sending> sending) noexcept
      : threads_(threads), sending_(std::move(sending)) {}
  SendAwaiter(const SendAwaiter&) = delete;
  SendAwaiter& operator=(const SendAwaiter&) = delete;
  ~SendAwaiter() {
    if (submitted_ != nullptr) {
      threads_.abandon(*submitted_);
    }
  }

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> waiting) {
    sending_->loop = &Loop::current();
    sending_->waiting = waiting;
    sending_->holder = &submitted_;
    submitted_ = sending_.get();
    return threads_.submit(sending_);
  }
  DeliveryResult await_resume() { return std::move(submitted_->outcome); }

 private:
  SmtpThreads& threads_;
  std::unique_ptr<Sending> sending_;  // before submission, and after a rejection
  Sending* submitted_ = nullptr;      // owned by the queue, then by the resuming loop
};

class SmtpTransport final : public MailTransport {
 public:
  explicit SmtpTransport(SmtpOptions options)
      : time_limit_(options.send_within + options.reply_within),
        threads_(std::make_shared<SmtpThreads>(std::move(options))) {}

  [[nodiscard]] Duration time_limit() const noexcept override { return time_limit_; }
  [[nodiscard]] Task<DeliveryResult> send(std::shared_ptr<const MailMessage> message) override {
    const std::shared_ptr<SmtpThreads> threads = threads_;
    SendAwaiter sending(*threads, std::make_unique<Sending>(std::move(message)));
    DeliveryResult outcome = co_await sending;
    co_return outcome;
  }

 private:
  const Duration time_limit_;
  const std::shared_ptr<SmtpThreads> threads_;
};

}  // namespace

std::shared_ptr<MailTransport> smtp(SmtpOptions options) {
  detail::base::allow_in_sandbox(options.ca_file);  // read for each connection
  if (!detail::mail::is_smtp_url(options.url)) {
    throw Failure(Error::internal(
        "smtp: The URL must be smtp://host:port or smtps://host:port, not '" + options.url + "'"));
  }
  return std::make_shared<SmtpTransport>(std::move(options));
}

}  // namespace eider
