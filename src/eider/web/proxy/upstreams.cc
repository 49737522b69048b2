#include "eider/web/proxy/upstreams.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "eider/core/base/failure.h"

namespace eider::detail::proxy {

namespace {

/// Number of points of each upstream on the ring: its share is then within about ten percent of
/// even.
constexpr std::uint32_t kPointsEach = 128;

/// FNV-1a, with the finalizer of MurmurHash3, which spreads short keys over all bits.
std::uint64_t hash(std::string_view key) noexcept {
  std::uint64_t value = 0xcbf29ce484222325;
  for (const char byte : key) {
    value = (value ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  value = (value ^ (value >> 33U)) * 0xff51afd7ed558ccd;
  value = (value ^ (value >> 33U)) * 0xc4ceb9fe1a85ec53;
  return value ^ (value >> 33U);
}

http::HttpUrl checked(std::string_view text) {
  while (text.ends_with('/')) {
    text.remove_suffix(1);
  }
  auto url = text.find_first_of("?#") == std::string_view::npos
                 ? http::read_http_url(text)
                 : fail(std::string_view("The URL must not contain a query or a fragment."));
  if (!url) {
    throw Failure(Error::bad_request("proxy_to: invalid upstream '" + std::string(text) +
                                     "': " + std::string(url.error())));
  }
  return std::move(*url);
}

}  // namespace

void Upstream::note_failure(Instant now, const ProxyOptions& options) noexcept {
  if (failures_.fetch_add(1, std::memory_order_relaxed) + 1 >= options.failures_max) {
    // The count restarts, so that a single further failure does not eject it again.
    failures_.store(0, std::memory_order_relaxed);
    take_out_until(now + options.ejected_for);
  }
}

void Upstream::take_in() noexcept {
  is_out_.store(false, std::memory_order_relaxed);
  out_until_.store(0, std::memory_order_relaxed);
  note_success();
}

Upstreams::Upstreams(const std::vector<std::string>& urls) {
  for (const std::string& url : urls) {
    const auto index = static_cast<std::uint32_t>(all_.size());
    for (std::uint32_t point = 0; point < kPointsEach; ++point) {
      // The points depend only on the URL of the upstream: few keys move when another one is added
      // or removed.
      ring_.push_back({hash(url + "#" + std::to_string(point)), index});
    }
    all_.push_back(std::make_unique<Upstream>(checked(url)));
  }
  std::ranges::sort(ring_, {},
                    [](const Point& point) { return std::tuple(point.at, point.upstream); });
}

Upstreams::Standing Upstreams::standing(std::size_t index, std::span<const std::size_t> tried,
                                        Instant now) const noexcept {
  if (std::ranges::find(tried, index) != tried.end()) {
    return Standing::tried;
  }
  return all_[index]->is_out(now) ? Standing::out : Standing::well;
}

std::size_t Upstreams::least_busy(const std::vector<unsigned>& busy,
                                  std::span<const std::size_t> tried, Instant now) const noexcept {
  const auto rank = [&](std::size_t index) {
    return std::tuple(standing(index, tried, now), busy[index]);
  };
  std::size_t best = 0;
  for (std::size_t index = 1; index < all_.size(); ++index) {
    if (rank(index) < rank(best)) {
      best = index;
    }
  }
  return best;
}

std::size_t Upstreams::responsible(std::string_view key, std::span<const std::size_t> tried,
                                   Instant now) const noexcept {
  const auto first = std::ranges::lower_bound(ring_, hash(key), {}, &Point::at);
  const auto start = static_cast<std::size_t>(first - ring_.begin());
  std::size_t best = ring_[start % ring_.size()].upstream;
  for (std::size_t step = 0; step < ring_.size(); ++step) {
    const std::size_t here = ring_[(start + step) % ring_.size()].upstream;
    if (standing(here, tried, now) < standing(best, tried, now)) {
      best = here;
    }
    if (standing(best, tried, now) == Standing::well) {
      break;
    }
  }
  return best;
}

}  // namespace eider::detail::proxy
