// HTTP/2 sessions: for any input, however it is cut, the output consists of whole frames, and no
// more streams are open than allowed.
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/core/base/assert.h"
#include "eider/protocols/http/h2/test_frames.h"

namespace {

using eider::ensure;
using eider::h2::test::Responder;

/// The input without its first byte, after a client's preface.
std::string session_of(std::string_view in) {
  return eider::h2::test::begin() + std::string(in.substr(1));
}

void check_frames(std::string_view sent) {
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view in(reinterpret_cast<const char*>(data), size);
  if (in.empty()) {
    return 0;
  }
  const std::string all = session_of(in);
  Responder whole;
  whole.receive(all);
  check_frames(whole.sent);
  ensure(whole.open_count <= 100, "no more streams than were allowed");

  Responder pieces;
  const std::size_t step = 1 + static_cast<unsigned char>(in.front());
  for (std::string_view rest = all; !rest.empty();
       rest.remove_prefix(std::min(step, rest.size()))) {
    pieces.receive(rest.substr(0, step));
  }
  check_frames(pieces.sent);
  return 0;
}
