// A request head as one line of text, to compare two readers.
// Layering: must not leave out anything on which an application or the framing can depend.
#pragma once

#include <string>

#include "eider/protocols/http/head.h"

namespace eider::h1 {

inline std::string describe_body(const RequestHead& head) {
  switch (head.body) {
    case BodyKind::none:
      return "none";
    case BodyKind::sized:
      return "sized:" + std::to_string(head.content_length);
    case BodyKind::chunked:
      return "chunked";
  }
  return {};
}

/// Returns "METHOD path?query host=... 1.x body stays|closes [continue] [upgrade] name=value...",
/// without the field Host.
inline std::string describe(const RequestHead& head) {
  std::string text(to_text(head.method));
  text.append(" ").append(head.path);
  if (!head.query.empty()) {
    text.append("?").append(head.query);
  }
  text.append(" host=").append(head.authority);
  text.append(head.minor_version == 0 ? " 1.0 " : " 1.1 ").append(describe_body(head));
  text.append(head.keeps_alive ? " stays" : " closes");
  text.append(head.expects_continue ? " continue" : "");
  text.append(head.wants_upgrade ? " upgrade" : "");
  for (const Field& field : head.fields) {
    const bool is_host = field.name.size() == 4 && (field.name[0] | 0x20) == 'h' &&
                         (field.name[1] | 0x20) == 'o' && (field.name[2] | 0x20) == 's' &&
                         (field.name[3] | 0x20) == 't';
    if (!is_host) {
      text.append(" ").append(field.name).append("=").append(field.value);
    }
  }
  return text;
}

}  // namespace eider::h1
