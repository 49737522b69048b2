#include "site/error_shown.h"

#include <eider/views.h>

#include <utility>

#include "error.html.h"

namespace bookstore {

using namespace eider;

ErrorPages::Page error_page(std::string style,
                            std::shared_ptr<const std::optional<Languages>> languages) {
  return [style = std::move(style), languages = std::move(languages)](const ErrorPage& error) {
    const Translator tr = languages->value().translator(error.request);
    return render_view(ErrorShown{tr, error.status, std::string(error.title),
                                  std::string(error.detail), std::string(error.request_id), style});
  };
}

}  // namespace bookstore
