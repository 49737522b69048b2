// Messages: the events depend neither on how the bytes are cut, nor on how they are delivered.
// The first byte selects side, limits and codec; the second one the cuts.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/assert.h"
#include "eider/core/base/utf8.h"
#include "eider/protocols/http/ws/message_reader.h"

namespace {

using namespace eider;
using namespace eider::ws;

// Small limits, so that they are reached, too.
constexpr MessageLimits kSmall{.message_bytes_max = 20, .fragments_max = 4};
constexpr MessageLimits kLarge{.message_bytes_max = 5000, .fragments_max = 100};

struct Choice {
  Side side;
  MessageLimits limits;
  bool has_codec;
};

Choice choose(unsigned flags) {
  return {(flags & 1U) != 0 ? Side::client : Side::server, (flags & 2U) != 0 ? kSmall : kLarge,
          (flags & 4U) != 0};
}

/// Each byte becomes two; a zero is corrupt, and so is an end after a one.
class DoublingCodec final : public MessageCodec {
 public:
  [[nodiscard]] Inflated inflate(std::string_view piece, std::size_t bytes_max,
                                 Buffer& out) override {
    const std::size_t size_max = out.size() + bytes_max;
    for (const char byte : piece) {
      if (byte == 0) {
        return Inflated::corrupt;
      }
      if (size_max - out.size() < 2) {
        return Inflated::too_large;
      }
      out.append(byte);
      out.append(byte);
      last_ = byte;
    }
    return Inflated::done;
  }
  [[nodiscard]] Inflated inflate_end(std::size_t /*bytes_max*/, Buffer& /*out*/) override {
    return last_ == 1 ? Inflated::corrupt : Inflated::done;
  }
  [[nodiscard]] Deflated deflate(std::string_view /*message*/, Buffer& /*out*/) override {
    return Deflated::declined;
  }

 private:
  char last_ = 0;
};

struct Told {
  EventKind kind;
  MessageType type;
  CloseCode code;
  std::string data;

  bool operator==(const Told&) const = default;
};

/// A connection, and all events of its reader. Pieces are joined.
class Connection {
 public:
  Connection(const Choice& choice, Delivery delivery) : reader_(choice.side, choice.limits) {
    if (choice.has_codec) {
      reader_.set_codec(codec_);
    }
    reader_.set_delivery(delivery);
  }

  [[nodiscard]] const std::vector<Told>& told() const noexcept { return told_; }

  void feed(std::string_view in) {
    const std::vector<char> exact(in.begin(), in.end());
    std::string_view rest(exact.data(), exact.size());
    while (reader_.refusal() == Refusal::none) {
      const Event event = reader_.read(rest, scratch_);
      ensure(event.consumed <= rest.size(), "no more is consumed than there is");
      rest.remove_prefix(event.consumed);
      if (event.kind == EventKind::need_more) {
        ensure(rest.empty(), "need_more leaves nothing");
        return;
      }
      note(event);
    }
  }

 private:
  void note(const Event& event) {
    if (event.kind != EventKind::piece) {
      told_.push_back({event.kind, event.type, event.code, std::string(event.data)});
      return;
    }
    message_.append(event.data);
    if (event.is_last) {
      told_.push_back({EventKind::message, event.type, event.code, message_});
      message_.clear();
    }
  }

  DoublingCodec codec_;
  MessageReader reader_;
  Buffer scratch_;
  std::string message_;
  std::vector<Told> told_;
};

/// step_bytes  the size of the pieces; 0: sizes that vary by `seed`
std::vector<Told> tell(std::string_view in, const Choice& choice, Delivery delivery,
                       std::size_t step_bytes, std::uint32_t seed) {
  Connection connection(choice, delivery);
  while (!in.empty()) {
    seed = seed * 1664525 + 1013904223;
    const std::size_t wanted = step_bytes != 0 ? step_bytes : 1 + (seed >> 27U);
    const std::size_t bytes = std::min(wanted, in.size());
    connection.feed(in.substr(0, bytes));
    in.remove_prefix(bytes);
  }
  return connection.told();
}

void check_told(const Told& told, const Choice& choice) {
  const bool is_message = told.kind == EventKind::message;
  ensure(!is_message || told.data.size() <= choice.limits.message_bytes_max, "limits hold");
  ensure(!is_message || told.type == MessageType::binary || is_utf8(told.data), "text is text");
  ensure(told.kind != EventKind::close || is_utf8(told.data), "reasons are text");
  ensure(is_message || told.data.size() <= kControlBytesMax, "control frames are short");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) {
    return 0;
  }
  const std::string_view in(reinterpret_cast<const char*>(data) + 2, size - 2);
  const Choice choice = choose(data[0]);
  const std::vector<Told> whole = tell(in, choice, Delivery::whole, in.size() + 1, 0);
  for (const Told& told : whole) {
    check_told(told, choice);
  }
  for (const std::size_t step_bytes : {0UL, 1UL, 5UL}) {
    ensure(tell(in, choice, Delivery::whole, step_bytes, data[1]) == whole, "cuts change nothing");
    ensure(tell(in, choice, Delivery::pieces, step_bytes, data[1]) == whole, "nor do pieces");
  }
  return 0;
}
