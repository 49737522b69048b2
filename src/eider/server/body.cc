#include "eider/server/detail/body.h"

#include <algorithm>

namespace eider::detail {

namespace {

/// Room made on a client's mere promise; more is made as bytes arrive.
constexpr std::size_t kPromisedBytesMax = 64UL * 1024;
/// A larger buffer is given back when its request is done.
constexpr std::size_t kKeptBytesMax = 16UL * 1024;

}  // namespace

void BodyH1::begin(const RequestHead& head, std::size_t bytes_max) {
  kind_ = head.body;
  left_ = head.content_length;
  bytes_ = 0;
  bytes_max_ = bytes_max;
  if (kind_ == BodyKind::sized) {
    (void)content_.reserve(std::min<std::size_t>(left_, kPromisedBytesMax));
  }
}

BodyStep BodyH1::read(std::string_view in) {
  return kind_ == BodyKind::sized ? read_sized(in) : read_chunked(in);
}

BodyStep BodyH1::read_sized(std::string_view in) {
  const std::size_t bytes = std::min<std::uint64_t>(left_, in.size());
  add(in.substr(0, bytes));
  left_ -= bytes;
  return {left_ == 0 ? BodyStatus::complete : BodyStatus::need_more, bytes};
}

BodyStep BodyH1::read_chunked(std::string_view in) {
  std::size_t consumed = 0;
  while (true) {
    const h1::ChunkedStep step = chunked_.read(in.substr(consumed));
    consumed += step.consumed;
    switch (step.status) {
      case h1::ChunkedStatus::need_more:
        return {BodyStatus::need_more, consumed};
      case h1::ChunkedStatus::done:
        return {BodyStatus::complete, consumed};
      case h1::ChunkedStatus::refused:
        return refuse(chunked_.refusal());
      case h1::ChunkedStatus::data:
        break;
    }
    if (step.data.size() > bytes_max_ - bytes_) {
      return refuse(h1::Refusal::body_too_large);
    }
    add(step.data);
  }
}

BodyStatus BodyH1::gather(std::string_view content) {
  if (content.size() > bytes_max_ - bytes_) {
    return refuse(h1::Refusal::body_too_large).status;
  }
  add(content);
  return BodyStatus::need_more;
}

BodyStep BodyH1::refuse(h1::Refusal refusal) noexcept {
  refusal_ = refusal;
  return {BodyStatus::refused, 0};
}

void BodyH1::reset() noexcept {
  if (content_.capacity() > kKeptBytesMax) {
    content_.release();
  } else {
    content_.clear();
  }
  chunked_ = h1::ChunkedReader();
  refusal_ = h1::Refusal::none;
}

}  // namespace eider::detail
