// Describes parameters and responses of an endpoint, from its types, for OpenAPI documents.
// Layering: must not be needed to serve requests; it is built on demand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/reflect/type.h"
#include "eider/protocols/http/method.h"

namespace eider {

/// Texts about a route for OpenAPI documents.
///
/// summary        a few words
/// description    CommonMark
/// tags           groups in documents
/// operation_id   name in generated clients; default: derived from method and pattern
struct RouteDocs {
  std::string summary = {};
  std::string description = {};
  std::vector<std::string> tags = {};
  std::string operation_id = {};
  bool is_deprecated = false;
};

/// One method of one pattern. Types must exist as long as the process.
///
/// Your own Extract or Render describes itself with `static void describe(Operation&)`, using the
/// functions below; without it, only that type is not described.
struct Operation {
  enum class In : std::uint8_t { path, query, header, cookie };

  /// type   null: text
  /// about  text of the struct about its member
  /// may_be_empty  an empty value counts as absent
  /// selection     members of the response that the parameter selects, if it does
  struct Parameter {
    /// Selects members of the response, separated by commas; all others are removed.
    ///
    /// names  allowed names; empty: the parameter does not select members
    /// at     JSON pointer (RFC 6901) to the object or the list of objects
    struct Selection {
      std::vector<std::string> names = {};
      std::string at = {};
    };

    In in;
    std::string name;
    const reflect::Type* type;
    bool is_required;
    MemberText about = {};
    bool may_be_empty = false;
    Selection selection = {};
  };
  /// type  null: bytes of that media type
  struct Content {
    std::string media_type;
    const reflect::Type* type;
  };
  /// status       0: all other status codes
  /// fields       names of response headers
  /// is_streamed  the body is streamed
  struct Response {
    int status = 0;
    std::string description;
    std::vector<Content> contents;
    std::vector<std::string> fields;
    bool is_streamed = false;

    [[nodiscard]] bool is_success() const noexcept { return status >= 200 && status < 300; }
    [[nodiscard]] bool has(std::string_view media_type) const noexcept;
    /// Adds a header, if it is not there yet.
    void add_header(std::string_view name);
  };
  /// An authentication method, as in OpenAPI's security schemes.
  ///
  /// name    of the scheme, the same for all operations that share it
  /// kind    http: `field` is the scheme of Authorization, "bearer" or "basic"; api_key: `field`
  ///         names the parameter of `in`
  /// scopes  required scopes
  /// group   one method per group is required, and all groups are required, like guards
  struct Security {
    enum class Kind : std::uint8_t { http, api_key, mutual_tls, other };

    std::string name{};
    Kind kind = Kind::other;
    In in = In::header;
    std::string field{};
    /// Format of a bearer token, for readers: "JWT".
    std::string format{};
    std::vector<std::string> scopes{};
    bool is_required = true;
    std::size_t group = 0;
  };

  Method method = Method::get;
  /// As for App::host; empty: any host.
  std::string host;
  std::string pattern;
  RouteDocs words;
  std::vector<Parameter> parameters;
  /// The accepted media types of the request body; empty: no body.
  std::vector<Content> contents;
  bool is_body_required = false;
  /// Whether the handler reads the request body as a stream.
  bool is_body_streamed = false;
  std::size_t body_bytes_max = 0;
  std::vector<Response> responses;
  std::vector<Security> security;
  bool opens_websocket = false;
  /// Subprotocols of a WebSocket that the server supports.
  std::vector<std::string> subprotocols;

  /// Returns whether the method is GET or HEAD.
  [[nodiscard]] bool only_reads() const noexcept;

  // For functions that describe.

  /// Adds the next path parameter, in the order of the handler's parameters.
  void take_path_value(const reflect::Type* type);
  void take_header(std::string_view name, const reflect::Type* type, bool is_required);
  void take_cookie(std::string_view name, const reflect::Type* type, bool is_required);
  /// Adds a query parameter for each member, like `read_pairs`.
  void take_query(const reflect::Type& type);
  void take_body(std::string_view media_type, const reflect::Type* type);
  void take_selection(std::string_view name, Parameter::Selection selection);
  /// Returns the response with that status, and adds it if it is missing.
  Response& add_response(int status, std::string_view description);
  Response& add_response(int status, std::string_view description, std::string_view media_type,
                         const reflect::Type* type);
  /// Adds a problem document (RFC 9457).
  Response& add_problem(int status, std::string_view description);
  void secure(Security scheme);
  /// Adds the parameters and error responses of a guard.
  ///
  /// may_refuse  all users of its value accept its absence
  void add_guards(const Operation& of_guard, bool may_refuse);

  /// Finds a parameter; the first one if there are several.
  [[nodiscard]] const Parameter* find(In in, std::string_view name) const noexcept;
  [[nodiscard]] const Response* find_response(int status) const noexcept;

  void take(In in, std::string_view name, const reflect::Type* type, bool is_required,
            const MemberText& about = {});

  /// Number of path parameters that were described.
  std::size_t path_values = 0;
};

/// Returns the type of problem documents.
[[nodiscard]] const reflect::Type& problem_type() noexcept;

namespace detail::app {

/// Describes a parameter or result in an operation; null: nothing.
using Describe = void (*)(Operation&);

void describe_path_value(Operation& operation, const reflect::Type* type);
void describe_json_content(Operation& operation, const reflect::Type& type);
void describe_form_content(Operation& operation, const reflect::Type& type);
void describe_any_content(Operation& operation);
void describe_streamed_content(Operation& operation, std::string_view media_type);
void describe_streamed_response(Operation& operation, std::string_view media_type,
                                const reflect::Type* type);
void describe_value(Operation& operation, const reflect::Type& type);
void describe_text(Operation& operation, std::string_view media_type);
void describe_json(Operation& operation, const reflect::Type& type);
void describe_created(Operation& operation, const reflect::Type& type);
void describe_redirect(Operation& operation);
void describe_nothing(Operation& operation);
void describe_none(Operation& operation);
void describe_wrong(Operation& operation);
/// Describes a response whose type is unknown.
void describe_unknown(Operation& operation);

}  // namespace detail::app
}  // namespace eider
