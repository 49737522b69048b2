// A page on which users create, list and revoke their API keys.
// Layering: must not need scripts or templates; an application's own page uses ApiKeys.
#pragma once

#include <string>
#include <vector>

#include "eider/app/app.h"
#include "eider/auth/apikeys/apikeys.h"
#include "eider/web/middleware/page_layout.h"

namespace eider {

struct ApiKeysPage {
  std::string title = "API keys";
  /// Maximum time since the last login for creating a key; see require_recent_login.
  Duration login_within = std::chrono::minutes(10);
  /// Lifetimes to choose from, in days; 0: unlimited. Those above ApiKeyOptions::lifetime_max are
  /// not shown. A form with another lifetime gets a 422.
  std::vector<int> lifetimes_days = {30, 90, 365, 0};
  /// Puts the content into the layout of the application: see PageLayout.
  PageLayout layout = {};
};

/// Serves the page: GET and POST `path`, and POST `path`/{id}/revoke. It needs a logged-in user and
/// no script; keys are not accepted here. A new key is shown once, in the response to the form.
///
///     serve_api_keys(app, "/account/api-keys");
void serve_api_keys(Routes& at, const std::string& path, ApiKeysPage options = {});

}  // namespace eider
