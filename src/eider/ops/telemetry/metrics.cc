#include "eider/ops/telemetry/metrics.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <mutex>
#include <variant>

#include "eider/core/base/digits.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/utf8.h"
#include "eider/core/reflect/type_of.h"
#include "eider/data/db/database.h"

namespace eider {

namespace {

constexpr std::size_t kSeriesMax = 1000;

using Kind = MetricKind;

using Series =
    std::variant<std::unique_ptr<Counter>, std::unique_ptr<Gauge>, std::unique_ptr<Histogram>,
                 std::function<double()>, std::function<const Histogram&()>>;

struct Family {
  std::string name;
  std::string help;
  Kind kind;
  std::vector<std::string> label_names;
  std::map<std::vector<std::string>, Series> series;  // by the values of the labels
};

std::string number(double value) {
  if (std::isnan(value)) {
    return "NaN";
  }
  if (std::isinf(value)) {
    return value > 0 ? "+Inf" : "-Inf";
  }
  constexpr double kWholeMax = 1e15;
  const bool is_whole = std::trunc(value) == value && std::abs(value) < kWholeMax;
  return is_whole ? digits_of(static_cast<std::int64_t>(value)) : digits_of(value);
}

/// source  "Exposition formats": '\', '"' and line breaks are escaped in label values; in help
///         texts, quotes are not
std::string escaped(std::string_view text, bool has_quotes) {
  std::string out;
  for (const char byte : text) {
    if (byte == '\n') {
      out.append("\\n");
      continue;
    }
    if (byte == '\\' || (has_quotes && byte == '"')) {
      out.push_back('\\');
    }
    out.push_back(byte);
  }
  return out;
}

/// Replaces each byte that is not UTF-8 with U+FFFD, as JSON does: Prometheus rejects all metrics
/// of a response with one such byte in a label.
std::string as_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t bytes = utf8_sequence_bytes(text);
    out.append(bytes == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(0, bytes));
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return out;
}

/// source  "Data model": [a-zA-Z_:][a-zA-Z0-9_:]*, for labels without the colon
bool is_name(std::string_view name, bool has_colons) noexcept {
  const auto is_letter = [&](char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
           (has_colons && byte == ':');
  };
  return !name.empty() && is_letter(name[0]) && std::ranges::all_of(name, [&](char byte) {
    return is_letter(byte) || (byte >= '0' && byte <= '9');
  });
}

[[noreturn]] void refuse(std::string_view name, std::string_view why) {
  throw Failure(Error::internal("The metric " + std::string(name) + " " + std::string(why)));
}

void check_names(std::string_view name, MetricLabels labels) {
  if (!is_name(name, true)) {
    refuse(name, "needs a name of letters, digits and '_' that does not start with a digit");
  }
  for (const auto& [label, value] : labels) {
    if (!is_name(label, false) || label.starts_with("__") || label == "le") {
      refuse(name, "has an invalid label name: " + std::string(label));
    }
  }
}

std::string labels_text(const MetricRead& family, const std::vector<std::string>& values) {
  std::string out;
  for (std::size_t i = 0; i < values.size(); ++i) {
    out.append(out.empty() ? "" : ",").append(family.label_names[i]).append("=\"");
    out.append(escaped(values[i], true)).append("\"");
  }
  return out;
}

void append_line(std::string& out, std::string_view name, std::string_view suffix,
                 const std::string& labels, const std::string& value) {
  out.append(name).append(suffix);
  if (!labels.empty()) {
    out.append("{").append(labels).append("}");
  }
  out.append(" ").append(value).append("\n");
}

void append_spread(std::string& out, const MetricRead& family, const std::string& labels,
                   const MetricPoint& point) {
  const Histogram::Read& spread = *point.histogram;
  const std::string before = labels.empty() ? "" : labels + ",";
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < spread.counts.size(); ++i) {
    count += spread.counts[i];
    const std::string bound = i < point.bounds.size() ? number(point.bounds[i]) : "+Inf";
    append_line(out, family.name, "_bucket", before + "le=\"" + bound + "\"",
                std::to_string(count));
  }
  append_line(out, family.name, "_sum", labels, number(spread.sum));
  append_line(out, family.name, "_count", labels, std::to_string(count));
}

