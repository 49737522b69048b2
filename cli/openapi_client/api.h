// The API of an OpenAPI document (3.1, 3.2), independent of the language of the client.
// Layering: must not fetch anything; references must be within the document.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/core/json/value.h"

namespace eider::openapi_client {

/// A schema, as far as a type can say it: bounds and patterns are the server's to judge.
struct Shape {
  enum class Kind : std::uint8_t {
    unknown,  // any value; `text` says why no more is known, where there is a reason
    null,
    boolean,
    integer,  // `text` is the format
    number,
    string,     // `text` is the format
    literals,   // one of `literals`; of none: no value
    reference,  // to the component `text`
    list,       // of parts[0]
    map,        // names to parts[0]
    object,     // of the members `parts`
    either,     // one of `parts`
    both,       // all of `parts` at once
  };

  Kind kind = Kind::unknown;
  std::string text = {};
  std::vector<Shape> parts = {};
  std::vector<json::Value> literals = {};

  // Of a member, a parameter or a component.
  std::string name = {};
  bool is_required = false;
  std::string about = {};
};

struct Parameter {
  enum class In : std::uint8_t { path, query, header };

  In in;
  Shape value;
  /// Of a query. Empty: a pair for each element of a list; "deep": a pair "name[member]" for each
  /// member; else one pair, with this between the elements.
  std::string style = {};
};

/// Content of one media type. A stream's `shape` is what each of its lines holds, or the data of
/// each of its events.
///
/// is_json  of events: their data is told, and JSON
struct Content {
  enum class Coding : std::uint8_t { none, json, form, multipart, text, binary, lines, events };

  Coding coding = Coding::none;
  std::string media_type = {};
  Shape shape = {};
  bool is_json = false;
};

/// A way to say who asks, as clients send it: a token or a key in a field or a query, or a name
/// with its password.
///
/// field  that holds it, or the pair of the query
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

/// answers  those of success
/// schemes  all that it takes, whether one of them will do or several are asked for
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

/// left_out  what a client of functions cannot call, a sentence each
/// schemes   of all calls together, each once
struct Api {
  std::string title;
  std::string version;
  std::string server;
  std::vector<Shape> components;
  std::vector<Call> calls;
  std::vector<std::string> left_out;
  std::vector<Scheme> schemes = {};
};

/// Whether it holds no backslash and no control character. What reads addresses as browsers do
/// takes a backslash for a slash and drops tabs and line ends: behind "/" they name a host.
///
/// source  WHATWG URL, "URL parsing"
[[nodiscard]] bool is_plain_path(std::string_view path) noexcept;

/// Components and calls in the document's order. Where a request takes several media types one is
/// chosen: JSON, forms, text, and then the first. Cookies are left to who keeps them,
/// and so are schemes of security that say who asks by one, or by a certificate.
///
/// Variables in the URL of the server have their defaults.
///
/// errors  what a client would send otherwise than the document says: styles of parameters that are
///         not known here, servers of single paths; "/paths/~1notes/get/parameters/0: it has no
///         name": where it is no OpenAPI document
/// source  OpenAPI Specification 3.1.1; JSON Schema 2020-12
[[nodiscard]] Result<Api, std::string> read_api(const json::Value& document);

}  // namespace eider::openapi_client
