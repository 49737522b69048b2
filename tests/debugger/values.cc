// A program for debuggers: one value of each type that has a pretty-printer.
#include <eider/eider.h>
#include <eider/json.h>
#include <eider/types.h>

#include <string>
#include <utility>

namespace {

eider::Task<int> response(int number) {
  co_return number;
}

eider::Task<std::string> greet(std::string name) {
  const int number = co_await response(1);
  co_return name + std::to_string(number);
}

eider::Task<> fails() {
  throw 1;
  co_return;
}

struct Never {
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<>) const noexcept {}
  void await_resume() const noexcept {}
};

eider::Task<> waits() {
  co_await Never();
}

void breakpoint() {}

}  // namespace

int main() {
  eider::Task<> empty;
  eider::Task<int> fresh = response(3);
  eider::Task<std::string> done = greet("Ada");
  done.start();
  eider::Task<> waiting = waits();
  waiting.start();
  eider::Task<> failed = fails();
  failed.start();
  eider::json::Value note = eider::json::object(
      {{"title", "Milk"}, {"tags", eider::json::array({"a", 1, 2.5, nullptr, true})}});
  eider::json::Value large = 18446744073709551615U;
  eider::Sized<std::string, 1, 9> title = "Milk";
  eider::Bounded<int, 0, 5> stars = 4;
  eider::Nullable<int> absent;
  eider::Nullable<int> null = nullptr;
  eider::Nullable<int> seven = 7;
  eider::Trimmed trimmed("  Ada ");
  eider::Uuid id = *eider::Uuid::parse("f81d4fae-7dec-11d0-a765-00a0c91e6bf6");
  eider::Decimal price = *eider::Decimal::parse("-0.50");
  eider::Error error = eider::Error::conflict("There are 3 left.");
  eider::Secret secret("hidden");
  breakpoint();
  return note == large || title == "" || stars == 0 || absent == null || seven == absent ||
         trimmed == "" || price == eider::Decimal() || id == eider::Uuid() || secret.empty() ||
         error.status() == 0 || fresh.is_done() || empty.is_done();
}
