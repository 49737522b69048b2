#include "eider/io/net/error.h"

#include "eider/core/reflect/type_of.h"

namespace eider::net {

std::string_view to_text(ConnectFault fault) noexcept {
  return reflect::enumerator_name(fault);
}

}  // namespace eider::net
