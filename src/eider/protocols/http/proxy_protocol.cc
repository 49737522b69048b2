#include "eider/protocols/http/proxy_protocol.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "eider/core/base/text.h"

namespace eider {

namespace {

using Header = Result<ProxyHeader, ProxyRefusal>;

constexpr std::string_view kLineStart = "PROXY ";
constexpr std::string_view kSignature("\r\n\r\n\0\r\nQUIT\n", 12);
constexpr std::size_t kFixedBytes = 16;
constexpr std::size_t kUnixPathBytes = 108;
constexpr std::size_t kExtensionHeadBytes = 3;
constexpr std::uint8_t kChecksumType = 0x03;
constexpr std::size_t kChecksumBytes = 4;

std::uint8_t byte_at(std::string_view bytes, std::size_t index) noexcept {
  return static_cast<std::uint8_t>(bytes[index]);
}

std::uint16_t number_at(std::string_view bytes, std::size_t index) noexcept {
  return static_cast<std::uint16_t>(byte_at(bytes, index) << 8 | byte_at(bytes, index + 1));
}

/// CRC-32C (RFC 3720, appendix B.4), reflected.
constexpr std::array<std::uint32_t, 256> make_crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t index = 0; index < 256; ++index) {
    std::uint32_t value = index;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value & 1) != 0 ? value >> 1 ^ 0x82F63B78U : value >> 1;
    }
    table[index] = value;
  }
  return table;
}
constexpr std::array<std::uint32_t, 256> kCrcTable = make_crc_table();

std::uint32_t crc32c(std::uint32_t sum, std::string_view bytes) noexcept {
  for (const char byte : bytes) {
    sum = sum >> 8 ^ kCrcTable[(sum ^ static_cast<std::uint8_t>(byte)) & 0xFF];
  }
  return sum;
}

/// The checksum of the whole header; its own four bytes count as zero.
std::uint32_t checksum_of(std::string_view block, std::size_t sum_at) noexcept {
  std::uint32_t sum = crc32c(~0U, block.substr(0, sum_at));
  sum = crc32c(sum, std::string_view("\0\0\0\0", kChecksumBytes));
  return ~crc32c(sum, block.substr(sum_at + kChecksumBytes));
}

/// The words of a line, separated by single blanks: two blanks enclose an empty word.
class Words {
 public:
  explicit Words(std::string_view line) noexcept : rest_(line) {}
  std::string_view next() noexcept {
    const std::size_t size = std::min(rest_.find(' '), rest_.size());
    const std::string_view word = rest_.substr(0, size);
    is_at_end_ = size == rest_.size();
    rest_.remove_prefix(is_at_end_ ? size : size + 1);
    return word;
  }
  bool is_at_end() const noexcept { return is_at_end_; }

 private:
  std::string_view rest_;
  bool is_at_end_ = false;
};

std::optional<IpAddress> read_address(std::string_view word, std::string_view family) noexcept {
  // The family and the address must agree; otherwise the header contradicts itself.
  const bool goes_with_family = word.contains(':') == (family == "TCP6");
  return goes_with_family ? IpAddress::parse(word) : std::nullopt;
}

/// Reads 0 to 65535 without leading zeros.
std::optional<std::uint16_t> read_plain_port(std::string_view word) noexcept {
  const bool is_plain = word.size() == 1 || !word.starts_with('0');
  return is_plain ? parse_integer<std::uint16_t>(word) : std::nullopt;
}

/// Reads "TCP4" or "TCP6", source, destination, source port, destination port; or "UNKNOWN" and any
/// text.
Header read_words(std::string_view line) {
  Words words(line);
  const std::string_view family = words.next();
  if (family == "UNKNOWN") {
    return ProxyHeader{};
  }
  if (family != "TCP4" && family != "TCP6") {
    return fail(ProxyRefusal::bad_line);
  }
  const auto source = read_address(words.next(), family);
  const auto destination = read_address(words.next(), family);
  const auto source_port = read_plain_port(words.next());
  const auto destination_port = read_plain_port(words.next());
  if (!source || !destination || !source_port || !destination_port || !words.is_at_end()) {
    return fail(ProxyRefusal::bad_line);
  }
  return ProxyHeader{
      ProxyHeader::Kind::ip, {*source, *source_port, {}}, {*destination, *destination_port, {}}};
}

