// The upstreams of a proxy: their health, and the next one.
// Layering: must not connect to them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/io/runtime/time.h"
#include "eider/protocols/http/http_url.h"
#include "eider/web/proxy/proxy.h"

namespace eider::detail::proxy {

/// Counts the requests of an upstream as long as it exists.
class Load {
 public:
  /// Counts nothing.
  Load() noexcept = default;
  /// count  must outlive this object, on the same thread
  explicit Load(unsigned& count) noexcept : count_(&count) { ++count; }
  Load(Load&& other) noexcept : count_(std::exchange(other.count_, nullptr)) {}
  Load& operator=(Load&& other) noexcept {
    std::swap(count_, other.count_);
    return *this;
  }
  ~Load() {
    if (count_ != nullptr) {
      --*count_;
    }
  }

 private:
  unsigned* count_ = nullptr;
};

/// The state of one upstream, shared by all event loops.
class Upstream {
 public:
  explicit Upstream(http::HttpUrl url) : url_(std::move(url)) {}

  /// Returns the URL. Its target has no trailing slash, unless it is "/".
  [[nodiscard]] const http::HttpUrl& url() const noexcept { return url_; }
  [[nodiscard]] bool is_out(Instant now) const noexcept {
    // Relaxed, because each value is independent of the others.
    return is_out_.load(std::memory_order_relaxed) ||
           now.time_since_epoch().count() < out_until_.load(std::memory_order_relaxed);
  }
  void note_success() noexcept { failures_.store(0, std::memory_order_relaxed); }
  void note_failure(Instant now, const ProxyOptions& options) noexcept;
  void take_out_until(Instant when) noexcept {
    out_until_.store(when.time_since_epoch().count(), std::memory_order_relaxed);
  }
  /// Until `take_in`.
  void take_out() noexcept { is_out_.store(true, std::memory_order_relaxed); }
  void take_in() noexcept;

 private:
  http::HttpUrl url_;
  std::atomic<unsigned> failures_{0};  // consecutive failures
  std::atomic<std::int64_t> out_until_{0};
  std::atomic<bool> is_out_{false};
};

/// All upstreams of one proxy. Thread-safe.
class Upstreams {
 public:
  /// urls    at least one
  /// throws  a Failure that names an invalid URL, or one with a query
  explicit Upstreams(const std::vector<std::string>& urls);

  [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
  [[nodiscard]] Upstream& operator[](std::size_t index) const noexcept { return *all_[index]; }

  /// Returns the least busy of the healthy upstreams.
  ///
  /// busy   number of requests in progress at each
  /// tried  are excluded, if there is any other
  [[nodiscard]] std::size_t least_busy(const std::vector<unsigned>& busy,
                                       std::span<const std::size_t> tried,
                                       Instant now) const noexcept;
  /// Returns the upstream that is responsible for `key`, or the next one on the ring if that is not
  /// usable.
  [[nodiscard]] std::size_t responsible(std::string_view key, std::span<const std::size_t> tried,
                                        Instant now) const noexcept;

 private:
  enum class Standing : std::uint8_t { well, out, tried };
  [[nodiscard]] Standing standing(std::size_t index, std::span<const std::size_t> tried,
                                  Instant now) const noexcept;

  struct Point {
    std::uint64_t at;
    std::uint32_t upstream;
  };

  std::vector<std::unique_ptr<Upstream>> all_;
  std::vector<Point> ring_;  // ascending
};

}  // namespace eider::detail::proxy
