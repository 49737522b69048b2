// CBOR and MessagePack from any client: accepted input becomes JSON, and can be converted back.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/core/base/assert.h"
#include "eider/core/json/binary.h"
#include "eider/core/json/read.h"

namespace {

using namespace eider;

void check(json::BinaryFormat format, std::string_view bytes) {
  Buffer text;
  if (json::read_binary(format, bytes, text)) {
    return;
  }
  ensure(text.size() <= 8 * bytes.size() + 32, "the text is bounded");
  const auto value = json::read<json::Value>(text.view());
  if (!value) {
    return;  // a duplicate member
  }
  std::string again;
  json::write_binary(format, again, *value);
  Buffer second;
  ensure(!json::read_binary(format, again, second), "what is written can be read");
  const auto other = json::read<json::Value>(second.view());
  ensure(other && *other == *value, "and is the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check(json::BinaryFormat::cbor, bytes);
  check(json::BinaryFormat::msgpack, bytes);
  return 0;
}
