// Choices that a handler sets: shown, compared with the submitted values, and shown again.
#include "eider/web/forms/form_choices.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eider/testkit/test_client.h"
#include "eider/web/forms/test_pages.h"

namespace eider {
namespace {

using std::string_literals::operator""s;

struct DoctorRow {
  std::int64_t id = 0;
  std::string name;

  [[nodiscard]] std::string shown() const { return name + "!"; }
};

const std::vector<DoctorRow> kDoctors = {{3, "May"}, {12, "<Dr. Best>"}};

struct Room {
  std::string code;
};

struct Visit {
  std::int64_t doctor;
  std::optional<std::int32_t> assistant;
  std::optional<std::string> room;
  std::vector<std::int64_t> informed = {3};
  std::int64_t house = 0;
  Room inner;

  static constexpr FieldText kFormFields[] = {
      {.member = "doctor", .control = Control::select},
      {.member = "assistant", .control = Control::select},
      {.member = "room", .control = Control::radios},
      {.member = "informed", .control = Control::checkboxes},
      {.member = "house", .control = Control::select},
      {.member = "inner.code", .control = Control::select}};
};

/// T  EmptyForm or BoundForm
template <class T>
void set_all_choices(T& form) {
  const std::vector<std::string> rooms = {"A 1", "B 2"};
  const auto same = [](const std::string& text) { return text; };
  form.set_choices(form->doctor, kDoctors, &DoctorRow::id, &DoctorRow::name);
  form.set_choices(form->assistant, kDoctors, &DoctorRow::id, &DoctorRow::shown);
  form.set_choices(form->room, rooms, same, same);
  form.set_choices(form->informed, kDoctors, &DoctorRow::id, &DoctorRow::name);
  form.set_choices(form->house, kDoctors, &DoctorRow::id, &DoctorRow::name);
  form.set_choices(form->inner.code, rooms, same, same);
}

HtmlPage page_of(const FormView& form) {
  return HtmlPage(views::form(form).html());
}

class ChoicesOfHandlers : public ::testing::Test {
 protected:
  ChoicesOfHandlers()
      : client_([] {
          App app;
          add_languages(app, {.texts = {{"de",
                                         {{"choice", "steht nicht zur Wahl"},
                                          {"Doctor", "Arzt"},
                                          {"May", "Mai"}}}},
                              .detect_from = {LanguageSource::accept_language}});
          const auto visit = [](BoundForm<Visit> form) -> FormResponse {
            set_all_choices(form);
            if (form.is_valid()) {
              std::string all = std::to_string(form->doctor) + "," + form->room.value_or("-");
              return Redirect("/" + all + "," + std::to_string(form->informed.size()));
            }
            return form.render_again(page_of(form.view()));
          };
          app.get("/visit", visit);
          app.post("/visit", visit);
          app.get("/edit", [](EmptyForm<Visit> form) {
            set_all_choices(form);
            Visit edited{};
            edited.doctor = 12;
            edited.assistant = 3;
            edited.inner.code = "gone";
            return page_of(form.view_of(edited));
          });
          app.get("/forgotten", [](EmptyForm<Visit> form) { return page_of(form.view()); });
          app.post("/forgotten",
                   [](BoundForm<Visit> form) { return form.is_valid() ? "ok"s : ""s; });
          app.post("/forgotten/doctor",
                   [](BoundForm<Visit> form) { return form.is_valid(form->doctor) ? "ok"s : ""s; });
          app.post("/forgotten/inner",
                   [](BoundForm<Visit> form) { return form.is_valid(form->inner) ? "ok"s : ""s; });
          app.post("/chosen/doctor", [](BoundForm<Visit> form) {
            form.set_choices(form->doctor, kDoctors, &DoctorRow::id, &DoctorRow::name);
            return form.is_valid(form->doctor) ? "ok"s : ""s;
          });
          app.post("/other", [](BoundForm<DoctorRow> form) {
            form.set_choices(form->id, kDoctors, &DoctorRow::id, &DoctorRow::name);
          });
          return app;
        }()) {}

  TestResponse post(std::string body, std::vector<TestHeader> headers = {},
                    std::string path = "/visit") {
    headers.push_back({"Content-Type", "application/x-www-form-urlencoded"});
    return client_.send({.method = Method::post,
                         .target = std::move(path),
                         .headers = std::move(headers),
                         .body = std::move(body)});
  }

