#include "cli/openapi_client.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

#include "cli/bench/files.h"
#include "cli/openapi_client/api.h"
#include "cli/openapi_client/cpp.h"
#include "cli/openapi_client/typescript.h"
#include "cli/openapi_file.h"
#include "cli/project/words.h"
#include "eider/core/base/result.h"

namespace eider {

namespace {

constexpr int kWritten = 0;
constexpr int kNotWritten = 1;
constexpr int kClientMisused = 2;

constexpr std::string_view kClientHelp =
    R"(eider openapi client --language LANGUAGE [--out FILE] DOCUMENT

Makes a typed client of the API that an OpenAPI document (3.1, 3.2) tells of. A program prints its
document by --openapi; DOCUMENT may be - for the standard input.

  ./notes --openapi | eider openapi client --language typescript --out notes.ts -

--language typescript  a module without dependencies, over fetch
--language c++         a header of plain structs, over eider's component client
--namespace NAME       of the header; api where it is not said
--out FILE             where it goes; the standard output where it is not said

Exits with 0 if it is written, 1 if the document cannot be read or the file not be written.
)";

struct Wanted {
  std::string language;
  std::string document;
  std::string out = "-";
  std::string space = "api";
};

/// Identifiers with "::" between them.
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

/// errors  what could not be understood
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
    return fail(std::string("--language has to be typescript or c++"));
  }
  if (!is_namespace(wanted.space)) {
    return fail(fmt::format("{} is no namespace", wanted.space));
  }
  if (document->empty()) {
    return fail(std::string("which document? --help tells more"));
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
  return client ? bench::write_file(wanted.out, *client)
                : fail(fmt::format("{}: {}", wanted.document, client.error()));
}

int complain_of_client(const std::string& what, int status) {
  fmt::print(stderr, "eider openapi client: {}\n", what);
  return status;
}

}  // namespace

int openapi_client_command(std::span<const std::string_view> arguments) {
  if (is_help(arguments, kClientHelp)) {
    return kWritten;
  }
  const auto wanted = wanted_of(arguments);
  if (!wanted) {
    return complain_of_client(wanted.error(), kClientMisused);
  }
  const auto written = write_client(*wanted);
  return written ? kWritten : complain_of_client(written.error(), kNotWritten);
}

}  // namespace eider
