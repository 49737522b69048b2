// Tests of the clinic on PostgreSQL: a database per test, without a socket, in simulated time.
#include "clinic.h"

#include <eider/test_postgres.h>
#include <eider/testing.h>
#include <eider/text.h>
#include <gtest/gtest.h>

#include "clinic_postgres_migrations.h"

namespace clinic {
namespace {

using std::chrono::days;

constexpr const char* kPassword = "correct horse battery";

using Time = std::chrono::local_time<std::chrono::minutes>;

Task<std::chrono::sys_seconds> now() {
  co_return wall_time();
}

Task<std::string> account_of(Database database, std::string name) {
  co_return (co_await database.one<std::string>("select account from people where name = $1", name))
      .value();
}

Task<std::int64_t> make_doctor(Database database, std::string name) {
  co_return (co_await database.one<std::int64_t>(
                 "update people set role = 'doctor' where name = $1 returning id", name))
      .value();
}

class Clinic : public ::testing::Test {
 protected:
  App make() const {
    App made = make_app(settings, {.database = database,
                                   .storage = Storage({.directory = files.path()}),
                                   .mails = mails,
                                   .passwords = {.cost = {64, 1, 1}, .threads = 0}});
    made.log_to(std::make_shared<LogLines>());
    return made;
  }

  /// Follows the link in the last mail to that address.
  TestResponse follow(const std::string& page, const std::string& email,
                      std::vector<TestField> fields) {
    client.advance(3s);
    const std::string mail = text_of(mails->last_to(email));
    const std::size_t token = mail.find('#') + 1;
    fields.push_back({"token", mail.substr(token, mail.find('\n', token) - token)});
    fields.push_back({"password", kPassword});
    return client.submit(client.get(page), fields);
  }

  /// Signs up, and returns the key of the account for `client.as`.
  std::string sign_up(const std::string& name) {
    const std::string email = name + "@clinic.example";
    EXPECT_EQ(client.submit(client.get("/signup"), {{"email", email}}).status, 303);
    EXPECT_EQ(follow("/confirm", email, {{"name", name}}).status, 303);
    return client.run(account_of(database, name));
  }
  std::int64_t add_doctor() {
    doctor = sign_up("best");
    return client.run(make_doctor(database, "best"));
  }

  /// A weekday two to four days ahead.
  Time day_at(std::chrono::minutes time) {
    auto day = std::chrono::floor<days>(client.run(now())) + days(2);
    while (std::chrono::weekday(day).iso_encoding() > 5) {
      day += days(1);
    }
    return Time(day.time_since_epoch() + time);
  }

  /// Advances to that time, given as UTC: in summer, the clinic is two hours ahead.
  void advance_to(Time time) {
    client.advance(time.time_since_epoch() - client.run(now()).time_since_epoch());
  }

  /// Creates an API key on its page, and returns the header for it.
  std::vector<TestHeader> create_key(const std::string& scope) {
    const TestResponse made = client.submit(
        client.get("/api-keys"), {{"name", scope}, {"scopes", scope}, {"days", "30"}}, "/api-keys");
    EXPECT_TRUE(made.body.contains("/assets/clinic.css")) << made.body;  // the layout
    const std::size_t key = made.body.find("clinic_");
    return {{"Authorization", "Bearer " + made.body.substr(key, made.body.find('"', key) - key)}};
  }

  [[nodiscard]] std::string mail_to(const std::string& name) const {
    return text_of(mails->last_to(name + "@clinic.example"));
  }

