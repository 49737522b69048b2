// The head of the answer to an upgrade, taken apart.
// Must not judge it: eider/http/ws/handshake.h does.
#pragma once

#include <string_view>
#include <vector>

#include "eider/http/head.h"

namespace load {

/// status  0 when the first line is none of HTTP/1.1
/// fields  views into the head; a line without a colon is passed over
struct UpgradeAnswer {
  int status = 0;
  std::vector<eider::Field> fields;
};

/// head  up to its empty line, without it
[[nodiscard]] UpgradeAnswer read_upgrade_answer(std::string_view head);

}  // namespace load
