// Hello world as RESTinio's own introduction writes it: the ease table counts its lines.
// Must not be timed: app.cc is what is measured.
#include <restinio/all.hpp>

int main() {
  restinio::run(
      restinio::on_this_thread().port(8080).address("localhost").request_handler([](auto request) {
        return request->create_response().set_body("Hello, World!").done();
      }));
}
