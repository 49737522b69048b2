// Header values with parameters, `value; name=token; name="quoted"` (RFC 9110, section 5.6.6).
// Layering: must not know any particular field, and decodes no character sets.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace eider {

/// Reads the pieces that field values are made of, from the left.
class FieldScanner {
 public:
  explicit FieldScanner(std::string_view text) noexcept : rest_(text) {}

  [[nodiscard]] std::string_view rest() const noexcept { return rest_; }
  [[nodiscard]] bool is_at_end() const noexcept { return rest_.empty(); }

  /// OWS (RFC 9110, section 5.6.3).
  void skip_blanks() noexcept;
  /// Whether `byte` came next; it is then passed.
  [[nodiscard]] bool accept(char byte) noexcept;
  /// token: the longest run of its characters, which may be empty (RFC 9110, section 5.6.2).
  [[nodiscard]] std::string_view token() noexcept;
  /// quoted-string (RFC 9110, section 5.6.4).
  ///
  /// returns  what stands between the quotes, escapes as they came; nothing, and nothing passed,
  ///          when no whole quoted string comes next or a control byte stands in it
  [[nodiscard]] std::optional<std::string_view> quoted() noexcept;

 private:
  std::string_view rest_;
};

/// The text of a quoted string's inside: each "\x" is x (quoted-pair, RFC 9110, section 5.6.4).
[[nodiscard]] std::string unescape_quoted(std::string_view inside);

struct Parameter {
  std::string_view name;
  /// Without its quotes; escapes as they came.
  std::string_view value;
  bool is_quoted = false;

  /// The value with its escapes resolved.
  [[nodiscard]] std::string text() const {
    return is_quoted ? unescape_quoted(value) : std::string(value);
  }
};

/// What stands in front of the first ';', without blanks: "text/html" of "text/html; charset=a".
[[nodiscard]] std::string_view without_parameters(std::string_view field_value) noexcept;

/// The parameters of one field value in their order; empty ones ("a;;b=c") are passed over.
///
///     ParameterReader parameters(field_value);
///     while (auto parameter = parameters.next()) …
///     if (parameters.is_malformed()) …
class ParameterReader {
 public:
  explicit ParameterReader(std::string_view field_value) noexcept;

  /// The next one; nothing at the end, and where the text is wrong.
  [[nodiscard]] std::optional<Parameter> next() noexcept;
  /// Whether the reader stopped at what is no parameter, or at blanks around its '='.
  [[nodiscard]] bool is_malformed() const noexcept { return is_malformed_; }

 private:
  [[nodiscard]] std::optional<Parameter> stop() noexcept;

  FieldScanner scanner_;
  bool is_malformed_ = false;
};

enum class ParameterSearch : unsigned char { found, absent, doubled, malformed };

struct FoundParameter {
  ParameterSearch outcome;
  Parameter parameter{};
};

/// The parameter of that name, compared without case, read to the end of the field: a doubled or a
/// malformed one is never taken for the one that another program takes.
[[nodiscard]] FoundParameter find_parameter(std::string_view field_value,
                                            std::string_view name) noexcept;

}  // namespace eider
