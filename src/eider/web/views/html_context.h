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
  own_url,   // what is asked for there becomes a part of the page, or is told what is in it
  url_list,  // srcset: its first address cannot be told from the others
  style,
  code,    // what a script runs: onclick, x-data, hx-on
  markup,  // srcdoc: a page within
};

/// Pre: both in lower case.
[[nodiscard]] AttributeKind attribute_kind(std::string_view tag, std::string_view name) noexcept;

/// Is fed the text between the values, and told of each value. To be copied for each of several
/// ways, which have to lead to one place.
///
/// source  HTML, section 13.2.5 (Tokenization), of which it keeps what decides about values
class HtmlContext {
 public:
  void feed(std::string_view text);

  /// How a value here is written; or why none may stand here, and what to do instead.
  [[nodiscard]] Result<Context, std::string> of_value() const;
  /// Whether a value may stand here that the template says to leave as it is.
  [[nodiscard]] Result<Context, std::string> of_raw_value() const;
  /// How a value is written that the template trusts to name another site.
  [[nodiscard]] Result<Context, std::string> of_trusted_value() const;
  /// A value was written, by the context that was told.
  void put_value(Context context);

  /// Where the other way has led to as well; false where that is another place.
  [[nodiscard]] bool join(const HtmlContext& other);

  /// Between tags, where a fragment may begin and a page end.
  [[nodiscard]] bool is_in_text() const noexcept { return at_ == At::text; }
  /// "in the attribute href of <a>", for people.
  [[nodiscard]] std::string where() const;
  /// What is wrong with the HTML itself, so that no value could be safe behind it; or empty.
  [[nodiscard]] const std::string& fault() const noexcept { return fault_; }

  friend bool operator==(const HtmlContext&, const HtmlContext&) = default;

 private:
  enum class At : std::uint8_t {
    text,
    tag_open,  // behind '<'
    tag_name,
    in_tag,  // where an attribute may begin
    attribute_name,
    behind_name,
    before_value,
    double_quoted,
    single_quoted,
    unquoted,
    declaration,  // behind "<!"
    comment,
    contents,  // of an element whose content is no markup: script, style, title, textarea
  };
  /// unclear  it may be that a script's address has begun
  enum class UrlAt : std::uint8_t { beginning, within, in_script, unclear };

  /// Of the path of an address, whether all of a segment may be a value. A reference may be '/'.
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
  bool must_part_ = false;  // in one way the name of the tag is not over yet
  bool is_closed_ = false;  // a '/' stood before the '>'
  int foreign_ = 0;         // <svg> and <math> that are open
  std::string attribute_;
  AttributeKind kind_ = AttributeKind::plain;
  UrlAt url_ = UrlAt::beginning;
  bool names_scheme_ = false;  // a value may be the scheme of an address, with ':' to come
  bool may_be_slash_ = false;  // a value that is "/" may be all that the address has
  SegmentAt segment_ = SegmentAt::beginning;
  bool may_be_script_ = false;  // in one way it begins as the scheme of a script does
  std::string value_;           // its beginning without blanks, in lower case
  std::string type_;            // of a script
  bool refreshes_ = false;      // <meta http-equiv>
  bool has_value_ = false;      // something of the template's stands in <meta content>
  std::string recent_;          // the beginning of a declaration, or the last bytes of a comment
  std::string closing_;         // what has come of "</script"
  ScriptState script_;
  std::string fault_;
};

}  // namespace eider::views
