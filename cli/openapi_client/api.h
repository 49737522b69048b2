// The API of an OpenAPI document (3.1, 3.2), independent of the language of the client.
// Layering: must not fetch anything; references must be within the document.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/core/json/value.h"

namespace eider::openapi_client {

/// A schema, as far as types express it; the server checks limits and patterns.
struct Shape {
  enum class Kind : std::uint8_t {
    unknown,  // any value; `text` is the reason if there is one
    null,
    boolean,
    integer,  // `text` is the format
    number,
    string,     // `text` is the format
    literals,   // one of `literals`; if empty, no value
    reference,  // to the component `text`
    list,       // of parts[0]
    map,        // names to parts[0]
    object,     // with the members `parts`
    either,     // one of `parts`
    both,       // all of `parts` at once
  };

  Kind kind = Kind::unknown;
  std::string text = {};
  std::vector<Shape> parts = {};
  std::vector<json::Value> literals = {};

  // For a member, a parameter or a component.
  std::string name = {};
  bool is_required = false;
  std::string about = {};
};

struct Parameter {
  enum class In : std::uint8_t { path, query, header };

  In in;
  Shape value;
  /// Style of a query parameter. Empty: a pair for each element of a list; "deep": a pair
  /// "name[member]" for each member; otherwise one pair, with this separator between the elements.
  std::string style = {};
};

/// A body with one media type. For a stream, `shape` describes each line, or the data of each
/// event.
///
/// is_json  only for events: their data is documented as JSON
/// styles   only for forms: fields that join the elements of a list, with the separator
struct Content {
  enum class Coding : std::uint8_t { none, json, form, multipart, text, binary, lines, events };

  Coding coding = Coding::none;
  std::string media_type = {};
  Shape shape = {};
  bool is_json = false;
  std::vector<std::pair<std::string, std::string>> styles = {};
};

/// An authentication scheme as clients send it: a token or key in a header or a query, or a user
/// name with a password.
///
/// field  header or query parameter
struct Scheme {
  enum class Kind : std::uint8_t { bearer, basic, header, query };

  std::string name;
  Kind kind;
  std::string field = "Authorization";
};

/// status  "200", "2XX" or "default"
struct Answer {
  std::string status;
  Content content;
};

/// responses  only those of success
/// schemes    all that the call accepts, whether they are alternatives or required together
struct Call {
  std::string id;
  std::string method;  // "GET"
  std::string path;    // "/notes/{id}"
  std::string summary;
  std::string description;
  bool is_deprecated = false;
  std::vector<Parameter> parameters = {};
  Content body = {};
  bool is_body_required = false;
  std::vector<Answer> responses = {};
  std::vector<Scheme> schemes = {};
};

/// left_out  calls that the client cannot support, one sentence each
/// schemes   of all calls, without duplicates
struct Api {
  std::string title;
  std::string version;
  std::string server;
  std::vector<Shape> components;
  std::vector<Call> calls;
  std::vector<std::string> left_out;
  std::vector<Scheme> schemes = {};
};

/// Returns whether the path has no backslash and no control character. URL parsers such as browsers
/// treat a backslash as a slash, and remove tabs and line ends: after "/", such a path could name a
/// host.
///
/// source  WHATWG URL, "URL parsing"
[[nodiscard]] bool is_plain_path(std::string_view path) noexcept;

/// Reads components and calls, in the order of the document. If a request supports several media
/// types, one is chosen: JSON, forms, text, and then the first one. Cookies are not included,
/// because the HTTP client handles them; neither are security schemes with cookies or certificates.
///
/// Variables in the URL of the server have their defaults.
///
/// errors   unsupported features that would make a client send something wrong: unknown styles of
///          parameters, servers of single paths; and errors such as
///          "/paths/~1notes/get/parameters/0: it has no name" if it is not an OpenAPI document
/// source  OpenAPI Specification 3.1.1; JSON Schema 2020-12
[[nodiscard]] Result<Api, std::string> read_api(const json::Value& document);

}  // namespace eider::openapi_client
