// The error page, which needs no visitor and no session, because these may have failed.
// Layering: must not show more than the problem document.
#pragma once

#include <eider/languages.h>
#include <eider/middleware.h>

#include <memory>
#include <optional>
#include <string>

namespace bookstore {

struct ErrorShown {
  eider::Translator tr;
  int status = 0;
  std::string title;
  std::string detail;
  std::string request_id;
  std::string style;
};

/// languages  set before the first request
[[nodiscard]] eider::ErrorPages::Page error_page(
    std::string style, std::shared_ptr<const std::optional<eider::Languages>> languages);

}  // namespace bookstore
