// Chunked bodies: content, end and errors do not depend on how the bytes are cut.
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/core/base/assert.h"
#include "eider/core/base/buffer.h"
#include "eider/protocols/http/h1/chunked.h"
#include "eider/protocols/http/h1/writer.h"

namespace {

using namespace eider;
using namespace eider::h1;

struct Decoded {
  ChunkedStatus status = ChunkedStatus::need_more;
  std::string content = {};
  std::size_t consumed = 0;

  bool operator==(const Decoded&) const = default;
};

/// Decodes `in`, of which at most `step_bytes` arrive at once.
Decoded decode(std::string_view in, std::size_t step_bytes) {
  ChunkedReader reader;
  Decoded decoded;
  while (decoded.consumed < in.size()) {
    const ChunkedStep step = reader.read(in.substr(decoded.consumed, step_bytes));
    decoded.status = step.status == ChunkedStatus::data ? ChunkedStatus::need_more : step.status;
    decoded.content.append(step.data);
    decoded.consumed += step.consumed;
    if (step.status == ChunkedStatus::done || step.status == ChunkedStatus::refused) {
      break;
    }
  }
  return decoded;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view in(reinterpret_cast<const char*>(data), size);
  const Decoded whole = decode(in, in.size());
  for (const std::size_t step_bytes : {1UL, 2UL, 7UL}) {
    ensure(decode(in, step_bytes) == whole, "cuts change nothing");
  }
  if (whole.status == ChunkedStatus::done) {
    Buffer out;
    write_chunk(out, whole.content);
    out.append(kLastChunk);
    ensure(decode(out.view(), 3).content == whole.content, "what was decoded can be written");
  }
  return 0;
}
