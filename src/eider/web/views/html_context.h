// Tracks the HTML context of a text, which determines how to escape the next value.
// Layering: must not build a document or repair HTML.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "eider/core/base/result.h"
#include "eider/web/views/script_state.h"
#include "eider/web/views/tree.h"

namespace eider::views {

enum class AttributeKind : std::uint8_t {
  plain,
  url,
  own_url,   // the response becomes part of the page, or data of the page is sent there
  url_list,  // srcset: the first URL cannot be distinguished from the others
  style,
  code,    // code that runs as script: onclick, x-data, hx-on
  markup,  // srcdoc: a complete page
};

/// Returns the kind of an attribute. Pre: both names are in lower case.
[[nodiscard]] AttributeKind attribute_kind(std::string_view tag, std::string_view name) noexcept;

/// Reads the text between the values, and is notified of each value. Branches of a template get
/// copies, which must all end in the same context (join).
///
/// source  HTML, section 13.2.5 (Tokenization), reduced to the states that matter for values
class HtmlContext {
 public:
  void feed(std::string_view text);

  /// Returns how a value is escaped at this place; or why none is allowed, with the fix.
  [[nodiscard]] Result<Context, std::string> of_value() const;
  /// Returns the context of a value that the template marks as unescaped, if it is allowed here.
  [[nodiscard]] Result<Context, std::string> of_raw_value() const;
  /// Returns the context of a URL value that the template allows to lead to another site.
  [[nodiscard]] Result<Context, std::string> of_trusted_value() const;
  /// Notifies that a value was written, in the context that was returned.
  void put_value(Context context);

  /// Merges the state of another branch; returns false if it ended in a different context.
  [[nodiscard]] bool join(const HtmlContext& other);

  /// Returns whether the place is between tags, where a fragment may begin and a page may end.
  [[nodiscard]] bool is_in_text() const noexcept { return at_ == At::text; }
  /// Returns a description for messages: "in the attribute href of <a>".
  [[nodiscard]] std::string where() const;
  /// Returns an error of the HTML itself that makes all later values unsafe; or an empty text.
  [[nodiscard]] const std::string& fault() const noexcept { return fault_; }

  friend bool operator==(const HtmlContext&, const HtmlContext&) = default;

 private:
  enum class At : std::uint8_t {
    text,
    tag_open,  // after '<'
    tag_name,
    in_tag,  // where an attribute may start
    attribute_name,
    behind_name,
    before_value,
    double_quoted,
    single_quoted,
    unquoted,
    declaration,  // after "<!"
    comment,
    contents,  // of an element whose content is not markup: script, style, title, textarea
  };
  /// unclear  the URL may be that of a script
  enum class UrlAt : std::uint8_t { beginning, within, in_script, unclear };

  /// Within the path of a URL: whether a value may be a complete segment. A character reference may
  /// be '/'.
  enum class SegmentAt : std::uint8_t { beginning, reference, within, behind_path };

  void step(char byte);
  void step_tag_open(char byte);
  void step_tag_name(char byte);
  void step_in_tag(char byte);
  void step_name(char byte);
  void step_before_value(char byte);
  void step_value(char byte);
  void step_scheme(char byte);
  void step_path(char byte);
  void step_declaration(char byte);
  void step_comment(char byte);
  void step_contents(char byte);
  void begin_value(At quotes);
  void end_value(char byte);
  void end_tag();
  void join_url(const HtmlContext& other);
  [[nodiscard]] bool is_in_value() const noexcept;
  [[nodiscard]] Result<Context, std::string> of_attribute() const;
  [[nodiscard]] Result<Context, std::string> of_contents() const;

  At at_ = At::text;
  std::string tag_;
  bool is_end_tag_ = false;
  bool must_part_ = false;  // in one branch, the name of the tag may continue
  bool is_closed_ = false;  // a '/' precedes the '>'
  int foreign_ = 0;         // number of open <svg> and <math> elements
  std::string attribute_;
  AttributeKind kind_ = AttributeKind::plain;
  UrlAt url_ = UrlAt::beginning;
  bool names_scheme_ = false;  // a value may be the scheme of a URL, if ':' follows
  bool may_be_slash_ = false;  // a value that is "/" may be the complete URL so far
  SegmentAt segment_ = SegmentAt::beginning;
  bool may_be_script_ = false;  // in one branch, the URL starts like the scheme of a script
  std::string value_;           // its beginning without whitespace, in lower case
  std::string type_;            // of a script
  bool refreshes_ = false;      // <meta http-equiv>
  bool has_value_ = false;      // <meta content> contains text of the template
  std::string recent_;          // the beginning of a declaration, or the last bytes of a comment
  std::string closing_;         // the part of "</script" that was read
  ScriptState script_;
  std::string fault_;
};

}  // namespace eider::views
