// A chat: rooms, who is in them, and their last messages, for browsers on desks and phones.
// The options are those of every Eider application (--help).
#include <eider/eider.h>

#include "pages.h"
#include "rooms.h"
#include "talk.h"

int main(int argc, char** argv) {
  eider::App app;
  app.state(chat::Rooms());
  chat::add_pages(app);
  chat::add_talk(app);
  return app.run(argc, argv);
}
