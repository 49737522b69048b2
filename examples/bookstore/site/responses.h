// The responses of handlers for pages: a page with its pending messages, or a redirect.
// Layering: must not decide which.
#pragma once

#include <eider/eider.h>
#include <eider/sessions.h>
#include <eider/views.h>

#include <string_view>

#include "site/frame.h"

namespace bookstore {

[[nodiscard]] eider::Response html(eider::HtmlPage page, int status);

/// P  struct of a page, which has a frame
template <class P>
[[nodiscard]] eider::Response shown(const eider::Views& views, const eider::Session<>& session,
                                    P page, int status = 200) {
  page.frame.take_messages(session);
  return html(views.page(page), status);
}

/// Returns a 303 to that URL.
[[nodiscard]] eider::Response see_other(std::string_view address);

}  // namespace bookstore
