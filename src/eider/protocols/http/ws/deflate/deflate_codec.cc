#include "eider/protocols/http/ws/deflate_codec.h"

#include <algorithm>
#include <utility>

#include "eider/core/compress/idle_pool.h"
#include "eider/core/compress/raw_deflate.h"

namespace eider::ws {

namespace {

/// zlib's minimum; a decompressor's window may be larger than its peer's.
constexpr int kInflateBitsMin = 9;
/// Leaves room for one byte more than the limit of a message.
constexpr std::size_t kBytesMax = static_cast<std::size_t>(-1) - 1;

/// The state that connections without context takeover share on one thread.
struct Shared {
  IdlePool<int, RawInflater, 4> inflaters;
  IdlePool<RawDeflateSettings, RawDeflater, 2> deflaters;
};

std::unique_ptr<RawInflater> borrow_inflater(int window_bits) {
  Shared* shared = of_this_thread<Shared>();
  auto idle = shared == nullptr ? nullptr : shared->inflaters.take(window_bits);
  if (idle == nullptr) {
    return std::make_unique<RawInflater>(window_bits);
  }
  // It is reset when it is reused, so that idle ones cost no time.
  idle->reset();
  return idle;
}

void give_back(int window_bits, std::unique_ptr<RawInflater> inflater) noexcept {
  if (Shared* shared = of_this_thread<Shared>()) {
    shared->inflaters.put(window_bits, std::move(inflater));
  }
}

std::unique_ptr<RawDeflater> borrow_deflater(const RawDeflateSettings& settings) {
  Shared* shared = of_this_thread<Shared>();
  auto idle = shared == nullptr ? nullptr : shared->deflaters.take(settings);
  if (idle == nullptr) {
    return std::make_unique<RawDeflater>(settings);
  }
  idle->reset();
  return idle;
}

void give_back(const RawDeflateSettings& settings, std::unique_ptr<RawDeflater> deflater) noexcept {
  if (Shared* shared = of_this_thread<Shared>()) {
    shared->deflaters.put(settings, std::move(deflater));
  }
}

/// Decompresses received messages.
class Inflating {
 public:
  Inflating(Takeover takeover, int window_bits) noexcept
      : takeover_(takeover), window_bits_(std::max(window_bits, kInflateBitsMin)) {}
  Inflating(const Inflating&) = delete;
  Inflating& operator=(const Inflating&) = delete;
  ~Inflating() { release(); }

  Inflated add(std::string_view piece, std::size_t bytes_max, Buffer& out) {
    if (piece.empty()) {
      return Inflated::done;
    }
    if (inflater_ == nullptr) {
      inflater_ = borrow_inflater(window_bits_);
    }
    const std::size_t size_max = out.size() + std::min(bytes_max, kBytesMax - out.size());
    // One byte above the limit distinguishes "too large" from "exactly at the limit".
    const RawInflated status = run(piece, size_max + 1, out);
    // Check the size first, because whether an error after the limit is found depends on how the
    // payload was cut.
    if (out.size() > size_max) {
      out.truncate(size_max);
      return Inflated::too_large;
    }
    return status == RawInflated::corrupt ? Inflated::corrupt : Inflated::done;
  }

  Inflated end(std::size_t bytes_max, Buffer& out) {
    const Inflated inflated =
        place_ == Place::in_stream ? add_tail(bytes_max, out) : Inflated::done;
    place_ = Place::at_begin;
    if (takeover_ == Takeover::dropped) {
      release();
    }
    return inflated;
  }

 private:
  /// The position at the end of the payload so far. Only inside a stream does the tail complete the
  /// message. At the start, and after a block with BFINAL set, it would start another stream. For
  /// these cases, RFC 7692, sections 7.2.3.5 and 7.2.3.6, requires the peer to send a zero byte;
  /// peers that do not are accepted.
  enum class Place : std::uint8_t { at_begin, in_stream, behind_stream };

