// expect: TextFormat<T> needs `static std::optional<T> parse(std::string_view text)` and `static
#include <eider/eider.h>
#include <optional>
#include <string>
class Isbn {
 public:
  std::string digits() const { return {}; }
};
template <>
struct eider::TextFormat<Isbn> {
  static std::optional<Isbn> parse(std::string_view) { return Isbn(); }
#ifdef FIXED
  static std::string format(const Isbn& isbn) { return isbn.digits(); }
#endif
  static constexpr TextSchema kSchema = {.requirement = "must be an ISBN"};
};
struct Book {
  Isbn isbn;
};
void routes(eider::App& app) { app.post("/", [](eider::Json<Book> book) { return *book; }); }
