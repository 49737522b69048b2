// Responses: the result does not depend on how the bytes are cut, nor the content on its pieces.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/assert.h"
#include "eider/protocols/http/grammar.h"
#include "eider/protocols/http/h1/response_body.h"
#include "eider/protocols/http/h1/response_reader.h"

namespace {

using namespace eider;
using namespace eider::h1;

// Small limits, so that they are reached, too.
constexpr ResponseLimits kLimits{.head_bytes_max = 300, .headers_max = 6};

bool is_inside(std::string_view part, std::string_view whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

void check_head(const ReplyHead& head) {
  ensure(head.status >= 100 && head.status < 1000, "the status has bounds");
  ensure(head.bytes.ends_with("\r\n") && head.bytes.size() <= kLimits.head_bytes_max, "it ends");
  ensure(head.fields.size() <= kLimits.headers_max, "the number of fields has a bound");
  for (const Field& field : head.fields) {
    ensure(is_inside(field.name, head.bytes) && is_inside(field.value, head.bytes), "within");
    ensure(is_token(field.name) && is_field_value(field.value), "a field is as HTTP has it");
  }
}

void check_part(std::string_view part, Method asked, HeadStatus whole, ResponseFlaw flaw) {
  const std::vector<char> exact(part.begin(), part.end());
  ResponseReader reader;
  const HeadStatus status = reader.read({exact.data(), exact.size()}, asked, kLimits);
  const bool is_alike =
      status == HeadStatus::refused && whole == HeadStatus::refused && reader.flaw() == flaw;
  ensure(status == HeadStatus::need_more || is_alike, "a part is judged like the whole");
}

std::string content_of(const ReplyHead& head, std::string_view in, std::size_t piece_bytes) {
  ResponseBodyReader reader(head);
  std::string content;
  for (;;) {
    const ReplyStep step = reader.read(in.substr(0, piece_bytes));
    content.append(step.data);
    in.remove_prefix(step.consumed);
    if (step.status == ChunkedStatus::done) {
      for (const Field& field : split_trailers(reader.trailer_lines())) {
        ensure(is_token(field.name) && is_field_value(field.value), "a trailer is a field");
      }
      return content.append("|").append(reader.trailer_lines()).append("|").append(in);
    }
    if (step.status == ChunkedStatus::refused) {
      return content.append("!").append(flaw_info(reader.flaw()).text);
    }
    if (step.status == ChunkedStatus::need_more && in.empty()) {
      return content.append("?");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  constexpr Method kMethods[] = {Method::get, Method::head, Method::connect};
  const Method asked = kMethods[data[0] % 3];
  const std::string_view in(reinterpret_cast<const char*>(data) + 1, size - 1);
  ResponseReader reader;
  const HeadStatus status = reader.read(in, asked, kLimits);
  const std::size_t whole = status == HeadStatus::complete ? reader.head_bytes() : in.size();
  if (status == HeadStatus::complete) {
    check_head(reader.head());
    const std::string_view rest = in.substr(whole);
    const std::string at_once = content_of(reader.head(), rest, rest.size() + 1);
    ensure(at_once == content_of(reader.head(), rest, 1), "the cut does not count");
  }
  for (std::size_t bytes = 0; bytes < whole; ++bytes) {
    check_part(in.substr(0, bytes), asked, status, reader.flaw());
  }
  return 0;
}
