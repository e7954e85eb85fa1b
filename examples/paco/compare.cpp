#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "commands.hpp"
#include "support/picture_io.hpp"
#include "support/report.hpp"

namespace gpuimg::examples {

namespace {

struct difference {
  std::int64_t x, y;
  int component;
  std::int64_t first, second;
};

/// What differs between samples that were seen so far.
struct sample_statistics {
  std::optional<difference> at;
  std::uint64_t different = 0;
  std::uint64_t largest = 0;
  long double squares = 0;

  template <class S>
  void add_row(const std::byte* a, const std::byte* b, std::int64_t count, std::int64_t y, int components) {
    for (std::int64_t i = 0; i < count; ++i) {
      S first{};
      S second{};
      std::memcpy(&first, a + i * static_cast<std::int64_t>(sizeof(S)), sizeof(S));
      std::memcpy(&second, b + i * static_cast<std::int64_t>(sizeof(S)), sizeof(S));
      if (first == second) continue;
      const std::int64_t error = static_cast<std::int64_t>(first) - static_cast<std::int64_t>(second);
      if (!at) at = difference{i / components, y, static_cast<int>(i % components), first, second};
      ++different;
      largest = std::max(largest, static_cast<std::uint64_t>(std::abs(error)));
      squares += static_cast<long double>(error) * static_cast<long double>(error);
    }
  }
};

std::string text_of(const picture_format& f) {
  return std::to_string(f.width) + "x" + std::to_string(f.height) + " with " + std::to_string(f.components) +
         " component" + (f.components == 1 ? "" : "s") + " of " + std::to_string(f.depth) + " bits" +
         (f.is_signed ? ", signed" : "");
}

bool have_same_shape(const picture_format& a, const picture_format& b) {
  return a.width == b.width && a.height == b.height && a.components == b.components && a.depth == b.depth &&
         a.is_signed == b.is_signed;
}

sample_statistics compare_samples(picture_reader& a, picture_reader& b) {
  const picture_format& f = a.format();
  const auto row_bytes = static_cast<std::size_t>(f.bytes_per_row());
  std::vector<std::byte> first(row_bytes);
  std::vector<std::byte> second(row_bytes);
  sample_statistics result;
  progress bar("gpuimg-paco: comparing");
  for (std::int64_t y = 0; y < f.height; ++y) {
    a.read_rows(1, first);
    b.read_rows(1, second);
    bar.show(y, f.height);
    if (std::memcmp(first.data(), second.data(), row_bytes) == 0) continue;
    const auto add = [&](auto sample) {
      result.add_row<decltype(sample)>(first.data(), second.data(), f.samples_per_row(), y, f.components);
    };
    switch (f.bytes_per_sample()) {
      case 1: f.is_signed ? add(std::int8_t{}) : add(std::uint8_t{}); break;
      case 2: f.is_signed ? add(std::int16_t{}) : add(std::uint16_t{}); break;
      default: f.is_signed ? add(std::int32_t{}) : add(std::uint32_t{}); break;
    }
  }
  return result;
}

/// In decibels, of 2^depth - 1; infinite for equal pictures.
double psnr(const sample_statistics& s, const picture_format& f) {
  if (s.different == 0) return std::numeric_limits<double>::infinity();
  const double peak = std::ldexp(1.0, f.depth) - 1;
  const auto mean =
      static_cast<double>(s.squares) / (static_cast<double>(f.samples_per_row()) * static_cast<double>(f.height));
  return 10 * std::log10(peak * peak / mean);
}

void print_json(const compare_settings& settings, const picture_format& f, const sample_statistics* s) {
  json_object all;
  all.add("command", "compare")
      .add("first", settings.first)
      .add("second", settings.second)
      .add("equal", s != nullptr && s->different == 0)
      .add("same_shape", s != nullptr);
  if (s != nullptr) {
    all.add("samples", f.samples_per_row() * f.height)
        .add("different_samples", s->different)
        .add("largest_error", s->largest)
        .add("psnr", psnr(*s, f));
    json_object where;
    if (s->at) {
      where.add("x", s->at->x)
          .add("y", s->at->y)
          .add("component", s->at->component)
          .add("first", s->at->first)
          .add("second", s->at->second);
    }
    all.add("first_difference", s->at ? where.value() : json());
  }
  std::printf("%s\n", all.value().text().c_str());
}

}  // namespace

int compare(const compare_settings& settings) {
  const auto a = picture_reader::open(settings.first);
  const auto b = picture_reader::open(settings.second);
  const picture_format f = a->format();
  if (!have_same_shape(f, b->format())) {
    if (settings.report == report_kind::json) print_json(settings, f, nullptr);
    if (settings.report == report_kind::text) {
      std::printf("different: %s is %s, %s is %s\n", settings.first.c_str(), text_of(f).c_str(),
                  settings.second.c_str(), text_of(b->format()).c_str());
    }
    return 1;
  }
  const sample_statistics s = compare_samples(*a, *b);
  if (settings.report == report_kind::json) print_json(settings, f, &s);
  if (settings.report == report_kind::text && !s.at) { std::printf("equal: %s\n", text_of(f).c_str()); }
  if (settings.report == report_kind::text && s.at) {
    std::printf(
        "different: %llu of %lld samples, first at (%lld, %lld) component %d: %lld and %lld; largest error %llu, "
        "PSNR %.2f dB\n",
        static_cast<unsigned long long>(s.different), static_cast<long long>(f.samples_per_row() * f.height),
        static_cast<long long>(s.at->x), static_cast<long long>(s.at->y), s.at->component,
        static_cast<long long>(s.at->first), static_cast<long long>(s.at->second),
        static_cast<unsigned long long>(s.largest), psnr(s, f));
  }
  return s.at ? 1 : 0;
}

}  // namespace gpuimg::examples
