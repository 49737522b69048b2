#include "eider/core/json/read.h"

#include "eider/core/base/utf8.h"
#include "eider/core/json/reader.h"

namespace eider::json {

Result<void> read_into(const reflect::Type& type, void* object, std::string_view text,
                       const Limits& limits) {
  return detail::Reader(limits).run(type, object, without_bom(text));
}

}  // namespace eider::json
