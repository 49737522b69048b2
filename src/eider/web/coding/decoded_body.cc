#include "eider/web/coding/decoded_body.h"

#include <utility>

#include "eider/core/base/failure.h"
#include "eider/protocols/http/request.h"

namespace eider {

namespace {

constexpr std::size_t kDecodedPieceBytes = 64UL * 1024;

constexpr bool goes_on(Decompressed status) noexcept {
  return status == Decompressed::need_more || status == Decompressed::need_room ||
         status == Decompressed::done;
}

}  // namespace

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
      auto arrival = body_.next();
      const std::optional<std::string_view> part = co_await arrival;
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
