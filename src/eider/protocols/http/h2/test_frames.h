// Builds frames by hand, and a session user that answers each request, for tests and the fuzzer.
// Layering: must not be included by anything else.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/protocols/http/h2/session.h"

namespace eider::h2::test {

/// RFC 9113, section 6.
enum class Type : std::uint8_t {
  data,
  headers,
  priority,
  rst_stream,
  settings,
  push_promise,
  ping,
  goaway,
  window_update,
  continuation
};

inline constexpr std::uint8_t kEndStream = 0x1;
inline constexpr std::uint8_t kAck = 0x1;
inline constexpr std::uint8_t kEndHeaders = 0x4;

inline std::string word(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16),
          static_cast<char>(value >> 8), static_cast<char>(value)};
}

inline std::string frame(Type type, std::uint8_t flags, std::uint32_t stream,
                         std::string_view payload = {}) {
  std::string text = word(static_cast<std::uint32_t>(payload.size())).substr(1);
  text += static_cast<char>(type);
  text += static_cast<char>(flags);
  return text + word(stream) + std::string(payload);
}

/// A frame as it was received.
struct Frame {
  Type type;
  std::uint8_t flags;
  std::uint32_t stream;
  std::string payload;
};

inline std::vector<Frame> frames_of(std::string_view bytes) {
  std::vector<Frame> all;
  const auto byte = [&bytes](std::size_t at) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at]));
  };
  while (bytes.size() >= 9) {
    const std::size_t size = byte(0) << 16 | byte(1) << 8 | byte(2);
    all.push_back({static_cast<Type>(bytes[3]), static_cast<std::uint8_t>(bytes[4]),
                   byte(5) << 24 | byte(6) << 16 | byte(7) << 8 | byte(8),
                   std::string(bytes.substr(9, size))});
    bytes.remove_prefix(std::min(bytes.size(), 9 + size));
  }
  return all;
}

/// A field without indexing. Pre: both are shorter than 127 bytes.
inline std::string literal(std::string_view name, std::string_view value) {
  std::string text(1, '\0');
  text += static_cast<char>(name.size());
  text += name;
  text += static_cast<char>(value.size());
  return text += value;
}

inline std::string get_block(std::string_view path = "/") {
  return literal(":method", "GET") + literal(":scheme", "http") + literal(":path", path) +
         literal(":authority", "h");
}

inline std::string get(std::uint32_t stream, std::string_view path = "/") {
  return frame(Type::headers, kEndHeaders | kEndStream, stream, get_block(path));
}

inline std::string begin() {
  return std::string(kPreface) + frame(Type::settings, 0, 0);
}

/// Answers each request with its path or with its content, and records its calls.
class Responder final : public SessionUser {
 public:
  explicit Responder(const SessionOptions& options = {}) : session(*this, options) {}

  /// Processes bytes; the output is appended to `sent`.
  void receive(std::string_view bytes, std::uint64_t now_ms = 1) {
    session.receive(bytes, now_ms);
    Buffer out;
    while (!session.send(out, 1024)) {
      sent += out.view();
      out.clear();
      if (session.is_over()) {
        return;
      }
    }
    sent += out.view();
  }

  [[nodiscard]] bool has_sent(Type type, std::uint32_t stream) const {
    return std::ranges::any_of(frames_of(sent), [=](const Frame& one) {
      return one.type == type && one.stream == stream;
    });
  }

  class Stream;
  std::string events;
  std::string sent;
  std::size_t open_count = 0;
  int parts = 0;
  bool ends_at_part = false;
  Session session;

 private:
  [[nodiscard]] StreamUser& on_stream(StreamId id) override;
  void on_part() override {
    ++parts;
    if (ends_at_part) {
      session.terminate(ErrorCode::internal_error);
    }
  }
  void on_pong() override { events += "pong\n"; }

  std::map<StreamId, std::unique_ptr<Stream>> streams_;
};

class Responder::Stream final : public StreamUser {
 public:
  Stream(Responder& owner, StreamId id) : owner_(owner), id_(id) { ++owner_.open_count; }

 private:
  HeadBuilder& head() noexcept override { return builder_; }
  void on_head(Ends ends) override {
    has_content_ended_ = ends == Ends::with_head;
    const auto refusal = builder_.finish(ends, request_);
    note(refusal ? "refused " + std::to_string(refusal->status)
                 : "head " + std::string(request_.target));
    if (refusal || ends == Ends::with_head) {
      respond(refusal ? std::to_string(refusal->status) : std::string(request_.target));
    }
  }
  void on_data(std::string_view bytes) override {
    content_ += bytes;
    owner_.session.consume(id_, bytes.size());
  }
  void on_content_end(std::string_view trailer_lines) override {
    has_content_ended_ = true;
    note("content " + content_ + (trailer_lines.empty() ? "" : " trailers"));
    respond(content_);
  }
  void on_answered() override {
    if (!has_content_ended_) {
      owner_.session.reset(id_, ErrorCode::no_error);
    }
  }
  void on_closed(ErrorCode why) override {
    note("closed " + std::to_string(static_cast<std::uint32_t>(why)));
    --owner_.open_count;
  }
  Ready ready(std::size_t bytes_max) noexcept override {
    const std::size_t bytes = std::min(bytes_max, response_.size());
    return {.bytes = bytes, .is_last = bytes == response_.size()};
  }
  bool put(char* to, std::size_t bytes) noexcept override {
    std::copy_n(response_.begin(), bytes, to);
    response_.erase(0, bytes);
    return true;
  }
  void note(const std::string& text) { owner_.events += std::to_string(id_) + " " + text + "\n"; }
  void respond(std::string text) {
    if (std::exchange(has_answered_, true)) {
      return;
    }
    response_ = std::move(text);
    const OutField status{":status", "200", OutField::Static::both};
    owner_.session.respond(id_, *this, {&status, 1},
                           response_.empty() ? Ends::with_head : Ends::with_content);
  }

  Responder& owner_;
  StreamId id_;
  HeadBuilder builder_;
  RequestHead request_;
  std::string content_;
  std::string response_;
  bool has_answered_ = false;
  bool has_content_ended_ = false;
};

inline StreamUser& Responder::on_stream(StreamId id) {
  return *(streams_[id] = std::make_unique<Stream>(*this, id));
}

}  // namespace eider::h2::test
