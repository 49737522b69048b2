// Hello world as the C++ REST SDK's documentation writes it: the ease table counts its lines.
// Must not be timed: app.cc is what is measured.
#include <cpprest/http_listener.h>

#include <iostream>

using namespace web::http;

int main() {
  experimental::listener::http_listener listener("http://0.0.0.0:8080");
  listener.support(methods::GET, [](const http_request& request) {
    request.reply(status_codes::OK, "Hello, World!", "text/plain");
  });
  listener.open().wait();
  std::cin.get();
}
