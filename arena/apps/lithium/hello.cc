// Hello world as lithium's README writes it: the ease table counts its lines.
// Must not be timed: app.cc is what is measured.
#include <lithium_http_server.hh>

int main() {
  li::http_api api;
  api.get("/") = [](li::http_request&, li::http_response& response) {
    response.write("Hello, World!");
  };
  li::http_serve(api, 8080);
}
