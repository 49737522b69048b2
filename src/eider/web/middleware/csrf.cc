#include "eider/web/middleware/csrf.h"

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "eider/app/app.h"
#include "eider/app/handlers/operation.h"
#include "eider/app/handlers/params.h"
#include "eider/app/handlers/respond.h"
#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/per_process.h"
#include "eider/core/base/secret_bytes.h"
#include "eider/core/base/signed_token.h"
#include "eider/core/base/text.h"
#include "eider/core/base/url.h"
#include "eider/protocols/http/cookie.h"
#include "eider/protocols/http/multipart.h"
#include "eider/protocols/http/source_site.h"
#include "eider/web/middleware/cookieless.h"
#include "eider/web/middleware/writes.h"

namespace eider {

namespace {

/// 144 bits, as 24 characters without padding.
constexpr std::size_t kRandomBytes = 18;

enum class FormKind : std::uint8_t { none, pairs, parts, other };

/// Returns the type of a body that a page of another site can send without permission (Fetch,
/// "CORS-safelisted request-header"): a form in one of three types, or a body without a type.
FormKind form_kind_of(const Request& request) noexcept {
  const std::string_view type = request.header("Content-Type").value_or("");
  const std::string_view essence = trim(type.substr(0, type.find(';')));
  if (equals_ignoring_case(essence, "application/x-www-form-urlencoded")) {
    return FormKind::pairs;
  }
  if (equals_ignoring_case(essence, "multipart/form-data")) {
    return FormKind::parts;
  }
  return essence.empty() || equals_ignoring_case(essence, "text/plain") ? FormKind::other
                                                                        : FormKind::none;
}

std::string value_in_form(std::string_view form, std::string_view name) {
  QueryReader pairs(form);
  while (const auto pair = pairs.next()) {
    if (pair->name == name) {
      return percent_decode(pair->value, Plus::space).value_or("");
    }
  }
  return {};
}

/// Only for buffered bodies; returns an empty text for those that the handler streams.
std::string value_in_parts(const Request& request, std::string_view name) {
  const auto boundary = multipart_boundary(request.header("Content-Type").value_or(""));
  if (!boundary) {
    return {};
  }
  MultipartReader reader(*boundary);
  std::string value;
  bool is_it = false;
  for (std::string_view rest = request.body();;) {
    const MultipartStep step = reader.read(rest);
    rest.remove_prefix(step.consumed);
    switch (step.status) {
      case MultipartStatus::part_begin:
        is_it = reader.part().name == name && !reader.part().filename;
        break;
      case MultipartStatus::part_data:
        value += is_it ? step.data : std::string_view();
        break;
      case MultipartStatus::part_end:
        if (is_it) {
          return value;
        }
        break;
      case MultipartStatus::end:
      case MultipartStatus::need_more:
      case MultipartStatus::refused:
        return {};
    }
  }
}

}  // namespace

namespace detail::middleware {

/// A token consists of 24 random characters, and the signature of these and the session.
class Csrf {
 public:
  explicit Csrf(CsrfOptions options)
      : options_(std::move(options)), signer_("csrf", "eider csrf", base::keys_of(options_.key)) {
    if (options_.key.empty()) {
      base::note_per_process("csrf() without a key");
    }
    if (options_.cookie.empty()) {
      options_.cookie = options_.is_secure ? "__Host-csrf" : "csrf";
    }
    check_origins("csrf", options_.trusted_origins);
    if (!set_cookie("x")) {
      throw Failure(Error::internal("csrf: The cookie name '" + options_.cookie +
                                    "' is not valid with this is_secure setting"));
    }
  }

  [[nodiscard]] std::string token_for(const Request& request) const {
    const auto given = app::find_cookie(request, options_.cookie);
    if (given && is_ours(*given, request)) {
      return std::string(*given);
    }
    return signer_.sign(to_base64(secret_bytes(kRandomBytes)), session_of(request));
  }
  [[nodiscard]] const std::string& field_name() const noexcept { return options_.field; }