  TestClient client_;
};

TEST_F(ChoicesOfHandlers, are_shown_as_the_control_of_the_field) {
  const std::string page = client_.get("/visit").body;
  EXPECT_HAS(page, R"(<select id="doctor" name="doctor" required>)"
                   R"(<option value="" selected></option><option value="3">May</option>)"
                   R"(<option value="12">&lt;Dr. Best&gt;</option></select>)");
  EXPECT_HAS(page, R"(<option value="3">May!</option>)");
  EXPECT_HAS(page, R"(<input type="radio" id="room" name="room" value="" checked> None</label>)");
  EXPECT_HAS(page, R"(<input type="radio" id="room-2" name="room" value="A 1"> A 1</label>)");
  EXPECT_HAS(page, R"(<input type="checkbox" id="informed" name="informed" value="3" checked>)");
  EXPECT_LACKS(page, "textarea");
  EXPECT_LACKS(page, "hint");
}

TEST_F(ChoicesOfHandlers, show_existing_values_also_those_that_are_no_longer_choices) {
  const std::string page = client_.get("/edit").body;
  EXPECT_HAS(page, R"(<option value="12" selected>&lt;Dr. Best&gt;</option>)");
  EXPECT_HAS(page, R"(<option value="3" selected>May!</option>)");
  EXPECT_HAS(page, R"(name="inner.code" required><option value="" selected></option>)");
}

TEST_F(ChoicesOfHandlers, accept_their_values) {
  const std::string rest = "&house=3&inner.code=B+2";
  EXPECT_EQ(post("doctor=12&room=A+1&informed=3&informed=12" + rest).header("Location"),
            "/12,A%201,2");
  EXPECT_EQ(post("doctor=012&assistant=&room=" + rest).header("Location"), "/12,-,0");
}

TEST_F(ChoicesOfHandlers, reject_other_values_with_the_name_of_the_field) {
  const TestResponse again = post("doctor=4&room=C&informed=12&informed=4&house=&inner.code=A+1");
  EXPECT_EQ(again.status, 422);
  EXPECT_HAS(again.body, R"(<a href="#doctor">Doctor: Is not one of the choices</a>)");
  EXPECT_HAS(again.body, R"(<a href="#room">Room: Is not one of the choices</a>)");
  EXPECT_HAS(again.body, R"(<a href="#informed">Informed: Is not one of the choices</a>)");
  EXPECT_HAS(again.body, R"(<a href="#house">House: Is missing</a>)");
  EXPECT_HAS(again.body, R"(<option value="A 1" selected>A 1</option>)");
  EXPECT_HAS(again.body, R"(value="12" checked aria-invalid="true">)");
  EXPECT_HAS(again.body, R"(<option value="12">&lt;Dr. Best&gt;</option>)");

  const auto problem =
      post("doctor=x&house=4&inner.code=A+1", {{"Accept", "application/json"}}).problem();
  ASSERT_EQ(problem.errors.size(), 2U);
  EXPECT_EQ(problem.errors[0].pointer, "doctor");
  EXPECT_EQ(problem.errors[0].code, "integer");
  EXPECT_EQ(problem.errors[1].pointer, "house");
  EXPECT_EQ(problem.errors[1].code, "choice");
}

TEST_F(ChoicesOfHandlers, reject_values_that_are_repeated) {
  std::string body = "doctor=3&house=3&inner.code=A+1&informed=3&informed=3";
  EXPECT_HAS(post(body).body, "Informed: Is not one of the choices");
  while (body.size() < 500'000) {
    body += "&informed=3";
  }
  EXPECT_EQ(post(body).status, 422);
}

TEST_F(ChoicesOfHandlers, are_data_and_not_translated) {
  const TestResponse german = post("doctor=4", {{"Accept-Language", "de"}});
  EXPECT_HAS(german.body, "Arzt: Steht nicht zur Wahl");
  EXPECT_HAS(german.body, R"(<option value="3">May</option>)");
}

TEST_F(ChoicesOfHandlers, cannot_be_forgotten) {
  EXPECT_EQ(client_.get("/forgotten").status, 500);
  EXPECT_EQ(post("doctor=4", {}, "/forgotten").status, 500);
  EXPECT_EQ(post("doctor=4", {}, "/forgotten/doctor").status, 500);
  EXPECT_EQ(post("inner.code=A", {}, "/forgotten/inner").status, 500);
  EXPECT_EQ(post("doctor=3", {}, "/chosen/doctor").body, "ok");
  EXPECT_EQ(post("doctor=4", {}, "/chosen/doctor").body, "");
}

TEST_F(ChoicesOfHandlers, need_a_field_that_is_declared_for_them) {
  EXPECT_EQ(post("id=3", {}, "/other").status, 500);
}

struct Scalar {
  int number = 0;
  static constexpr FieldText kFormFields[] = {{.member = "number", .control = Control::checkboxes}};
};

TEST(ChoicesOfHandlersInShapes, are_checkboxes_of_lists_only) {
  EXPECT_ANY_THROW(static_cast<void>(forms::detail::shape_of<Scalar>()));
}

}  // namespace
}  // namespace eider
