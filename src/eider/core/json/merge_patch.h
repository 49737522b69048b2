// Applies a JSON Merge Patch (RFC 7396).
// Layering: must not check the result: its reader does.
#pragma once

#include "eider/core/json/value.h"

namespace eider::json {

/// Applies `patch` to `target`: objects are merged member by member, null removes a member, and
/// other values replace the old ones. The reader limits the depth (Limits).
///
/// source  RFC 7396, section 2
void merge_patch(Value& target, const Value& patch);

}  // namespace eider::json