  /// Called before the request body is read.
  [[nodiscard]] bool is_from_elsewhere(const Request& request) const {
    return request.find<Cookieless>() == nullptr && source_site_of(request) == SourceSite::other &&
           !is_trusted_origin(request, options_.trusted_origins);
  }
  /// Called when the request body is available.
  [[nodiscard]] bool lacks_token(const Request& request) const {
    const FormKind kind = form_kind_of(request);
    if (kind == FormKind::none || request.find<Cookieless>() != nullptr ||
        has_token(request, kind)) {
      return false;
    }
    // A program has no cookies of users, but an old browser that does not report the page has them.
    return kind == FormKind::pairs ||
           (source_site_of(request) != SourceSite::own && has_ambient_credentials(request));
  }

  void keep_cookie(const Request& request, Response& response) const {
    const auto* token = request.find<CsrfToken>();
    if (token == nullptr) {
      return;
    }
    // A cached copy would give the token of one user to others, even if its cookie is not new.
    response.replace_header("Cache-Control", "no-store");
    if (app::find_cookie(request, options_.cookie) == token->text()) {
      return;
    }
    if (const auto value = set_cookie(token->text())) {
      response.add_header("Set-Cookie", *value);
    }
  }

 private:
  [[nodiscard]] std::string session_of(const Request& request) const {
    return options_.session ? options_.session(request) : std::string();
  }
  [[nodiscard]] bool is_ours(std::string_view token, const Request& request) const {
    return signer_.open(token, session_of(request)).has_value();
  }
  [[nodiscard]] bool has_token(const Request& request, FormKind kind) const {
    const auto cookie = app::find_cookie(request, options_.cookie);
    std::string given(request.header(options_.header).value_or(""));
    if (given.empty() && kind == FormKind::pairs) {
      given = value_in_form(request.body(), options_.field);
    } else if (given.empty() && kind == FormKind::parts) {
      given = value_in_parts(request, options_.field);
    }
    return cookie && equals_in_constant_time(given, *cookie) && is_ours(*cookie, request);
  }
  [[nodiscard]] std::optional<std::string> set_cookie(const std::string& token) const {
    return to_header_value({.name = options_.cookie, .value = token, .secure = options_.is_secure});
  }

  CsrfOptions options_;
  base::TokenSigner signer_;
};

}  // namespace detail::middleware

Hook csrf(CsrfOptions options) {
  const auto shared = std::make_shared<const detail::middleware::Csrf>(std::move(options));
  return {
      .on_request =
          [shared](Request& request, Response& response) {
            request.set(CsrfMaker{shared.get()});
            request.set(detail::app::PassesField{shared->field_name()});
            if (!may_write(request.method()) || !shared->is_from_elsewhere(request)) {
              return true;
            }
            render_error(response, Error::forbidden("Cross-site request blocked."));
            return false;
          },
      .on_response = [shared](const Request& request,
                              Response& response) { shared->keep_cookie(request, response); },
      .on_body =
          [shared](Request& request, Response& response) {
            if (!may_write(request.method()) || !shared->lacks_token(request)) {
              return true;
            }
            render_error(
                response,
                Error::forbidden(
                    "The CSRF token is missing or has expired. Reload the page and try again."));
            return false;
          },
      .name = "csrf",
      .extensions = {kExtension<CsrfMaker>},
      .describe = describe_cross_origin};
}

std::string CsrfToken::field() const {
  return "<input type=\"hidden\" name=\"" + field_name_ + "\" value=\"" + text_ + "\">";
}

CsrfToken Extract<CsrfToken>::from(Extension<CsrfMaker> maker, const Request& request) {
  return {maker->csrf->token_for(request), maker->csrf->field_name()};
}

template Guard detail::app::make_maker<CsrfToken>();

const CsrfToken* detail::middleware::csrf_token_of(Request& request) {
  auto* const maker = request.find<CsrfMaker>();
  if (maker != nullptr && request.find<CsrfToken>() == nullptr) {
    request.set(Extract<CsrfToken>::from(Extension<CsrfMaker>(*maker), request));
  }
  return request.find<CsrfToken>();
}

}  // namespace eider
