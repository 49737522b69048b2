#include "eider/auth/mail/smtp.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "eider/auth/mail/smtp_session.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/reached.h"
#include "eider/io/runtime/job_threads.h"

namespace eider {

namespace {

using detail::mail::SmtpSession;
using detail::runtime::JobAwaiter;
using detail::runtime::JobThreads;
using detail::runtime::JobThreadsOptions;
using detail::runtime::ThreadJob;

/// Sent by a thread with its own connection (SmtpSession).
class Sending final : public ThreadJob {
 public:
  explicit Sending(std::shared_ptr<const MailMessage> message) : message_(std::move(message)) {}

  void send_by(SmtpSession& session) { outcome_ = session.send(*message_, is_abandoned()); }
  [[nodiscard]] DeliveryResult result() { return std::move(outcome_); }

 private:
  const std::shared_ptr<const MailMessage> message_;
  DeliveryResult outcome_ = {DeliveryStatus::retry_later, "the process is ending"};
};

JobThreads::Run run_by(std::shared_ptr<SmtpSession> session) {
  return [session = std::move(session)](ThreadJob& job) {
    static_cast<Sending&>(job).send_by(*session);
  };
}

class SmtpTransport final : public MailTransport {
 public:
  explicit SmtpTransport(SmtpOptions options)
      : time_limit_(options.send_within + options.reply_within),
        threads_(std::make_shared<JobThreads>(
            JobThreadsOptions{.component = "smtp", .count = std::max(options.connections, 1U)},
            [options](const std::atomic<bool>& is_stopped) {
              return run_by(std::make_shared<SmtpSession>(options, is_stopped));
            })) {}

  [[nodiscard]] Duration time_limit() const noexcept override { return time_limit_; }
  [[nodiscard]] Task<DeliveryResult> send(std::shared_ptr<const MailMessage> message) override {
    const std::shared_ptr<JobThreads> threads = threads_;
    JobAwaiter<Sending> sending(*threads, std::make_unique<Sending>(std::move(message)));
    DeliveryResult outcome = co_await sending;
    co_return outcome;
  }

 private:
  const Duration time_limit_;
  const std::shared_ptr<JobThreads> threads_;
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
