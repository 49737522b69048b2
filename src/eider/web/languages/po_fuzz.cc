// Fuzzes catalogs: for any bytes, the texts are UTF-8, and each number has one.
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/core/base/assert.h"
#include "eider/core/base/utf8.h"
#include "eider/web/languages/po.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace eider;
  const std::string_view in(reinterpret_cast<const char*>(data), size);
  const auto read = detail::languages::read_po(in);
  if (!read) {
    ensure(!read.error().empty(), "what is wrong is told");
    return 0;
  }
  for (const std::uint64_t number : {0UL, 1UL, 2UL, 21UL, ~0UL}) {
    ensure(read->rule().form_of(number) < read->rule().count(), "each number has a form");
  }
  for (const std::string_view id : {"a", "Save"}) {
    const std::string* const text = read->find({"", id}, size);
    ensure(text == nullptr || is_utf8(*text), "texts are UTF-8");
  }
  return 0;
}
