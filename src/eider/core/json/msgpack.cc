#include <bit>
#include <cstdint>

#include "eider/core/json/binary.h"
#include "eider/core/json/binary_input.h"

namespace eider::json::detail {

namespace {

class MsgpackReader {
 public:
  MsgpackReader(std::string_view bytes, Buffer& out) noexcept : in_(bytes), out_(out) {}

  void read_all() {
    item();
    if (!in_.is_at_end()) {
      throw Refused{"There is more data after the end of the value."};
    }
  }

 private:
  void item() {
    const Deeper deeper(depth_, kBinaryDepthMax);
    const unsigned char byte = in_.byte();
    if (byte < 0x80) {
      write(out_, static_cast<std::uint64_t>(byte));
    } else if (byte < 0x90) {
      map(byte & 0x0FU);
    } else if (byte < 0xA0) {
      array(byte & 0x0FU);
    } else if (byte < 0xC0) {
      put_text(out_, in_.take(byte & 0x1FU));
    } else if (byte < 0xE0) {
      longer(byte);
    } else {
      write(out_, static_cast<std::int64_t>(byte) - 0x100);
    }
  }

  void longer(unsigned char byte) {
    switch (byte) {
      case 0xC0:
        out_.append("null");
        return;
      case 0xC2:
        out_.append("false");
        return;
      case 0xC3:
        out_.append("true");
        return;
      case 0xC4:
      case 0xC5:
      case 0xC6:
        put_bytes(out_, in_.take(size_of(byte, 0xC4)));
        return;
      case 0xCA:
        put_real(out_, std::bit_cast<float>(static_cast<std::uint32_t>(in_.number(4))));
        return;
      case 0xCB:
        put_real(out_, std::bit_cast<double>(in_.number(8)));
        return;
      case 0xCC:
      case 0xCD:
      case 0xCE:
      case 0xCF:
        write(out_, size_of(byte, 0xCC));
        return;
      case 0xD0:
      case 0xD1:
      case 0xD2:
      case 0xD3:
        integer(byte);
        return;
      case 0xD9:
      case 0xDA:
      case 0xDB:
        put_text(out_, in_.take(size_of(byte, 0xD9)));
        return;
      case 0xDC:
      case 0xDD:
        array(in_.number(byte == 0xDC ? 2 : 4));
        return;
      case 0xDE:
      case 0xDF:
        map(in_.number(byte == 0xDE ? 2 : 4));
        return;
      default:
        throw Refused{"The data contains a value of a type that JSON does not have."};
    }
  }

  /// Reads a size of 1, 2, 4 or 8 bytes. `byte - first` is the binary logarithm of their number.
  std::uint64_t size_of(unsigned char byte, unsigned char first) {
    return in_.number(std::size_t{1} << static_cast<unsigned>(byte - first));
  }

  void integer(unsigned char byte) {
    const unsigned bits = 8U << static_cast<unsigned>(byte - 0xD0);
    const std::uint64_t number = size_of(byte, 0xD0) << (64U - bits);
    write(out_, static_cast<std::int64_t>(number) >> (64U - bits));
  }

  void array(std::uint64_t count) {
    out_.append('[');
    for (std::uint64_t index = 0; index < count; ++index) {
      if (index != 0) {
        out_.append(',');
      }
      item();
    }
    out_.append(']');
  }

  void map(std::uint64_t count) {
    out_.append('{');
    for (std::uint64_t index = 0; index < count; ++index) {
      if (index != 0) {
        out_.append(',');
      }
      key();
      out_.append(':');
      item();
    }
    out_.append('}');
  }

  void key() {
    const unsigned char byte = in_.byte();
    if (byte >= 0xA0 && byte < 0xC0) {
      put_text(out_, in_.take(byte & 0x1FU));
    } else if (byte >= 0xD9 && byte <= 0xDB) {
      put_text(out_, in_.take(size_of(byte, 0xD9)));
    } else {
      throw Refused{"The data contains a key that is not text."};
    }
  }

  BinaryInput in_;
  Buffer& out_;
  std::size_t depth_ = 0;
};

/// The initial bytes of an item with a size: `byte` for the smallest size, and the next values for
/// larger ones.
struct Sizes {
  unsigned char byte;
  unsigned char first_power;  // 0: one byte, 1: two, …
};

void put_sized(std::string& out, Sizes sizes, std::uint64_t size) {
  unsigned power = sizes.first_power;
  while (power < 3 && size >> (8U << power) != 0) {
    ++power;
  }
  out += static_cast<char>(sizes.byte + (power - sizes.first_power));
  put_big_endian(out, size, 1U << power);
}

/// Writes a size in the initial byte if it fits, or else after it.
void put_count(std::string& out, unsigned char fixed, unsigned fixed_max, Sizes sizes,
               std::uint64_t count) {
  if (count <= fixed_max) {
    out += static_cast<char>(fixed | count);
  } else {
    put_sized(out, sizes, count);
  }
}

void put_string(std::string& out, std::string_view text) {
  put_count(out, 0xA0, 31, {.byte = 0xD9, .first_power = 0}, text.size());
  out.append(text);
}

void put_natural(std::string& out, std::uint64_t number) {
  put_count(out, 0, 0x7F, {.byte = 0xCC, .first_power = 0}, number);
}

void put_integer(std::string& out, std::int64_t number) {
  if (number >= 0) {
    put_natural(out, static_cast<std::uint64_t>(number));
    return;
  }
  if (number >= -32) {
    out += static_cast<char>(number);
    return;
  }
  unsigned power = 0;
  while (power < 3 && number < -(std::int64_t{1} << ((8U << power) - 1))) {
    ++power;
  }
  out += static_cast<char>(0xD0 + power);
  put_big_endian(out, static_cast<std::uint64_t>(number), 1U << power);
}

}  // namespace

void read_msgpack(std::string_view bytes, Buffer& out) {
  MsgpackReader(bytes, out).read_all();
}

void write_msgpack(std::string& out, const Value& value) {
  switch (value.kind()) {
    case Value::Kind::kNull:
      out += '\xC0';
      return;
    case Value::Kind::kBool:
      out += value.boolean() ? '\xC3' : '\xC2';
      return;
    case Value::Kind::kSigned:
      put_integer(out, value.integer());
      return;
    case Value::Kind::kUnsigned:
      put_natural(out, value.unsigned_integer());
      return;
    case Value::Kind::kReal:
      put_number(out, value.number(), {'\xCA', '\xCB'});
      return;
    case Value::Kind::kString:
      put_string(out, value.text());
      return;
    case Value::Kind::kArray:
      put_count(out, 0x90, 15, {.byte = 0xDC, .first_power = 1}, value.size());
      for (const Value& element : value.elements()) {
        write_msgpack(out, element);
      }
      return;
    case Value::Kind::kObject:
      put_count(out, 0x80, 15, {.byte = 0xDE, .first_power = 1}, value.size());
      for (const Field& member : value.members()) {
        put_string(out, member.name);
        write_msgpack(out, member.value);
      }
      return;
  }
}

}  // namespace eider::json::detail