void append_family(std::string& out, const MetricRead& family) {
  out.append("# HELP ").append(family.name).append(" ").append(escaped(family.help, false));
  out.append("\n# TYPE ")
      .append(family.name)
      .append(" ")
      .append(reflect::enumerator_name(family.kind));
  out.append("\n");
  for (const MetricPoint& point : family.points) {
    const std::string labels = labels_text(family, point.label_values);
    if (point.histogram) {
      append_spread(out, family, labels, point);
    } else {
      append_line(out, family.name, "", labels, number(point.value));
    }
  }
}

/// source  OpenTelemetry, "General metric semantic conventions", "Instrument units": those of UCUM
std::string_view unit_of(std::string_view name) noexcept {
  constexpr std::string_view kTotal = "_total";
  if (name.ends_with(kTotal)) {
    name.remove_suffix(kTotal.size());
  }
  return name.ends_with("_seconds") ? "s" : name.ends_with("_bytes") ? "By" : "";
}

/// The source of a series' value, used while other series may be added: a permanent object, or a
/// copy.
using Source = std::variant<const Counter*, const Gauge*, const Histogram*, std::function<double()>,
                            std::function<const Histogram&()>>;

Source source_of(const Series& series) {
  struct Cases {
    Source operator()(const std::unique_ptr<Counter>& counter) const { return counter.get(); }
    Source operator()(const std::unique_ptr<Gauge>& gauge) const { return gauge.get(); }
    Source operator()(const std::unique_ptr<Histogram>& spread) const { return spread.get(); }
    Source operator()(const std::function<double()>& read) const { return read; }
    Source operator()(const std::function<const Histogram&()>& read) const { return read; }
  };
  return std::visit(Cases{}, series);
}

/// Reads the current value.
void read_into(MetricPoint& point, const Source& source) {
  struct Cases {
    void operator()(const Counter* counter) const {
      point.value = static_cast<double>(counter->value());
    }
    void operator()(const Gauge* gauge) const { point.value = gauge->value(); }
    void operator()(const std::function<double()>& read) const { point.value = read(); }
    void operator()(const Histogram* histogram) const { take(*histogram); }
    void operator()(const std::function<const Histogram&()>& read) const { take(read()); }
    void take(const Histogram& histogram) const {
      point.histogram = histogram.read();
      point.bounds = histogram.bounds();
    }
    MetricPoint& point;
  };
  std::visit(Cases{point}, source);
}

}  // namespace

struct Metrics::State {
  mutable std::mutex mutex;
  std::deque<Family> families;

  Family& family(std::string_view name, std::string_view help, Kind kind, MetricLabels labels) {
    check_names(name, labels);
    std::vector<std::string> label_names;
    for (const MetricLabel& label : labels) {
      label_names.emplace_back(label.first);
    }
    const auto found = std::ranges::find(families, name, &Family::name);
    if (found == families.end()) {
      return families.emplace_back(std::string(name), std::string(help), kind,
                                   std::move(label_names));
    }
    if (found->kind != kind) {
      refuse(name, "is already registered with another type");
    }
    if (found->label_names != label_names) {
      refuse(name, "is already registered with other labels");
    }
    return *found;
  }

  /// Returns the series; a new one is created by `make`.
  template <class T, class Make>
  T& series(std::string_view name, std::string_view help, Kind kind, MetricLabels labels,
            Make make) {
    const std::lock_guard lock(mutex);
    return find<T>(name, help, kind, labels, std::move(make));
  }

  /// Sets the function that is called from now on, instead of an earlier one.
  template <class T>
  void ask(std::string_view name, std::string_view help, Kind kind, MetricLabels labels, T read) {
    const std::lock_guard lock(mutex);  // the old function is destroyed after the unlock
    std::swap(find<T>(name, help, kind, labels, [] { return T(); }), read);
  }

 private:
  /// Pre: the mutex is locked.
  template <class T, class Make>
  T& find(std::string_view name, std::string_view help, Kind kind, MetricLabels labels, Make make) {
    Family& its = family(name, help, kind, labels);
    std::vector<std::string> values;
    for (const MetricLabel& label : labels) {
      // Before the lookup, so that no two series have the same labels in the output.
      values.push_back(as_utf8(label.second));
    }
    if (its.series.size() >= kSeriesMax && !its.series.contains(values)) {
      values.assign(values.size(), "other");
    }
    const auto found = its.series.find(values);
    if (found == its.series.end()) {
      return std::get<T>(its.series.emplace(std::move(values), T(make())).first->second);
    }
    if (!std::holds_alternative<T>(found->second)) {
      refuse(name, "is already registered with other values");
    }
    return std::get<T>(found->second);
  }
};

