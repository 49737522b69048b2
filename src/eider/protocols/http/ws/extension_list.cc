#include "eider/protocols/http/ws/extension_list.h"

#include <utility>

#include "eider/core/base/text.h"
#include "eider/protocols/http/grammar.h"
#include "eider/protocols/http/parameters.h"
#include "eider/protocols/http/ws/handshake.h"

namespace eider::ws {

namespace {

using Extensions = std::vector<Extension>;

/// Parses one field's value and adds to the list. Each rule of the grammar has a function, which
/// returns false if the value violates the rule.
class ListParser {
 public:
  ListParser(std::string_view value, Extensions& list) noexcept : in_(value), list_(list) {}

  [[nodiscard]] std::optional<ExtensionFault> read() {
    while (skip_to_element()) {
      if (!read_extension()) {
        return fault_;
      }
    }
    return std::nullopt;
  }

 private:
  /// #element: empty elements are ignored (RFC 9110, section 5.6.1). Some libraries send an empty
  /// field if they offer no extensions.
  [[nodiscard]] bool skip_to_element() noexcept {
    in_.skip_blanks();
    while (in_.accept(',')) {
      in_.skip_blanks();
    }
    return !in_.is_at_end();
  }

  /// extension = extension-token *( ";" extension-param )
  [[nodiscard]] bool read_extension() {
    const std::string_view name = in_.token();
    if (name.empty()) {
      return false;
    }
    if (list_.size() == kExtensionsMax) {
      return fail_as_too_many();
    }
    list_.push_back({name, {}});
    in_.skip_blanks();
    while (in_.accept(';')) {
      if (!read_param(list_.back())) {
        return false;
      }
    }
    return in_.is_at_end() || in_.rest().starts_with(',');
  }

  /// extension-param = token [ "=" (token | quoted-string) ], and the blanks that the list syntax
  /// of RFC 2616 (section 2.1) allows between all of them
  [[nodiscard]] bool read_param(Extension& extension) {
    in_.skip_blanks();
    ExtensionParam param{in_.token(), std::nullopt};
    in_.skip_blanks();
    if (param.name.empty() || (in_.accept('=') && !read_value(param))) {
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
    in_.skip_blanks();
    const auto quoted = in_.quoted();
    param.value = quoted ? unescape_quoted(*quoted) : std::string(in_.token());
    in_.skip_blanks();
    return is_token(*param.value);
  }

  [[nodiscard]] bool fail_as_too_many() noexcept {
    fault_ = ExtensionFault::too_many;
    return false;
  }

  FieldScanner in_;
  Extensions& list_;
  ExtensionFault fault_ = ExtensionFault::bad_syntax;
};

}  // namespace

Result<Extensions, ExtensionFault> read_extensions(std::span<const Field> fields) {
  Extensions list;
  for (const Field& field : fields) {
    if (!equals_ignoring_case(field.name, kExtensionsField)) {
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
