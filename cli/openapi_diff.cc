#include "cli/openapi_diff.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "cli/json_line.h"
#include "cli/openapi/changes.h"
#include "cli/openapi_file.h"
#include "cli/project/words.h"
#include "eider/core/base/result.h"
#include "eider/core/json/value.h"

namespace eider {

namespace {

constexpr int kGood = 0;
constexpr int kFailed = 1;
constexpr int kMisused = 2;
constexpr int kBreaks = 3;

constexpr std::string_view kDiffHelp = R"(eider openapi diff [--json] OLD NEW

Tells what of the OpenAPI document NEW breaks clients that were made for OLD: one line for each
change, with a JSON pointer into NEW. A program prints its document by --openapi.

--json  as JSON, for programs

  eider openapi diff released.json openapi.json
  eider openapi document | eider openapi diff released.json -

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

/// What --json writes.
struct DiffReport {
  std::vector<openapi::Change> breaks;
};

int complain_of(const std::string& what, int status) {
  fmt::print(stderr, "eider openapi diff: {}\n", what);
  return status;
}

}  // namespace

int openapi_diff(std::span<const std::string_view> arguments) {
  if (is_help(arguments, kDiffHelp)) {
    return kGood;
  }
  CommandWords words(arguments);
  const bool is_json = words.flag("--json");
  const auto files = words.rest("OLD and NEW", 2);
  if (!files) {
    return complain_of(files.error(), kMisused);
  }
  if (files->size() != 2) {
    return complain_of("it takes two files, OLD and NEW", kMisused);
  }
  const auto older = read_document(files->front());
  const auto newer = read_document(files->back());
  if (!older || !newer) {
    return complain_of(older ? newer.error() : older.error(), kFailed);
  }
  const DiffReport report{openapi::breaking_changes(*older, *newer)};
  if (is_json) {
    fmt::print("{}", json_line(report));
  }
  for (const openapi::Change& change : report.breaks) {
    if (!is_json) {
      fmt::print("{}: {}\n", change.pointer, change.what);
    }
  }
  return report.breaks.empty() ? kGood : kBreaks;
}

}  // namespace eider