template <std::size_t Bytes>
IpAddress address_at(std::string_view bytes, std::size_t index) noexcept {
  std::array<std::uint8_t, Bytes> raw{};
  std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(index), Bytes, raw.begin());
  if constexpr (Bytes == IpAddress::kV4Bytes) {
    return IpAddress::v4(raw);
  } else {
    return IpAddress::v6(raw);
  }
}

template <std::size_t Bytes>
ProxyHeader read_ip(std::string_view addresses) noexcept {
  return {ProxyHeader::Kind::ip,
          {address_at<Bytes>(addresses, 0), number_at(addresses, 2 * Bytes), {}},
          {address_at<Bytes>(addresses, Bytes), number_at(addresses, 2 * Bytes + 2), {}}};
}

ProxyHeader read_unix(std::string_view addresses) {
  const std::string_view source = addresses.substr(0, kUnixPathBytes);
  const std::string_view destination = addresses.substr(kUnixPathBytes, kUnixPathBytes);
  const auto until_nul = [](std::string_view path) {
    return std::string(path.substr(0, path.find('\0')));
  };
  return {
      ProxyHeader::Kind::unix_socket, {{}, 0, until_nul(source)}, {{}, 0, until_nul(destination)}};
}

/// The 14th byte of the block: address family and transport.
enum class Family : std::uint8_t {
  unspecified = 0x00,
  tcp4 = 0x11,
  tcp6 = 0x21,
  unix_stream = 0x31
};

struct Shape {
  Family family;
  std::size_t address_bytes;
};
constexpr Shape kShapes[] = {
    {Family::unspecified, 0},
    {Family::tcp4, 2 * IpAddress::kV4Bytes + 4},
    {Family::tcp6, 2 * IpAddress::kV6Bytes + 4},
    {Family::unix_stream, 2 * kUnixPathBytes},
};

ProxyHeader read_addresses(Family family, std::string_view addresses) {
  switch (family) {
    case Family::unspecified:
      break;
    case Family::tcp4:
      return read_ip<IpAddress::kV4Bytes>(addresses);
    case Family::tcp6:
      return read_ip<IpAddress::kV6Bytes>(addresses);
    case Family::unix_stream:
      return read_unix(addresses);
  }
  return {};
}

std::uint32_t long_at(std::string_view bytes, std::size_t index) noexcept {
  return static_cast<std::uint32_t>(number_at(bytes, index)) << 16 | number_at(bytes, index + 2);
}

/// Checks type, length and value of each extension, up to the end of the block.
ProxyRefusal check_extensions(std::string_view block, std::size_t at) noexcept {
  while (at < block.size()) {
    if (block.size() - at < kExtensionHeadBytes) {
      return ProxyRefusal::bad_length;
    }
    const std::uint8_t type = byte_at(block, at);
    const std::size_t bytes = number_at(block, at + 1);
    at += kExtensionHeadBytes;
    if (block.size() - at < bytes) {
      return ProxyRefusal::bad_length;
    }
    if (type == kChecksumType && bytes != kChecksumBytes) {
      return ProxyRefusal::bad_length;
    }
    if (type == kChecksumType && checksum_of(block, at) != long_at(block, at)) {
      return ProxyRefusal::bad_checksum;
    }
    at += bytes;
  }
  return ProxyRefusal::none;
}

const Shape* shape_of(std::uint8_t family) noexcept {
  const auto* shape = std::find_if(std::begin(kShapes), std::end(kShapes), [&](const Shape& one) {
    return static_cast<std::uint8_t>(one.family) == family;
  });
  return shape == std::end(kShapes) ? nullptr : shape;
}

/// For LOCAL, the rest of the block is ignored.
Header read_whole_block(std::string_view block) {
  const int version = byte_at(block, 12) >> 4;
  const int command = byte_at(block, 12) & 0xF;
  if (version != 2 || command > 1) {
    return fail(version != 2 ? ProxyRefusal::bad_version : ProxyRefusal::bad_command);
  }
  const Shape* shape = shape_of(byte_at(block, 13));
  const bool is_local = command == 0;
  // The addresses of a LOCAL command must be ignored (section 2.2 of the specification).
  if (is_local || (shape != nullptr && shape->family == Family::unspecified)) {
    return ProxyHeader{};
  }
  if (shape == nullptr) {
    return fail(ProxyRefusal::bad_family);
  }
  if (block.size() < kFixedBytes + shape->address_bytes) {
    return fail(ProxyRefusal::bad_length);
  }
  const ProxyRefusal refusal = check_extensions(block, kFixedBytes + shape->address_bytes);
  if (refusal != ProxyRefusal::none) {
    return fail(refusal);
  }
  return read_addresses(shape->family, block.substr(kFixedBytes));
}

}  // namespace

