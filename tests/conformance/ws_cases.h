// All cases of WebSocket input.
// Layering: must not contain checks; tests of the reader, the client and the server share them.
#pragma once

#include "tests/conformance/ws_case.h"
#include "tests/conformance/ws_close_cases.h"
#include "tests/conformance/ws_fragment_cases.h"
#include "tests/conformance/ws_frame_cases.h"
#include "tests/conformance/ws_limit_cases.h"
#include "tests/conformance/ws_text_cases.h"

namespace eider::ws {

/// side  the receiver
inline WsCases all_ws_cases(Side side) {
  WsCases all = mask_cases(side);
  for (const WsCases& some :
       {size_cases(), control_cases(), reserved_bit_cases(), reserved_opcode_cases(),
        length_cases(), good_fragment_cases(), control_between_cases(), bad_fragment_cases(),
        good_text_cases(), bad_text_cases(), other_text_cases(), close_code_cases(),
        close_reason_cases(), behind_close_cases(), byte_limit_cases(), fragment_limit_cases()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace eider::ws
