#include "eider/core/json/read.h"

#include "eider/core/json/reader.h"

namespace eider::json {

Result<void> read_into(const reflect::Type& type, void* object, std::string_view text,
                       const Limits& limits) {
  return detail::Reader(limits).run(type, object, text);
}

}  // namespace eider::json
