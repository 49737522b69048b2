#include "eider/core/json/binary.h"

#include "eider/core/json/binary_input.h"

namespace eider::json {

std::optional<std::string_view> read_binary(BinaryFormat format, std::string_view bytes,
                                            Buffer& out) {
  try {
    switch (format) {
      case BinaryFormat::cbor:
        detail::read_cbor(bytes, out);
        break;
      case BinaryFormat::msgpack:
        detail::read_msgpack(bytes, out);
        break;
    }
    return std::nullopt;
  } catch (const detail::Refused& refused) {
    return refused.why;
  }
}

void write_binary(BinaryFormat format, std::string& out, const Value& value) {
  switch (format) {
    case BinaryFormat::cbor:
      detail::write_cbor(out, value);
      return;
    case BinaryFormat::msgpack:
      detail::write_msgpack(out, value);
      return;
  }
}

}  // namespace eider::json
