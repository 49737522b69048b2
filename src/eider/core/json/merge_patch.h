// JSON Merge Patch (RFC 7396): a document that says what changes in another.
// Must not check what comes out: that is for whoever reads it as something.
#pragma once

#include "eider/core/json/value.h"

namespace eider::json {

/// Objects are merged member by member, null takes a member away, and all else takes the place of
/// what was there. Their depth is that of what was read (Limits).
///
/// source  RFC 7396, section 2
void merge_patch(Value& target, const Value& patch);

}  // namespace eider::json
