// Request heads: the result does not depend on how the bytes are cut, and a copy is equal.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "eider/core/base/arena.h"
#include "eider/core/base/assert.h"
#include "eider/protocols/http/h1/head_reader.h"

namespace {

using namespace eider;
using namespace eider::h1;

// Small limits, so that they are reached, too.
constexpr HeadLimits kLimits{.head_bytes_max = 300, .target_bytes_max = 60, .headers_max = 6};

bool is_inside(std::string_view part, std::string_view whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

void check_head(const RequestHead& head) {
  ensure(is_inside(head.target, head.bytes), "the target points into the head");
  for (const Field& field : head.fields) {
    ensure(is_inside(field.name, head.bytes) && is_inside(field.value, head.bytes),
           "fields point into the head");
  }
  Arena arena;
  const RequestHead copy = copy_head(head, arena);
  ensure(copy.bytes == head.bytes && copy.path == head.path && copy.query == head.query &&
             copy.authority == head.authority && copy.fields.size() == head.fields.size(),
         "a copy is equal");
}

void check_part(std::string_view part, HeadStatus whole, Refusal refusal) {
  const std::vector<char> exact(part.begin(), part.end());
  HeadReader reader;
  const HeadStatus status = reader.read({exact.data(), exact.size()}, kLimits);
  const bool is_alike =
      status == HeadStatus::refused && whole == HeadStatus::refused && reader.refusal() == refusal;
  ensure(status == HeadStatus::need_more || is_alike, "a part is judged like the whole");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view in(reinterpret_cast<const char*>(data), size);
  HeadReader reader;
  const HeadStatus status = reader.read(in, kLimits);
  const std::size_t whole = status == HeadStatus::complete ? reader.head_bytes() : in.size();
  if (status == HeadStatus::complete) {
    check_head(reader.head());
  }
  for (std::size_t bytes = 0; bytes < whole; ++bytes) {
    check_part(in.substr(0, bytes), status, reader.refusal());
  }
  return 0;
}
