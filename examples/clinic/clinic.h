// The data of the clinic: in the database, in requests and on pages.
// Layering: must not listen; main.cc serves the app, tests call it.
#pragma once

#include <eider/accounts.h>
#include <eider/admin.h>
#include <eider/apikeys.h>
#include <eider/database.h>
#include <eider/eider.h>
#include <eider/jobs.h>
#include <eider/languages.h>
#include <eider/locale.h>
#include <eider/mail.h>
#include <eider/pages.h>
#include <eider/passwords.h>
#include <eider/storage.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#ifndef CLINIC_LANGUAGES
#define CLINIC_LANGUAGES "languages"
#endif

namespace clinic {

using namespace eider;
using namespace std::chrono_literals;

// tr
enum class Role { patient, doctor, staff };

/// What the staff can change of a person.
struct EditPerson {
  Sized<std::string, 1, 80> name;
  Role role;
};

/// A user. Login and password belong to the account.
struct Person {
  std::int64_t id = 0;
  std::string account;
  std::string name;
  std::string email;
  Role role = Role::patient;
  std::string language = "en";

  using New = EditPerson;
  static constexpr db::Table kTable = {.name = "people"};
  static constexpr bool kIsInjectable = true;
};
using Staff = WithRole<Person, Role::staff>;

struct Doctor {
  std::int64_t id = 0;
  std::string name;
};

struct Appointment {
  std::int64_t id = 0;
  std::int64_t doctor_id = 0;
  std::int64_t patient_id = 0;
  std::string doctor;
  std::string patient;
  std::chrono::sys_seconds starts;
  std::string reason;
};

/// The form and the JSON for a new appointment.
struct NewAppointment {
  std::int64_t doctor_id;
  std::chrono::local_time<std::chrono::minutes> starts;
  Sized<std::string, 1, 500> reason;

  static constexpr MemberText kDocs[] = {
      {"starts", "Monday to Friday, 9:00 to 16:30, every half hour; local time of the clinic."}};
  static constexpr FieldText kFormFields[] = {
      {.member = "doctor_id", .label = "Doctor", .control = Control::select},
      {.member = "starts", .label = "Time"},
      {.member = "reason", .control = Control::textarea, .rows = 3}};

  void check(ValidationErrors& errors) const;
};

/// A file of a patient. The bytes are in the storage.
struct Document {
  std::int64_t id = 0;
  std::int64_t patient_id = 0;
  std::string name;
  std::int64_t bytes = 0;
  std::string key;

  static constexpr bool kIsInjectable = true;
};

/// The data of the layout; created by `frame` in accounts.cc.
struct Frame {
  Translator tr;
  std::string zone;
  std::string here;
  std::optional<Person> person;
  std::vector<Flash> messages;
};
using Pages = FramedViews<Frame>;

struct FormPage {
  std::string title;
  FormView form;
};

/// A page of the library.
struct PlainPage {
  std::string title;
  Markup content;
};

struct AppointmentsPage {
  std::vector<Appointment> appointments;
};

struct DocumentsPage {
  std::vector<Document> documents;
};

/// A filter of templates: the local time of the clinic in the language of the user.
[[nodiscard]] std::string when(std::chrono::sys_seconds time, const Translator& tr,
                               const std::string& zone);

/// Options of the command line, environment variables (CLINIC_…) and the settings file.
struct Settings {
  std::string database = {};
  std::string database_file = "clinic.db";
  Url public_url = Url("http://localhost:8080");
  Email staff_email = Email("staff@clinic.example");
  Email mail_from = Email("no-reply@clinic.example");
  std::string smtp_url = {};
  std::string time_zone = "Europe/Berlin";
  std::string languages = CLINIC_LANGUAGES;

  static constexpr OptionText kOptions[] = {
      {"database", "PostgreSQL database, postgres://…; without it, an SQLite file", "URL"},
      {"database_file", "SQLite file", "FILE"},
      {"public_url", "Public URL; with https, cookies are sent over TLS only", "URL"},
      {"staff_email", "Email address whose account is staff", "EMAIL"},
      {"mail_from", "Sender of emails", "EMAIL"},
      {"smtp_url", "Mail server; without it, emails are written to the log", "URL"},
      {"time_zone", "Time zone of the clinic", "NAME"},
      {"languages", "Directory with translations", "DIRECTORY"}};

  [[nodiscard]] bool is_secure() const { return public_url->starts_with("https://"); }
};

/// The parts that tests replace.
struct Services {
  Database database;
  Storage storage;
  std::shared_ptr<MailTransport> mails;
  PasswordOptions passwords = {};
};

/// settings  outlive the app
[[nodiscard]] App make_app(const Settings& settings, const Services& services);

// The parts of the app, each in its own file.

/// Sessions, accounts, people and their API keys. Routes of `api` accept sessions and keys.
void add_people(App& app, Routes& api, const Settings& settings, const Services& services,
                Outbox& mails, const Languages& languages);
void add_appointments(App& app, Routes& api, const Settings& settings, const Database& database,
                      const Jobs& jobs, Outbox& mails, const Languages& languages);
void add_documents(App& app, Routes& api, const Services& services, const Jobs& jobs);
void add_admin(App& app);
/// Cancels selected appointments.
[[nodiscard]] AdminAction cancel_action();

}  // namespace clinic
