// Fuzzes two documents, one per line: the comparison must return, and a document compared with
// itself has no changes.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "cli/openapi/changes.h"
#include "eider/core/base/assert.h"
#include "eider/core/json/read.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace eider;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(text.find('\n'), size);
  const auto older = json::read<json::Value>(text.substr(0, end));
  const auto newer = json::read<json::Value>(text.substr(std::min(end + 1, size)));
  if (!older) {
    return 0;
  }
  // Only a document that is too large has a change, at its root.
  const auto own = openapi::breaking_changes(*older, *older);
  ensure(std::ranges::all_of(own, [](const auto& change) { return change.pointer.empty(); }),
         "nothing breaks where nothing has changed");
  if (newer) {
    (void)openapi::breaking_changes(*older, *newer);
    (void)openapi::breaking_changes(*newer, *older);
  }
  return 0;
}
