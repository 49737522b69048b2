// JSON with structs. Invalid input gets a 422 that names each invalid member.
//   curl localhost:8080/orders --json '{"item": "tea", "count": 3, "paid_with": "card"}'
#include <eider/eider.h>

#include <optional>
#include <string>

using namespace eider;

enum class Payment { cash, card };

struct Order {
  Sized<std::string, 1, 40> item;
  Bounded<int, 1, 100> count = 1;
  Payment paid_with;
  std::optional<std::string> note;
};

struct Receipt {
  std::string item;
  int cents;
  Payment paid_with;
};

App make_app() {
  constexpr int kCentsEach = 250;
  App app;
  app.post("/orders", [](Json<Order> order) {
    return Created(Receipt{*order->item, order->count * kCentsEach, order->paid_with});
  });
  return app;
}

int main(int argc, char** argv) {
  return run_app("orders", argc, argv, make_app);
}
