#include "eider/web/admin/admin.h"

#include <algorithm>

#include "eider/app/handlers/params.h"
#include "eider/app/urls.h"
#include "eider/core/base/failure.h"
#include "eider/web/admin/admin_web.h"
#include "eider/web/middleware/cross_origin.h"

namespace eider::detail::admin {
namespace {

inline constexpr std::string_view kStyle = R"css(
:root{color-scheme:light dark;--back:#fff;--text:#1a1d21;--soft:#f2f4f7;--line:#c9ced6;
--muted:#55606e;--link:#0b57c2;--button:#0b57c2;--on-button:#fff;--error:#b3151f;--done:#e3f4e6}
@media(prefers-color-scheme:dark){:root{--back:#15181c;--text:#e8eaed;--soft:#20252b;--line:#454d57;
--muted:#aab3bf;--link:#8ab8ff;--button:#8ab8ff;--on-button:#0c1622;--error:#ff9aa0;--done:#1d3523}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);font:16px/1.5 system-ui,sans-serif}
a{color:var(--link)}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-999rem}
.skip:focus{left:.5rem;top:.5rem;background:var(--back);padding:.25rem .5rem}
header{background:var(--soft);border-bottom:1px solid var(--line);padding:.5rem 1rem}
header p{margin:0;display:flex;gap:1rem;justify-content:space-between;flex-wrap:wrap}
header .site{font-weight:700;text-decoration:none}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:.25rem 1rem;margin:.25rem 0;padding:0}
nav a[aria-current]{font-weight:700;color:var(--text)}
main{max-width:80rem;margin:0 auto;padding:1rem}
h1{font-size:1.6rem;margin:.25rem 0 1rem;overflow-wrap:anywhere}
h2{font-size:1.2rem;margin:1.5rem 0 .5rem}
.message{background:var(--done);border-left:4px solid var(--link);padding:.5rem .75rem}
.muted,.hint{color:var(--muted)}
.hint{margin:.25rem 0 0;font-size:.9rem}
.error,.errors{color:var(--error)}
.errors{border:2px solid var(--error);padding:.5rem 1rem;margin-bottom:1rem}
.errors a{color:var(--error)}
p.error{margin:.25rem 0 0}
.filters{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:end;margin:0 0 1rem}
.filters .field{margin:0;max-width:14rem}
.bar{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;margin:.75rem 0}
.table{overflow-x:auto;border:1px solid var(--line)}
table{border-collapse:collapse;width:100%}
caption{text-align:left;padding:.5rem .75rem;color:var(--muted)}
th,td{text-align:left;padding:.4rem .75rem;border-top:1px solid var(--line);vertical-align:top}
thead th{background:var(--soft);white-space:nowrap}
tbody tr:nth-child(even){background:var(--soft)}
td{max-width:28rem;overflow-wrap:break-word}
td.box,th.box{width:2.75rem;padding-right:0}
input[type=checkbox]{width:1.25rem;height:1.25rem}
.field{margin:0 0 1rem}
.field label,legend{display:block;font-weight:600}
.tick label{display:inline}
fieldset{border:1px solid var(--line);margin:0 0 1rem}
input,select,textarea,button{font:inherit;color:inherit}
input:not([type=checkbox]):not([type=radio]),select,textarea{width:100%;max-width:40rem;
padding:.4rem .5rem;background:var(--back);border:1px solid var(--muted);border-radius:4px;
min-height:2.5rem}
.wrong input,.wrong select,.wrong textarea{border:2px solid var(--error)}
button,.button{display:inline-block;padding:.4rem .9rem;min-height:2.5rem;border-radius:4px;
border:1px solid var(--muted);background:var(--back);text-decoration:none;cursor:pointer;
color:var(--link)}
button.primary{background:var(--button);border-color:var(--button);color:var(--on-button)}
dl{display:grid;grid-template-columns:minmax(7rem,14rem) 1fr;gap:.25rem 1rem;margin:0}
dt{color:var(--muted)}dd{margin:0;overflow-wrap:anywhere;white-space:pre-line}
.pager{display:flex;flex-wrap:wrap;gap:.25rem .75rem;margin:1rem 0}
.log{list-style:none;padding:0}
.log li{border-top:1px solid var(--line);padding:.5rem 0;overflow-wrap:anywhere}
.log ul{padding-left:1.25rem}
.log del{color:var(--muted)}
.log ins{text-decoration:none}
@media(max-width:40rem){main{padding:.75rem}dl{grid-template-columns:1fr}dd{margin-bottom:.5rem}
.filters .field{max-width:none;width:100%}}
)css";

}  // namespace

}  // namespace eider::detail::admin

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

namespace {

/// The handler of the first page. Urls knows its path, also in a mounted app.
struct HomePage {
  std::shared_ptr<const Site> site;

  Task<Response> operator()(Request& request, Extension<AdminUser> user) const {
    return show_home(site, request, *user);
  }
  friend bool operator==(const HomePage& left, const HomePage& right) noexcept {
    return left.site == right.site;
  }
};

std::string without_slash(std::string path) {
  path.pop_back();
  return path;
}

}  // namespace

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
  guarded.get("/", HomePage{site});
  guarded.get("/log", [site](Request& request, Extension<AdminUser> user) -> Task<Response> {
    return show_log(site, request, *user);
  });
  app.on_start("admin", [site](State<Database> database, State<Urls> urls) -> Task<> {
    site->prefix = without_slash(urls->of(HomePage{site}));
    return detail::admin::start_site(*site, *database);
  });
  return {guarded, site};
}

}  // namespace eider