Metrics::Metrics() : state_(std::make_unique<State>()) {}
Metrics::~Metrics() = default;

Counter& Metrics::counter(std::string_view name, std::string_view help, MetricLabels labels) {
  return *state_->series<std::unique_ptr<Counter>>(name, help, Kind::counter, labels,
                                                   [] { return std::make_unique<Counter>(); });
}

Gauge& Metrics::gauge(std::string_view name, std::string_view help, MetricLabels labels) {
  return *state_->series<std::unique_ptr<Gauge>>(name, help, Kind::gauge, labels,
                                                 [] { return std::make_unique<Gauge>(); });
}

Histogram& Metrics::histogram(std::string_view name, std::string_view help, MetricLabels labels,
                              std::span<const double> bounds) {
  if (std::ranges::adjacent_find(bounds, std::greater_equal<>()) != bounds.end()) {
    refuse(name, "needs increasing bucket bounds");
  }
  return *state_->series<std::unique_ptr<Histogram>>(
      name, help, Kind::histogram, labels, [&] { return std::make_unique<Histogram>(bounds); });
}

void Metrics::counter_of(std::string_view name, std::string_view help, MetricLabels labels,
                         std::function<double()> read) {
  state_->ask(name, help, Kind::counter, labels, std::move(read));
}

void Metrics::gauge_of(std::string_view name, std::string_view help, MetricLabels labels,
                       std::function<double()> read) {
  state_->ask(name, help, Kind::gauge, labels, std::move(read));
}

void Metrics::histogram_of(std::string_view name, std::string_view help, MetricLabels labels,
                           std::function<const Histogram&()> read) {
  state_->ask(name, help, Kind::histogram, labels, std::move(read));
}

void Metrics::watch(std::string_view name, const Database& database) {
  const std::shared_ptr<db::Pool>& pool = database.pool();
  pool->meter().turn_on();
  const MetricLabels labels = {{"database", name}};
  histogram_of("eider_db_seconds", "Duration of statements.", labels,
               [pool]() -> const Histogram& { return pool->meter().seconds; });
  gauge_of("eider_db_in_flight", "Statements that are running or waiting for a connection.", labels,
           [pool] { return pool->meter().in_flight.value(); });
  gauge_of("eider_db_connections", "Open connections.", labels,
           [pool] { return static_cast<double>(pool->state().connections); });
  gauge_of("eider_db_connections_busy",
           "Connections that run a statement, or are reserved for a transaction or a stream.",
           labels, [pool] { return static_cast<double>(pool->state().busy); });
  gauge_of("eider_db_waiting", "Calls that wait for a connection.", labels,
           [pool] { return static_cast<double>(pool->state().waiting); });
  counter_of("eider_db_failed_total", "Statements that failed or were canceled.", labels,
             [pool] { return static_cast<double>(pool->meter().failed.value()); });
}

void Metrics::watch(const Log& log) {
  constexpr std::string_view kName = "eider_log_lines_total";
  constexpr std::string_view kHelp = "Log lines, by outcome.";
  counter_of(kName, kHelp, {{"outcome", "written"}},
             [log] { return static_cast<double>(log.counts().written); });
  counter_of(kName, kHelp, {{"outcome", "dropped"}},
             [log] { return static_cast<double>(log.counts().dropped); });
  counter_of(kName, kHelp, {{"outcome", "suppressed"}},
             [log] { return static_cast<double>(log.counts().suppressed); });
}

std::vector<MetricRead> Metrics::read() const {
  std::vector<MetricRead> all;
  std::vector<Source> sources;
  {
    const std::lock_guard lock(state_->mutex);
    for (const Family& family : state_->families) {
      MetricRead& read = all.emplace_back();
      read.name = family.name;
      read.help = family.help;
      read.unit = unit_of(family.name);
      read.kind = family.kind;
      read.label_names = family.label_names;
      for (const auto& [values, series] : family.series) {
        read.points.emplace_back().label_values = values;
        sources.push_back(source_of(series));
      }
    }
  }
  // Without the lock, because the functions may be slow, and may create series.
  auto source = sources.cbegin();
  for (MetricRead& family : all) {
    for (MetricPoint& point : family.points) {
      read_into(point, *source++);
    }
  }
  return all;
}

std::string Metrics::text() const {
  std::string out;
  for (const MetricRead& family : read()) {
    append_family(out, family);
  }
  return out;
}

}  // namespace eider
