// What an endpoint takes and what it answers, told by the types of its handler: for documents,
// checks and people. Must not be needed to serve: it is made when a program asks for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/reflect/type.h"
#include "eider/protocols/http/method.h"

namespace eider {

/// What a person says of a route, for documents.
///
/// summary        a few words
/// description    CommonMark
/// tags           groups that documents show it in
/// operation_id   what generated clients call it; made of method and pattern where it is empty
struct RouteWords {
  std::string summary = {};
  std::string description = {};
  std::vector<std::string> tags = {};
  std::string operation_id = {};
  bool is_deprecated = false;
};

/// One method of one pattern. Types are described as long as the process lives.
///
/// An Extract or a Render of your own says what it stands for by `static void describe(Operation&)`
/// with the functions below; one without is left out, and all else stands.
struct Operation {
  enum class In : std::uint8_t { path, query, header, cookie };

  /// type   null: text
  /// about  what the struct says that it is a member of
  /// may_be_empty  nothing behind the name is as if it was absent
  /// selection     what it names of the answer, where it does
  struct Parameter {
    /// Members of the answer that are left in, separated by commas: all others go.
    ///
    /// names  that may be named; empty: the parameter is none of these
    /// at     where the objects, or a list of them, stand: a JSON pointer (RFC 6901)
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
  /// status       0: any that no other answer has
  /// fields       names of header fields that say more
  /// is_streamed  the content is sent as it is made
  struct Answer {
    int status = 0;
    std::string description;
    std::vector<Content> contents;
    std::vector<std::string> fields;
    bool is_streamed = false;

    [[nodiscard]] bool is_success() const noexcept { return status >= 200 && status < 300; }
    [[nodiscard]] bool has(std::string_view media_type) const noexcept;
    /// Once, whoever says it.
    void add_field(std::string_view name);
  };
  /// A way to say who asks, in the words of OpenAPI's security schemes.
  ///
  /// name    of the scheme, the same for all operations that share it
  /// kind    http: `field` is the scheme of Authorization, "bearer" or "basic"; api_key: `field`
  ///         names the parameter of `in`
  /// scopes  what it has to be good for
  /// group   of two in one group either will do; each group is asked for, as each guard is
  struct Security {
    enum class Kind : std::uint8_t { http, api_key, mutual_tls, other };

    std::string name{};
    Kind kind = Kind::other;
    In in = In::header;
    std::string field{};
    /// What a bearer's token is, for people: "JWT".
    std::string format{};
    std::vector<std::string> scopes{};
    bool is_required = true;
    std::size_t group = 0;
  };

  Method method = Method::get;
  /// As App::host has it; empty: any.
  std::string host;
  std::string pattern;
  RouteWords words;
  std::vector<Parameter> parameters;
  /// The ways in which the request's content may come; empty: it has none.
  std::vector<Content> contents;
  bool is_content_required = false;
  /// The handler reads it as it comes.
  bool is_content_streamed = false;
  std::size_t content_bytes_max = 0;
  std::vector<Answer> answers;
  std::vector<Security> security;
  bool opens_websocket = false;
  /// Of a WebSocket, those that the server chooses from.
  std::vector<std::string> subprotocols;

  /// GET or HEAD.
  [[nodiscard]] bool only_reads() const noexcept;

  // For functions that describe.

  /// The next value of the path, in the order of the handler's parameters.
  void take_path_value(const reflect::Type* type);
  void take_header(std::string_view name, const reflect::Type* type, bool is_required);
  void take_cookie(std::string_view name, const reflect::Type* type, bool is_required);
  /// A parameter for each member, as `read_pairs` reads them.
  void take_query(const reflect::Type& type);
  void take_content(std::string_view media_type, const reflect::Type* type);
  void take_selection(std::string_view name, Parameter::Selection selection);
  /// The answer of that status, made when it is not there yet.
  Answer& answer(int status, std::string_view description);
  Answer& answer(int status, std::string_view description, std::string_view media_type,
                 const reflect::Type* type);
  /// A problem document (RFC 9457).
  Answer& answer_problem(int status, std::string_view description);
  void secure(Security scheme);
  /// What a guard takes and refuses with.
  ///
  /// may_refuse  all that ask for it do without
  void add_guards(const Operation& of_guard, bool may_refuse);

  /// Where an operation has two of a name, the first counts.
  [[nodiscard]] const Parameter* find(In in, std::string_view name) const noexcept;
  [[nodiscard]] const Answer* find_answer(int status) const noexcept;

  void take(In in, std::string_view name, const reflect::Type* type, bool is_required,
            const MemberText& about = {});

  /// How many values of the path have been described.
  std::size_t path_values = 0;
};

/// What a problem document holds.
[[nodiscard]] const reflect::Type& problem_type() noexcept;

namespace detail::app {

/// Tells an operation what one parameter or result stands for; null: nothing.
using Describe = void (*)(Operation&);

void describe_path_value(Operation& operation, const reflect::Type* type);
void describe_json_content(Operation& operation, const reflect::Type& type);
void describe_form_content(Operation& operation, const reflect::Type& type);
void describe_any_content(Operation& operation);
void describe_streamed_content(Operation& operation, std::string_view media_type);
void describe_streamed_answer(Operation& operation, std::string_view media_type,
                              const reflect::Type* type);
void describe_value(Operation& operation, const reflect::Type& type);
void describe_text(Operation& operation, std::string_view media_type);
void describe_json(Operation& operation, const reflect::Type& type);
void describe_created(Operation& operation, const reflect::Type& type);
void describe_redirect(Operation& operation);
void describe_nothing(Operation& operation);
void describe_none(Operation& operation);
void describe_wrong(Operation& operation);
/// Of an answer whose type says nothing.
void describe_unknown(Operation& operation);

}  // namespace detail::app
}  // namespace eider
