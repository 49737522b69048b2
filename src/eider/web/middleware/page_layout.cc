#include "eider/web/middleware/page_layout.h"

#include "eider/core/base/html.h"

namespace eider {

namespace {

Html default_layout(const PageContent& content) {
  const std::string title = escape_html(content.title);
  return Html("<!doctype html>\n<html lang=\"" + content.language +
              "\">\n<head>\n<meta charset=\"utf-8\">\n"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
              "<meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
              title + "</title>\n</head>\n<body>\n<main>\n<h1>" + title + "</h1>\n" + content.html +
              "</main>\n</body>\n</html>\n");
}

}  // namespace

void PageLayout::add_to(Routes& at) const {
  add_ ? add_(at) : PageLayout(default_layout).add_to(at);
}

}  // namespace eider
