#include "cli/openapi.h"

#include <fmt/format.h>

#include <cstdio>

#include "cli/commands.h"
#include "cli/openapi_client.h"
#include "cli/openapi_diff.h"
#include "cli/project/commands.h"
#include "cli/project/words.h"

namespace eider {

namespace {

constexpr std::string_view kOpenapiHelp = R"(eider openapi ACTION …

document  prints the document of the project's program
client    makes a typed client of a document, in TypeScript or C++
diff      tells what of a newer document breaks clients of an older one

  eider openapi document --out openapi.json
  eider openapi client --language typescript --out client.ts openapi.json
  eider openapi diff released.json openapi.json

eider openapi ACTION --help tells more.

Exits with 0 if it is done, 1 if it is not, 2 if the words are not understood, 3 if diff found what
breaks.
)";

}  // namespace

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
  fmt::print(stderr, "eider openapi: {} there are document, client and diff\n",
             action.empty() ? "which one?" : fmt::format("there is no action {};", action));
  return kCommandMisused;
}

}  // namespace eider
