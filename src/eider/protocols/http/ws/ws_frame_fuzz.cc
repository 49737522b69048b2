// Frame headers: the result does not depend on how they are cut, and they are written again byte
// for byte. The first byte selects the side and whether the first reserved bit is allowed.
#include <cstdint>
#include <string_view>

#include "eider/core/base/assert.h"
#include "eider/core/base/buffer.h"
#include "eider/protocols/http/ws/frame.h"

namespace {

using namespace eider;
using namespace eider::ws;

FrameReader make_reader(unsigned flags) {
  FrameReader reader((flags & 1U) != 0 ? Side::client : Side::server);
  reader.set_first_reserved_bit((flags & 2U) != 0 ? FirstReservedBit::compressed
                                                  : FirstReservedBit::refused);
  return reader;
}

void check_written(std::string_view in, const FrameStep& step) {
  Buffer out;
  write_frame_header(out, step.header);
  ensure(out.view() == in.substr(0, step.consumed), "a header has one spelling");
}

void check_cut(std::string_view in, std::size_t cut, unsigned flags, const FrameStep& whole) {
  FrameReader reader = make_reader(flags);
  FrameStep step = reader.read(in.substr(0, cut));
  std::size_t consumed = step.consumed;
  if (step.status == FrameStatus::need_more) {
    ensure(consumed == cut, "need_more leaves nothing");
    step = reader.read(in.substr(cut));
    consumed += step.consumed;
  }
  ensure(
      step.status == whole.status && step.refusal == whole.refusal && step.header == whole.header,
      "a cut changes nothing");
  ensure(whole.status == FrameStatus::refused || consumed == whole.consumed, "nor where it ends");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view in(reinterpret_cast<const char*>(data) + 1, size - 1);
  FrameReader reader = make_reader(data[0]);
  const FrameStep whole = reader.read(in.substr(0, kHeaderBytesMax));
  if (whole.status == FrameStatus::complete) {
    check_written(in, whole);
  }
  ensure(whole.status != FrameStatus::need_more || in.size() < kHeaderBytesMax,
         "no header is longer");
  for (std::size_t cut = 0; cut <= in.size() && cut <= kHeaderBytesMax; ++cut) {
    check_cut(in.substr(0, kHeaderBytesMax), cut, data[0], whole);
  }
  return 0;
}
