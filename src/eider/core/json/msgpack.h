// MessagePack to and from JSON.
// Layering: must not be used by others than binary.h, which chooses the format.
#pragma once

#include <string>
#include <string_view>

#include "eider/core/base/buffer.h"
#include "eider/core/json/value.h"

namespace eider::json::detail {

/// As `read_binary`, throwing Refused.
void read_msgpack(std::string_view bytes, Buffer& out);
void write_msgpack(std::string& out, const Value& value);

}  // namespace eider::json::detail
