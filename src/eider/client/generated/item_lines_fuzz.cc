// Fuzzes ItemLines: the lines must not depend on how the bytes are cut.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/client/generated/api_stream.h"
#include "eider/core/base/assert.h"

namespace {

using namespace eider;
using detail::client::ItemLines;

constexpr std::size_t kLineBytesMax = 24;

/// Returns all lines of a stream whose bytes arrive in steps of `step_bytes`.
std::string read(std::string_view in, std::size_t step_bytes) {
  ItemLines lines(kLineBytesMax);
  std::string all;
  while (!in.empty()) {
    std::string_view arrived = in.substr(0, step_bytes);
    in.remove_prefix(arrived.size());
    while (true) {
      const ItemLines::Step step = lines.read(arrived);
      arrived.remove_prefix(step.consumed);
      if (step.status == ItemLines::Status::too_long) {
        return all + "too long";
      }
      if (step.status == ItemLines::Status::need_more) {
        ensure(arrived.empty(), "all is consumed");
        break;
      }
      ensure(lines.line().size() <= kLineBytesMax, "a line is bounded");
      all.append(lines.line()).append("\n");
    }
  }
  return lines.take_last() ? all.append(lines.line()).append("\n") : all;
}

/// The same, without state.
std::string expected(std::string_view in) {
  std::string all;
  while (!in.empty()) {
    const std::string_view line = in.substr(0, in.find('\n'));
    if (line.size() > kLineBytesMax) {
      return all + "too long";
    }
    in.remove_prefix(std::min(in.size(), line.size() + 1));
    if (line.find_first_not_of(" \t\r") != line.npos) {
      all.append(line).append("\n");
    }
  }
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view in(reinterpret_cast<const char*>(data), size);
  for (const std::size_t step_bytes : {std::size_t{1}, std::size_t{2}, std::size_t{7}, size + 1}) {
    ensure(read(in, step_bytes) == expected(in), "lines are those between line ends");
  }
  return 0;
}
