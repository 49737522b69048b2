#include "eider/app/handlers/multipart.h"

#include <stdexcept>
#include <utility>

#include "eider/app/handlers/spool.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/utf8.h"

namespace eider {

namespace {

Error error_of(MultipartRefusal refusal) {
  const MultipartRefusalInfo& info = refusal_info(refusal);
  return {info.status, std::string(info.text)};
}

}  // namespace

/// The state of reading the form.
class Multipart::Reading {
 public:
  Reading(BodyStream body, std::string boundary) : body_(body), boundary_(std::move(boundary)) {}

  [[nodiscard]] MultipartLimits& limits() noexcept { return limits_; }
  [[nodiscard]] const MultipartPart& part() const noexcept { return reader_->part(); }
  [[nodiscard]] std::uint64_t part_number() const noexcept { return part_number_; }
  [[nodiscard]] bool is_in_part() const noexcept { return is_in_part_; }
  [[nodiscard]] bool is_over() const noexcept { return is_over_; }

  /// Returns the next event, never need_more or refused; `end` only after the end of the request
  /// body.
  Task<MultipartStep> next() {
    if (looked_at_.has_value()) {
      co_return *std::exchange(looked_at_, std::nullopt);
    }
    if (!reader_.has_value()) {
      reader_.emplace(boundary_, limits_);
    }
    while (true) {
      const MultipartStep step = reader_->read(input_);
      input_.remove_prefix(step.consumed);
      fail_if_refused();
      if (step.status != MultipartStatus::need_more && step.status != MultipartStatus::end) {
        co_return note(step);
      }
      if (step.status == MultipartStatus::end) {
        continue;  // read the rest of the body, up to its limit, to keep the connection usable
      }
      const std::optional<std::string_view> arrived = co_await body_.next();
      if (!arrived.has_value()) {
        const MultipartStep last = reader_->finish();
        fail_if_refused();
        co_return note(last);
      }
      input_ = *arrived;
    }
  }
  /// Returns whether the part that has just begun is empty. Invalidates the event of its begin.
  Task<bool> is_empty() {
    looked_at_ = co_await next();
    co_return looked_at_->status != MultipartStatus::part_data;
  }

 private:
  void fail_if_refused() const {
    if (reader_->refusal() != MultipartRefusal::none) {
      throw Failure(error_of(reader_->refusal()));
    }
  }
  MultipartStep note(const MultipartStep& step) noexcept {
    const bool begins = step.status == MultipartStatus::part_begin;
    part_number_ += begins ? 1 : 0;
    is_in_part_ = begins || step.status == MultipartStatus::part_data;
    is_over_ = step.status == MultipartStatus::end;
    return step;
  }

  BodyStream body_;
  std::string boundary_;
  MultipartLimits limits_;
  std::optional<MultipartReader> reader_;
  std::optional<MultipartStep> looked_at_;  // what `next` returns first
  std::string_view input_;                  // unread bytes of the last arrival
  std::uint64_t part_number_ = 0;
  bool is_in_part_ = false;
  bool is_over_ = false;
};

Multipart::Multipart(BodyStream body, std::string boundary)
    : reading_(std::make_unique<Reading>(body, std::move(boundary))) {}
Multipart::Multipart(Multipart&&) noexcept = default;
Multipart& Multipart::operator=(Multipart&&) noexcept = default;
Multipart::~Multipart() = default;

MultipartLimits& Multipart::limits() noexcept {
  return reading_->limits();
}

Task<std::optional<Multipart::Part>> Multipart::next() {
  Reading& reading = *reading_;
  while (!reading.is_over()) {
    const MultipartStep step = co_await reading.next();
    if (step.status != MultipartStatus::part_begin) {
      continue;
    }
    Part part(reading, reading.part());
    // Browsers send this for a file input without a selected file (WHATWG HTML, 4.10.21.4).
    const bool may_be_absent = part.filename && part.filename->empty();
    if (may_be_absent) {
      if (co_await reading.is_empty()) {
        continue;
      }
    }
    co_return part;
  }
  co_return std::nullopt;
}

Multipart::Part::Part(Reading& reading, const MultipartPart& part)
    : name(part.name),
      filename(part.filename),
      content_type(part.content_type),
      reading_(&reading),
      number_(reading.part_number()) {}

Task<std::optional<std::string_view>> Multipart::Part::next_bytes() {
  if (reading_->part_number() != number_) {
    throw std::logic_error("a part of a form was read after the next part was requested");
  }
  if (!reading_->is_in_part()) {
    co_return std::nullopt;
  }
  const MultipartStep step = co_await reading_->next();
  if (step.status != MultipartStatus::part_data) {
    co_return std::nullopt;
  }
  co_return step.data;
}

Task<std::string> Multipart::Part::bytes(std::size_t bytes_max) {
  std::string all;
  while (true) {
    const std::optional<std::string_view> some = co_await next_bytes();
    if (!some.has_value()) {
      co_return all;
    }
    if (some->size() > bytes_max - all.size()) {
      throw Failure(error_of(MultipartRefusal::part_too_large).with_field(name, "is too large"));
    }
    all.append(*some);
  }
}

Task<std::string> Multipart::Part::text(std::size_t bytes_max) {
  std::string all = co_await bytes(bytes_max);
  if (!is_utf8(all)) {
    throw Failure(
        Error::bad_request("The form is not valid.").with_field(name, "must be UTF-8 text"));
  }
  co_return all;
}

Task<TempFile> Multipart::Part::save(std::string directory) {
  TempFileWriter file = co_await TempFileWriter::create(std::move(directory));
  while (true) {
    const std::optional<std::string_view> some = co_await next_bytes();
    if (!some.has_value()) {
      break;
    }
    if (file.gather(*some)) {
      co_await file.write();
    }
  }
  co_return co_await file.finish();
}

Result<Multipart> Extract<Multipart>::from(const Context& context, ArgumentPlace /*place*/) {
  auto boundary = multipart_boundary(context.request.header("Content-Type").value_or(""));
  if (!boundary) {
    return fail(error_of(boundary.error()));
  }
  return Multipart(BodyStream(*context.ongoing->content), std::move(*boundary));
}

}  // namespace eider
