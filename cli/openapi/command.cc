// `eider openapi`: prints documents, generates clients, and compares documents.
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/json_line.h"
#include "cli/openapi/changes.h"
#include "cli/openapi_client/api.h"
#include "cli/openapi_client/clients.h"
#include "cli/project/words.h"
#include "eider/core/base/result.h"
#include "eider/core/json/read.h"

namespace eider {

namespace {

constexpr std::string_view kOpenapiHelp = R"(eider openapi ACTION …

Prints, compares and generates code from OpenAPI documents.

document  Print the document of the project's program
client    Generate a typed client from a document, in TypeScript or C++
diff      Report changes of a document that break existing clients

  eider openapi document --out openapi.json
  eider openapi client --language typescript --out client.ts openapi.json
  eider openapi diff released.json openapi.json

eider openapi ACTION --help shows the options of each.

Exit codes: 0 success, 1 failure, 2 invalid usage, 3 diff found breaking changes
)";

/// Reads a document from a file.
///
/// file    "-" is standard input
/// errors  "cannot read x.json: …", "x.json is not JSON: …"
Result<json::Value, std::string> read_openapi_file(std::string_view file) {
  const auto text = read_text_file(file == "-" ? "/dev/stdin" : std::string(file));
  if (!text) {
    return fail(text.error());
  }
  auto document = json::read<json::Value>(*text);
  if (!document) {
    return fail(fmt::format("{} is not JSON: {}", file, document.error().detail()));
  }
  return std::move(*document);
}

constexpr std::string_view kClientHelp =
    R"(eider openapi client --language LANGUAGE [--out FILE] DOCUMENT

Generates a typed client from an OpenAPI document (3.1, 3.2). A program prints its document with
--openapi.

DOCUMENT               File with the document, or - for standard input
--language typescript  Generate a module without dependencies that uses fetch
--language c++         Generate a header with plain structs that uses eider's component client
--namespace NAME       Namespace of the header (default: api)
--out FILE             Write to FILE (default: standard output)

  ./notes --openapi | eider openapi client --language typescript --out notes.ts -

Exit codes: 0 success, 1 failure, 2 invalid usage
)";

struct Wanted {
  std::string language;
  std::string document;
  std::string out = "-";
  std::string space = "api";
};

/// Returns whether the text consists of identifiers separated by "::".
bool is_namespace(std::string_view text) {
  while (true) {
    const std::size_t end = text.find("::");
    if (!openapi_client::is_cpp_name(text.substr(0, end))) {
      return false;
    }
    if (end == text.npos) {
      return true;
    }
    text.remove_prefix(end + 2);
  }
}

/// errors  the invalid argument
Result<Wanted, std::string> wanted_of(std::span<const std::string_view> arguments) {
  CommandWords words(arguments);
  Wanted wanted;
  wanted.language = words.value("--language", "LANGUAGE").value_or("");
  wanted.out = words.value("--out", "FILE").value_or(wanted.out);
  wanted.space = words.value("--namespace", "NAME").value_or(wanted.space);
  const auto document = words.rest("one document", 1);
  if (!document) {
    return fail(document.error());
  }
  if (wanted.language != "typescript" && wanted.language != "c++") {
    return fail(std::string("--language must be typescript or c++"));
  }
  if (!is_namespace(wanted.space)) {
    return fail(fmt::format("{} is not a valid namespace", wanted.space));
  }
  if (document->empty()) {
    return fail(std::string("no document given; see eider openapi client --help"));
  }
  wanted.document = document->front();
  return wanted;
}

Result<void, std::string> write_client(const Wanted& wanted) {
  const auto document = read_openapi_file(wanted.document);
  if (!document) {
    return fail(document.error());
  }
  const auto api = openapi_client::read_api(*document);
  if (!api) {
    return fail(fmt::format("{}: {}", wanted.document, api.error()));
  }
  const auto client = wanted.language == "c++" ? openapi_client::to_cpp(*api, wanted.space)
                                               : openapi_client::to_typescript(*api);
  return client ? write_text_file(wanted.out, *client)
                : fail(fmt::format("{}: {}", wanted.document, client.error()));
}

constexpr std::string_view kDiffHelp = R"(eider openapi diff [--json] OLD NEW

Reports the changes in the OpenAPI document NEW that break clients made for OLD: one line per
change, with a JSON pointer into NEW. A program prints its document with --openapi.

--json  Write JSON

  eider openapi diff released.json openapi.json
  eider openapi document | eider openapi diff released.json -

Exit codes: 0 no breaking changes, 1 failure, 2 invalid usage, 3 breaking changes
)";

Result<json::Value, std::string> read_document(std::string_view file) {
  auto document = read_openapi_file(file);
  if (!document) {
    return document;
  }
  if (document->find("openapi") == nullptr || document->find("paths") == nullptr) {
    return fail(fmt::format(
        "{} is not an OpenAPI document: the members openapi and paths are required", file));
  }
  return document;
}

/// The output of --json.
struct DiffReport {
  std::vector<openapi::Change> breaks;
};

}  // namespace

int openapi_client_command(std::span<const std::string_view> arguments) {
  if (is_help(arguments, kClientHelp)) {
    return kCommandDone;
  }
  const auto wanted = wanted_of(arguments);
  if (!wanted) {
    return command_fault("openapi client", wanted.error(), kCommandMisused);
  }
  const auto written = write_client(*wanted);
  return written ? kCommandDone : command_fault("openapi client", written.error());
}

int openapi_diff(std::span<const std::string_view> arguments) {
  if (is_help(arguments, kDiffHelp)) {
    return kCommandDone;
  }
  CommandWords words(arguments);
  const bool is_json = words.flag("--json");
  const auto files = words.rest("OLD and NEW", 2);
  if (!files) {
    return command_fault("openapi diff", files.error(), kCommandMisused);
  }
  if (files->size() != 2) {
    return command_fault("openapi diff", "two files are required, OLD and NEW", kCommandMisused);
  }
  const auto older = read_document(files->front());
  const auto newer = read_document(files->back());
  if (!older || !newer) {
    return command_fault("openapi diff", older ? newer.error() : older.error());
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
  return report.breaks.empty() ? kCommandDone : kCommandFound;
}

int openapi_command(std::span<const std::string_view> arguments) {
  const std::string_view action = arguments.empty() ? std::string_view() : arguments.front();
  if (action == "document") {
    return document_command(arguments.subspan(1));
  }
  if (action == "client") {
    return openapi_client_command(arguments.subspan(1));
  }
  if (action == "diff") {
    return openapi_diff(arguments.subspan(1));
  }
  if (is_help(arguments, kOpenapiHelp)) {
    return kCommandDone;
  }
  print_error("eider openapi: {} Actions: document, client and diff\n",
              action.empty() ? "no action given." : fmt::format("unknown action {}.", action));
  return kCommandMisused;
}

}  // namespace eider
