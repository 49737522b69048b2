// A library for Boost.Asio in handlers: its io_context runs on a thread of its own.
//   ./35_asio --port 8080
//   curl localhost:8080/wait/200            # a timer of Asio, in milliseconds
//   curl 'localhost:8080/echo/7?text=hi'    # a TCP connection of Asio to an echo server on port 7
//   curl localhost:8080/running             # the number of unfinished operations of Asio
#include <eider/eider.h>
#include <eider/runtime.h>
#include <boost/asio.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

using namespace eider;
namespace asio = boost::asio;

/// Runs Asio. A fork does not copy threads, so `start` is called at startup, not before.
class AsioThread {
 public:
  AsioThread() = default;
  AsioThread(const AsioThread&) = delete;
  AsioThread& operator=(const AsioThread&) = delete;
  ~AsioThread() { stop(); }

  void start() {
    context_.emplace(1);
    keeps_running_.emplace(context_->get_executor());
    thread_ = std::thread([this] { context_->run(); });
  }
  /// After this, no operation finishes any more. Objects of Asio stay valid until the destructor.
  void stop() {
    if (thread_.joinable()) {
      context_->stop();
      thread_.join();
    }
  }
  asio::io_context& context() { return *context_; }

 private:
  std::optional<asio::io_context> context_;
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> keeps_running_;
  std::thread thread_;
};

/// An operation of Asio. Both functions run on the thread of Asio.
class AsioOperation {
 public:
  using Done = std::function<void(Result<std::string>)>;

  AsioOperation() { ++running_; }
  AsioOperation(const AsioOperation&) = delete;
  AsioOperation& operator=(const AsioOperation&) = delete;
  virtual ~AsioOperation() { --running_; }

  /// Calls `done` at most once.
  virtual void start(Done done) = 0;
  virtual void cancel() noexcept = 0;

  static int running() { return running_; }

 private:
  static inline std::atomic<int> running_ = 0;
};

/// Posts a cancellation when the handler's coroutine ends or is destroyed.
class CancelAtExit {
 public:
  CancelAtExit(asio::io_context& context, std::shared_ptr<AsioOperation> operation)
      : context_(context), operation_(std::move(operation)) {}
  CancelAtExit(const CancelAtExit&) = delete;
  CancelAtExit& operator=(const CancelAtExit&) = delete;
  ~CancelAtExit() {
    asio::post(context_, [operation = std::move(operation_)] { operation->cancel(); });
  }

 private:
  asio::io_context& context_;
  std::shared_ptr<AsioOperation> operation_;
};

/// Runs an operation on the thread of Asio, and waits for its result on this event loop.
Task<Result<std::string>> run_on(AsioThread& thread, std::shared_ptr<AsioOperation> operation) {
  // Shared with Asio's thread: the client may disconnect first, which destroys this coroutine.
  auto results = std::make_shared<Channel<Result<std::string>>>(1);
  asio::post(thread.context(), [&loop = Loop::current(), operation, results] {
    operation->start([&loop, results](Result<std::string> result) {
      loop.post([results, result = std::move(result)]() mutable {
        (void)results->try_send(std::move(result));
      });
    });
  });
  const CancelAtExit cancel(thread.context(), std::move(operation));
  auto result = co_await results->receive();
  co_return std::move(*result);
}

Error failed(const boost::system::error_code& error) {
  return Error::unavailable("Asio: " + error.message());
}

class Wait final : public AsioOperation, public std::enable_shared_from_this<Wait> {
 public:
  Wait(asio::io_context& context, int milliseconds)
      : timer_(context), duration_(std::chrono::milliseconds(milliseconds)) {}

  void start(Done done) override {
    timer_.expires_after(duration_);
    timer_.async_wait([self = shared_from_this(), done](const boost::system::error_code& error) {
      done(error ? Result<std::string>(fail(failed(error))) : "waited\n");
    });
  }
  void cancel() noexcept override { timer_.cancel(); }

 private:
  asio::steady_timer timer_;
  std::chrono::milliseconds duration_;
};

class Echo final : public AsioOperation, public std::enable_shared_from_this<Echo> {
 public:
  Echo(asio::io_context& context, unsigned short port, std::string text)
      : socket_(context), server_(asio::ip::address_v4::loopback(), port), text_(text + "\n") {}

  void start(Done done) override {
    done_ = std::move(done);
    socket_.async_connect(server_, then(&Echo::write));
  }
  void cancel() noexcept override {
    boost::system::error_code ignored;
    socket_.close(ignored);
  }

 private:
  static constexpr std::size_t kBytesMax = 10'000;

  /// A completion handler of Asio that continues with `step`, or finishes with the error.
  struct Then {
    void operator()(const boost::system::error_code& error, std::size_t /*bytes*/ = 0) const {
      if (error) {
        echo->done_(fail(failed(error)));
      } else {
        (echo.get()->*step)();
      }
    }

    std::shared_ptr<Echo> echo;
    void (Echo::*step)();
  };

  Then then(void (Echo::*step)()) { return {.echo = shared_from_this(), .step = step}; }
  void write() { asio::async_write(socket_, asio::buffer(text_), then(&Echo::read)); }
  void read() {
    asio::async_read_until(socket_, asio::dynamic_buffer(echoed_, kBytesMax), '\n',
                           then(&Echo::finish));
  }
  void finish() { done_(std::move(echoed_)); }

  asio::ip::tcp::socket socket_;
  asio::ip::tcp::endpoint server_;
  std::string text_;
  std::string echoed_;
  Done done_;
};

Task<Result<std::string>> wait(int milliseconds, State<AsioThread> thread) {
  return run_on(*thread, std::make_shared<Wait>(thread->context(), milliseconds));
}

struct EchoQuery {
  std::string text;
};

Task<Result<std::string>> echo(unsigned short port, Query<EchoQuery> query,
                               State<AsioThread> thread) {
  return run_on(*thread, std::make_shared<Echo>(thread->context(), port, query->text));
}

App make_app() {
  App app;
  app.state<AsioThread>();
  app.on_start("asio", [](State<AsioThread> thread) { thread->start(); });
  app.on_stop("asio", [](State<AsioThread> thread) { thread->stop(); });
  app.get("/wait/{milliseconds}", wait);
  app.get("/echo/{port}", echo);
  app.get("/running", [] { return AsioOperation::running(); });
  return app;
}

int main(int argc, char** argv) {
  return run_app("asio", argc, argv, make_app);
}
