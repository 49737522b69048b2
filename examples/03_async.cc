// Asynchronous handlers: a thousand concurrent requests on one thread take 200 ms each.
//   ./03_async --threads 1
#include <eider/eider.h>

#include <atomic>

using namespace eider;
using namespace std::chrono_literals;

struct Waited {
  int milliseconds;
  int at_once;  // requests that waited at the same time
};

App make_app() {
  App app;
  app.state<std::atomic<int>>(0);
  app.get("/wait", [](State<std::atomic<int>> waiting) -> Task<Waited> {
    const int at_once = ++*waiting;
    co_await sleep_for(200ms);
    --*waiting;
    co_return Waited{200, at_once};
  });
  return app;
}

int main(int argc, char** argv) {
  return run_app("async", argc, argv, make_app);
}
