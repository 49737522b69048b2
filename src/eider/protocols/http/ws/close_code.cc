#include "eider/protocols/http/ws/close_code.h"

namespace eider::ws {

namespace {

std::string_view name_of_range(std::uint16_t code) noexcept {
  if (code >= 4000 && code <= 4999) {
    return "application code";
  }
  return code >= 3000 && code <= 3999 ? "library code" : "unknown code";
}

}  // namespace

std::string_view name_of(CloseCode code) noexcept {
  switch (code) {
    case CloseCode::normal:
      return "normal";
    case CloseCode::going_away:
      return "going away";
    case CloseCode::protocol_error:
      return "protocol error";
    case CloseCode::unsupported_data:
      return "unsupported data";
    case CloseCode::no_status:
      return "no status";
    case CloseCode::abnormal:
      return "abnormal";
    case CloseCode::invalid_data:
      return "invalid data";
    case CloseCode::policy_violation:
      return "policy violation";
    case CloseCode::message_too_big:
      return "message too big";
    case CloseCode::extension_needed:
      return "extension needed";
    case CloseCode::internal_error:
      return "internal error";
    case CloseCode::service_restart:
      return "service restart";
    case CloseCode::try_again_later:
      return "try again later";
    case CloseCode::bad_gateway:
      return "bad gateway";
    case CloseCode::tls_failure:
      return "TLS failure";
  }
  return name_of_range(static_cast<std::uint16_t>(code));
}

}  // namespace eider::ws
