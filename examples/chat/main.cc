// A chat: rooms, who is in them, and their last messages, for browsers on desks and phones.
// The options are those of every Eider application (--help). Over HTTPS (--tls-port 8443) pages and
// sockets share one HTTP/2 connection.
#include <eider/eider.h>
#include <eider/http2/http2.h>
#include <eider/tls/tls.h>

#include "pages.h"
#include "rooms.h"
#include "talk.h"

int main(int argc, char** argv) {
  eider::App app;
  eider::enable_http2(app);
  eider::enable_tls(app);
  app.state(chat::Rooms());
  chat::add_pages(app);
  chat::add_talk(app);
  return app.run(argc, argv);
}
