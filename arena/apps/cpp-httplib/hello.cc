// Hello world as cpp-httplib's README writes it: the ease table counts its lines.
// Must not be timed: app.cc is what is measured.
#include <httplib.h>

int main() {
  httplib::Server server;
  server.Get("/", [](const httplib::Request&, httplib::Response& response) {
    response.set_content("Hello, World!", "text/plain");
  });
  server.listen("0.0.0.0", 8080);
}
