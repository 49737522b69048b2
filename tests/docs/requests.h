// What the pages about requests, answers and what stands around them take for granted. Must not be
// compiled by itself: see common.h.
#pragma once

#include "common.h"

namespace docs::answers_page {

struct Note {
  int id;
  std::string title;
  int version;
  std::chrono::sys_seconds changed;
};
struct Notes {
  Note read(int id);
  std::unique_lock<std::mutex> lock(int id);
};
struct Order {
  int id;
};
struct Orders {
  std::vector<Order> all();
};
extern const Note issue;
Response logo();
std::vector<Note> list_notes();
std::string layout(const std::string& title, const std::string& detail);
std::string lost_page(const ErrorPage& error);

}  // namespace docs::answers_page

namespace docs::client_page {

extern HttpClient& client;
extern const std::string etag, token, url;
void use(std::string_view piece);
Task<std::string> next_piece();

}  // namespace docs::client_page

namespace docs::controllers_page {

struct NewNote {
  std::string title;
};
struct Note {
  int id;
};
struct Caller {
  std::string name;
};
struct Settings {
  std::string title;
};
struct User {
  int id;
};
struct Users {
  User read(int id) const;
};
Result<void> administrators_only();

}  // namespace docs::controllers_page

namespace docs::cross_site_page {

extern const std::string key;
std::string session_of(const Request& request);

}  // namespace docs::cross_site_page

namespace docs::errors_page {

struct Order {
  int count;
};
struct Booking {
  int seats;
};
struct Bookings {
  Task<Result<int>> book(Booking booking);
};

}  // namespace docs::errors_page

namespace docs::events_page {

struct Order {
  std::string id;
};
struct Store {
  Task<std::vector<Order>> since(std::string_view id);
};
extern EventStream& events;
extern Store* store;
extern Topics* topics;

}  // namespace docs::events_page

namespace docs::files_page {

struct User {
  std::string name;
  static constexpr bool kIsProvided = true;
};
struct Stored {
  std::string file;
  std::string name;
};
struct Store {
  Task<Stored> attachment(std::int64_t id);
};

}  // namespace docs::files_page

namespace docs::guards_page {

struct Note {
  std::string title;
};
struct Visitor {
  std::string name;
};
struct Sessions {
  Task<Found> find(std::string_view id);
};
struct Store {
  Task<Result<Note>> find(int id, std::string caller);
};
struct Began {
  std::chrono::steady_clock::time_point at;
};
struct Usage {
  int units;
};
std::string take_upload(Body content);
Result<void> may_upload();
Result<Visitor> find_session(Cookie<"sid"> sid);

}  // namespace docs::guards_page

namespace docs::middleware_page {

struct Users {
  Task<Result<Identity>> log_in(BasicCredentials given);
};
struct Counter {
  void add();
};
bool is_ours(std::string_view origin);
bool note(std::string_view address);
std::string log_in(Body content);
std::string make_report();
std::string add_note(Body content);

}  // namespace docs::middleware_page

namespace docs::openapi_page {

bool open_by_day(Request& request, Response& response);
std::string book(Body content);
Result<Identity> caller(Header<"authorization"> field);
struct Caller {
  std::string key;

  static constexpr bool kIsProvided = true;
};
Result<Caller> caller_of(const std::string& token);

}  // namespace docs::openapi_page

namespace docs::operations_page {

struct Picture {
  std::string bytes;
};

}  // namespace docs::operations_page

namespace docs::overload_page {

std::string status();

}  // namespace docs::overload_page

namespace docs::parameters_page {

struct Search {
  std::string q;
};
struct Library {};
struct Book {
  std::string title;
};

}  // namespace docs::parameters_page

namespace docs::stream_page {

struct Row {
  std::int64_t id;
};
struct Receipt {
  std::uint64_t bytes;
};
std::string to_csv(const std::vector<Row>& rows);
std::string render();
Task<Html> render_home();

}  // namespace docs::stream_page

namespace docs::uploads_page {

struct Attachment {
  std::string file;
  std::string name;
};

}  // namespace docs::uploads_page

namespace docs::websocket_page {

void use(std::string_view bytes);

}  // namespace docs::websocket_page
