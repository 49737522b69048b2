// Header values with parameters, `value; name=token; name="quoted"` (RFC 9110, section 5.6.6).
// Layering: must not know any particular field, and decodes no character sets.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace eider {

/// Reads the tokens of a field value from the left.
class FieldScanner {
 public:
  explicit FieldScanner(std::string_view text) noexcept : rest_(text) {}

  [[nodiscard]] std::string_view rest() const noexcept { return rest_; }
  [[nodiscard]] bool is_at_end() const noexcept { return rest_.empty(); }

  /// Skips OWS (RFC 9110, section 5.6.3).
  void skip_blanks() noexcept;
  /// Skips `byte` if it comes next, and returns whether it did.
  [[nodiscard]] bool accept(char byte) noexcept;
  /// Reads a token: the longest run of its characters, which may be empty (RFC 9110, section
  /// 5.6.2).
  [[nodiscard]] std::string_view token() noexcept;
  /// Reads a quoted-string (RFC 9110, section 5.6.4).
  ///
  /// returns  the text between the quotes, with its escapes; nothing, without reading anything, if
  ///          no complete quoted string comes next or it contains a control byte
  [[nodiscard]] std::optional<std::string_view> quoted() noexcept;

 private:
  std::string_view rest_;
};

/// Resolves the escapes in the text of a quoted string: "\x" is x (quoted-pair, RFC 9110, section
/// 5.6.4).
[[nodiscard]] std::string unescape_quoted(std::string_view inside);

struct Parameter {
  std::string_view name;
  /// Without quotes; with its escapes.
  std::string_view value;
  bool is_quoted = false;

  /// Returns the value with its escapes resolved.
  [[nodiscard]] std::string text() const {
    return is_quoted ? unescape_quoted(value) : std::string(value);
  }
};

/// Returns the text before the first ';', without blanks: "text/html" for "text/html; charset=a".
[[nodiscard]] std::string_view without_parameters(std::string_view field_value) noexcept;

/// Reads the parameters of one field value in order; empty ones ("a;;b=c") are skipped.
///
///     ParameterReader parameters(field_value);
///     while (auto parameter = parameters.next()) …
///     if (parameters.is_malformed()) …
class ParameterReader {
 public:
  explicit ParameterReader(std::string_view field_value) noexcept;

  /// Returns the next parameter; nothing at the end, and after an error.
  [[nodiscard]] std::optional<Parameter> next() noexcept;
  /// Returns whether the reader stopped at an invalid parameter, or at blanks around its '='.
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

/// Finds the parameter with that name, case-insensitive. Always reads to the end of the field and
/// rejects a duplicate or malformed one, because another program could use the other one.
[[nodiscard]] FoundParameter find_parameter(std::string_view field_value,
                                            std::string_view name) noexcept;

}  // namespace eider
