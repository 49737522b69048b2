// Checks the parameters and slots of a component call.
// Layering: must not insert them; assemble.h does.
#pragma once

#include "eider/web/views/tree.h"

namespace eider::views {

/// errors  throws Refused for an argument without a parameter, one that is given twice, and content
///         without a slot
void expect_call(const Node& call, const Node& component);

}  // namespace eider::views
