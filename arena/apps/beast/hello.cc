// Hello world as Beast's own synchronous examples write it: the ease table counts its lines.
// Must not be timed: app.cc is what is measured.
#include <boost/asio.hpp>
#include <boost/beast.hpp>
#include <thread>

namespace http = boost::beast::http;
using boost::asio::ip::tcp;

void serve(tcp::socket socket) {
  boost::beast::flat_buffer buffer;
  boost::beast::error_code error;
  for (bool is_open = true; is_open && !error;) {
    http::request<http::string_body> request;
    http::read(socket, buffer, request, error);
    if (error) {
      return;
    }
    http::response<http::string_body> response(http::status::ok, request.version());
    response.set(http::field::content_type, "text/plain");
    response.body() = "Hello, World!";
    response.keep_alive(request.keep_alive());
    response.prepare_payload();
    http::write(socket, response, error);
    is_open = response.keep_alive();
  }
}

int main() {
  boost::asio::io_context context;
  tcp::acceptor acceptor(context, {tcp::v4(), 8080});
  for (;;) {
    std::thread(serve, acceptor.accept()).detach();
  }
}
