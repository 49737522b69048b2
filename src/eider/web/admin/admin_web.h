// Requests of admin pages: their users, queries, forms and responses.
// Layering: must not contain HTML.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/protocols/http/request.h"
#include "eider/protocols/http/response.h"
#include "eider/web/admin/admin_site.h"
#include "eider/web/admin/admin_store.h"

namespace eider::detail::admin {

inline constexpr std::int64_t kChoicesMax = 200;
inline constexpr std::size_t kCellBytesMax = 200;
inline constexpr std::size_t kLoggedBytesMax = 1000;
/// In the audit log, instead of values of secrets and hidden columns.
inline constexpr const char* kNotShown = "(not shown)";

/// A resource of a site, kept by its handlers.
struct Its {
  std::shared_ptr<const Site> site;
  const Resource* resource;

  [[nodiscard]] const Database& database() const { return *site->database; }
  [[nodiscard]] std::string list_address() const { return site->list_address(*resource); }
};

/// Names and values of a query or a form, decoded; at most 1,000. Invalid ones are omitted.
using Pairs = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] Pairs read_pairs(std::string_view pairs);
/// The first value with that name, or an empty text.
[[nodiscard]] std::string find_pair(const Pairs& pairs, std::string_view name);

/// current  null: none of them
[[nodiscard]] Task<AdminFrame> make_frame(std::shared_ptr<const Site> site, Request& request,
                                          AdminUser user, std::string title,
                                          const Resource* current);

/// Returns the page by the template of the resource, the site or the library.
template <class P>
[[nodiscard]] std::string page_html(const Site& site, const Resource* resource,
                                    AdminTemplate<P> AdminTemplates::* which, const P& page) {
  if (resource != nullptr && resource->options.templates.*which) {
    return (resource->options.templates.*which)(page);
  }
  return site.options.templates.*which ? (site.options.templates.*which)(page) : admin_html(page);
}

[[nodiscard]] Response page_response(std::string_view type, std::string body, int status = 200);
[[nodiscard]] Response redirect_to(const std::string& address);
/// "?done=17" after the address of a list.
[[nodiscard]] Response redirect_done(const Its& its, std::int64_t log_id, std::size_t count = 1);

/// Calls AdminResource::changed. Does not throw.
[[nodiscard]] Task<> note_changed(Its its, std::vector<std::string> keys);

[[nodiscard]] AdminLogEntry log_entry(const Site& site, const LogRow& row);
/// Names of the resources that the user may view.
[[nodiscard]] std::vector<std::string> viewed_resources(const Site& site, const AdminUser& user);

/// Choices of a relation, of which one is the current value.
///
/// is_complete  all records are among them
struct Choices {
  std::vector<FieldChoice> choices;
  bool is_complete = true;
};
/// search  of choices that are not complete; empty: only the current one
[[nodiscard]] Task<Choices> relation_choices(const Database& on, const Resource& target,
                                             std::string current, std::string search);

// The pages.

[[nodiscard]] Task<Response> show_home(std::shared_ptr<const Site> site, Request& request,
                                       AdminUser user);
[[nodiscard]] Task<Response> show_log(std::shared_ptr<const Site> site, Request& request,
                                      AdminUser user);
[[nodiscard]] Task<Response> show_list(Its its, Request& request, AdminUser user);
[[nodiscard]] Task<Response> export_list(Its its, Request& request, AdminUser user);
[[nodiscard]] Task<Response> show_record(Its its, Request& request, AdminUser user,
                                         std::string key);
[[nodiscard]] Task<Response> save_record(Its its, Request& request, AdminUser user,
                                         std::string key);
[[nodiscard]] Task<Response> show_new(Its its, Request& request, AdminUser user);
[[nodiscard]] Task<Response> create_record(Its its, Request& request, AdminUser user);
[[nodiscard]] Task<Response> delete_records(Its its, Request& request, AdminUser user);
/// Around the handler of an action: adds entries to the audit log, whatever comes of it.
///
/// action  of the resource
[[nodiscard]] Task<Response> run_action(Its its, const AdminAction& action, Request& request,
                                        Next next);

}  // namespace eider::detail::admin
