// Any bytes as JSON: into a struct, into a Value, and compared with simdjson's other parser.
#include <simdjson.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "eider/core/base/assert.h"
#include "eider/core/base/utf8.h"
#include "eider/core/json/json.h"
#include "eider/core/reflect/compare.h"
#include "eider/core/reflect/constraints.h"

namespace {

using namespace eider;

enum class Color { red, green };
struct Circle {
  double radius;
};
struct Square {
  float side = 1;
};
struct Node {
  int id;
  std::vector<Node> children;
};
struct Rich {
  bool flag = false;
  std::int8_t small = 0;
  std::uint64_t large = 0;
  double real = 0;
  std::string text = "x";
  std::vector<Node> nodes = {{}};
  std::optional<Bounded<int, 0, 5>> stars;
  std::map<std::string, Sized<std::string, 1, 3>> words = {{"a", "b"}};
  std::array<float, 2> pair = {};
  Color color = Color::red;
  std::variant<Circle, Square> shape = Square{};
  json::Value any = 1;
};

/// Accepted values can be written, and are the same when they are read again.
template <class T>
void check_round_trip(std::string_view text) {
  const auto value = json::read<T>(text);
  if (!value) {
    ensure(value.error().status() == 422 || value.error().status() == 400,
           "a failure has a status");
    ensure(value.error().status() == 400 || !value.error().fields().empty(), "with its members");
    return;
  }
  const std::string written = json::to_text(*value);
  const auto again = json::read<T>(written);
  ensure(again.has_value(), "what is written can be read");
  ensure(reflect::equal(*value, *again), "and is the same");
}

/// Both parsers must agree on whether a text is JSON. (simdjson's DOM rejects integers beyond 64
/// bits and nesting beyond 1024; a Value also rejects these, and duplicate names.)
void check_verdict(std::string_view text) {
  const auto value = json::read<json::Value>(text);
  const auto skipped = json::read<std::map<std::string, json::Value>>(text);
  const bool is_json = value || value.error().status() == 422;
  ensure(is_json == (skipped || skipped.error().status() == 422), "a verdict holds for any type");
  simdjson::dom::parser parser;
  const std::string_view content = without_bom(text);  // simdjson 3.0 does not skip it
  const auto parsed = parser.parse(content.data(), content.size());
  ensure(!value || parsed.error() == simdjson::SUCCESS, "what is read is JSON");
  ensure(is_json || parsed.error() != simdjson::SUCCESS ||
             value.error().detail().find("nested") != std::string::npos,
         "what is JSON is read");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_round_trip<Rich>(text);
  check_round_trip<json::Value>(text);
  check_verdict(text);
  return 0;
}