  std::string doctor;  // key of the account
  Settings settings;
  TempDirectory files;
  std::shared_ptr<TestMailbox> mails = std::make_shared<TestMailbox>();
  Database database = open_test_postgres(clinic_postgres_migrations());
  App app = make();
  TestClient client{
      app,
      {.document = DocumentCheck{.below = "/api", .excluded_paths = {"/api/documents/1"}},
       .keeps_cookies = true}};
};

TEST_F(Clinic, reminds_patients_one_day_before) {
  const std::int64_t best = add_doctor();
  const std::string cem = sign_up("cem");
  client.as(cem);
  const Time starts = day_at(10h + 30min);
  const auto booked = client.post("/api/appointments", NewAppointment{best, starts, "Knee"});
  EXPECT_EQ(booked.status, 201) << booked.body;
  client.advance(1s);
  EXPECT_TRUE(mail_to("cem").contains("You have an appointment with best: ")) << mail_to("cem");
  EXPECT_TRUE(mail_to("cem").contains("10:30"));  // the time of the clinic
  advance_to(starts - 24h - 3h);
  EXPECT_FALSE(mail_to("cem").contains("Do not forget"));
  client.advance(3h);
  EXPECT_TRUE(mail_to("cem").contains("Do not forget your appointment with best"));
}

TEST_F(Clinic, sends_no_reminder_of_a_canceled_appointment) {
  const std::int64_t best = add_doctor();
  client.as(sign_up("cem"));
  const Time starts = day_at(9h);
  const auto booked =
      client.post("/api/appointments", NewAppointment{best, starts, "Knee"}).json<Appointment>();
  const std::string path = "/api/appointments/" + std::to_string(booked.id);
  client.as(sign_up("eve"));
  EXPECT_EQ(client.del(path).status, 404);
  client.as(doctor);
  EXPECT_EQ(client.submit(client.get("/"), {}, "/appointments/1/cancel").status, 303);
  EXPECT_TRUE(client.get("/").body.contains("The appointment is canceled."));
  client.advance(1s);
  EXPECT_TRUE(mail_to("cem").contains("Your appointment with best is canceled"));
  const std::size_t before = mails->size();
  advance_to(starts);
  EXPECT_EQ(mails->size(), before);
}

TEST_F(Clinic, sends_doctors_their_appointments_in_the_evening_before) {
  const std::int64_t best = add_doctor();
  client.as(sign_up("cem"));
  const Time starts = day_at(9h);
  client.post("/api/appointments", NewAppointment{best, starts + 60min, "Ear"});
  client.post("/api/appointments", NewAppointment{best, starts, "Knee"});
  advance_to(std::chrono::floor<days>(starts) - 24h + 15h + 59min);  // 17:59, or 16:59 in winter
  EXPECT_FALSE(mail_to("best").contains("cem"));
  client.advance(1h + 2min);
  const std::string digest = mail_to("best");
  EXPECT_LT(digest.find("cem: Knee"), digest.find("cem: Ear")) << digest;
}

TEST_F(Clinic, books_a_time_once) {
  const std::int64_t best = add_doctor();
  client.as(sign_up("cem"));
  const Time starts = day_at(9h);
  EXPECT_EQ(client.post("/api/appointments", NewAppointment{best, starts, "Knee"}).status, 201);
  for (const Time wrong : {starts, starts + 5min, starts - 60min, starts - days(700)}) {
    const auto refused = client.post("/api/appointments", NewAppointment{best, wrong, "Knee"});
    EXPECT_EQ(refused.problem().errors.at(0).pointer, "/starts");
  }
  const auto refused = client.post("/api/appointments", NewAppointment{best + 1, starts, "Knee"});
  EXPECT_EQ(refused.problem().errors.at(0).pointer, "/doctor_id");
  const TestResponse form = client.get("/appointments/new");
  EXPECT_TRUE(form.body.contains(">best</option>")) << form.body;
  const TestResponse again = client.submit(
      form, {{"doctor_id", std::to_string(best)},
             {"starts", std::string(std::string_view(TextFormat<Time>::format(starts)))},
             {"reason", "Knee"}});
  EXPECT_EQ(again.status, 422);
  EXPECT_TRUE(again.body.contains("Is taken")) << again.body;
  const TestResponse wrong = client.post_form("/appointments/new", {{"doctor_id", "999"}});
  EXPECT_TRUE(wrong.body.contains("Doctor: Is not one of the choices")) << wrong.body;
}

TEST_F(Clinic, accepts_sessions_and_api_keys_on_the_same_routes) {
  client.as(sign_up("cem"));
  EXPECT_EQ(client.get("/api/appointments").status, 200);
  client.advance(11min);
  EXPECT_EQ(client.get("/api-keys").status, 401);  // needs a recent login
  const TestResponse form = client.get("/login?next=/api-keys");
  EXPECT_EQ(client.submit(form, {{"email", "cem@clinic.example"}, {"password", kPassword}}).status,
            303);
  TestRequest reads{.target = "/api/appointments", .headers = create_key("read")};
  client.advance(2s);  // the email about the key
  TestRequest writes{
      .method = Method::delete_, .target = "/api/appointments/7", .headers = reads.headers};
  EXPECT_EQ(client.submit(client.get("/"), {}, "/logout").status, 303);
  EXPECT_EQ(client.get("/api/appointments").status, 401);
  EXPECT_EQ(client.send(reads).status, 200);
  EXPECT_EQ(client.send(writes).status, 403);
  client.submit(client.get("/forgotten"), {{"email", "cem@clinic.example"}});
  EXPECT_EQ(follow("/reset", "cem@clinic.example", {}).status, 303);
  EXPECT_EQ(client.send(reads).status, 401);
}

TEST_F(Clinic, keeps_documents_for_patients_and_their_doctors) {
  const std::int64_t best = add_doctor();
  const std::string cem = sign_up("cem");
  client.as(cem);
  MultipartForm form;
  form.add_file("file", "<b>x.html", "text/html", "<script>");
  EXPECT_EQ(client.post_form("/documents", form).status, 303);
  EXPECT_TRUE(client.get("/documents").body.contains("x.html</a>"));
  const std::string link = client.post("/api/documents/1/link", json::Value()).body;
  const TestResponse own = client.get("/api/documents/1");
  EXPECT_EQ(own.body, "<script>");
  EXPECT_TRUE(own.header("Content-Disposition")->starts_with("attachment"));
  EXPECT_EQ(client.as(doctor).get("/documents/1").status, 404);
  client.as(cem).post("/api/appointments", NewAppointment{best, day_at(9h), "Knee"});
  EXPECT_EQ(client.as(doctor).get("/documents/1").status, 200);
  EXPECT_EQ(client.del("/api/documents/1").status, 403);

  EXPECT_EQ(client.as(sign_up("eve")).get(link).body, "<script>");  // also without a session
  EXPECT_EQ(client.as(cem).del("/api/documents/1").status, 204);
  client.advance(1s);
  EXPECT_EQ(client.get(link).status, 404);
  client.advance(10min);
  EXPECT_EQ(client.get(link).status, 403);
}

TEST_F(Clinic, lets_the_staff_change_roles_and_cancel_appointments) {
  client.as(sign_up("cem"));
  EXPECT_EQ(client.get("/admin").status, 403);
  EXPECT_EQ(client.get("/jobs").status, 403);
  client.as(sign_up("staff"));
  const TestResponse form = client.get("/admin/people/record/1");
  EXPECT_EQ(client.submit(form, {{"name", "Dr. Cem"}, {"role", "doctor"}}).status, 303);
  const auto doctors = client.get("/api/doctors").json<std::vector<Doctor>>();
  EXPECT_EQ(doctors.at(0).name, "Dr. Cem");
  client.post("/api/appointments", NewAppointment{1, day_at(9h), "Knee"});
  const char* const action = "/admin/appointments/action/cancel";
  EXPECT_EQ(client.post_form(action, {{"key", "1"}}).status, 303);
  EXPECT_TRUE(client.get("/admin/log").body.contains("The patients are informed."));
  EXPECT_EQ(client.get("/api/appointments").body, "[]");
  EXPECT_EQ(client.get("/jobs/").status, 200);
}

TEST_F(Clinic, remembers_the_language_also_for_emails) {
  const std::int64_t best = add_doctor();
  client.as(sign_up("cem"));
  EXPECT_EQ(client.post_form("/language", {{"language", "de"}, {"next", "/"}}).status, 303);
  EXPECT_TRUE(client.get("/").body.contains("Sie haben keine Termine."));
  client.post("/api/appointments", NewAppointment{best, day_at(9h), "Knee"});
  client.advance(1s);
  EXPECT_TRUE(mail_to("cem").contains("Sie haben einen Termin bei best: ")) << mail_to("cem");
  EXPECT_EQ(client.post_form("/language", {{"language", "fr"}}).status, 422);
  EXPECT_TRUE(client.get("/api-keys").body.contains("Sie haben keine API-Schlüssel."));
}

}  // namespace
}  // namespace clinic
