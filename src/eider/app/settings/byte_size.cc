#include "eider/app/settings/byte_size.h"

#include <charconv>
#include <limits>

namespace eider {

namespace {

struct SizeUnit {
  std::string_view name;
  std::uint64_t bytes;
};

constexpr std::uint64_t kThousand = 1000;
/// Units of 1024 first, largest first.
constexpr SizeUnit kSizeUnits[] = {{"TiB", 1024 * ByteSize::kGiB},
                                   {"GiB", ByteSize::kGiB},
                                   {"MiB", ByteSize::kMiB},
                                   {"KiB", ByteSize::kKiB},
                                   {"B", 1},
                                   {"kB", kThousand},
                                   {"MB", kThousand* kThousand},
                                   {"GB", kThousand* kThousand* kThousand},
                                   {"TB", kThousand* kThousand* kThousand* kThousand}};

}  // namespace

Result<ByteSize, std::string> ByteSize::from_text(std::string_view text) {
  std::uint64_t count = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), count);
  const std::string_view name(end, text.data() + text.size());
  for (const SizeUnit& unit : kSizeUnits) {
    const bool fits = count <= std::numeric_limits<std::uint64_t>::max() / unit.bytes;
    if (fault == std::errc() && name == unit.name && fits) {
      return ByteSize{count * unit.bytes};
    }
  }
  return fail("must be a size such as 512B, 64KiB, 10MiB or 2GB");
}

std::string ByteSize::to_text() const {
  for (const SizeUnit& unit : kSizeUnits) {
    if (bytes != 0 && bytes % unit.bytes == 0) {
      return std::to_string(bytes / unit.bytes).append(unit.name);
    }
  }
  return "0B";
}

}  // namespace eider
