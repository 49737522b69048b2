// HTTP/2 for clients: for any input from a server, however it is cut, the output consists of whole
// frames, no response is reported twice, and both ways of cutting give the same result.
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/core/base/assert.h"
#include "eider/protocols/http/h2/test_asker.h"

namespace {

using eider::ensure;
using eider::h2::test::Asker;

void check_frames(std::string_view sent) {
  sent.remove_prefix(eider::h2::kPreface.size());
  while (!sent.empty()) {
    ensure(sent.size() >= 9, "a frame's head is whole");
    const auto byte = [sent](std::size_t at) {
      return static_cast<std::size_t>(static_cast<unsigned char>(sent[at]));
    };
    const std::size_t bytes = 9 + (byte(0) << 16 | byte(1) << 8 | byte(2));
    ensure(bytes <= sent.size() && bytes <= 9 + 16384, "a frame is whole, and no longer than 2^14");
    sent.remove_prefix(bytes);
  }
}

void check_events(std::string_view events) {
  for (const std::string_view stream : {"1", "3", "5"}) {
    for (const std::string_view what : {" head ", " content ", " closed "}) {
      const std::string text = std::string(stream) + std::string(what);
      const std::size_t first = events.find(text);
      ensure(first == std::string_view::npos ||
                 events.find("\n" + text, first) == std::string_view::npos,
             "a head, an end and a close come once");
    }
  }
}

void begin(Asker& user) {
  user.ask();
  user.ask("some content", "POST");
  user.ask({}, "HEAD");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view in(reinterpret_cast<const char*>(data), size);
  if (in.empty()) {
    return 0;
  }
  const std::size_t step = 1 + static_cast<unsigned char>(in.front());
  const std::string all = eider::h2::test::greeting() + std::string(in.substr(1));
  Asker whole;
  begin(whole);
  whole.receive(all);
  check_frames(whole.sent);
  check_events(whole.events);
  Asker pieces;
  begin(pieces);
  for (std::string_view rest = all; !rest.empty();
       rest.remove_prefix(std::min(step, rest.size()))) {
    pieces.receive(rest.substr(0, step));
  }
  check_frames(pieces.sent);
  check_events(pieces.events);
  return 0;
}
