#include "eider/server/process/descriptor_store.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "eider/core/base/log.h"
#include "eider/core/base/text.h"
#include "eider/core/base/url.h"
#include "eider/server/process/sent_descriptors.h"

namespace eider::detail::server {

namespace {

/// The first descriptor that systemd passes.
constexpr int kFirstPassedOn = 3;
/// Distinguishes stored sockets from the sockets of units.
constexpr std::string_view kOurs = "eider-";
constexpr std::size_t kNameBytesMax = 255;
constexpr std::string_view kHex = "0123456789abcdef";

/// Returns the name for systemd. Names contain only visible ASCII without colons:
/// "127.0.0.1%3a8080".
std::string stored_name(std::string_view place) {
  std::string name(kOurs);
  for (const char each : place) {
    const auto byte = static_cast<unsigned char>(each);
    if (byte > ' ' && byte < 0x7F && each != ':' && each != '%') {
      name.push_back(each);
    } else {
      name.append({'%', kHex[byte / 16], kHex[byte % 16]});
    }
  }
  return name;
}

/// returns  nothing if `stored_name` did not make the name
std::optional<std::string> stored_place(std::string_view name) {
  if (!name.starts_with(kOurs)) {
    return std::nullopt;
  }
  return percent_decode(name.substr(kOurs.size()), Plus::literal);
}

int count_in(const char* variable) noexcept {
  const char* const text = std::getenv(variable);
  return text == nullptr ? 0 : std::atoi(text);
}

/// Returns the names of the sockets that were passed to this process; empty if to another one.
std::vector<std::string> names_passed_on() {
  constexpr int kMost = 4096;
  const bool is_ours = count_in("LISTEN_PID") == ::getpid();
  std::vector<std::string> names(
      static_cast<std::size_t>(is_ours ? std::clamp(count_in("LISTEN_FDS"), 0, kMost) : 0));
  const char* const text = std::getenv("LISTEN_FDNAMES");
  std::string_view left = text == nullptr ? "" : text;
  for (std::string& name : names) {
    name = take_until(left, ":");
  }
  return names;
}

bool store_all(const SystemdNotify& systemd, const BoundPlace& place) {
  const std::string name = stored_name(place.name);
  std::span<const int> left(place.sockets);
  bool is_stored = name.size() <= kNameBytesMax;
  while (is_stored && !left.empty()) {
    const auto some = left.first(std::min(left.size(), SentDescriptors::kMost));
    is_stored = systemd.give_and_wait("FDSTORE=1\nFDNAME=" + name, some);
    left = left.subspan(some.size());
  }
  return is_stored;
}

/// Returns whether systemd can store the sockets. It reports the limit since version 254, and
/// silently closes sockets beyond it.
bool has_room(const ServerOptions& options, std::span<const BoundPlace> places) {
  std::size_t count = 0;
  for (const BoundPlace& place : places) {
    count += place.is_own ? place.sockets.size() : 0;
  }
  const int most = count_in("FDSTORE");
  const bool has = most <= 0 || count <= static_cast<std::size_t>(most);
  if (!has && options.log != nullptr) {
    options.log->write(
        LogLevel::error,
        "systemd does not store the sockets: the unit needs FileDescriptorStoreMax=" +
            std::to_string(count) + ", but has " + std::to_string(most) + ".");
  }
  return has;
}

}  // namespace

std::vector<StoredSocket> take_stored() {
  std::vector<StoredSocket> all;
  int fd = kFirstPassedOn;
  for (const std::string& name : names_passed_on()) {
    if (auto place = stored_place(name)) {
      all.push_back({std::move(*place), Descriptor(fd)});
    }
    ++fd;
  }
  return all;
}

std::vector<Descriptor> take_passed_on() {
  std::vector<Descriptor> all;
  int fd = kFirstPassedOn;
  for (const std::string& name : names_passed_on()) {
    if (!stored_place(name)) {
      all.emplace_back(fd);
    }
    ++fd;
  }
  return all;
}

std::vector<std::size_t> store(const SystemdNotify& systemd, const ServerOptions& options,
                               std::span<const BoundPlace> places,
                               std::span<const std::string> before) {
  const bool stores = options.stores_sockets && has_room(options, places);
  std::vector<std::size_t> stored;
  for (std::size_t index = 0; stores && index < places.size(); ++index) {
    if (places[index].is_own && store_all(systemd, places[index])) {
      stored.push_back(index);
    }
  }
  for (const std::string& name : before) {
    const bool is_stored =
        std::ranges::any_of(stored, [&](std::size_t index) { return places[index].name == name; });
    if (!is_stored && name != "systemd") {
      (void)systemd.give_and_wait("FDSTOREREMOVE=1\nFDNAME=" + stored_name(name), {});
    }
  }
  return stored;
}

}  // namespace eider::detail::server
