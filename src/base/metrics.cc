// The metrics registry: families by name, series by labels, values in atomics that live as long as the registry.
#include "base/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <mutex>
#include <variant>

#include "base/check.h"

namespace muster {
namespace {

// A compare-exchange loop rather than atomic<double>::fetch_add, which not every standard library our compilers meet has;
// on x86 both become the same instructions.
void add_to(std::atomic<double>& target, double by) {
  double seen = target.load(std::memory_order_relaxed);
  while (!target.compare_exchange_weak(seen, seen + by, std::memory_order_relaxed)) {
  }
}

std::string escape_label(std::string_view value) {
  std::string out;
  for (const char c : value) {
    if (c == '\\' || c == '"') out.push_back('\\');
    if (c == '\n')
      out.append("\\n");
    else
      out.push_back(c);
  }
  return out;
}

std::string escape_help(std::string_view help) {
  std::string out;
  for (const char c : help) {
    if (c == '\\')
      out.append("\\\\");
    else if (c == '\n')
      out.append("\\n");
    else
      out.push_back(c);
  }
  return out;
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

// `{a="1",b="2"}`, or nothing. `extra` is appended as it stands.
std::string label_text(const MetricLabels& labels, std::string_view extra = {}) {
  std::string out;
  for (const auto& [key, value] : labels) {
    out.append(out.empty() ? "{" : ",").append(key).append("=\"").append(escape_label(value)).append("\"");
  }
  if (!extra.empty()) out.append(out.empty() ? "{" : ",").append(extra);
  if (!out.empty()) out.push_back('}');
  return out;
}

using Series = std::variant<std::unique_ptr<Counter>, std::unique_ptr<Gauge>, std::unique_ptr<Histogram>>;

struct Family {
  std::size_t kind = 0;  // index in Series
  std::string help;
  std::map<MetricLabels, Series> series;
};

constexpr std::string_view kKindNames[] = {"counter", "gauge", "histogram"};

struct WriteSeries {
  std::string& out;
  const std::string& name;
  const MetricLabels& labels;

  void operator()(const std::unique_ptr<Counter>& counter) const {
    fmt::format_to(std::back_inserter(out), "{}{} {}\n", name, label_text(labels), counter->value());
  }
  void operator()(const std::unique_ptr<Gauge>& gauge) const {
    fmt::format_to(std::back_inserter(out), "{}{} {}\n", name, label_text(labels), number(gauge->value()));
  }
  void operator()(const std::unique_ptr<Histogram>& histogram) const {
    std::uint64_t cumulative = 0;
    const auto& bounds = histogram->bounds();
    for (std::size_t i = 0; i <= bounds.size(); ++i) {
      cumulative += histogram->bucket(i);
      const std::string edge = i < bounds.size() ? number(bounds[i]) : "+Inf";
      fmt::format_to(std::back_inserter(out), "{}_bucket{} {}\n", name, label_text(labels, fmt::format("le=\"{}\"", edge)),
                     cumulative);
    }
    fmt::format_to(std::back_inserter(out), "{}_sum{} {}\n", name, label_text(labels), number(histogram->sum()));
    // The count is the +Inf bucket just read, so that the two agree even while others record.
    fmt::format_to(std::back_inserter(out), "{}_count{} {}\n", name, label_text(labels), cumulative);
  }
};

}  // namespace

void Gauge::add(double by) { add_to(value_, by); }

Histogram::Histogram(std::vector<double> bounds) : bounds_(std::move(bounds)), buckets_(bounds_.size() + 1) {
  check(std::adjacent_find(bounds_.begin(), bounds_.end(), std::greater_equal<>()) == bounds_.end(),
        "histogram bounds strictly ascend");
}

void Histogram::observe(double value) {
  // A bucket holds values up to and including its bound.
  const auto at = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
  buckets_[static_cast<std::size_t>(at)].fetch_add(1, std::memory_order_relaxed);
  add_to(sum_, value);
}

std::uint64_t Histogram::bucket(std::size_t index) const { return buckets_[index].load(std::memory_order_relaxed); }

std::uint64_t Histogram::count() const {
  std::uint64_t total = 0;
  for (const auto& bucket : buckets_) total += bucket.load(std::memory_order_relaxed);
  return total;
}

std::vector<double> latency_bounds() {
  return {0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};
}

struct Metrics::State {
  mutable std::mutex mutex;  // leaf; guards families
  std::map<std::string, Family, std::less<>> families;

  template <class T, class Make>
  T& get(std::string_view name, std::string_view help, const MetricLabels& labels, Make make) {
    const std::size_t kind = Series(std::unique_ptr<T>()).index();
    const std::lock_guard lock(mutex);
    auto at = families.find(name);
    if (at == families.end()) at = families.emplace(name, Family{.kind = kind, .help = std::string(help), .series = {}}).first;
    check(at->second.kind == kind, "a metric name keeps its kind");
    auto& series = at->second.series;
    auto found = series.find(labels);
    if (found == series.end()) found = series.emplace(labels, make()).first;
    return *std::get<std::unique_ptr<T>>(found->second);
  }
};

Metrics::Metrics() : state_(std::make_unique<State>()) {}
Metrics::~Metrics() = default;

Counter& Metrics::counter(std::string_view name, std::string_view help, const MetricLabels& labels) {
  return state_->get<Counter>(name, help, labels, [] { return std::make_unique<Counter>(); });
}

Gauge& Metrics::gauge(std::string_view name, std::string_view help, const MetricLabels& labels) {
  return state_->get<Gauge>(name, help, labels, [] { return std::make_unique<Gauge>(); });
}

Histogram& Metrics::histogram(std::string_view name, std::string_view help, std::vector<double> bounds,
                              const MetricLabels& labels) {
  return state_->get<Histogram>(name, help, labels, [&] { return std::make_unique<Histogram>(std::move(bounds)); });
}

std::string Metrics::text() const {
  const std::lock_guard lock(state_->mutex);
  std::string out;
  for (const auto& [name, family] : state_->families) {
    fmt::format_to(std::back_inserter(out), "# HELP {} {}\n# TYPE {} {}\n", name, escape_help(family.help), name,
                   kKindNames[family.kind]);
    for (const auto& [labels, series] : family.series) std::visit(WriteSeries{out, name, labels}, series);
  }
  return out;
}

}  // namespace muster
