// A user of client sessions that records its calls, for tests and the fuzzer.
// Layering: must not be included by anything else.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eider/protocols/http/h2/client_session.h"
#include "eider/protocols/http/h2/test_frames.h"

namespace eider::h2::test {

/// HEADERS of a response.
inline std::string reply(std::uint32_t stream, std::uint8_t flags = kEndStream,
                         std::string_view status = "200", std::string_view more = {}) {
  return frame(Type::headers, static_cast<std::uint8_t>(flags | kEndHeaders), stream,
               literal(":status", status) + std::string(more));
}

/// The first bytes from a server.
inline std::string greeting(std::string_view settings = {}) {
  return frame(Type::settings, 0, 0, settings);
}

/// One entry of SETTINGS.
inline std::string setting(char number, std::uint32_t value) {
  return std::string({'\0', number}) + word(value);
}

inline constexpr char kMaxConcurrentStreams = 3;
inline constexpr char kInitialWindowSize = 4;

class Asker {
 public:
  explicit Asker(const ClientSessionOptions& options = {}) : session(options) {}

  /// Starts a request; `content` follows its head unless it is empty.
  ///
  /// more  further fields
  StreamId ask(std::string_view content = {}, std::string_view method = "GET",
               const std::vector<OutField>& more = {}) {
    streams_.push_back(std::make_unique<Stream>(*this, content));
    std::vector<OutField> fields = {
        {":method", method}, {":scheme", "http"}, {":authority", "h"}, {":path", "/"}};
    fields.insert(fields.end(), more.begin(), more.end());
    Stream& stream = *streams_.back();
    stream.id =
        session.request(stream, fields, content.empty() ? Ends::with_head : Ends::with_content);
    send();
    return stream.id;
  }
  /// Processes bytes; the output is appended to `sent`.
  void receive(std::string_view bytes, std::uint64_t now_ms = 1) {
    session.receive(bytes, now_ms);
    send();
  }
  void send() {
    Buffer out;
    while (!session.send(out, 1024) && !session.is_over()) {
      sent += out.view();
      out.clear();
    }
    sent += out.view();
  }
  [[nodiscard]] bool has_sent(Type type, std::uint32_t stream) const {
    std::string_view rest = std::string_view(sent).substr(kPreface.size());
    while (rest.size() >= 9) {
      const auto byte = [rest](std::size_t at) {
        return static_cast<std::uint32_t>(static_cast<unsigned char>(rest[at]));
      };
      const std::uint32_t id = byte(5) << 24 | byte(6) << 16 | byte(7) << 8 | byte(8);
      if (static_cast<Type>(rest[3]) == type && id == stream) {
        return true;
      }
      rest.remove_prefix(
          std::min<std::size_t>(rest.size(), 9 + (byte(0) << 16 | byte(1) << 8 | byte(2))));
    }
    return false;
  }

  std::string events;
  std::string sent;
  bool consumes = true;
  ClientSession session;

 private:
  struct Stream final : ReplyUser {
    Stream(Asker& of, std::string_view its_content) : owner(of), content(its_content) {}
    void note(const std::string& text) { owner.events += std::to_string(id) + " " + text + "\n"; }
    void on_interim(const ReplyHead& head) override {
      note("interim " + std::to_string(head.status));
    }
    void on_head(const ReplyHead& head) override {
      std::string text = "head " + std::to_string(head.status);
      for (const Field& field : head.fields) {
        text.append(" ").append(field.name).append("=").append(field.value);
      }
      note(text);
    }
    void on_data(std::string_view bytes) override {
      received += bytes;
      if (owner.consumes) {
        owner.session.consume(id, bytes.size());
      }
    }
    void on_end(std::string_view trailer_lines) override {
      note("content " + received + (trailer_lines.empty() ? "" : " trailers"));
    }
    void on_closed(const StreamEnd& end) override {
      static constexpr std::string_view kNames[] = {"whole",  "reset",     "refused",
                                                    "unseen", "malformed", "too_large"};
      note("closed " + std::string(kNames[static_cast<std::size_t>(end.fate)]));
    }
    Ready ready(std::size_t bytes_max) noexcept override {
      const std::size_t bytes = std::min(bytes_max, content.size());
      return {.bytes = bytes, .is_last = bytes == content.size()};
    }
    void put(char* to, std::size_t bytes) noexcept override {
      content.copy(to, bytes);
      content.erase(0, bytes);
    }

    Asker& owner;
    StreamId id = 0;
    std::string content;
    std::string received;
  };

  std::vector<std::unique_ptr<Stream>> streams_;
};

}  // namespace eider::h2::test
