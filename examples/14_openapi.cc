// An API with rules, and its document (OpenAPI 3.1): curl localhost:8080/openapi.json
//   curl localhost:8080/bookings --json '{"room": "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
//        "mail": "ada@example.org", "from": "2026-11-22", "to": "2026-11-24"}'
#include <eider/eider.h>

using namespace eider;

struct NewBooking {
  Uuid room;
  Email mail;
  std::chrono::year_month_day from, to;
  std::optional<Decimal> price;
  Validated<std::vector<std::string>, Unique, HasLength<0, 5>> extras = kOptional;
  void check(ValidationErrors& errors) const {
    if (to < from) {
      errors.add(to, "must not be before the first day");
    }
  }
};

struct Booking {
  int number;
  std::chrono::days nights;
};

struct Between {
  std::optional<std::chrono::year_month_day> from, to;
};

int main(int argc, char** argv) {
  App app;
  app.post("/bookings", [](Json<NewBooking> wanted) {
    const std::chrono::sys_days first = wanted->from, last = wanted->to;
    return Created(Booking{1, last - first});
  });
  app.get("/bookings", [](Query<Between>) { return std::vector<Booking>(); });
  serve_openapi(app, {.title = "Bookings", .version = "1.0.0"});
  return app.run(argc, argv);
}
