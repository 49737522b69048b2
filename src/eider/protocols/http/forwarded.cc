#include "eider/protocols/http/forwarded.h"

#include <algorithm>
#include <utility>

#include "eider/core/base/text.h"
#include "eider/protocols/http/grammar.h"
#include "eider/protocols/http/parameters.h"
#include "eider/protocols/http/target.h"

namespace eider {

namespace {

using Kind = ForwardedNode::Kind;

/// obfnode, obfport = "_" 1*( ALPHA / DIGIT / "." / "_" / "-" ) (RFC 7239, section 6.3)
bool is_obfuscated(std::string_view text) noexcept {
  const auto is_allowed = [](char byte) {
    return is_letter(byte) || is_digit(byte) || byte == '.' || byte == '_' || byte == '-';
  };
  return text.size() >= 2 && text.front() == '_' &&
         std::all_of(text.begin() + 1, text.end(), is_allowed);
}

/// port = 1*5DIGIT
std::optional<std::uint16_t> read_port(std::string_view text) noexcept {
  return text.size() <= 5 ? parse_integer<std::uint16_t>(text) : std::nullopt;
}

/// scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." ) (RFC 3986, section 3.1)
bool is_scheme(std::string_view text) noexcept {
  const auto is_allowed = [](char byte) {
    return is_letter(byte) || is_digit(byte) || byte == '+' || byte == '-' || byte == '.';
  };
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), is_allowed);
}

struct NodeParts {
  std::string_view name;
  /// With its colon; empty if there is none.
  std::string_view port;
  bool is_bracketed;
};

NodeParts split_node(std::string_view text) noexcept {
  if (!text.starts_with('[')) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    return {text.substr(0, colon), text.substr(colon), false};
  }
  const std::size_t end = text.find(']');
  if (end == std::string_view::npos) {
    return {{}, {}, true};
  }
  return {text.substr(1, end - 1), text.substr(end + 1), true};
}

/// Interprets the name before the port; its address family must match the brackets.
ForwardedNode read_name(const NodeParts& parts) noexcept {
  ForwardedNode node{.kind = Kind::malformed};
  if (const auto address = IpAddress::parse(parts.name)) {
    node.address = *address;
    // IPv6 needs brackets and IPv4 must not have them; otherwise "::1:80" would be ambiguous.
    node.kind = parts.is_bracketed == parts.name.contains(':') ? Kind::address : Kind::malformed;
  } else if (!parts.is_bracketed && equals_ignoring_case(parts.name, "unknown")) {
    node.kind = Kind::unknown;
  } else if (!parts.is_bracketed && is_obfuscated(parts.name)) {
    node.kind = Kind::obfuscated;
  }
  return node;
}

ForwardedNode malformed(std::string_view text) noexcept {
  return {.kind = Kind::malformed, .text = text};
}

enum class Member : std::uint8_t { from, by, host, proto, other };

Member member_of(std::string_view name) noexcept {
  constexpr std::pair<std::string_view, Member> kMembers[] = {
      {"for", Member::from}, {"by", Member::by}, {"host", Member::host}, {"proto", Member::proto}};
  for (const auto& [text, member] : kMembers) {
    if (equals_ignoring_case(name, text)) {
      return member;
    }
  }
  return Member::other;
}

/// value = token / quoted-string. Returns nothing if it is neither, or contains a backslash.
std::optional<std::string_view> read_value(FieldScanner& scanner) noexcept {
  if (const auto inside = scanner.quoted()) {
    // Escapes are rejected instead of resolved: values stay views, and proxies do not need escapes.
    return inside->contains('\\') ? std::nullopt : inside;
  }
  const std::string_view token = scanner.token();
  return token.empty() ? std::nullopt : std::optional(token);
}

/// Sets the member, and returns whether it was empty before and is not now.
bool set_text(std::string_view& member, std::string_view value) noexcept {
  return !value.empty() && std::exchange(member, value).empty();
}

bool set_node(ForwardedNode& member, std::string_view value) noexcept {
  return std::exchange(member, read_forwarded_node(value)).kind == Kind::none;
}

bool set_member(ForwardedElement& element, Member member, std::string_view value) noexcept {
  switch (member) {
    case Member::from:
      return set_node(element.from, value);
    case Member::by:
      return set_node(element.by, value);
    case Member::host:
      return set_text(element.host, value);
    case Member::proto:
      return set_text(element.proto, value);
    case Member::other:
      return true;
  }
  return false;
}

/// forwarded-pair = token "=" value
bool read_pair(FieldScanner& scanner, ForwardedElement& element) noexcept {
  const std::string_view name = scanner.token();
  if (name.empty() || !scanner.accept('=')) {
    return false;
  }
  const std::optional<std::string_view> value = read_value(scanner);
  return value.has_value() && set_member(element, member_of(name), *value);
}

/// Reads the hops from either kind of headers.
class Hops {
 public:
  Hops(std::span<const Field> fields, ForwardedHeaders kind) noexcept
      : kind_(kind),
        elements_(fields, kind == ForwardedHeaders::forwarded ? "Forwarded" : "X-Forwarded-For"),
        protos_(fields, "X-Forwarded-Proto"),
        hosts_(fields, "X-Forwarded-Host") {}

