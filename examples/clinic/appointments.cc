// Appointments: booked, canceled, and announced by email.
#include <eider/admin.h>

#include <map>
#include <utility>

#include "appointments.html.h"
#include "clinic.h"
#include "form.html.h"

namespace clinic {

namespace {

constexpr const char* kAppointments = R"(
    select a.id, a.doctor_id, a.patient_id, d.name as doctor, p.name as patient, a.starts, a.reason
    from appointments a join people d on d.id = a.doctor_id join people p on p.id = a.patient_id)";
constexpr const char* kPeople = "select id, account, name, email, role, language from people";

/// A reminder by email, one day before an appointment.
struct SendReminder {
  std::int64_t appointment_id = 0;
};

struct Appointments {
  const Settings& settings;
  const TimeZone zone;
  const Database database;
  const Jobs& jobs;
  Outbox& mails;
  const Languages languages;

  Task<std::vector<Doctor>> doctors() const {
    co_return co_await database.all<Doctor>(
        "select id, name from people where role = 'doctor' order by name");
  }

  /// Returns the appointments of a patient or a doctor.
  Task<std::vector<Appointment>> upcoming(const Person& person) const {
    co_return co_await database.all<Appointment>(
        {kAppointments,
         "where $1 in (a.doctor_id, a.patient_id) and a.starts > $2 order by a.starts"},
        person.id, wall_time());
  }

  /// Stores the appointment, its reminder and an email: all of them, or nothing.
  Task<Result<Created<Appointment>>> book(Json<NewAppointment> wanted,
                                          const Person& patient) const {
    const std::chrono::sys_seconds starts = zone.first(wanted->starts);
    if (starts < wall_time()) {
      co_return fail(Error::invalid({{"/starts", "must be in the future"}}));
    }
    Transaction all = co_await database.begin();
    const auto doctor = co_await all.one<std::string>(
        "select name from people where id = $1 and role = 'doctor'", wanted->doctor_id);
    if (!doctor) {
      co_return fail(Error::invalid({{"/doctor_id", "is not a doctor"}}));
    }
    const auto id = co_await all.one<std::int64_t>(
        R"(insert into appointments(doctor_id, patient_id, starts, reason) values($1, $2, $3, $4)
        on conflict do nothing returning id)",
        wanted->doctor_id, patient.id, starts, wanted->reason);
    if (!id) {
      co_return fail(Error::invalid({{"/starts", "is taken"}}));
    }
    Appointment made{*id,    wanted->doctor_id, patient.id, *doctor, patient.name,
                     starts, *wanted->reason};
    if (starts - 24h > wall_time()) {
      co_await jobs.enqueue(all, SendReminder{*id}, {.run_at = starts - 24h, .unique = *id});
    }
    co_await write(all, patient, "Your appointment",
                   "You have an appointment with {doctor}: {time}", made);
    co_await all.commit();
    co_return Created(std::move(made));
  }

  /// Deletes the appointment and its reminder, and informs the patient. The staff can cancel all
  /// appointments, other people their own.
  Task<Result<void>> cancel(std::int64_t id, const Person& by) const {
    Transaction all = co_await database.begin();
    const auto found = co_await all.one<Appointment>({kAppointments, "where a.id = $1"}, id);
    if (!found ||
        (by.role != Role::staff && by.id != found->patient_id && by.id != found->doctor_id)) {
      co_return fail(Error::not_found("There is no such appointment."));
    }
    co_await all.exec("delete from appointments where id = $1", id);
    co_await jobs.cancel<SendReminder>(all, id);
    const auto patient = co_await all.one<Person>({kPeople, "where id = $1"}, found->patient_id);
    co_await write(all, *patient, "Your appointment is canceled",
                   "Your appointment with {doctor} is canceled: {time}", *found);
    co_await all.commit();
    co_return {};
  }

  // Jobs. Their emails are part of the transaction that ends the job, so each is sent once.

  Task<> remind(SendReminder job, const Transaction& all) const {
    const auto found =
        co_await all.one<Appointment>({kAppointments, "where a.id = $1"}, job.appointment_id);
    if (found) {
      const auto patient = co_await all.one<Person>({kPeople, "where id = $1"}, found->patient_id);
      co_await write(all, *patient, "Reminder",
                     "Do not forget your appointment with {doctor}: {time}", *found);
    }
  }

