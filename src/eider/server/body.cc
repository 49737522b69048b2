#include "eider/server/body.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "eider/io/runtime/loop_local.h"

namespace eider::detail::server {

namespace {

/// Memory reserved for an announced Content-Length; more is allocated as bytes arrive.
constexpr std::uint64_t kPromisedBytesMax = 64UL * 1024;

struct KeptBodyBudget final : LoopKept {
  BodyBudget budget{std::numeric_limits<std::size_t>::max()};
};

}  // namespace

BodyBudget& decoded_budget_of(Loop& loop) {
  static const std::uint64_t key = runtime::next_loop_key();
  if (loop.kept(key) == nullptr) {
    loop.kept(key) = std::make_unique<KeptBodyBudget>();
  }
  return static_cast<KeptBodyBudget&>(*loop.kept(key)).budget;
}

void Body::begin(std::uint64_t bytes_max, std::uint64_t length) {
  bytes_ = 0;
  bytes_max_ = bytes_max;
  if (length != 0) {
    (void)content_.reserve(std::min(length, kPromisedBytesMax));
  }
}

std::optional<RequestRefusal> Body::add(std::string_view content) {
  // `bytes_` also counts bytes that were taken, so the limit applies to the whole body.
  if (content.size() > bytes_max_ - bytes_) {
    return kBodyTooLarge;
  }
  if (!budget_.try_take(content.size())) {
    return kTooBusy;
  }
  content_.append(content);
  return count(content.size());
}

std::optional<RequestRefusal> Body::count(std::size_t bytes) noexcept {
  if (bytes > bytes_max_ - bytes_) {
    return kBodyTooLarge;
  }
  bytes_ += bytes;
  return std::nullopt;
}

std::optional<RequestRefusal> Body::add_first(std::string_view counted) {
  if (!budget_.try_take(counted.size())) {
    return kTooBusy;
  }
  Buffer all(counted.size() + content_.size());
  all.append(counted);
  all.append(content_.view());
  content_.swap(all);
  return std::nullopt;
}

void Body::reset() noexcept {
  budget_.give_back(content_.size());
  content_.reset();
  bytes_ = 0;
}

}  // namespace eider::detail::server