  std::optional<ForwardedElement> next() noexcept {
    const std::optional<std::string_view> text = elements_.next();
    if (!text.has_value()) {
      return std::nullopt;
    }
    if (kind_ == ForwardedHeaders::forwarded) {
      return read_forwarded_element(*text);
    }
    // The three lists grow together. If one is shorter, its last value applies.
    ForwardedElement element;
    element.from = read_x_forwarded_node(*text);
    take_place(element);
    return element;
  }

  /// Returns scheme and host from a proxy that does not name the client.
  ForwardedElement place() noexcept {
    ForwardedElement element;
    if (kind_ == ForwardedHeaders::x_forwarded) {
      take_place(element);
    }
    return element;
  }

 private:
  void take_place(ForwardedElement& element) noexcept {
    element.proto = protos_.next().value_or("");
    element.host = hosts_.next().value_or("");
  }

  ForwardedHeaders kind_;
  ElementsFromRight elements_;
  ElementsFromRight protos_;
  ElementsFromRight hosts_;
};

void set_place(RequestOrigin& origin, const ForwardedElement& hop) noexcept {
  origin.proto = is_scheme(hop.proto) ? hop.proto : origin.proto;
  origin.host = is_host(hop.host) ? hop.host : origin.host;
}

/// Returns the origin one hop further out.
RequestOrigin follow(RequestOrigin origin, const ForwardedElement& said) noexcept {
  // A malformed element from a trusted peer counts as a hop without a name.
  const ForwardedElement hop = said.is_malformed ? ForwardedElement() : said;
  origin.hops += 1;
  set_place(origin, hop);
  const bool is_known = hop.from.kind == Kind::address;
  origin.address = is_known ? std::optional(hop.from.address) : std::nullopt;
  // An unknown address replaces the previous one: never fall back to the previous address.
  origin.port = is_known ? hop.from.port : std::nullopt;
  origin.identifier = is_known ? std::string_view() : hop.from.text;
  return origin;
}

}  // namespace

ForwardedNode read_forwarded_node(std::string_view text) noexcept {
  if (text.empty()) {
    return malformed(text);
  }
  const NodeParts parts = split_node(text);
  ForwardedNode node = read_name(parts);
  node.text = text;
  if (parts.port.empty()) {
    return node;
  }
  const std::string_view port = parts.port.substr(1);
  node.port = read_port(port);
  const bool is_port = parts.port.front() == ':' && (node.port.has_value() || is_obfuscated(port));
  return is_port ? node : malformed(text);
}

ForwardedNode read_x_forwarded_node(std::string_view text) noexcept {
  const std::optional<IpAddress> address = IpAddress::parse(text);
  if (address.has_value()) {
    return {.kind = Kind::address, .address = *address, .text = text};
  }
  return read_forwarded_node(text);
}

ForwardedElement read_forwarded_element(std::string_view text) noexcept {
  ForwardedElement element;
  FieldScanner scanner(text);
  while (!scanner.is_at_end() && !element.is_malformed) {
    scanner.skip_blanks();  // not allowed by the grammar, but used in practice
    if (scanner.accept(';')) {
      continue;
    }
    const bool is_pair = read_pair(scanner, element);
    scanner.skip_blanks();
    element.is_malformed = !is_pair || !(scanner.is_at_end() || scanner.accept(';'));
  }
  return element;
}

/// Selects the next field line of that name, from the last to the first.
bool ElementsFromRight::take_line() noexcept {
  while (!fields_.empty()) {
    const Field& field = fields_.back();
    fields_ = fields_.first(fields_.size() - 1);
    if (equals_ignoring_case(field.name, name_)) {
      line_ = field.value;
      return true;
    }
  }
  return false;
}

/// Cuts off the text after the last comma outside of quoted strings. When reading from the right,
/// each quote starts or ends a string, because escapes are not supported.
std::string_view ElementsFromRight::cut_last() noexcept {
  bool is_quoted = false;
  std::size_t at = line_.size();
  while (at > 0 && (is_quoted || line_[at - 1] != ',')) {
    --at;
    is_quoted = is_quoted != (line_[at] == '"');
  }
  const std::string_view last = line_.substr(at);
  line_ = line_.substr(0, at > 0 ? at - 1 : 0);
  return trim(last);
}

std::optional<std::string_view> ElementsFromRight::next() noexcept {
  while (!line_.empty() || take_line()) {
    const std::string_view element = cut_last();
    if (!element.empty()) {
      return element;
    }
  }
  return std::nullopt;
}

RequestOrigin find_origin(const PeerEnd& peer, std::span<const Field> fields, ForwardedHeaders kind,
                          const TrustedPeers& trusted) noexcept {
  RequestOrigin origin;
  origin.address = peer.address();
  Hops hops(fields, kind);
  bool is_trusted = trusted.trusts(peer);
  // Only elements from a trusted peer are used: the client may have written the text to the left of
  // them.
  while (is_trusted && origin.hops < kForwardedHopsMax) {
    const std::optional<ForwardedElement> hop = hops.next();
    if (!hop.has_value()) {
      if (origin.hops == 0) {
        set_place(origin, hops.place());
      }
      break;
    }
    origin = follow(origin, *hop);
    is_trusted = origin.address.has_value() && trusted.trusts(*origin.address);
  }
  return origin;
}

bool is_over_tls(const RequestOrigin& origin, bool is_connection_over_tls) noexcept {
  return origin.proto.empty() ? is_connection_over_tls
                              : equals_ignoring_case(origin.proto, "https") ||
                                    equals_ignoring_case(origin.proto, "wss");
}

}  // namespace eider
