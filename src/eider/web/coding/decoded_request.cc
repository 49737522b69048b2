#include "eider/web/coding/decoded_request.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "eider/app/handlers/operation.h"
#include "eider/app/handlers/respond.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/text.h"
#include "eider/io/runtime/loop.h"
#include "eider/protocols/http/list.h"
#include "eider/protocols/http/request.h"
#include "eider/server/body.h"

namespace eider {

namespace {

constexpr int kUnsupportedMediaType = 415;
constexpr int kContentTooLarge = 413;

/// The decoded body, stored in the request. It counts towards the budget as long as it exists.
class DecodedContent {
 public:
  /// bytes  counted by `budget`, which must outlive this object
  DecodedContent(Buffer bytes, detail::server::BodyBudget& budget) noexcept
      : bytes_(std::move(bytes)), budget_(&budget) {}
  DecodedContent(DecodedContent&& other) noexcept
      : bytes_(std::move(other.bytes_)), budget_(std::exchange(other.budget_, nullptr)) {}
  DecodedContent& operator=(DecodedContent&&) = delete;
  ~DecodedContent() {
    if (budget_ != nullptr) {
      budget_->give_back(bytes_.size());
    }
  }

  [[nodiscard]] std::string_view view() const noexcept { return bytes_.view(); }

 private:
  Buffer bytes_;
  detail::server::BodyBudget* budget_;
};

Error too_busy() {
  return {503, "The server is processing too many request bodies. Try again later."};
}

Error unsupported() {
  return {kUnsupportedMediaType, "The Content-Encoding of the request body is not supported."};
}

/// Returns the only item of all Content-Encoding headers; nothing without one, or for "identity".
Result<std::optional<std::string_view>> only_coding(std::span<const Field> fields) {
  std::optional<std::string_view> found;
  for (const Field& field : fields) {
    ListReader codings(equals_ignoring_case(field.name, "content-encoding") ? field.value : "");
    while (const auto coding = codings.next()) {
      const bool is_plain = equals_ignoring_case(*coding, "identity");
      if (!is_plain && found) {
        return fail(unsupported());
      }
      found = is_plain ? found : coding;
    }
  }
  return found;
}

class Decompression {
 public:
  explicit Decompression(DecompressionOptions options) : options_(std::move(options)) {}

  bool apply(Request& request, Response& response) const {
    const auto coding = content_coding_of(request.headers(), options_.codings);
    if (!coding) {
      render_error(response, coding.error());
      response.add_header("Accept-Encoding", names_of(options_.codings));
      return false;
    }
    if (!*coding || request.body().empty() || request.find<DecodedContent>() != nullptr) {
      return true;
    }
    Buffer bytes;
    if (const auto decoded = decompress(**coding, request.body(), bytes, options_.limits);
        !decoded) {
      render_error(response, to_error(decoded.error()));
      return false;
    }
    detail::server::BodyBudget& budget = detail::server::decoded_budget_of(Loop::current());
    if (!budget.try_take_one(bytes.size())) {
      render_error(response, too_busy());
      response.add_header("Retry-After", "1");
      return false;
    }
    request.set_body(request.set(DecodedContent(std::move(bytes), budget)).view());
    return true;
  }

 private:
  DecompressionOptions options_;
};

constexpr std::size_t kDecodedPieceBytes = 64UL * 1024;

constexpr bool goes_on(Decompressed status) noexcept {
  return status == Decompressed::need_more || status == Decompressed::need_room ||
         status == Decompressed::done;
}

}  // namespace

Result<std::optional<ContentCoding>> content_coding_of(std::span<const Field> fields,
                                                       std::span<const ContentCoding> codings) {
  const auto name = only_coding(fields);
  if (!name) {
    return fail(name.error());
  }
  if (!*name) {
    return std::nullopt;
  }
  const std::optional<ContentCoding> coding = coding_named(**name);
  if (!coding || std::ranges::find(codings, *coding) == codings.end()) {
    return fail(unsupported());
  }
  return coding;
}

std::string names_of(std::span<const ContentCoding> codings) {
  return joined(codings, ", ", [](ContentCoding coding) { return to_text(coding); });
}

Error to_error(Decompressed outcome) {
  const std::string detail(to_text(outcome));
  return outcome == Decompressed::too_large ? Error(kContentTooLarge, detail)
                                            : Error::bad_request(detail);
}

namespace {

void describe_decompression(Operation& operation) {
  if (operation.contents.empty() || operation.is_body_streamed) {
    return;
  }
  operation.add_problem(400, "The request body cannot be decoded.");
  operation.add_problem(kContentTooLarge, "The request body is too large.");
  operation.add_problem(415, "The Content-Type or the Content-Encoding is not supported.")
      .add_header("Accept-Encoding");
}

}  // namespace

Hook decompression(DecompressionOptions options) {
  auto shared = std::make_shared<const Decompression>(std::move(options));
  return {.on_body = [shared = std::move(shared)](
                         Request& request,
                         Response& response) { return shared->apply(request, response); },
          .name = "decompression",
          .describe = describe_decompression};
}

DecodedBody::DecodedBody(BodyStream body, const Request& request,
                         const DecompressionOptions& options)
    : body_(body) {
  const auto coding = content_coding_of(request.headers(), options.codings);
  if (!coding) {
    throw Failure(coding.error());
  }
  if (*coding) {
    decompressor_.emplace(**coding, options.limits);
  }
}

void DecodedBody::decode() {
  const Decompressor::Step step = decompressor_->read(unread_, decoded_, kDecodedPieceBytes);
  unread_.remove_prefix(step.consumed);
  status_ = step.status;
  if (!goes_on(status_)) {
    throw Failure(to_error(status_));
  }
}

Task<std::optional<std::string_view>> DecodedBody::next() {
  decoded_.clear();
  while (decoded_.empty()) {
    if (unread_.empty() && status_ != Decompressed::need_room) {
      const std::optional<std::string_view> part = co_await body_.next();
      if (part && !decompressor_) {
        co_return part;
      }
      if (!part && status_ != Decompressed::done) {
        throw Failure(to_error(status_));
      }
      if (!part) {
        co_return std::nullopt;
      }
      unread_ = *part;
    }
    decode();
  }
  co_return decoded_.view();
}

}  // namespace eider
