#include "site/language_pages.h"

#include <eider/eider.h>
#include <eider/forms.h>
#include <eider/sessions.h>

#include <algorithm>

namespace bookstore {

using namespace eider;

namespace {

constexpr std::int64_t kYear = 365LL * 24 * 3600;

struct LanguageForm {
  std::string language;
  std::string next = "/";
};

}  // namespace

void add_language_choice(Routes& app, bool is_behind_tls) {
  app.post(
      "/language",
      [is_behind_tls](BoundForm<LanguageForm> form,
                      State<Languages> languages) -> Result<ResponseOf<Redirect>> {
        const std::vector<std::string> tags = languages->tags();
        if (std::ranges::find(tags, form->language) == tags.end()) {
          return fail(Error::invalid({{"language", "is not a supported language", "language"}}));
        }
        return ResponseOf(Redirect(safe_redirect_path(form->next)))
            .cookie({.name = "language",
                     .value = form->language,
                     .max_age_s = kYear,
                     .secure = is_behind_tls});
      });
}

}  // namespace bookstore
