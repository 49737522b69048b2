// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::presence_page {

struct Message {
  std::int64_t id;
  std::string name;
  std::string text;
};
struct Room {
  History<Message> messages;
  Attendance people;
};
extern Room& room;
extern const std::string name, text, key, topic;
extern const std::int64_t next_id;
LeftOut refuse(std::string_view why);

}  // namespace docs::presence_page
