#include "eider/data/redis/resp_reader.h"

#include <algorithm>

#include "eider/core/base/assert.h"

namespace eider::redis::detail {

RespReader::RespReader(const RespLimits& limits) noexcept : limits_(limits) {
  limits_.depth_max = std::min(limits_.depth_max, kDepthMax);
}

Result<std::size_t, RespFault> RespReader::read(std::string_view in) noexcept {
  while (true) {
    const auto item = read_item(in.substr(at_));
    if (!item) {
      return fail(item.error());
    }
    const std::size_t counted = at_ + values_ * limits_.value_bytes;
    if (counted + std::max(item->bytes, item->bytes_wanted) > limits_.bytes_max) {
      return fail(RespFault::too_large);
    }
    if (item->bytes == 0) {
      bytes_wanted_ = at_ + item->bytes_wanted;
      return 0;
    }
    at_ += item->bytes;
    if (const auto entered = enter(*item); !entered) {
      return fail(entered.error());
    }
    while (left_[depth_] == 0 && depth_ > 0) {
      --depth_;
    }
    if (depth_ == 0 && left_[0] == 0) {
      const std::size_t bytes = at_;
      reset();
      return bytes;
    }
  }
}

Result<void, RespFault> RespReader::check(const RespItem& item) const noexcept {
  // "Push data … never in the middle of other data" (RESP3, push type).
  if (item.kind == RespKind::push && (depth_ != 0 || item.number == 0)) {
    return fail(RespFault::bad_kind);
  }
  if (!item.is_aggregate() || item.number == 0) {
    return {};
  }
  if (depth_ == limits_.depth_max) {
    return fail(RespFault::too_deep);
  }
  if (static_cast<std::uint64_t>(item.number) > limits_.values_max - values_) {
    return fail(RespFault::too_many);
  }
  const std::size_t values = values_ + static_cast<std::size_t>(item.number);
  if (values * limits_.value_bytes > limits_.bytes_max) {
    return fail(RespFault::too_large);
  }
  return {};
}

/// The item counts as one value of what it belongs to; an attribute does not: its value follows.
Result<void, RespFault> RespReader::enter(const RespItem& item) noexcept {
  if (const auto checked = check(item); !checked) {
    return checked;
  }
  if (item.kind != RespKind::attribute) {
    --left_[depth_];
  }
  if (item.is_aggregate() && item.number != 0) {
    values_ += static_cast<std::size_t>(item.number);
    left_[++depth_] = static_cast<std::uint64_t>(item.number);
  }
  return {};
}

void RespReader::reset() noexcept {
  at_ = 0;
  values_ = 0;
  bytes_wanted_ = 0;
  depth_ = 0;
  left_[0] = 1;
}

RespItem RespCursor::take() noexcept {
  const auto item = read_item(rest_);
  ensure(item && item->bytes != 0, "a Redis response ends before its last value");
  rest_.remove_prefix(item->bytes);
  return *item;
}

RespItem RespCursor::next() noexcept {
  RespItem item = take();
  while (item.kind == RespKind::attribute) {
    skip(static_cast<std::uint64_t>(item.number));
    item = take();
  }
  return item;
}

void RespCursor::skip(std::uint64_t values) noexcept {
  for (; values != 0; --values) {
    const RespItem item = take();
    if (item.is_aggregate()) {
      values += static_cast<std::uint64_t>(item.number);
    }
    // An attribute stands ahead of a value and is none.
    values += item.kind == RespKind::attribute ? 1 : 0;
  }
}

}  // namespace eider::redis::detail
