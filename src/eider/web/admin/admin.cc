#include "eider/web/admin/admin.h"

#include <algorithm>

#include "eider/app/handlers/params.h"
#include "eider/core/base/failure.h"
#include "eider/web/admin/admin_style.h"
#include "eider/web/admin/admin_web.h"
#include "eider/web/middleware/cross_origin.h"

namespace eider {

namespace {

using detail::admin::Its;
using detail::admin::Resource;
using detail::admin::Site;

/// A guard: rejects users without that permission.
auto require_access(const Its& its, AdminAccess access) {
  return [its, access](Extension<AdminUser> user) -> Result<void> {
    if (its.site->allows(*its.resource, *user, access)) {
      return {};
    }
    return fail(Error::forbidden("You may not do this with " + its.resource->title + "."));
  };
}

/// The same for an action.
auto require_action(const Its& its, AdminAccess access) {
  return [its, access](Extension<AdminUser> user) -> Result<void> {
    if (its.site->allows_action(*its.resource, *user, access)) {
      return {};
    }
    return fail(Error::forbidden("You may not do this with " + its.resource->title + "."));
  };
}

void check_action(const Resource& resource, const AdminAction& action) {
  constexpr std::size_t kNameBytesMax = 40;
  const std::string& name = action.name();
  const bool is_valid =
      !name.empty() && name.size() <= kNameBytesMax && std::ranges::all_of(name, [](char c) {
        const char lower = static_cast<char>(c | 0x20);
        return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
      });
  if (!is_valid) {
    throw Failure(Error::internal("Admin pages, resource " + resource.name + ": \"" + name +
                                  "\" is not a valid name of an action. Use letters, digits, '-' "
                                  "and '_', at most 40."));
  }
}

void add_reading(Routes& pages, const Its& its) {
  const std::string path = "/" + its.resource->name;
  const auto view = require_access(its, AdminAccess::view);
  pages
      .get(RuntimePattern{path},
           [its](Request& request, Extension<AdminUser> user) -> Task<Response> {
             return show_list(its, request, *user);
           })
      .guard(view);
  pages
      .get(RuntimePattern{path + "/export.csv"},
           [its](Request& request, Extension<AdminUser> user) -> Task<Response> {
             return export_list(its, request, *user);
           })
      .guard(view);
  pages
      .get(RuntimePattern{path + "/record/{key}"},
           [its](std::string key, Request& request, Extension<AdminUser> user) -> Task<Response> {
             return show_record(its, request, *user, std::move(key));
           })
      .guard(view);
}

void add_changes(Routes& pages, const Its& its) {
  const std::string path = "/" + its.resource->name;
  pages
      .get(RuntimePattern{path + "/new"},
           [its](Request& request, Extension<AdminUser> user) -> Task<Response> {
             return show_new(its, request, *user);
           })
      .guard(require_access(its, AdminAccess::create));
  pages
      .post(RuntimePattern{path + "/new"},
            [its](Body, Request& request, Extension<AdminUser> user) -> Task<Response> {
              return create_record(its, request, *user);
            })
      .guard(require_access(its, AdminAccess::create));
  pages
      .post(RuntimePattern{path + "/record/{key}"},
            [its](std::string key, Body, Request& request, Extension<AdminUser> user)
                -> Task<Response> { return save_record(its, request, *user, std::move(key)); })
      .guard(require_access(its, AdminAccess::change));
  pages
      .post(RuntimePattern{path + "/delete"},
            [its](Body, Request& request, Extension<AdminUser> user) -> Task<Response> {
              return delete_records(its, request, *user);
            })
      .guard(require_access(its, AdminAccess::remove));
}

void add_actions(Routes& pages, const Its& its) {
  for (const AdminAction& action : its.resource->options.actions) {
    check_action(*its.resource, action);
    Routes group = pages.group("/");
    group.guard(require_action(its, action.access()));
    action.add()(group, "/" + its.resource->name + "/action/" + action.name(),
                 [its, &action](Request& request, Next next) {
                   return run_action(its, action, request, next);
                 });
  }
}

}  // namespace

AdminSite& AdminSite::add(const detail::admin::ResourceTypes& types, AdminResource options) {
  auto made = std::make_unique<Resource>(detail::admin::make_resource(types, std::move(options)));
  if (site_->find(made->name) != nullptr || made->name == "log") {
    throw Failure(Error::internal("Admin pages: there is another page with the name " + made->name +
                                  ". Add each table once."));
  }
  site_->resources.push_back(std::move(made));
  const Its its{site_, site_->resources.back().get()};
  add_reading(pages_, its);
  if (!its.resource->options.read_only) {
    add_changes(pages_, its);
  }
  add_actions(pages_, its);
  return *this;
}

AdminSite serve_admin(App& app, GroupPrefix prefix, AdminOptions options) {
  if (options.guard.is_empty()) {
    throw Failure(Error::internal(
        "serve_admin needs a guard, because its pages show and change the data of the application. "
        "Set AdminOptions::guard."));
  }
  const auto site = std::make_shared<Site>();
  site->options = std::move(options);
  Routes pages = app.group(prefix);
  site->prefix = pages.prefix();
  site->log = app.log_writer();
  pages.use(cross_origin_protection());
  pages.get("/style.css", [] {
    return detail::admin::page_response("text/css; charset=utf-8",
                                        std::string(detail::admin::kStyle));
  });
  Routes guarded = pages.group("/");
  site->options.guard.add_to(guarded);
  guarded.get("/", [site](Request& request, Extension<AdminUser> user) -> Task<Response> {
    return show_home(site, request, *user);
  });
  guarded.get("/log", [site](Request& request, Extension<AdminUser> user) -> Task<Response> {
    return show_log(site, request, *user);
  });
  app.on_start("admin", [site](State<Database> database) -> Task<> {
    return detail::admin::start_site(*site, *database);
  });
  return {guarded, site};
}

}  // namespace eider
