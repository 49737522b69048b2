// Parameters: each parameter is a view of the field, and can be found again by its name.
#include <cstdint>
#include <string_view>

#include "eider/core/base/assert.h"
#include "eider/protocols/http/grammar.h"
#include "eider/protocols/http/parameters.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace eider;
  const std::string_view field(reinterpret_cast<const char*>(data), size);
  ParameterReader parameters(field);
  while (const auto parameter = parameters.next()) {
    ensure(is_token(parameter->name), "names are tokens");
    ensure(parameter->is_quoted || parameter->value.empty() || is_token(parameter->value),
           "plain values are tokens");
    ensure(parameter->text().size() <= parameter->value.size(), "escapes only shorten");
    ensure(find_parameter(field, parameter->name).outcome != ParameterSearch::absent,
           "what was read is found");
  }
  return 0;
}
