// expect: eider: a rule for T needs `static bool check(const T& value)` and `static Requirement
#include <eider/eider.h>
#include <string>
struct Even {
  static bool check(int number) { return number % 2 == 0; }
  static eider::Requirement describe() { return {.code = "even", .text = "must be even"}; }
};
struct Order {
#ifdef FIXED
  eider::Validated<int, Even> gloves;
#else
  eider::Validated<std::string, Even> gloves;
#endif
};
void routes(eider::App& app) { app.post("/", [](eider::Json<Order> order) { return *order; }); }