std::string_view text(ProxyRefusal refusal) noexcept {
  switch (refusal) {
    case ProxyRefusal::none:
      return "nothing was rejected";
    case ProxyRefusal::no_header:
      return "the connection does not start with a PROXY header";
    case ProxyRefusal::line_too_long:
      return "the PROXY line is longer than 107 bytes";
    case ProxyRefusal::bad_line:
      return "the PROXY line is not valid";
    case ProxyRefusal::bad_version:
      return "the PROXY header has an unknown version";
    case ProxyRefusal::bad_command:
      return "the PROXY header has an unknown command";
    case ProxyRefusal::bad_family:
      return "the PROXY header is for another type of socket";
    case ProxyRefusal::too_large:
      return "the PROXY header is larger than allowed";
    case ProxyRefusal::bad_length:
      return "the lengths in the PROXY header do not match";
    case ProxyRefusal::bad_checksum:
      return "the checksum of the PROXY header is wrong";
  }
  return "";
}

ProxyStatus ProxyReader::refuse(ProxyRefusal refusal) noexcept {
  refusal_ = refusal;
  return ProxyStatus::refused;
}

ProxyStatus ProxyReader::take(Result<ProxyHeader, ProxyRefusal> header, std::size_t bytes) {
  if (!header) {
    return refuse(header.error());
  }
  header_ = std::move(*header);
  header_bytes_ = bytes;
  return ProxyStatus::complete;
}

ProxyStep ProxyReader::read(std::string_view in) {
  if (refusal_ != ProxyRefusal::none) {
    return {ProxyStatus::refused, 0};
  }
  const std::size_t before = gathered_.size();
  // One byte more than the largest header is enough to detect one that is too large.
  const std::size_t room = std::max(block_bytes_max_, kProxyLineBytesMax) + 1 - before;
  const std::string_view taken = in.substr(0, room);
  if (before > 0) {
    gathered_.append(taken);
  }
  const ProxyStatus status = read_whole(before > 0 ? std::string_view(gathered_) : taken);
  // A header is copied only if it arrives in pieces.
  if (status == ProxyStatus::need_more && before == 0) {
    gathered_ = taken;
  }
  // Bytes from earlier calls do not count for this input.
  const std::size_t of_header = status == ProxyStatus::complete ? header_bytes_ - before : 0;
  return {status, status == ProxyStatus::need_more ? taken.size() : of_header};
}

/// bytes  from the start of the connection, with or without data after the header
ProxyStatus ProxyReader::read_whole(std::string_view bytes) {
  const auto begins_as = [&](std::string_view start) {
    return start.substr(0, bytes.size()) == bytes.substr(0, start.size());
  };
  if (begins_as(kLineStart)) {
    return read_line(bytes);
  }
  return begins_as(kSignature) ? read_block(bytes) : refuse(ProxyRefusal::no_header);
}

/// Version 1: one line of text.
ProxyStatus ProxyReader::read_line(std::string_view bytes) {
  // Search the line end only within the limit, so that a long line is not searched twice.
  const std::size_t end = bytes.substr(0, kProxyLineBytesMax).find("\r\n");
  if (end == std::string_view::npos) {
    return bytes.size() < kProxyLineBytesMax ? ProxyStatus::need_more
                                             : refuse(ProxyRefusal::line_too_long);
  }
  const std::string_view line = bytes.substr(0, end);
  return take(read_words(line.substr(std::min(kLineStart.size(), end))), end + 2);
}

/// Version 2: signature, version and command, family, length, addresses, extensions.
ProxyStatus ProxyReader::read_block(std::string_view bytes) {
  if (bytes.size() < kFixedBytes) {
    return ProxyStatus::need_more;
  }
  const std::size_t block_bytes = kFixedBytes + number_at(bytes, 14);
  if (block_bytes > block_bytes_max_) {
    return refuse(ProxyRefusal::too_large);
  }
  return bytes.size() < block_bytes
             ? ProxyStatus::need_more
             : take(read_whole_block(bytes.substr(0, block_bytes)), block_bytes);
}

}  // namespace eider
