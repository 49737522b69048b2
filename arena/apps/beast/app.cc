// The arena's endpoints on Boost.Beast, as a user would write a fast server: callbacks, and one
// io_context with its own listening socket per thread, so that no request crosses a thread.
//
//   beast_app PORT THREADS DELAY_MS
#include <memory>
#include <thread>
#include <vector>

#include "session.h"

namespace {

using arena::Context;
using arena::Executor;
using arena::Socket;
namespace net = boost::asio;

using Acceptor = net::basic_socket_acceptor<net::ip::tcp, Executor>;
using ReusePort = net::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

class Worker {
 public:
  explicit Worker(Context& context) : context_(context), acceptor_(loop_) {}

  void start() {
    const net::ip::tcp::endpoint endpoint(net::ip::tcp::v4(),
                                          static_cast<unsigned short>(context_.options.port));
    acceptor_.open(endpoint.protocol());
    acceptor_.set_option(net::socket_base::reuse_address(true));
    acceptor_.set_option(ReusePort(true));
    acceptor_.bind(endpoint);
    acceptor_.listen(net::socket_base::max_listen_connections);
    accept();
    thread_ = std::thread([this] { loop_.run(); });
  }

  void stop() {
    loop_.stop();
    thread_.join();
  }

 private:
  void accept() {
    acceptor_.async_accept([this](const auto& error, Socket socket) {
      if (!error) {
        std::make_shared<arena::Session>(std::move(socket), context_)->start();
      }
      accept();
    });
  }

  Context& context_;
  net::io_context loop_{1};  // one thread runs it
  Acceptor acceptor_;
  std::thread thread_;
};

}  // namespace

int main(int argc, char** argv) {
  const arena::Options options = arena::read_options(argc, argv);
  arena::block_stop_signals();
  Context context{options, {}};
  context.blocking.emplace(static_cast<std::size_t>(options.threads));
  std::vector<std::unique_ptr<Worker>> workers;
  for (int i = 0; i < options.threads; ++i) {
    workers.push_back(std::make_unique<Worker>(context));
    workers.back()->start();
  }
  arena::wait_for_stop();
  for (const auto& worker : workers) {
    worker->stop();
  }
  context.blocking.reset();  // before the loops, which own the sockets that wait in it
}
