#include "eider/protocols/http/ws/extension_list.h"

#include <utility>

#include "eider/core/base/text.h"
#include "eider/protocols/http/grammar.h"
#include "eider/protocols/http/ws/handshake.h"

namespace eider::ws {

namespace {

using Extensions = std::vector<Extension>;

/// Parses one field's value and adds to the list. Each rule of the grammar has a function, which
/// returns false if the value violates the rule.
class ListParser {
 public:
  ListParser(std::string_view value, Extensions& list) noexcept : rest_(value), list_(list) {}

  [[nodiscard]] std::optional<ExtensionFault> read() {
    const std::size_t before = list_.size();
    while (skip_to_element()) {
      if (!read_extension()) {
        return fault_;
      }
    }
    return list_.size() == before ? std::optional(ExtensionFault::bad_syntax) : std::nullopt;
  }

 private:
  /// #element: empty elements are ignored (RFC 9110, section 5.6.1).
  [[nodiscard]] bool skip_to_element() noexcept {
    skip_blanks();
    while (take(',')) {
      skip_blanks();
    }
    return !rest_.empty();
  }

  /// extension = extension-token *( ";" extension-param )
  [[nodiscard]] bool read_extension() {
    const std::string_view name = take_token();
    if (name.empty()) {
      return false;
    }
    if (list_.size() == kExtensionsMax) {
      return fail_as_too_many();
    }
    list_.push_back({name, {}});
    skip_blanks();
    while (take(';')) {
      if (!read_param(list_.back())) {
        return false;
      }
    }
    return rest_.empty() || rest_.front() == ',';
  }

  /// extension-param = token [ "=" (token | quoted-string) ], and the blanks that the list syntax
  /// of RFC 2616 (section 2.1) allows between all of them
  [[nodiscard]] bool read_param(Extension& extension) {
    skip_blanks();
    ExtensionParam param{take_token(), std::nullopt};
    skip_blanks();
    if (param.name.empty() || (take('=') && !read_value(param))) {
      return false;
    }
    if (extension.params.size() == kExtensionParamsMax) {
      return fail_as_too_many();
    }
    extension.params.push_back(std::move(param));
    return true;
  }

  /// "the value after quoted-string unescaping MUST conform to the 'token' ABNF"
  [[nodiscard]] bool read_value(ExtensionParam& param) {
    skip_blanks();
    param.value = take('"') ? take_quoted() : std::string(take_token());
    skip_blanks();
    return !param.value->empty();
  }

  /// Returns the text before the closing quote; empty if the quote is missing, or the text is not a
  /// token.
  [[nodiscard]] std::string take_quoted() {
    std::string value;
    while (!rest_.empty() && !take('"')) {
      // A quoted pair is its second byte, which must also be a token character.
      (void)take('\\');
      if (rest_.empty() || !is_token_byte(rest_.front())) {
        return {};
      }
      value += rest_.front();
      rest_.remove_prefix(1);
      if (rest_.empty()) {
        return {};
      }
    }
    return value;
  }

  [[nodiscard]] std::string_view take_token() noexcept {
    std::size_t bytes = 0;
    while (bytes < rest_.size() && is_token_byte(rest_[bytes])) {
      ++bytes;
    }
    const std::string_view token = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return token;
  }

  [[nodiscard]] bool take(char byte) noexcept {
    const bool is_next = rest_.starts_with(byte);
    rest_.remove_prefix(is_next ? 1 : 0);
    return is_next;
  }

  void skip_blanks() noexcept {
    while (!rest_.empty() && is_blank(rest_.front())) {
      rest_.remove_prefix(1);
    }
  }

  [[nodiscard]] bool fail_as_too_many() noexcept {
    fault_ = ExtensionFault::too_many;
    return false;
  }

  std::string_view rest_;
  Extensions& list_;
  ExtensionFault fault_ = ExtensionFault::bad_syntax;
};

}  // namespace

Result<Extensions, ExtensionFault> read_extensions(std::span<const Field> fields) {
  Extensions list;
  for (const Field& field : fields) {
    // Some libraries send an empty field if they offer no extensions.
    if (!equals_ignoring_case(field.name, kExtensionsField) || trim(field.value).empty()) {
      continue;
    }
    if (const auto fault = ListParser(field.value, list).read()) {
      return fail(*fault);
    }
  }
  return list;
}

Result<Extensions, ExtensionFault> read_extension_list(std::string_view value) {
  const Field field{kExtensionsField, value};
  return read_extensions({&field, 1});
}

}  // namespace eider::ws
