// Lists of entity tags: each tag found is valid by itself, and is found in the list.
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/core/base/assert.h"
#include "eider/protocols/http/etag.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace eider;
  const std::string_view value(reinterpret_cast<const char*>(data), size);
  EntityTagReader tags(value);
  std::size_t count = 0;
  while (const auto tag = tags.next()) {
    const std::string mark = tag->strength == TagStrength::weak ? "W/" : "";
    const std::string text = mark + '"' + std::string(tag->opaque) + '"';
    const auto again = parse_entity_tag(text);
    ensure(again && again->opaque == tag->opaque && again->strength == tag->strength,
           "a tag is read as written");
    ensure(lists_tag(value, *tag, TagStrength::weak), "what was found is listed");
    ++count;
  }
  ensure(count <= EntityTagReader::kCountMax, "the list has an end");
  ensure(!tags.next().has_value(), "the end stays the end");
  return 0;
}
