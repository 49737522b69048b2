// Fuzzes responses of a Redis server, in pieces, and reads them into values of many types.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/assert.h"
#include "eider/core/reflect/type_of.h"
#include "eider/data/redis/cluster.h"
#include "eider/data/redis/reply.h"
#include "eider/data/redis/resp.h"

namespace {

using namespace eider;
using namespace eider::redis::detail;
using eider::redis::detail::Redirect;

struct Entry {
  std::string id;
  std::map<std::string, std::string> fields;
};

struct All {
  std::optional<std::string> text;
  std::optional<std::int8_t> number;
  std::optional<double> real;
  std::optional<bool> truth;
  std::vector<Entry> entries;
  std::set<std::string> names;
};

template <class T>
void read_as(std::string_view answer) {
  T value{};
  RespCursor cursor(answer);
  const auto read = read_reply(reflect::type_of<T>(), &value, cursor);
  ensure(!read || cursor.is_at_end(), "a value that fits is the whole answer");
}

void walk(std::string_view answer) {
  RespCursor skipping(answer);
  skipping.skip();
  ensure(skipping.is_at_end(), "one answer is one value");
  for (RespCursor cursor(answer); !cursor.is_at_end();) {
    const RespItem item = cursor.next();
    const auto redirect = read_redirect(item.text, "h");
    ensure(!redirect || redirect->kind == Redirect::Kind::wait || is_host(redirect->place.host),
           "a redirect leads to a host");
  }
}

void read_as_map(std::string_view answer) {
  const auto ranges = read_slots(RespCursor(answer), "h");
  for (const SlotRange& range : ranges.value_or(std::vector<SlotRange>())) {
    ensure(range.first <= range.last && range.last < kSlots, "slots are those of a cluster");
    ensure(!range.place || is_host(range.place->host), "a node is at a host");
  }
}

}  // namespace

/// The first byte determines the sizes of the pieces.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view in(reinterpret_cast<const char*>(data), size);
  const std::size_t step = in.empty() ? 1 : 1U + data[0];
  RespReader whole({.bytes_max = 4096, .values_max = 256, .depth_max = 8});
  RespReader pieces = whole;
  std::string_view rest = in.substr(in.empty() ? 0 : 1);
  while (!rest.empty()) {
    const auto bytes = whole.read(rest);
    Result<std::size_t, RespFault> cut = 0;
    for (std::size_t end = 0; cut && *cut == 0 && end < rest.size();) {
      end = std::min(end + step, rest.size());
      cut = pieces.read(rest.substr(0, end));
    }
    ensure(bytes.has_value() == cut.has_value(), "pieces make no difference");
    if (!bytes || *bytes == 0) {
      ensure(!bytes || *cut == 0, "what is not whole is so in pieces");
      break;
    }
    ensure(*bytes == *cut, "an answer ends where it does in pieces");
    const std::string_view answer = rest.substr(0, *bytes);
    walk(answer);
    read_as_map(answer);
    read_as<All>(answer);
    read_as<std::vector<Entry>>(answer);
    read_as<std::map<std::string, std::vector<Entry>>>(answer);
    read_as<std::optional<std::string>>(answer);
    rest.remove_prefix(*bytes);
  }
  return 0;
}
