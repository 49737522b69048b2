#include "eider/core/base/work.h"

#include <pthread.h>
#include <sys/random.h>

#include <algorithm>
#include <bit>
#include <chrono>

#include "eider/core/base/poison.h"
#include "eider/core/base/split_mix.h"

namespace eider {

namespace {

void append_hex(std::string& out, std::uint64_t value) {
  const std::array<char, 16> digits = id_digits(value);
  out.append(digits.data(), digits.size());
}

/// Converts eight digits at once, each in its byte; the most significant digit is in the highest
/// byte.
std::uint64_t half_of_digits(std::uint64_t half) noexcept {
  std::uint64_t bytes = (half | (half << 16U)) & 0x0000'FFFF'0000'FFFFU;
  bytes = (bytes | (bytes << 8U)) & 0x00FF'00FF'00FF'00FFU;
  bytes = (bytes | (bytes << 4U)) & 0x0F0F'0F0F'0F0F'0F0FU;
  const std::uint64_t letters = ((bytes + 0x0606'0606'0606'0606U) >> 4U) & 0x0101'0101'0101'0101U;
  return bytes + 0x3030'3030'3030'3030U + (letters * ('a' - '9' - 1));
}

/// returns  nothing if a byte is not a lowercase hexadecimal digit
std::optional<std::uint64_t> read_hex(std::string_view digits) noexcept {
  std::uint64_t value = 0;
  for (const char digit : digits) {
    if ((digit < '0' || digit > '9') && (digit < 'a' || digit > 'f')) {
      return std::nullopt;
    }
    value =
        (value << 4U) | static_cast<std::uint64_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
  }
  return value;
}

/// Freed blocks of one size that a thread keeps for reuse.
class SpareBlocks {
 public:
  SpareBlocks() = default;
  SpareBlocks(const SpareBlocks&) = delete;
  SpareBlocks& operator=(const SpareBlocks&) = delete;
  ~SpareBlocks() {
    while (count_ != 0) {
      ::operator delete(blocks_[--count_]);
    }
  }
  void* take(std::size_t bytes) { return count_ == 0 ? ::operator new(bytes) : blocks_[--count_]; }
  void give(void* block) noexcept {
    // Free it, so that a sanitizer reports a use after the end of a work.
    if (detail::base::kSeesPoison || count_ == blocks_.size()) {
      ::operator delete(block);
    } else {
      blocks_[count_++] = block;
    }
  }

 private:
  std::array<void*, 32> blocks_;
  std::size_t count_ = 0;
};

SpareBlocks& spare_blocks() noexcept {
  thread_local SpareBlocks blocks;
  return blocks;
}

}  // namespace

void* Work::operator new(std::size_t bytes) {
  return spare_blocks().take(bytes);
}

void Work::operator delete(void* work) noexcept {
  spare_blocks().give(work);
}

// "version-trace-parent-flags". Later versions may append more fields after another '-'.
std::optional<TracePlace> read_traceparent(std::string_view text) noexcept {
  constexpr std::size_t kBytes = 55;
  if (text.size() < kBytes || text[2] != '-' || text[35] != '-' || text[52] != '-') {
    return std::nullopt;
  }
  const auto version = read_hex(text.substr(0, 2));
  const auto flags = read_hex(text.substr(53, 2));
  const auto high = read_hex(text.substr(3, 16));
  const auto low = read_hex(text.substr(19, 16));
  const auto span = read_hex(text.substr(36, 16));
  const bool is_whole = version && flags && high && low && span;
  if (!is_whole || *version == 0xFF || (*high | *low) == 0 || *span == 0) {
    return std::nullopt;
  }
  const bool ends = text.size() == kBytes || (*version != 0 && text[kBytes] == '-');
  if (!ends) {
    return std::nullopt;
  }
  return TracePlace{*high, *low, *span, (*flags & 1U) != 0};
}

std::string traceparent_text(const TracePlace& place) {
  return "00-" + trace_id_text(place) + "-" + span_id_text(place.span) +
         (place.is_sampled ? "-01" : "-00");
}

bool is_tracestate(std::string_view text) noexcept {
  return !text.empty() && text.size() <= 512 &&
         std::ranges::all_of(text, [](char byte) { return byte >= 0x20 && byte <= 0x7E; });
}

std::string trace_id_text(const TracePlace& place) {
  std::string out;
  out.reserve(32);
  append_hex(out, place.trace_high);
  append_hex(out, place.trace_low);
  return out;
}

std::string span_id_text(std::uint64_t span) {
  std::string out;
  append_hex(out, span);
  return out;
}

std::uint64_t next_span_id() noexcept {
  static constinit thread_local SplitMix64 random(0);
  static constinit thread_local bool is_seeded = false;
  if (!is_seeded) [[unlikely]] {
    // A forked worker must not continue with the numbers of its parent.
    [[maybe_unused]] static const int watched =
        pthread_atfork(nullptr, nullptr, [] { is_seeded = false; });
    std::uint64_t seed = 0;
    [[maybe_unused]] const auto bytes = getrandom(&seed, sizeof seed, 0);
    random = SplitMix64(seed);
    is_seeded = true;
  }
  const std::uint64_t id = random.next();
  return id == 0 ? 1 : id;
}

std::array<char, 16> id_digits(std::uint64_t id) noexcept {
  static_assert(std::endian::native == std::endian::little);
  const std::array<std::uint64_t, 2> halves = {std::byteswap(half_of_digits(id >> 32U)),
                                               std::byteswap(half_of_digits(id & 0xFFFF'FFFFU))};
  return std::bit_cast<std::array<char, 16>>(halves);
}

std::int64_t unix_nanoseconds() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// The holder of the only reference needs no locked instruction: no other thread can add one.
void Work::release(const Work* work) noexcept {
  if (work != nullptr && (work->references_.load(std::memory_order_acquire) == 1 ||
                          work->references_.fetch_sub(1, std::memory_order_acq_rel) == 1)) {
    delete work;
  }
}

void Work::set_outer(const Work& outer) noexcept {
  outermost_ = &outer.outermost();
  outermost_->references_.fetch_add(1, std::memory_order_relaxed);
}

// Another thread must not change the list, so its waits are not recorded.
void WaitNote::tell(What what, std::string_view text,
                    std::chrono::steady_clock::time_point since) noexcept {
  end();
  const Work& work = Work::current()->outermost();
  if (work.thread_ != &Work::current_) {
    return;
  }
  what_ = what;
  text_ = text;
  since_ = since;
  work_ = WorkRef(&work);
  work.waits_.push_back(*this);
}

std::string_view to_text(WaitNote::What what) noexcept {
  switch (what) {
    case WaitNote::What::statement:
      return "statement";
    case WaitNote::What::command:
      return "command";
    case WaitNote::What::request:
      return "request";
    case WaitNote::What::sleep:
      return "sleep";
    case WaitNote::What::thread:
      return "thread";
    case WaitNote::What::client:
      return "client";
  }
  return {};
}

}  // namespace eider
