// PROXY headers: header, end and errors do not depend on how the bytes are cut.
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/core/base/assert.h"
#include "eider/protocols/http/proxy_protocol.h"

namespace {

using namespace eider;

struct Found {
  ProxyStatus status = ProxyStatus::need_more;
  ProxyRefusal refusal = ProxyRefusal::none;
  std::size_t consumed = 0;
  std::string source = {};

  bool operator==(const Found&) const = default;
};

/// Reads `in`, of which at most `step_bytes` arrive at once.
Found read(std::string_view in, std::size_t step_bytes) {
  ProxyReader reader(256);
  Found found;
  while (found.consumed < in.size() && found.status == ProxyStatus::need_more) {
    const ProxyStep step = reader.read(in.substr(found.consumed, step_bytes));
    found.status = step.status;
    found.consumed += step.consumed;
  }
  found.refusal = reader.refusal();
  if (found.status == ProxyStatus::complete) {
    const ProxyHeader::End& source = reader.header().source;
    found.source = source.address.to_text() + std::to_string(source.port) + source.path;
  } else {
    found.consumed = 0;
  }
  return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view in(reinterpret_cast<const char*>(data), size);
  const Found whole = read(in, in.size());
  for (const std::size_t step_bytes : {1UL, 2UL, 7UL}) {
    ensure(read(in, step_bytes) == whole, "cuts change nothing");
  }
  return 0;
}