  /// Sends each doctor the appointments of the next day.
  Task<> send_digests(ScheduledRun run, const Transaction& all) const {
    const std::chrono::sys_seconds planned(std::chrono::seconds(run.planned / 1000));
    const auto today = std::chrono::floor<std::chrono::days>(zone.local(planned));
    const auto tomorrow = co_await all.all<Appointment>(
        {kAppointments, "where a.starts >= $1 and a.starts < $2 order by a.starts"},
        zone.first(today + std::chrono::days(1)), zone.first(today + std::chrono::days(2)));
    std::map<std::int64_t, std::vector<Appointment>> by_doctor;
    for (const Appointment& each : tomorrow) {
      by_doctor[each.doctor_id].push_back(each);
    }
    for (const auto& [id, appointments] : by_doctor) {
      const auto doctor = co_await all.one<Person>({kPeople, "where id = $1"}, id);
      const Translator tr = languages.translator(doctor->language);
      std::string text;
      for (const Appointment& each : appointments) {
        text += when(each.starts, tr, settings.time_zone) + " " + each.patient + ": " +
                each.reason + "\n";
      }
      co_await mails.add(all, letter(*doctor, tr("Your appointments of tomorrow"), text));
    }
  }

  /// An email to the patient, in the language of the patient.
  ///
  /// text  with {doctor} and {time}
  Task<> write(const Transaction& all, const Person& patient, std::string_view subject,
               std::string_view text, const Appointment& about) const {
    const Translator tr = languages.translator(patient.language);
    const std::string time = when(about.starts, tr, settings.time_zone);
    co_await mails.add(
        all, letter(patient, tr(subject), tr(text, {{"doctor", about.doctor}, {"time", time}})));
  }

  Mail letter(const Person& to, std::string subject, std::string text) const {
    return {.from = {*settings.mail_from, "Clinic"},
            .to = {{to.email, to.name}},
            .subject = std::move(subject),
            .text = std::move(text) + "\n"};
  }
};

Task<HtmlPage> list_page(const Person& person, State<Appointments> all, const Pages& pages) {
  AppointmentsPage page{co_await all->upcoming(person)};
  co_return pages.page(page);
}

Task<FormResponse> book_page(BoundForm<NewAppointment> form, const Person& person,
                             const Translator& tr, Session<> session, State<Appointments> all,
                             const Pages& pages) {
  form.set_choices(form->doctor_id, co_await all->doctors(), &Doctor::id, &Doctor::name);
  if (form.is_valid()) {
    const auto booked = co_await all->book(Json(*form), person);
    if (form.add_result(booked)) {
      session.flash("info", "The appointment is booked. We will remind you one day before.");
      co_return Redirect("/");
    }
  }
  co_return form.render_again(
      pages.page(FormPage{tr("New appointment"), form.view({.submit = "Book"})}));
}

Task<Redirect> cancel_page(std::int64_t id, const Person& person, Session<> session,
                           State<Appointments> all) {
  const auto cancelled = co_await all->cancel(id, person);
  if (cancelled) {
    session.flash("info", "The appointment is canceled.");
  } else {
    session.flash(cancelled.error());
  }
  co_return Redirect("/");
}

/// An action of admin pages.
Task<Result<std::string>> cancel_all(AdminSelection chosen, const Staff& staff,
                                     State<Appointments> all) {
  for (const std::int64_t id : chosen.ids()) {
    const auto cancelled = co_await all->cancel(id, staff);
    if (!cancelled) {
      co_return fail(cancelled.error());
    }
  }
  co_return "The patients are informed.";
}

}  // namespace

void NewAppointment::check(ValidationErrors& errors) const {
  const auto day = std::chrono::floor<std::chrono::days>(starts);
  const std::chrono::minutes time = starts - day;
  const unsigned weekday = std::chrono::weekday(day).iso_encoding();
  if (weekday > 5 || time < 9h || time > 16h + 30min || time % 30min != 0min) {
    errors.add(starts, "is outside of the opening hours");
  }
}

std::string when(std::chrono::sys_seconds time, const Translator& tr, const std::string& zone) {
  return Locale(tr.language(), zone).date_time(time);
}

AdminAction cancel_action() {
  return {"cancel", "Cancel", cancel_all};
}

void add_appointments(App& app, Routes& api, const Settings& settings, const Database& database,
                      const Jobs& jobs, Outbox& mails, const Languages& languages) {
  app.state<Appointments>(settings, TimeZone::find(settings.time_zone).value(), database, jobs,
                          mails, languages);
  app.job<SendReminder>([](SendReminder job, Transaction& all, State<Appointments> appointments) {
    return appointments->remind(job, all);
  });
  app.schedule("digest", "0 18 * * *",
               [](ScheduledRun run, Transaction& all, State<Appointments> appointments) {
                 return appointments->send_digests(run, all);
               },
               {.time_zone = settings.time_zone});

  app.get("/", list_page);
  app.get("/appointments/new", book_page);
  app.post("/appointments/new", book_page);
  app.post("/appointments/{id}/cancel", cancel_page);
  api.get("/doctors", &Appointments::doctors).guard(require_key_scope("read"));
  api.get("/appointments", &Appointments::upcoming).guard(require_key_scope("read"));
  api.post("/appointments", &Appointments::book).guard(require_key_scope("write"));
  api.del("/appointments/{id}", &Appointments::cancel).guard(require_key_scope("write"));
}

}  // namespace clinic
