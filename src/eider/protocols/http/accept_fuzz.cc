// Accept fields: the chosen type is one of those offered, and is also chosen if it is the only one.
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "eider/core/base/assert.h"
#include "eider/protocols/http/accept.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace eider;
  constexpr std::array<std::string_view, 2> kOffered = {"application/json",
                                                        "text/html; charset=utf-8"};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t line = text.find('\n');  // two fields if there is a line break
  const std::array<Field, 2> fields = {
      {{"Accept", text.substr(0, line)},
       {"Accept", line == std::string_view::npos ? "" : text.substr(line + 1)}}};
  const auto chosen = choose_media_type(fields, kOffered);
  for (std::size_t index = 0; index < kOffered.size(); ++index) {
    const auto alone = choose_media_type(fields, std::span(&kOffered[index], 1));
    ensure(!alone || chosen, "what is taken alone is taken among others");
    ensure(chosen != index || alone, "what is chosen is taken alone");
  }
  return 0;
}
