// Range fields: the chosen ranges are disjoint, within the representation, and can be requested.
// The first byte decides the size of the representation.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/core/base/assert.h"
#include "eider/protocols/http/range.h"

namespace {

using namespace eider;

constexpr std::uint64_t kSizes[] = {0, 1, 2, 500, 10000, 1ULL << 32U, ~std::uint64_t{0}};

void check_partial(ByteRanges ranges, std::uint64_t size) {
  ensure(!ranges.empty(), "a partial answer has a part");
  std::ranges::sort(ranges.view(), {}, &ByteRange::first);
  std::uint64_t free_from = 0;
  for (const ByteRange& range : ranges.view()) {
    ensure(range.bytes != 0 && range.first >= free_from, "ranges are disjoint");
    ensure(range.first < size && range.bytes <= size - range.first, "ranges are within");
    free_from = range.first + range.bytes;
    const std::string again =
        "bytes=" + std::to_string(range.first) + "-" + std::to_string(range.last());
    const RangeChoice chosen = choose_ranges(again, size);
    ensure(chosen.ranges.size() == 1 && chosen.ranges.view()[0] == range,
           "a range asks for itself");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::uint64_t bytes = kSizes[data[0] % std::size(kSizes)];
  const std::string_view field(reinterpret_cast<const char*>(data) + 1, size - 1);
  const RangeChoice choice = choose_ranges(field, bytes);
  if (choice.kind == RangeChoice::Kind::partial) {
    check_partial(choice.ranges, bytes);
  }
  return 0;
}
