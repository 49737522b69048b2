#include "eider/auth/mail/mail_transport.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "eider/app/life/log_stderr.h"
#include "eider/core/base/describes_only.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/reached.h"
#include "eider/core/base/text.h"
#include "eider/io/runtime/blocking.h"
#include "eider/io/runtime/descriptor.h"

namespace eider {

namespace {

/// Writes the mail to a file with another name first, so that no program reads an incomplete mail.
/// Only the owner can read the file, even if one with that name existed, because mails contain
/// secrets.
DeliveryResult write_file(const std::filesystem::path& directory, const MailMessage& message) {
  const std::filesystem::path path = directory / (message.id + ".eml");
  std::filesystem::path partial = path;
  partial += ".part";
  std::error_code error;
  std::filesystem::remove(partial, error);
  const Descriptor file(
      ::open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  const bool is_written = file.is_open() && detail::runtime::write_all(file.get(), message.text);
  if (is_written) {
    std::filesystem::rename(partial, path, error);
  }
  if (!is_written || error) {
    return {DeliveryStatus::retry_later, "Cannot write " + path.string()};
  }
  return {};
}

class FileMails final : public MailTransport {
 public:
  explicit FileMails(std::string directory) : directory_(std::move(directory)) {
    if (detail::base::DescribesOnly::is_on()) {
      return;
    }
    std::error_code error;
    std::filesystem::create_directories(directory_, error);
    if (error) {
      throw Failure(Error::internal("mail: Cannot create the directory " + directory_.string() +
                                    ": " + error.message()));
    }
    detail::base::will_write(directory_);
  }

  [[nodiscard]] Task<DeliveryResult> send(std::shared_ptr<const MailMessage> message) override {
    DeliveryResult outcome = co_await run_blocking(
        [directory = directory_, message] { return write_file(directory, *message); });
    co_return outcome;
  }

 private:
  const std::filesystem::path directory_;
};

class LoggedMails final : public MailTransport {
 public:
  explicit LoggedMails(std::shared_ptr<LogSink> sink) : sink_(std::move(sink)) {}

  [[nodiscard]] Task<DeliveryResult> send(std::shared_ptr<const MailMessage> message) override {
    std::string line = "mail to";
    for (const std::string& recipient : message->recipients) {
      line.append(" ").append(recipient);
    }
    line.append(": ").append(field_of(*message, "Subject")).append("\n");
    line.append(text_of(*message)).append(text_of(*message, "text/html"));
    sink_->write(LogLevel::info, line);
    co_return DeliveryResult();
  }

 private:
  const std::shared_ptr<LogSink> sink_;
};

}  // namespace

std::shared_ptr<MailTransport> mail_files(std::string directory) {
  return std::make_shared<FileMails>(std::move(directory));
}

std::shared_ptr<MailTransport> mail_log(std::shared_ptr<LogSink> sink) {
  return std::make_shared<LoggedMails>(std::move(sink));
}

std::shared_ptr<MailTransport> mail_log() {
  return mail_log(stderr_log());
}

Task<DeliveryResult> TestMailbox::send(std::shared_ptr<const MailMessage> message) {
  const std::lock_guard lock(mutex_);
  DeliveryResult outcome;
  if (!next_.empty()) {
    outcome = std::move(next_.front());
    next_.erase(next_.begin());
  }
  if (outcome.status == DeliveryStatus::sent) {
    kept_.push_back(*message);
  }
  co_return outcome;
}

std::vector<MailMessage> TestMailbox::all() const {
  const std::lock_guard lock(mutex_);
  return kept_;
}

MailMessage TestMailbox::last_to(std::string_view email) const {
  const std::vector<MailMessage> kept = all();
  for (auto one = kept.rbegin(); one != kept.rend(); ++one) {
    const auto is_it = [email](std::string_view known) {
      return equals_ignoring_case(known, email);
    };
    if (std::ranges::any_of(one->recipients, is_it)) {
      return *one;
    }
  }
  throw Failure(Error::internal("No mail was sent to " + std::string(email)));
}

void TestMailbox::respond_next(std::vector<DeliveryResult> outcomes) {
  const std::lock_guard lock(mutex_);
  next_ = std::move(outcomes);
}

}  // namespace eider
