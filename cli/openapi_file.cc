#include "cli/openapi_file.h"

#include <fmt/format.h>

#include <utility>

#include "cli/bench/files.h"
#include "eider/core/json/read.h"

namespace eider {

Result<json::Value, std::string> read_openapi_file(std::string_view file) {
  const auto text = bench::read_file(file == "-" ? "/dev/stdin" : std::string(file));
  if (!text) {
    return fail(text.error());
  }
  auto document = json::read<json::Value>(*text);
  if (!document) {
    return fail(fmt::format("{} is no JSON: {}", file, document.error().detail()));
  }
  return std::move(*document);
}

}  // namespace eider
