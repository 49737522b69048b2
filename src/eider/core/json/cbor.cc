#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "eider/core/json/binary.h"
#include "eider/core/json/binary_input.h"

namespace eider::json::detail {

namespace {

/// The first three bits of an item (RFC 8949, section 3.1).
enum class Major : unsigned char { natural, negative, bytes, text, array, map, tag, simple };

constexpr unsigned kIndefinite = 31;
constexpr unsigned char kBreak = 0xFF;

struct Head {
  Major major;
  unsigned info;
};

/// IEEE 754 half precision (RFC 8949, appendix D).
double half(std::uint64_t bits) noexcept {
  const int exponent = static_cast<int>(bits >> 10U & 0x1FU);
  const auto mantissa = static_cast<double>(bits & 0x3FFU);
  double value = 0;
  if (exponent == 0) {
    value = std::ldexp(mantissa, -24);
  } else if (exponent == 31) {
    value = std::numeric_limits<double>::quiet_NaN();  // infinities are rejected like NaN
  } else {
    value = std::ldexp(mantissa + 1024, exponent - 25);
  }
  return (bits & 0x8000U) != 0 ? -value : value;
}

class CborReader {
 public:
  CborReader(std::string_view bytes, Buffer& out) noexcept : in_(bytes), out_(out) {}

  void read_all() {
    item();
    if (!in_.is_at_end()) {
      throw Refused{"There is more data after the end of the value."};
    }
  }

 private:
  Head head() {
    const unsigned char byte = in_.byte();
    return {static_cast<Major>(byte >> 5U), byte & 0x1FU};
  }

  /// Pre: not kIndefinite.
  std::uint64_t argument(unsigned info) {
    constexpr unsigned kOneByte = 24;
    if (info < kOneByte) {
      return info;
    }
    if (info > kOneByte + 3) {
      throw Refused{"The data contains a reserved byte."};
    }
    return in_.number(std::size_t{1} << (info - kOneByte));
  }

  void item() {
    const Deeper deeper(depth_, kBinaryDepthMax);
    const auto [major, info] = head();
    switch (major) {
      case Major::natural:
        write(out_, argument(info));
        return;
      case Major::negative:
        negative(argument(info));
        return;
      case Major::bytes:
        put_bytes(out_, string(major, info));
        return;
      case Major::text:
        put_text(out_, string(major, info));
        return;
      case Major::array:
        array(info);
        return;
      case Major::map:
        map(info);
        return;
      case Major::tag:
        (void)argument(info);  // a tag: the type of the member already determines the meaning
        item();
        return;
      case Major::simple:
        simple(info);
        return;
    }
  }

  /// The number is -1 - argument.
  void negative(std::uint64_t argument) {
    if (argument > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      throw Refused{"The data contains an integer that is too small."};
    }
    write(out_, -1 - static_cast<std::int64_t>(argument));
  }

  /// Reads a string of known length, or pieces of known length up to a break.
  std::string_view string(Major major, unsigned info) {
    if (info != kIndefinite) {
      return in_.take(argument(info));
    }
    joined_.clear();
    while (in_.peek() != kBreak) {
      const auto [chunk_major, chunk_info] = head();
      if (chunk_major != major || chunk_info == kIndefinite) {
        throw Refused{"The data contains text with parts of another type."};
      }
      joined_.append(in_.take(argument(chunk_info)));
    }
    (void)in_.byte();
    return joined_;
  }

  /// Returns whether there is another item, by the count or up to a break.
  bool has_next(unsigned info, std::uint64_t& left) {
    if (info == kIndefinite) {
      const bool is_end = in_.peek() == kBreak;
      if (is_end) {
        (void)in_.byte();
      }
      return !is_end;
    }
    return left-- != 0;
  }

  void array(unsigned info) {
    std::uint64_t left = info == kIndefinite ? 0 : argument(info);
    out_.append('[');
    for (bool is_first = true; has_next(info, left); is_first = false) {
      if (!is_first) {
        out_.append(',');
      }
      item();
    }
    out_.append(']');
  }

  void map(unsigned info) {
    std::uint64_t left = info == kIndefinite ? 0 : argument(info);
    out_.append('{');
    for (bool is_first = true; has_next(info, left); is_first = false) {
      if (!is_first) {
        out_.append(',');
      }
      const auto [major, key_info] = head();
      if (major != Major::text) {
        throw Refused{"The data contains a key that is not text."};
      }
      put_text(out_, string(major, key_info));
      out_.append(':');
      item();
    }
    out_.append('}');
  }

  void simple(unsigned info) {
    switch (info) {
      case 20:
        out_.append("false");
        return;
      case 21:
        out_.append("true");
        return;
      case 22:
      case 23:  // undefined
        out_.append("null");
        return;
      case 25:
        put_real(out_, half(in_.number(2)));
        return;
      case 26:
        put_real(out_, std::bit_cast<float>(static_cast<std::uint32_t>(in_.number(4))));
        return;
      case 27:
        put_real(out_, std::bit_cast<double>(in_.number(8)));
        return;
      default:
        throw Refused{"The data contains a reserved byte."};
    }
  }

  BinaryInput in_;
  Buffer& out_;
  std::string joined_;
  std::size_t depth_ = 0;
};

void put_head(std::string& out, Major major, std::uint64_t argument) {
  const auto front = static_cast<unsigned>(major) << 5U;
  if (argument < 24) {
    out += static_cast<char>(front | static_cast<unsigned>(argument));
    return;
  }
  const unsigned power = argument <= 0xFF         ? 0
                         : argument <= 0xFFFF     ? 1
                         : argument <= 0xFFFFFFFF ? 2
                                                  : 3;
  out += static_cast<char>(front | (24 + power));
  put_big_endian(out, argument, 1U << power);
}

}  // namespace

void read_cbor(std::string_view bytes, Buffer& out) {
  CborReader(bytes, out).read_all();
}

void write_cbor(std::string& out, const Value& value) {
  switch (value.kind()) {
    case Value::Kind::kNull:
      out += '\xF6';
      return;
    case Value::Kind::kBool:
      out += value.boolean() ? '\xF5' : '\xF4';
      return;
    case Value::Kind::kSigned: {
      const std::int64_t number = value.integer();
      put_head(out, number < 0 ? Major::negative : Major::natural,
               static_cast<std::uint64_t>(number < 0 ? -1 - number : number));
      return;
    }
    case Value::Kind::kUnsigned:
      put_head(out, Major::natural, value.unsigned_integer());
      return;
    case Value::Kind::kReal:
      put_number(out, value.number(), {'\xFA', '\xFB'});
      return;
    case Value::Kind::kString:
      put_head(out, Major::text, value.text().size());
      out.append(value.text());
      return;
    case Value::Kind::kArray:
      put_head(out, Major::array, value.size());
      for (const Value& element : value.elements()) {
        write_cbor(out, element);
      }
      return;
    case Value::Kind::kObject:
      put_head(out, Major::map, value.size());
      for (const Field& member : value.members()) {
        put_head(out, Major::text, member.name.size());
        out.append(member.name);
        write_cbor(out, member.value);
      }
      return;
  }
}

}  // namespace eider::json::detail
