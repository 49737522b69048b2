#include "eider/web/views/html_attributes.h"

#include <algorithm>
#include <array>

namespace eider::views {

namespace {

/// Of HTML and SVG.
constexpr std::array<std::string_view, 16> kUrls = {
    "background", "cite",     "codebase", "data",   "dynsrc",  "href", "icon",   "longdesc",
    "lowsrc",     "manifest", "ping",     "poster", "profile", "src",  "usemap", "xml:base"};

/// Forms send what people write there; htmx puts into the page what it gets from there, and sends
/// what is in it.
constexpr std::array<std::string_view, 11> kOwnUrls = {
    "action",      "formaction", "hx-delete",      "hx-get",      "hx-patch",  "hx-post",
    "hx-push-url", "hx-put",     "hx-replace-url", "sse-connect", "ws-connect"};

/// What libraries evaluate: these of htmx and hyperscript; the directives of Alpine, Vue, Angular
/// and Knockout by their beginnings.
constexpr std::array<std::string_view, 11> kEvaluated = {
    "hx-headers", "hx-request", "hx-trigger", "hx-vals", "hx-vars", "xmlns",
    "hx-ext",     "hx-inherit", "hx-sse",     "hx-ws",   "script"};
constexpr std::array<std::string_view, 16> kEvaluatedBeginnings = {
    "on", "x-", "v-", "ng-", "@", ":", "hx-on", "_", "?", "bind", "#", "(", "[", "*", ".", "up-on"};

/// Behind "data-": what libraries read there, which need no other name for it.
constexpr std::array<std::string_view, 8> kEvaluatedData = {
    "x-", "v-", "ng-", "hx-on", "bind", "script", "signals", "computed"};
/// These of Datastar, alone or before '-', ':' or "__".
constexpr std::array<std::string_view, 8> kDatastar = {"on",   "text",  "show",   "class",
                                                       "attr", "style", "effect", "init"};
constexpr std::array<std::string_view, 5> kDataUrls = {"action", "formaction", "href", "poster",
                                                       "src"};

/// SVG's animations set any attribute, such as an address.
constexpr std::array<std::string_view, 5> kAnimated = {"attributename", "from", "to", "by",
                                                       "values"};

bool is_in(std::string_view name, const auto& names) noexcept {
  return std::ranges::find(names, name) != names.end();
}

bool begins_with_one_of(std::string_view name, const auto& beginnings) noexcept {
  return std::ranges::any_of(beginnings,
                             [name](std::string_view begin) { return name.starts_with(begin); });
}

/// Of a name behind "data-".
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

}  // namespace eider::views
