#include "eider/cli/openapi_diff.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "eider/base/result.h"
#include "eider/cli/openapi_file.h"
#include "eider/json/value.h"
#include "eider/openapi/changes.h"

namespace eider {

namespace {

constexpr int kGood = 0;
constexpr int kFailed = 1;
constexpr int kMisused = 2;
constexpr int kBreaks = 3;

constexpr std::string_view kDiffHelp = R"(eider openapi diff OLD NEW

Tells what of the OpenAPI document NEW breaks clients that were made for OLD: one line for each
change, with a JSON pointer into NEW. A program prints its document by --openapi.

Exits with 0 if nothing breaks, 3 if something does, 1 if a document cannot be read.
)";

Result<json::Value, std::string> read_document(std::string_view file) {
  auto document = read_openapi_file(file);
  if (!document) {
    return document;
  }
  if (document->find("openapi") == nullptr || document->find("paths") == nullptr) {
    return fail(fmt::format("{} is no OpenAPI document: it has no openapi or no paths", file));
  }
  return document;
}

int complain_of(const std::string& what, int status) {
  fmt::print(stderr, "eider openapi diff: {}\n", what);
  return status;
}

}  // namespace

int openapi_diff(std::span<const std::string_view> arguments) {
  if (arguments.size() == 1 && arguments[0] == "--help") {
    fmt::print("{}", kDiffHelp);
    return kGood;
  }
  if (arguments.size() != 2) {
    return complain_of("it takes two files, OLD and NEW", kMisused);
  }
  const auto older = read_document(arguments[0]);
  const auto newer = read_document(arguments[1]);
  if (!older || !newer) {
    return complain_of(older ? newer.error() : older.error(), kFailed);
  }
  const std::vector<openapi::Change> changes = openapi::breaking_changes(*older, *newer);
  for (const openapi::Change& change : changes) {
    fmt::print("{}: {}\n", change.pointer, change.what);
  }
  return changes.empty() ? kGood : kBreaks;
}

}  // namespace eider
