#include "eider/web/views/html_context.h"

#include <algorithm>
#include <array>

#include "eider/core/base/text.h"

namespace eider::views {

namespace {

/// URL attributes of HTML and SVG.
constexpr std::array<std::string_view, 16> kUrls = {
    "background", "cite",     "codebase", "data",   "dynsrc",  "href", "icon",   "longdesc",
    "lowsrc",     "manifest", "ping",     "poster", "profile", "src",  "usemap", "xml:base"};

/// Forms send the input of users to these URLs. htmx inserts their responses into the page, and
/// sends data of the page to them.
constexpr std::array<std::string_view, 11> kOwnUrls = {
    "action",      "formaction", "hx-delete",      "hx-get",      "hx-patch",  "hx-post",
    "hx-push-url", "hx-put",     "hx-replace-url", "sse-connect", "ws-connect"};

/// Attributes that libraries evaluate: these of htmx and hyperscript, and the directives of Alpine,
/// Vue, Angular and Knockout by their prefixes.
constexpr std::array<std::string_view, 11> kEvaluated = {
    "hx-headers", "hx-request", "hx-trigger", "hx-vals", "hx-vars", "xmlns",
    "hx-ext",     "hx-inherit", "hx-sse",     "hx-ws",   "script"};
constexpr std::array<std::string_view, 16> kEvaluatedBeginnings = {
    "on", "x-", "v-", "ng-", "@", ":", "hx-on", "_", "?", "bind", "#", "(", "[", "*", ".", "up-on"};

/// Names after "data-" that libraries evaluate.
constexpr std::array<std::string_view, 8> kEvaluatedData = {
    "x-", "v-", "ng-", "hx-on", "bind", "script", "signals", "computed"};
/// Attributes of Datastar, alone or before '-', ':' or "__".
constexpr std::array<std::string_view, 8> kDatastar = {"on",   "text",  "show",   "class",
                                                       "attr", "style", "effect", "init"};
constexpr std::array<std::string_view, 5> kDataUrls = {"action", "formaction", "href", "poster",
                                                       "src"};

/// SVG animations can set any attribute, such as a URL.
constexpr std::array<std::string_view, 5> kAnimated = {"attributename", "from", "to", "by",
                                                       "values"};

bool is_in(std::string_view name, const auto& names) noexcept {
  return std::ranges::find(names, name) != names.end();
}

bool begins_with_one_of(std::string_view name, const auto& beginnings) noexcept {
  return std::ranges::any_of(beginnings,
                             [name](std::string_view begin) { return name.starts_with(begin); });
}

/// Returns the kind of an attribute by its name after "data-".
AttributeKind data_kind(std::string_view name) noexcept {
  if (is_in(name, kDataUrls)) {
    return AttributeKind::url;
  }
  if (name == "srcset" || name == "srcdoc") {
    return name == "srcset" ? AttributeKind::url_list : AttributeKind::markup;
  }
  const std::string_view word = name.substr(0, name.find_first_of("-:."));
  const bool is_evaluated =
      begins_with_one_of(name, kEvaluatedData) || is_in(word.substr(0, word.find("__")), kDatastar);
  return is_evaluated ? AttributeKind::code : AttributeKind::plain;
}

}  // namespace

AttributeKind attribute_kind(std::string_view tag, std::string_view name) noexcept {
  if (name.starts_with("data-")) {
    name.remove_prefix(5);
    if (!name.starts_with("hx-")) {
      return data_kind(name);
    }
  }
  if (name.starts_with("xlink:")) {
    name.remove_prefix(6);
  }
  if (is_in(name, kOwnUrls) || (name == "href" && tag == "base") ||
      (name == "src" && tag.starts_with("turbo-"))) {
    return AttributeKind::own_url;
  }
  if (is_in(name, kUrls)) {
    return AttributeKind::url;
  }
  if (name == "srcset" || name == "imagesrcset") {
    return AttributeKind::url_list;
  }
  if (name == "style") {
    return AttributeKind::style;
  }
  if (name == "srcdoc") {
    return AttributeKind::markup;
  }
  const bool is_animated = (tag.starts_with("animate") || tag == "set") && is_in(name, kAnimated);
  const bool is_evaluated =
      is_in(name, kEvaluated) || begins_with_one_of(name, kEvaluatedBeginnings);
  return is_animated || is_evaluated ? AttributeKind::code : AttributeKind::plain;
}

namespace {

/// The name of an attribute that depends on a branch: treated as if its value were executed.
constexpr std::string_view kUnknownName = "?";
constexpr std::string_view kUnknownType = "an unknown language";
constexpr std::size_t kValueKeptMax = 64;
constexpr std::size_t kNameMax = 64;

/// Elements whose content is text or another language, up to their end tag.
constexpr std::array<std::string_view, 9> kOfContents = {
    "script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes", "plaintext"};

constexpr std::array<std::string_view, 3> kScriptSchemes = {"javascript", "data", "vbscript"};

bool is_space(char byte) {
  return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r' || byte == '\f';
}

bool is_one_of(std::string_view name, const auto& names) {
  return std::ranges::find(names, name) != names.end();
}

/// Returns whether the type of a script is JavaScript or JSON.
bool is_known_script(std::string_view type) {
  constexpr std::array<std::string_view, 4> kNames = {"", "module", "importmap",
                                                      "speculationrules"};
  return is_one_of(type, kNames) || type.ends_with("javascript") || type.ends_with("ecmascript") ||
         type.ends_with("json");
}

/// Returns whether the text may still become the scheme of a script.
bool begins_script_scheme(std::string_view text) {
  return !text.empty() && std::ranges::any_of(kScriptSchemes, [text](std::string_view scheme) {
    return scheme.starts_with(text);
  });
}

/// Returns whether the content of an element is not HTML: in it, <title> and <style> contain
/// markup.
bool is_foreign(std::string_view tag) {
  return tag == "svg" || tag == "math";
}

bool is_url(AttributeKind kind) {
  return kind == AttributeKind::url || kind == AttributeKind::own_url;
}

std::unexpected<std::string> no(std::string why) {
  return fail(std::move(why));
}

}  // namespace

void HtmlContext::feed(std::string_view text) {
  for (const char byte : text) {
    step(byte);
  }
}

void HtmlContext::step(char byte) {
  if (must_part_ && !is_space(byte) && byte != '/' && byte != '>') {
    fault_ = "the tag name must end before {% if %} and after {% endif %}: add a space";
  }
  must_part_ = false;
  switch (at_) {
    case At::text:
      at_ = byte == '<' ? At::tag_open : At::text;
      return;
    case At::tag_open:
      return step_tag_open(byte);
    case At::tag_name:
      return step_tag_name(byte);
    case At::in_tag:
      return step_in_tag(byte);
    case At::attribute_name:
    case At::behind_name:
      return step_name(byte);
    case At::before_value:
      return step_before_value(byte);
    case At::double_quoted:
    case At::single_quoted:
    case At::unquoted:
      return step_value(byte);
    case At::declaration:
      return step_declaration(byte);
    case At::comment:
      return step_comment(byte);
    case At::contents:
      return step_contents(byte);
  }
}

void HtmlContext::step_tag_open(char byte) {
  if (byte == '/' && !is_end_tag_) {
    is_end_tag_ = true;
    return;
  }
  if (is_letter(byte)) {
    tag_ = to_lower(byte);
    type_.clear();
    refreshes_ = has_value_ = is_closed_ = false;
    at_ = At::tag_name;
    return;
  }
  const bool is_declaration = byte == '!' || byte == '?' || (is_end_tag_ && byte != '>');
  recent_ = byte == '!' && !is_end_tag_ ? "" : "..";  // "</!--" and "<?--" end at the next '>'
  is_end_tag_ = false;
  at_ = is_declaration ? At::declaration : byte == '<' ? At::tag_open : At::text;
  if (!is_declaration) {
    recent_.clear();
  }
}

void HtmlContext::step_tag_name(char byte) {
  if (byte == '>') {
    end_tag();
  } else if (is_space(byte) || byte == '/') {
    is_closed_ = byte == '/';
    at_ = At::in_tag;
  } else if (tag_.size() < kNameMax) {
    tag_ += to_lower(byte);
  }
}

void HtmlContext::step_in_tag(char byte) {
  if (byte == '>') {
    end_tag();
  } else if (byte == '/') {
    is_closed_ = true;
  } else if (!is_space(byte)) {
    is_closed_ = false;
    attribute_ = to_lower(byte);
    at_ = At::attribute_name;
  }
}

void HtmlContext::step_name(char byte) {
  if (byte == '=') {
    at_ = At::before_value;
  } else if (byte == '>' || byte == '/') {
    at_ = At::in_tag;
    step_in_tag(byte);
  } else if (is_space(byte)) {
    at_ = At::behind_name;
  } else if (at_ == At::behind_name) {
    at_ = At::in_tag;
    step_in_tag(byte);
  } else if (attribute_.size() < kNameMax) {
    attribute_ += to_lower(byte);
  }
}

void HtmlContext::step_before_value(char byte) {
  if (byte == '"') {
    begin_value(At::double_quoted);
  } else if (byte == '\'') {
    begin_value(At::single_quoted);
  } else if (byte == '>') {
    end_tag();
  } else if (!is_space(byte)) {
    begin_value(At::unquoted);
    step_value(byte);
  }
}

void HtmlContext::begin_value(At quotes) {
  at_ = quotes;
  kind_ = attribute_kind(tag_, attribute_);
  url_ = UrlAt::beginning;
  segment_ = SegmentAt::beginning;
  names_scheme_ = may_be_script_ = may_be_slash_ = false;
  value_.clear();
}

void HtmlContext::step_value(char byte) {
  const bool ends = at_ == At::double_quoted   ? byte == '"'
                    : at_ == At::single_quoted ? byte == '\''
                                               : is_space(byte) || byte == '>';
  if (ends) {
    return end_value(byte);
  }
  if (url_ == UrlAt::beginning || names_scheme_) {
    step_scheme(byte);
  }
  if (may_be_slash_ && static_cast<unsigned char>(byte) > ' ') {
    if (byte == '/' || byte == '\\') {
      fault_ =
          "the value \"/\" would turn the following text into a host: write {{ path | trusted }} "
          "if only your program sets the value, or write \"/\" before the value";
    }
    may_be_slash_ = false;
  }
  step_path(byte);
  // Browsers ignore whitespace before and within a scheme.
  if (value_.size() < kValueKeptMax && static_cast<unsigned char>(byte) > ' ') {
    value_ += to_lower(byte);
  }
}

void HtmlContext::step_path(char byte) {
  const bool begins_next = kind_ == AttributeKind::url_list && (is_space(byte) || byte == ',');
  if (begins_next) {
    segment_ = SegmentAt::beginning;
  }
  if (segment_ == SegmentAt::behind_path || static_cast<unsigned char>(byte) <= ' ') {
    return;
  }
  if (segment_ == SegmentAt::reference && (is_letter(byte) || is_digit(byte) || byte == '#')) {
    return;
  }
  if (byte == '?' || byte == '#') {
    segment_ = SegmentAt::behind_path;
  } else if (byte == '/' || byte == '\\' || (byte == ';' && segment_ == SegmentAt::reference)) {
    segment_ = SegmentAt::beginning;
  } else if (byte == '&') {
    segment_ = SegmentAt::reference;
  } else if (byte != '.' || segment_ != SegmentAt::beginning) {
    segment_ = SegmentAt::within;
  }
}

void HtmlContext::end_value(char byte) {
  const bool is_unknown = attribute_.starts_with(kUnknownName);
  if (attribute_ == "type" || is_unknown) {
    type_ = is_unknown ? std::string(kUnknownType) : value_;
  }
  refreshes_ = refreshes_ || (tag_ == "meta" && (attribute_ == "http-equiv" || is_unknown));
  const bool is_tag_end = at_ == At::unquoted && byte == '>';
  at_ = At::in_tag;
  value_.clear();
  if (is_tag_end) {
    end_tag();
  }
}

/// A character reference, "&#58;" or "&colon;", may be the colon, or a letter of the scheme.
void HtmlContext::step_scheme(char byte) {
  const bool is_reference = value_.ends_with('&') && (byte == '#' || to_lower(byte) == 'c');
  const bool ends = std::string_view(":/?#,").contains(byte);
  if (names_scheme_ && is_url(kind_) && (byte == ':' || is_reference)) {
    fault_ =
        "a value must not be the scheme of a URL: write the scheme in the template, for example "
        "https:";
  }
  names_scheme_ = names_scheme_ && !ends;
  if (url_ == UrlAt::beginning && byte == '&') {
    url_ = UrlAt::unclear;
  } else if (url_ == UrlAt::beginning && ends) {
    const bool is_colon = byte == ':';
    url_ = is_colon && is_one_of(value_, kScriptSchemes) ? UrlAt::in_script
           : is_colon && may_be_script_                  ? UrlAt::unclear
                                                         : UrlAt::within;
  }
}

void HtmlContext::end_tag() {
  const bool has_contents = is_one_of(tag_, kOfContents);
  if (!is_end_tag_ && is_closed_ && has_contents) {
    fault_ = "<" + tag_ + "> is not self-closing: write </" + tag_ + ">";
  }
  if (refreshes_ && has_value_) {
    fault_ =
        "a value must not set the target of <meta http-equiv>: send the header Location instead";
  }
  if (is_foreign(tag_) && !is_closed_) {
    foreign_ += is_end_tag_ ? (foreign_ > 0 ? -1 : 0) : 1;
  }
  at_ = !is_end_tag_ && has_contents ? At::contents : At::text;
  if (at_ == At::text) {
    tag_.clear();
    type_.clear();
  }
  is_end_tag_ = is_closed_ = refreshes_ = has_value_ = false;
  attribute_.clear();
  kind_ = AttributeKind::plain;
  url_ = UrlAt::beginning;
  names_scheme_ = false;
  closing_.clear();
  script_ = {};
}

void HtmlContext::step_declaration(char byte) {
  recent_ += byte;
  if (recent_ == "--") {
    at_ = At::comment;
  } else if (recent_ == "[C") {
    fault_ = "<![CDATA[ is a comment in HTML, and a text in SVG: write &lt; and &amp;";
  } else if (byte == '>') {
    at_ = At::text;
    recent_.clear();
  } else if (recent_.size() > 2) {
    recent_ = "..";
  }
}

/// A comment ends at "-->" and "--!>"; "<!-->" and "<!--->" end at once.
void HtmlContext::step_comment(char byte) {
  recent_ += byte;
  if (recent_.size() > 4) {
    recent_.erase(0, 1);
  }
  if (recent_.ends_with("-->") || recent_.ends_with("--!>")) {
    at_ = At::text;
    recent_.clear();
  }
}

void HtmlContext::step_contents(char byte) {
  const std::string wanted = "</" + tag_;
  if (closing_.size() == wanted.size() && (is_space(byte) || byte == '/' || byte == '>')) {
    is_end_tag_ = true;
    at_ = At::in_tag;
    closing_.clear();
    step_in_tag(byte);
    return;
  }
  closing_ += to_lower(byte);
  if (!wanted.starts_with(closing_)) {
    if (foreign_ > 0 && closing_.starts_with('<') && fault_.empty()) {
      fault_ = "<" + tag_ +
               "> in SVG contains markup, but text elsewhere: its content must not contain \"<\"";
    }
    closing_ = byte == '<' ? "<" : "";
  }
  if (tag_ == "script") {
    script_.step(byte);
    if (script_.hides_its_end()) {
      fault_ = "\"<script\" after \"<!--\" hides the end of this script: write \"<\\!--\"";
    }
  }
}

bool HtmlContext::is_in_value() const noexcept {
  return at_ == At::double_quoted || at_ == At::single_quoted;
}

Result<Context, std::string> HtmlContext::of_value() const {
  switch (at_) {
    case At::text:
      return Context::text;
    case At::tag_open:
    case At::tag_name:
      return no("a value must not be an element name or follow \"<\": write &lt;");
    case At::in_tag:
    case At::attribute_name:
    case At::behind_name:
      return no(
          "a value must not be an attribute name: write the name, with {% if %} around the "
          "attribute");
    case At::before_value:
    case At::unquoted:
      return no("a value needs quotes: " + attribute_ + "=\"{{ … }}\"");
    case At::double_quoted:
    case At::single_quoted:
      return of_attribute();
    case At::declaration:
    case At::comment:
      return no("a value is not allowed in an HTML comment: use {# … #} for notes");
    case At::contents:
      return of_contents();
  }
  return no("a value is not allowed here");
}

Result<Context, std::string> HtmlContext::of_attribute() const {
  const bool is_segment = segment_ == SegmentAt::beginning || segment_ == SegmentAt::reference;
  const Context part = is_segment ? Context::url_segment : Context::url_part;
  switch (kind_) {
    case AttributeKind::plain:
      return Context::attribute;
    case AttributeKind::style:
      return Context::style;
    case AttributeKind::url:
    case AttributeKind::own_url:
      if (url_ == UrlAt::in_script) {
        return no(
            "a value is not allowed in the URL of a script: use an attribute such as data-value");
      }
      if (url_ == UrlAt::unclear && kind_ == AttributeKind::own_url) {
        return no(
            "this URL starts differently in different branches of the template, or with a "
            "character reference: write the start of the URL as plain text");
      }
      if (url_ == UrlAt::unclear) {
        return no("the start of this URL could run a script: write the scheme as plain text");
      }
      if (url_ != UrlAt::beginning || !value_.empty()) {
        return part;
      }
      return kind_ == AttributeKind::url ? Context::url : Context::own_url;
    case AttributeKind::url_list:
      if (url_ != UrlAt::within) {
        return no(
            "a value must not start a list of URLs: write the start as plain text, for example "
            "\"/images/…\"");
      }
      return part;
    case AttributeKind::code:
      return no("a value is not allowed in " + attribute_ +
                ", which the browser runs as a script: use an attribute such as data-value, and "
                "read that attribute in the script");
    case AttributeKind::markup:
      return no("a value is not allowed in srcdoc: serve that page at its own URL, and use src");
  }
  return no("a value is not allowed here");
}

Result<Context, std::string> HtmlContext::of_contents() const {
  if (tag_ == "title" || tag_ == "textarea") {
    return Context::text;
  }
  if (tag_ == "style") {
    return Context::style;
  }
  if (tag_ != "script" || !is_known_script(type_) || foreign_ > 0) {
    return no("a value is not allowed in this <" + tag_ + ">: its type is unknown");
  }
  if (const std::string_view why = script_.refusal(); !why.empty()) {
    return no(std::string(why));
  }
  const bool is_json =
      type_.ends_with("json") || type_ == "importmap" || type_ == "speculationrules";
  return is_json ? Context::json : Context::script;
}

Result<Context, std::string> HtmlContext::of_raw_value() const {
  if (at_ == At::text || at_ == At::contents || is_in_value()) {
    return Context::raw;
  }
  return of_value();
}

Result<Context, std::string> HtmlContext::of_trusted_value() const {
  Result<Context, std::string> context = of_value();
  if (!context) {
    return context;
  }
  if (*context != Context::url && *context != Context::own_url) {
    return no("trusted is only for a complete URL, or the start of one: in href, action, hx-get");
  }
  return Context::url;
}

void HtmlContext::put_value(Context context) {
  if (is_in_value()) {
    may_be_slash_ = may_be_slash_ || context == Context::own_url;
    names_scheme_ = names_scheme_ || url_ == UrlAt::beginning;
    url_ = UrlAt::within;
    segment_ = segment_ == SegmentAt::behind_path ? segment_ : SegmentAt::within;
    has_value_ = has_value_ || (tag_ == "meta" && attribute_ == "content");
    value_ = attribute_ == "type" ? kUnknownType : "";
  }
  if (at_ == At::contents) {
    script_.put_value();
    closing_.clear();
  }
}

bool HtmlContext::join(const HtmlContext& other) {
  const auto is_between = [](At at) {
    return at == At::tag_name || at == At::in_tag || at == At::attribute_name ||
           at == At::behind_name;
  };
  if (fault_.empty()) {
    fault_ = other.fault_;
  }
  if (at_ != other.at_ && is_between(at_) && is_between(other.at_)) {
    // <input {% if done %}checked{% endif %}>: an attribute name, no name, or part of one.
    const bool is_in_name = at_ == At::attribute_name || other.at_ == At::attribute_name;
    must_part_ = at_ == At::tag_name || other.at_ == At::tag_name;
    at_ = is_in_name ? At::attribute_name : At::behind_name;
    attribute_ = kUnknownName;
  } else if (at_ != other.at_) {
    return false;
  }
  const bool is_same_place = tag_ == other.tag_ && is_end_tag_ == other.is_end_tag_ &&
                             closing_ == other.closing_ && recent_ == other.recent_ &&
                             foreign_ == other.foreign_ &&
                             (!is_in_value() || attribute_ == other.attribute_) &&
                             (at_ != At::contents || type_ == other.type_);
  if (!is_same_place || !ScriptState::can_join(script_, other.script_)) {
    return false;
  }
  script_.join(other.script_);
  if (!is_in_value() && attribute_ != other.attribute_) {
    attribute_ = kUnknownName;
  }
  join_url(other);
  if (type_ != other.type_) {
    type_ = kUnknownType;
  }
  names_scheme_ = names_scheme_ || other.names_scheme_;
  may_be_slash_ = may_be_slash_ || other.may_be_slash_;
  refreshes_ = refreshes_ || other.refreshes_;
  has_value_ = has_value_ || other.has_value_;
  must_part_ = must_part_ || other.must_part_;
  is_closed_ = is_closed_ && other.is_closed_;
  return true;
}

void HtmlContext::join_url(const HtmlContext& other) {
  may_be_script_ = may_be_script_ || other.may_be_script_;
  segment_ = std::min(segment_, other.segment_);
  if (url_ == other.url_ && value_ == other.value_) {
    return;
  }
  if (kind_ == AttributeKind::own_url && url_ != other.url_) {
    url_ = UrlAt::unclear;  // "/" in one branch and a value "/host" would be "//host"
  }
  const auto one_is = [&](UrlAt at) { return url_ == at || other.url_ == at; };
  may_be_script_ =
      may_be_script_ || begins_script_scheme(value_) || begins_script_scheme(other.value_);
  url_ = one_is(UrlAt::in_script)   ? UrlAt::in_script
         : one_is(UrlAt::unclear)   ? UrlAt::unclear
         : one_is(UrlAt::beginning) ? UrlAt::beginning
                                    : UrlAt::within;
  value_.clear();
}

std::string HtmlContext::where() const {
  switch (at_) {
    case At::text:
      return "between tags";
    case At::double_quoted:
    case At::single_quoted:
    case At::unquoted:
    case At::before_value:
      return "in the attribute " + attribute_ + " of <" + tag_ + ">";
    case At::comment:
    case At::declaration:
      return "in an HTML comment";
    case At::contents:
      return "in the content of <" + tag_ + ">";
    case At::tag_open:
    case At::tag_name:
    case At::in_tag:
    case At::attribute_name:
    case At::behind_name:
      return "within the tag <" + tag_ + ">";
  }
  return "";
}

}  // namespace eider::views
