// `eider openapi client`: a typed client from an OpenAPI document.
// Must not fetch anything: the document is a file, as `--openapi` prints it.
#pragma once

#include <span>
#include <string_view>

namespace eider {

/// Writes the source of a client to a file, or prints it.
///
/// arguments  --language LANGUAGE, --namespace NAME, --out FILE, DOCUMENT; "-" is the standard
/// input returns    0  it is written, 1  the document could not be read, or the file not be
/// written,
///            2  the arguments could not be understood
[[nodiscard]] int openapi_client_command(std::span<const std::string_view> arguments);

}  // namespace eider