  RawInflated run(std::string_view piece, std::size_t size_max, Buffer& out) {
    while (true) {
      const RawInflater::Step step = inflater_->read(piece, out, size_max - out.size());
      piece.remove_prefix(step.consumed);
      place_ = Place::in_stream;
      if (step.status != RawInflated::ended) {
        return step.status;
      }
      place_ = Place::behind_stream;
      inflater_->go_on();
      if (piece.empty() || out.size() == size_max) {
        return RawInflated::need_more;
      }
    }
  }

  Inflated add_tail(std::size_t bytes_max, Buffer& out) {
    const Inflated inflated = add(kDeflateTail, bytes_max, out);
    // If a block was cut, the tail has been read as its data.
    const bool is_whole = inflated != Inflated::done || inflater_->is_between_blocks();
    return is_whole ? inflated : Inflated::corrupt;
  }

  void release() noexcept {
    if (inflater_ != nullptr) {
      give_back(window_bits_, std::move(inflater_));
    }
  }

  Takeover takeover_;
  int window_bits_;
  Place place_ = Place::at_begin;
  std::unique_ptr<RawInflater> inflater_;
};

/// Compresses messages to send.
class Deflating {
 public:
  Deflating(Takeover takeover, int window_bits, const DeflateOptions& options) noexcept
      : takeover_(takeover),
        bytes_min_(options.bytes_min),
        settings_{.level = options.level,
                  .window_bits = window_bits,
                  .memory_level = options.memory_level} {}

  Deflated run(std::string_view message, Buffer& out) {
    if (message.size() < bytes_min_) {
      return Deflated::declined;
    }
    if (message.empty()) {
      out.append('\0');  // RFC 7692, section 7.2.3.6
      return Deflated::done;
    }
    // If the context is kept, the message must be sent compressed, because later ones refer to it.
    return takeover_ == Takeover::kept ? run_on(message, out) : run_alone(message, out);
  }

 private:
  Deflated run_on(std::string_view message, Buffer& out) {
    if (own_ == nullptr) {
      own_ = std::make_unique<RawDeflater>(settings_);
    }
    write(*own_, message, out);
    return Deflated::done;
  }

  Deflated run_alone(std::string_view message, Buffer& out) {
    const std::size_t size_before = out.size();
    std::unique_ptr<RawDeflater> deflater = borrow_deflater(settings_);
    write(*deflater, message, out);
    give_back(settings_, std::move(deflater));
    // A message that did not get smaller is sent uncompressed: no later one refers to it.
    if (out.size() - size_before < message.size()) {
      return Deflated::done;
    }
    out.truncate(size_before);
    return Deflated::declined;
  }

  static void write(RawDeflater& deflater, std::string_view message, Buffer& out) {
    deflater.write(message, out);
    // The peer appends the tail again (RFC 7692, section 7.2.1).
    out.truncate(out.size() - kDeflateTail.size());
  }

  Takeover takeover_;
  std::size_t bytes_min_;
  RawDeflateSettings settings_;
  std::unique_ptr<RawDeflater> own_;
};

class DeflateCodec final : public MessageCodec {
 public:
  DeflateCodec(Takeover own, int own_bits, Takeover peers, int peers_bits,
               const DeflateOptions& options) noexcept
      : inflating_(peers, peers_bits), deflating_(own, own_bits, options) {}

  Inflated inflate(std::string_view piece, std::size_t bytes_max, Buffer& out) override {
    return inflating_.add(piece, bytes_max, out);
  }
  Inflated inflate_end(std::size_t bytes_max, Buffer& out) override {
    return inflating_.end(bytes_max, out);
  }
  Deflated deflate(std::string_view message, Buffer& out) override {
    return deflating_.run(message, out);
  }

 private:
  Inflating inflating_;
  Deflating deflating_;
};

}  // namespace

std::unique_ptr<MessageCodec> make_deflate_codec(Side own, const DeflateTerms& terms,
                                                 const DeflateOptions& options) {
  if (own == Side::server) {
    return std::make_unique<DeflateCodec>(terms.server_takeover, terms.server_window_bits,
                                          terms.client_takeover, terms.client_window_bits, options);
  }
  return std::make_unique<DeflateCodec>(terms.client_takeover, terms.client_window_bits,
                                        terms.server_takeover, terms.server_window_bits, options);
}

}  // namespace eider::ws
