// Whether an app opens its HTTP addresses: a state that a module sets.
// Layering: must not know the module; App::serve reads it after the options were read.
#pragma once

#include <functional>

#include "eider/core/base/result.h"

namespace eider::detail::app {

struct ListenRule {
  /// errors  the options contradict each other
  std::function<Result<bool>()> listens;
};

}  // namespace eider::detail::app
