// Pages on which the staff manage people and appointments, with an audit log.
#include <eider/admin.h>

#include "clinic.h"

namespace clinic {

namespace {

/// The columns of an appointment. It is changed by actions only, so that its patient is informed.
struct AppointmentRow {
  std::int64_t id = 0;
  std::int64_t doctor_id = 0;
  std::int64_t patient_id = 0;
  std::chrono::sys_seconds starts;
  std::string reason;

  static constexpr db::Table kTable = {.name = "appointments"};
};

AdminUser admin_user(const Staff& staff) {
  return {.id = std::to_string(staff.id), .name = staff.name, .roles = {"staff"}};
}

}  // namespace

void add_admin(App& app) {
  serve_admin(app, "/admin", {.guard = &admin_user, .title = "Clinic"})
      .resource<Person>(
          {.sort = "name", .hidden = {"account"}, .roles = {{"staff", AdminAccess::change}}})
      .resource<AppointmentRow>(
          {.sort = "-starts", .label = "reason", .read_only = true, .actions = {cancel_action()}});
  serve_jobs(app, "/jobs", {.guard = [](Routes& pages) {
               pages.guard([](const Staff& staff) { return JobPageUser{staff.name}; });
             }});
}

}  // namespace clinic
